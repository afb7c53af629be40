"""A language server asked without anything of ours in between: the measure of what our tool answers.

It shares nothing with the adapter but what servers are told: the options of the profile for workspaces that are not
trusted, spelled out once more.
"""

import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from urllib.parse import unquote, urlparse


def rust_options(root):
    return {
        "linkedProjects": [str(root / "Cargo.toml")],
        "cargo": {"buildScripts": {"enable": False}},
        "procMacro": {"enable": False},
        "cachePriming": {"enable": False},
        "checkOnSave": False,
        "diagnostics": {"enable": False},
    }


def typescript_options(_):
    settings = {"preferences": {"useAliasesForRenames": False}}
    return {"typescript": settings, "javascript": settings, "js/ts": settings}


def rust_analyzer():
    found = subprocess.run(["rustup", "which", "rust-analyzer"], cwd="/", capture_output=True, text=True)
    return found.stdout.strip() or shutil.which("rust-analyzer")


SERVERS = {
    "rust": (lambda: [rust_analyzer()], rust_options, "rust", ".rs"),
    "python": (lambda: ["ty", "server"], lambda _: {}, "python", ".py"),
    "typescript": (lambda: ["tsc", "--lsp", "--stdio"], typescript_options, "typescript", ".ts"),
}


class Raw:
    """One server of a project."""

    def __init__(self, language, root):
        command, options, self.language, _ = SERVERS[language]
        self.root, self.options = Path(root), options(Path(root))
        self.process = subprocess.Popen(
            command(), cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.heard, self.last, self.opened, self.texts = Queue(), 0, set(), {}
        self.is_quiescent = self.has_loaded = language != "rust"
        threading.Thread(target=self._read, daemon=True).start()
        self._shake_hands()

    def _shake_hands(self):
        uri = self.root.as_uri()
        self.ask("initialize", {
            "processId": os.getpid(),
            "rootUri": uri,
            "workspaceFolders": [{"uri": uri, "name": "root"}],
            "initializationOptions": self.options,
            "capabilities": {
                "workspace": {"configuration": True, "workspaceFolders": True},
                "window": {"workDoneProgress": True},
                "textDocument": {"definition": {"linkSupport": False}},
                "experimental": {"serverStatusNotification": True},
            },
        })
        self._send({"method": "initialized", "params": {}})

    def wait(self):
        """Until a server that says so calls itself ready."""
        while not (self.has_loaded and self.is_quiescent):
            self._hear(time.monotonic() + 600)

    def _read(self):
        stream = self.process.stdout
        while header := stream.readline():
            length = int(header.split(b":")[1]) if header.lower().startswith(b"content-length") else None
            while stream.readline().strip():
                pass
            if length is not None:
                self.heard.put(json.loads(stream.read(length)))

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _hear(self, until):
        """One message; an answer is given back, everything else is answered."""
        try:
            message = self.heard.get(timeout=max(0.0, until - time.monotonic()))
        except Empty:
            raise TimeoutError("the server said nothing") from None
        method = message.get("method")
        if method is None:
            return message
        if "id" in message:
            self._send({"id": message["id"], "result": self._answer(method, message.get("params"))})
        elif method == "experimental/serverStatus":
            self.is_quiescent = message["params"]["quiescent"]
        elif method == "$/progress":
            self.has_loaded |= message["params"]["value"].get("kind") == "end"
        return None

    def _answer(self, method, params):
        if method != "workspace/configuration":
            return None
        values = []
        for item in params["items"]:
            value = self.options
            section = item.get("section") or ""
            for key in section.removeprefix("rust-analyzer").split("."):
                value = value.get(key) if key and isinstance(value, dict) else value
            values.append(value)
        return values

    def ask(self, method, params):
        """An answer; `None` instead of an error, which asks to try again."""
        self.last += 1
        self._send({"id": self.last, "method": method, "params": params})
        until = time.monotonic() + 600
        while True:
            message = self._hear(until)
            if message and message.get("id") == self.last:
                self.failed = message.get("error")
                return message.get("result")

    def open(self, path):
        """Some servers know nothing before a file is open."""
        if path not in self.opened:
            self.opened.add(path)
            text = (self.root / path).read_text()
            document = {"uri": (self.root / path).as_uri(), "languageId": self.language, "version": 1, "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def at(self, path, line, column):
        """Parameters of a place: lines and columns from 1, columns in characters."""
        before = self._line(self.root / path, line - 1)[: column - 1]
        character = len(before.encode("utf-16-le")) // 2
        return {
            "textDocument": {"uri": (self.root / path).as_uri()},
            "position": {"line": line - 1, "character": character},
        }

    def references(self, place):
        while True:
            context = {"context": {"includeDeclaration": False}}
            found = self.ask("textDocument/references", self.at(*place) | context)
            if not self.failed:
                return {self.place(it) for it in found or []}

    def definitions(self, place):
        while True:
            found = self.ask("textDocument/definition", self.at(*place))
            if not self.failed:
                found = found if isinstance(found, list) else [found] if found else []
                return {self.place(it) for it in found}

    def place(self, location):
        """A location as the tool counts."""
        uri = location.get("uri") or location["targetUri"]
        start = (location.get("range") or location["targetSelectionRange"])["start"]
        path = Path(unquote(urlparse(uri).path))
        line = self._line(path, start["line"])
        units = line.encode("utf-16-le")[: start["character"] * 2].decode("utf-16-le", "ignore")
        shown = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        return str(shown), start["line"] + 1, len(units) + 1

    def _line(self, path, index):
        if path not in self.texts:
            self.texts[path] = path.read_text(errors="replace").split("\n") if path.is_file() else []
        lines = self.texts[path]
        return lines[index] if index < len(lines) else ""

    def close(self):
        self.process.kill()
        self.process.wait()
