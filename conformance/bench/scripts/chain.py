"""The tool `script` as an agent gets it: through the real program, the answer as text."""

import json
import time

from tool import Tool



class Chain(Tool):
    def __init__(self, folder, *options):
        super().__init__(folder, options=("--script", *options))
        self.questions = 0

    def reply(self, message):
        if message["method"] != "session/request_permission":
            return super().reply(message)
        self.questions += 1
        options = message["params"]["options"]
        chosen = next(it for it in options if it["kind"] == "allow_once")
        return {"result": {"outcome": {"outcome": "selected", "optionId": chosen["optionId"]}}}

    def script(self, code, **more):
        return self.play("script " + json.dumps({"code": code, **more})).removeprefix("failure: ")

    def times(self, rounds, command):
        """The milliseconds of a command of the mock agent, each time."""
        return [int(it) / 1e6 for it in self.play(f"time {rounds} {command}").split()]

    def timed_script(self, code, session):
        begun = time.perf_counter()
        said = self.end_turn(self.begin_turn("script " + json.dumps({"code": code}), session))
        return said, (time.perf_counter() - begun) * 1e3
