"""Our tool as an agent gets it: the real program, asked over ACP and MCP through the mock agent."""

import json
import os
import subprocess
import threading
from collections import defaultdict
from pathlib import Path
from queue import Queue

from projects import ROOT


def programs():
    """Where the newest `dialect` and `mock-agent` are, or where `DIALECT_PROGRAMS` says."""
    if named := os.environ.get("DIALECT_PROGRAMS"):
        return Path(named)
    built = [ROOT / "target" / it for it in ("release", "debug")]
    built = [it for it in built if (it / "dialect").exists() and (it / "mock-agent").exists()]
    if not built:
        raise SystemExit("not built: cargo build -p cli -p conformance --bin dialect --bin mock-agent")
    return max(built, key=lambda it: (it / "dialect").stat().st_mtime)


class Tool:
    """One chain with one session in a folder."""

    def __init__(self, folder, level=None, options=(), environment=()):
        built = programs()
        level = ["--level", level] if level else []
        environment = dict(os.environ, DIALECT_TRUST="never") | dict(environment)
        self.process = subprocess.Popen(
            [built / "dialect", "agent", *level, *options, "--", built / "mock-agent"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )
        self.answers, self.said, self.last = {}, defaultdict(list), 0
        self.heard = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        self.ask("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        self.session = self.open(folder)

    def open(self, folder):
        """Another session."""
        return self.ask("session/new", {"cwd": str(folder), "mcpServers": []})["sessionId"]

    def _read(self):
        for line in self.process.stdout:
            self.heard.put(json.loads(line))
        self.heard.put(None)

    def ask(self, method, params):
        return self.finish(self.begin(method, params))

    def begin(self, method, params):
        """Sends a request; its number."""
        self.last += 1
        self._send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def finish(self, number):
        """Waits for the answer to a request."""
        while number not in self.answers:
            self._take(self.heard.get(timeout=180))
        return self.answers.pop(number)

    def _take(self, message):
        if message is None:
            raise SystemExit("the chain ended")
        if "id" in message and "method" not in message:
            self.answers[message["id"]] = message["result"]
        elif message.get("method") == "session/update":
            text = message["params"]["update"].get("content", {})
            self.said[message["params"]["sessionId"]].append(text.get("text", "") if isinstance(text, dict) else "")
        elif "id" in message:
            self._send({"jsonrpc": "2.0", "id": message["id"], **self.reply(message)})

    def reply(self, message):
        """What the editor answers to a request."""
        return {"error": {"code": -32601, "message": "no"}}

    def _send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def play(self, command):
        """One command of the mock agent, and what it said."""
        return self.end_turn(self.begin_turn(command))

    def begin_turn(self, command, session=None):
        session = session or self.session
        self.said[session] = []
        prompt = [{"type": "text", "text": command}]
        return self.begin("session/prompt", {"sessionId": session, "prompt": prompt}), session

    def end_turn(self, turn):
        number, session = turn
        self.finish(number)
        return "".join(self.said[session])

    def call(self, program):
        """The blocks of an answer, the second the note; a failure is told by its words alone."""
        said = self.play("call " + " ".join(program.splitlines()))
        return said.removeprefix("failure: ").split("\n---\n")

    def call_when_ready(self, program):
        """The same, again while the servers load."""
        for _ in range(20):
            blocks = self.call(program)
            if "may succeed later" not in blocks[0] and not any("still loading" in it for it in blocks[1:]):
                return blocks
        raise SystemExit(f"nobody was ever ready for {program}")

    def description(self):
        return self.play("describe")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
