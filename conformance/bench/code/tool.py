"""Our tool as an agent gets it: the real program, asked over ACP and MCP through the mock agent."""

import json
import os
import subprocess
import threading
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

    def __init__(self, folder, level=None):
        built = programs()
        level = ["--level", level] if level else []
        environment = dict(os.environ, DIALECT_TRUST="never")
        self.process = subprocess.Popen(
            [built / "dialect", "agent", *level, "--", built / "mock-agent"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )
        self.answers, self.said, self.last = {}, [], 0
        self.heard = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        self.ask("initialize", {"protocolVersion": 1, "clientCapabilities": capabilities})
        self.session = self.ask("session/new", {"cwd": str(folder), "mcpServers": []})["sessionId"]

    def _read(self):
        for line in self.process.stdout:
            self.heard.put(json.loads(line))
        self.heard.put(None)

    def ask(self, method, params):
        self.last += 1
        self._send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while (message := self.heard.get(timeout=180)) is not None:
            if message.get("id") == self.last and "method" not in message:
                return message["result"]
            if message.get("method") == "session/update":
                self.said.append(message["params"]["update"].get("content", {}).get("text", ""))
            elif "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}})
        raise SystemExit("the chain ended")

    def _send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def play(self, command):
        """One command of the mock agent, and what it said."""
        self.said = []
        prompt = [{"type": "text", "text": command}]
        self.ask("session/prompt", {"sessionId": self.session, "prompt": prompt})
        return "".join(self.said)

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
