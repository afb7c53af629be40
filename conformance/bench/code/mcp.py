"""A client of MCP servers over standard streams: how peers are asked."""

import json
import subprocess
import threading
from queue import Queue


class ToolError(Exception):
    """What a tool says that failed."""


class Server:
    def __init__(self, command, folder, environment=None):
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.heard, self.last = Queue(), 0
        threading.Thread(target=self._read, daemon=True).start()
        client = {"name": "bench", "version": "0"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.instructions = self.ask("initialize", hello).get("instructions") or ""
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.heard.put(json.loads(line))
        self.heard.put(None)

    def _send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self._send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while (message := self.heard.get(timeout=600)) is not None:
            if message.get("id") == self.last and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]
        raise RuntimeError("the server ended")

    def tools(self):
        return self.ask("tools/list", {})["tools"]

    def call(self, name, arguments):
        """The text of an answer."""
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        text = "\n".join(it.get("text", "") for it in answer["content"])
        if answer.get("isError"):
            raise ToolError(text)
        return text

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
