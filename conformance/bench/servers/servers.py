"""Language servers of interface documents, beside TypeSpec's: time and memory while somebody types.

    cargo build --release -p cli --bin ailang
    npm install --prefix DIR @typespec/compiler
    python3 servers.py [--ailang target/release/ailang] [--tsp DIR/node_modules/.bin/tsp-server] [--rounds 3]

Each server gets a document of 2,010 lines, and a package of 1,000 documents, each of which imports the next two, so
that all depend on the largest. The declarations are the same in each language: a type with two fields, an error or a
model, and an operation, for every ten lines. It is started, and gets the largest document; then somebody types 50
characters, each as one change. A round has all servers
in turn, and the table has the medians of all rounds. `one key` is the time from a change to the diagnostics that the
server sends by itself, with the pause that it makes before; `asked` is the time from a change to the answer to a request
for diagnostics, which only ours answers, without a pause. Memory is the resident set of all its processes at the end.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, Queue

LINES, DOCUMENTS, KEYS = 2_010, 1_000, 50
PATIENCE = 300


def ailang_document(name, lines, imports):
    """A document; a tenth of its lines are declarations of types, and so on."""
    head = f"---\nid: {name}\ntitle: {name}\nsummary: Measured.\n---\n\n<define>\n```typescript\n"
    head += "".join(f'import {it} from "./{it}.md"\n' for it in imports)
    body = "".join(
        f"// A size.\ntype Size{at} = {{ width: int.min(1).max(100), name?: string.minLength(2) }}\n"
        f'error Lost{at}(to: string) {{\n  message = "Lost ${{to}}"\n  recovery = "Wait"\n}}\n'
        f"// Sends.\ntool send{at}(to: string, size?: Size{at}) -> List<Size{at}>\n  throws Lost{at}\n\n"
        for at in range(lines // 10)
    )
    return head + body + "```\n</define>\n"


def typespec_document(name, lines, imports):
    head = "".join(f'import "./{it}.tsp";\n' for it in imports)
    head += f"\nnamespace {name};\n\n"
    body = "".join(
        f"/** A size. */\nmodel Size{at} {{ @minValue(1) @maxValue(100) width: int32; @minLength(2) name?: string }}\n"
        f"@error\nmodel Lost{at} {{\n  to: string;\n  recovery: \"Wait\";\n}}\n"
        f"/** Sends. */\nop send{at}(to: string, size?: Size{at}): Size{at}[] | Lost{at};\n\n"
        for at in range(lines // 10)
    )
    return head + body


class Server:
    """A client with its server."""

    def __init__(self, command, folder):
        self.start = time.monotonic()
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages, self.told, self.last = Queue(), [], 0
        threading.Thread(target=self._read, daemon=True).start()
        capabilities = {
            "textDocument": {"publishDiagnostics": {"versionSupport": True}, "synchronization": {}},
            "workspace": {"workspaceFolders": True, "configuration": True},
        }
        folders = [{"uri": folder.as_uri(), "name": "it"}]
        parameters = {"processId": os.getpid(), "rootUri": folder.as_uri(), "workspaceFolders": folders, "capabilities": capabilities}
        self.ask("initialize", parameters)
        self.started = time.monotonic() - self.start
        self.tell("initialized", {})

    def _read(self):
        stream = self.process.stdout
        while header := stream.readline():
            length = int(header.split(b":")[1]) if header.lower().startswith(b"content-length") else None
            while stream.readline().strip():
                pass
            if length is not None:
                self.messages.put(json.loads(stream.read(length)))

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, parameters):
        self._send({"method": method, "params": parameters})

    def _hear(self):
        """A message; requests of the server are answered."""
        try:
            message = self.messages.get(timeout=PATIENCE)
        except Empty:
            raise SystemExit(f"{self.process.args}: nothing came within {PATIENCE} seconds") from None
        if "id" in message and "method" in message:
            items = (message.get("params") or {}).get("items", [])
            result = [{}] * len(items) if message["method"] == "workspace/configuration" else None
            self._send({"id": message["id"], "result": result})
        return message

    def ask(self, method, parameters):
        self.last += 1
        self._send({"id": self.last, "method": method, "params": parameters})
        while True:
            message = self._hear()
            if message.get("id") == self.last and "method" not in message:
                return message.get("result")
            self.told.append(message)

    def diagnostics(self, uri, wanted):
        """Waits until `wanted` holds for the published diagnostics of a file."""
        while True:
            message = self.told.pop(0) if self.told else self._hear()
            if message.get("method") == "textDocument/publishDiagnostics":
                parameters = message["params"]
                if parameters["uri"] == uri and wanted([it["message"] for it in parameters["diagnostics"]]):
                    return

    def memory(self):
        """The resident memory of its processes, in megabytes."""
        total, pending = 0, [self.process.pid]
        while pending:
            pid = pending.pop()
            try:
                status = Path(f"/proc/{pid}/status").read_text()
                total += next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)
                for task in Path(f"/proc/{pid}/task").iterdir():
                    pending += [int(it) for it in (task / "children").read_text().split()]
            except (FileNotFoundError, ProcessLookupError):
                pass
        return total / 1024

    def stop(self):
        self.process.kill()
        self.process.wait()


class Kind:
    def __init__(self, name, command, suffix, language, write, mistake, asks):
        self.name, self.command, self.suffix, self.language = name, command, suffix, language
        self.write, self.mistake, self.asks = write, mistake, asks


def kinds(arguments):
    """The servers, each with a line that is wrong whatever follows it."""
    return [
        Kind("ailang", [arguments.ailang, "lsp"], ".md", "ailang", ailang_document, "type Typed = Missing{}", True),
        Kind("TypeSpec", [arguments.tsp, "--stdio"], ".tsp", "typespec", typespec_document, "alias Typed = Missing{};", False),
    ]


def package(kind, folder, shape):
    """Writes documents, and returns the path of the largest with its text."""
    names = ["main", *(f"n{at}" for at in range(DOCUMENTS - 2)), "largest"] if shape == "many" else ["largest"]
    texts = {
        # Each imports the next two, so that all depend on the last.
        name: kind.write(name, LINES if name == "largest" else 20, names[at + 1 : at + 3])
        for at, name in enumerate(names)
    }
    for name, text in texts.items():
        (folder / f"{name}{kind.suffix}").write_text(text)
    if kind.suffix == ".tsp":
        (folder / "tspconfig.yaml").write_text("")
    return folder / f"largest{kind.suffix}", texts["largest"]


def measure(kind, shape):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        path, text = package(kind, folder, shape)
        server = Server(kind.command, folder)
        try:
            return typed(kind, server, path.as_uri(), text)
        finally:
            server.stop()


def typed(kind, server, uri, text):
    """Opens a document with a mistake, makes the mistake longer by a character at a time, and measures."""
    lines = text.split("\n")
    at = next(index for index, line in enumerate(lines) if line.startswith(("// A size", "/** A size")))
    lines.insert(at, kind.mistake.format(""))
    column = kind.mistake.index("{}")
    document = {"uri": uri, "languageId": kind.language, "version": 1, "text": "\n".join(lines)}
    begin = time.monotonic()
    server.tell("textDocument/didOpen", {"textDocument": document})
    server.diagnostics(uri, lambda found: any("Missing" in it for it in found))
    opened = time.monotonic() - begin
    name, version, sent, asked = "Missing", 1, [], []

    def key():
        nonlocal name, version
        version += 1
        place = {"line": at, "character": column + len(name) - len("Missing")}
        name += "x"
        change = {"range": {"start": place, "end": place}, "text": "x"}
        server.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]})

    def is_named(found):
        return any(f"`{name}`" in it or it.endswith(f" {name}") for it in found)

    for _ in range(KEYS):
        begin = time.monotonic()
        key()
        if kind.asks:
            report = server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            asked.append(time.monotonic() - begin)
            assert any(f"`{name}`" in it["message"] for it in report["items"]), report
        server.diagnostics(uri, is_named)
        sent.append(time.monotonic() - begin)
    # All at once, as somebody who types faster than the server thinks.
    begin = time.monotonic()
    for _ in range(KEYS):
        key()
    server.diagnostics(uri, is_named)
    burst = time.monotonic() - begin
    return {
        "start": server.started * 1e3,
        "open": opened * 1e3,
        "one key": statistics.median(sent) * 1e3,
        "slowest key": max(sent) * 1e3,
        "asked": statistics.median(asked) * 1e3 if asked else None,
        "50 keys at once": burst * 1e3,
        "memory": server.memory(),
    }


def main():
    parser = argparse.ArgumentParser()
    root = Path(__file__).resolve().parents[3]
    parser.add_argument("--ailang", default=str(root / "target/release/ailang"))
    parser.add_argument("--tsp", default=shutil.which("tsp-server"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--shapes", default="one,many")
    arguments = parser.parse_args()
    found = {}
    for _ in range(arguments.rounds):
        for shape in arguments.shapes.split(","):
            for kind in kinds(arguments):
                if kind.command[0] and (arguments.only in (None, kind.name)):
                    found.setdefault((shape, kind.name), []).append(measure(kind, shape))
    titles = {"one": f"one of {LINES:,} lines", "many": f"the largest of {DOCUMENTS:,}"}
    columns = ["start", "open", "one key", "slowest key", "asked", "50 keys at once", "memory"]
    print("| documents | server | " + " | ".join(columns) + " |\n| --- | --- |" + " ---: |" * len(columns))
    for (shape, name), rounds in found.items():
        cells = []
        for column in columns:
            values = [it[column] for it in rounds if it[column] is not None]
            unit = "MB" if column == "memory" else "ms"
            cells.append(f"{statistics.median(values):,.0f} {unit}" if values else "–")
        print(f"| {titles[shape]} | {name} | " + " | ".join(cells) + " |")


main()
