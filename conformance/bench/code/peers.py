"""Beside the language server itself and two other ways to it: time, bytes and memory on the same projects.

    python3 peers.py [--project NAME] [--asker NAME] [--rounds 50]

Each one is started anew in each project and asked for a definition until it gives the right one, then for references
until they are complete: as many as the server gives to a client of its own that asks until two answers agree. Then it
is asked for the references of ten names once and, three seconds later, in turn. Memory is that of all its processes at
the end, what they share counted once. Peers that are not installed are left out.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import time
from pathlib import Path

from equality import draw, known, settled
from lsp import SERVERS, Raw
from mcp import Server
from projects import CACHE, project
from tool import Tool

PATIENCE = 240
SETTLING = 3  # seconds after the first answers, from when on a server counts as warm


class Ours:
    def __init__(self, language, root):
        self.tool = Tool(root)
        self.process = self.tool.process

    def definition(self, name, place):
        return "\n".join(self.tool.call(f"brief(findDefinitions(`{name}`))"))

    def is_right(self, answer, place):
        return f"{place[0]}:{place[1]}:" in answer

    def references(self, name, place):
        path, line, column = place
        symbol = f"symbol(`{name}`, path=`{path}`, line={line}, column={column})"
        return "\n".join(self.tool.call(f"brief(findReferences({symbol}))"))

    def lines(self, answer):
        said = answer.replace("\\n", "\n").replace('\\"', '"')
        return {tuple(it) for it in re.findall(r'^"?([\w./@$-]+):(\d+): ', said, re.M)}

    def close(self):
        self.tool.close()


class Itself:
    """The server, asked by a client of its own."""

    def __init__(self, language, root):
        self.raw = Raw(language, root)
        self.process = self.raw.process

    def definition(self, name, place):
        self.raw.open(place[0])
        return json.dumps(self.raw.ask("textDocument/definition", self.raw.at(*place)))

    def is_right(self, answer, place):
        return place[0] in answer and f'"line": {place[1] - 1}' in answer

    def references(self, name, place):
        self.raw.open(place[0])
        context = {"context": {"includeDeclaration": False}}
        return json.dumps(self.raw.ask("textDocument/references", self.raw.at(*place) | context))

    def lines(self, answer):
        found = json.loads(answer) or []
        return {(path, str(line)) for path, line, _ in map(self.raw.place, found)}

    def close(self):
        self.raw.close()


class Serena:
    """From PyPI; its language server is its own choice."""

    def __init__(self, language, root):
        own = CACHE / "serena" / root.name  # it writes into the project
        if not own.exists():
            shutil.copytree(root, own)
        environment = dict(os.environ, SERENA_HOME=str(CACHE / "serena-home"))
        command = [shutil.which("serena"), "start-mcp-server", "--project", str(own), "--context", "ide-assistant"]
        command += ["--agent-interface", "tools", "--enable-web-dashboard", "false"]
        self.server = Server(command, own, environment)
        self.process = self.server.process

    def definition(self, name, place):
        return self.server.call("find_symbol", {"name_path_pattern": name})

    def is_right(self, answer, place):
        return f'"{place[0]}"' in answer and f'"start_line": {place[1] - 1}' in answer

    def references(self, name, place):
        return self.server.call("find_referencing_symbols", {"name_path": name, "relative_path": place[0]})

    def lines(self, answer):
        try:
            files = json.loads(answer)
        except json.JSONDecodeError:
            return set()
        numbers = ((path, re.findall(r">\s*(\d+):", json.dumps(it))) for path, it in files.items())
        return {(path, str(int(it) + 1)) for path, found in numbers for it in found}

    def close(self):
        self.server.close()


class Cclsp:
    """From npm, with the language servers that ours takes."""

    def __init__(self, language, root):
        command = SERVERS[language][0]()
        extension = SERVERS[language][3].lstrip(".")
        server = {"extensions": [extension], "command": command, "rootDir": str(root)}
        CACHE.mkdir(parents=True, exist_ok=True)
        settings = CACHE / f"cclsp-{language}.json"
        settings.write_text(json.dumps({"servers": [server]}))
        environment = dict(os.environ, CCLSP_CONFIG_PATH=str(settings))
        self.root = root
        self.server = Server([shutil.which("cclsp")], root, environment)
        self.process = self.server.process

    def _ask(self, tool, name, place):
        return self.server.call(tool, {"file_path": str(self.root / place[0]), "symbol_name": name})

    def definition(self, name, place):
        return self._ask("find_definition", name, place)

    def is_right(self, answer, place):
        return f"{place[0]}:{place[1]}:" in answer

    def references(self, name, place):
        return self._ask("find_references", name, place)

    def lines(self, answer):
        places = re.findall(r"([\w./@$-]+):(\d+):\d+", answer)
        return {(path.removeprefix(str(self.root) + "/"), line) for path, line in places}

    def close(self):
        self.server.close()


ASKERS = {"ours": Ours, "the server itself": Itself, "Serena": Serena, "cclsp": Cclsp}
NEEDED = {"Serena": "serena", "cclsp": "cclsp"}


def memory(pid):
    """Megabytes of a process and all below it."""
    total = 0
    below = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, parent = int(path.parent.name), int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        below.setdefault(parent, []).append(number)
    left = [pid]
    while left:
        number = left.pop()
        left += below.get(number, [])
        try:
            rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1])
        except (OSError, TypeError):
            continue
    return total // 1024


def measure(kind, language, root, names, expected, rounds):
    started = time.monotonic()
    asker = kind(language, root)
    (name, place), wanted = names[0], {(path, str(line)) for path, line, _ in expected[0]}
    row = {"definition": None, "references": None}
    while time.monotonic() - started < PATIENCE and row["definition"] is None:
        if asker.is_right(asker.definition(name, place), place):
            row["definition"] = time.monotonic() - started
    lines = set()
    while time.monotonic() - started < PATIENCE and row["references"] is None:
        answer = asker.references(name, place)
        lines = asker.lines(answer)
        if lines >= wanted:
            row["references"] = time.monotonic() - started
    row["of"] = f"{len(lines & wanted)}/{len(wanted)}"
    taken, n_bytes, missed = [], 0, 0
    for name, place in names:  # the first answer about a name may have more to do
        asker.references(name, place)
    time.sleep(SETTLING)
    for index in range(rounds):
        (name, place), wanted = names[index % len(names)], expected[index % len(names)]
        before = time.monotonic()
        answer = asker.references(name, place)
        taken.append((time.monotonic() - before) * 1000)
        n_bytes += len(answer.encode())
        missed += bool({(path, str(line)) for path, line, _ in wanted} - asker.lines(answer))
    taken.sort()
    row |= {
        "median": statistics.median(taken),
        "p95": taken[int(len(taken) * 0.95) - 1],
        "bytes": n_bytes // rounds,
        "incomplete": missed,
        "memory": memory(asker.process.pid),
    }
    asker.close()
    return row


def names_of(language, root, wanted=10):
    """Names, one definition each, whose uses the server lists all the same twice in a row."""
    raw = Raw(language, root)
    raw.wait()
    few = known(raw, draw(language, root, 20_261_121, most=1), wanted * 3)
    found = settled(raw, [it[1] for it in few])
    chosen = [(it, uses) for it, uses in zip(few, found) if 2 < len(uses) < 60][:wanted]
    raw.close()
    return [it for it, _ in chosen], [uses for _, uses in chosen]


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--project", choices=SERVERS)
    parser.add_argument("--asker", choices=ASKERS)
    parser.add_argument("--rounds", type=int, default=50)
    given = parser.parse_args()
    print("| project | asker | first right definition | first complete references | median | p95 | bytes an answer | incomplete answers | memory |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for language in [given.project] if given.project else SERVERS:
        root = project(language)
        names, expected = names_of(language, root)
        for label, kind in ASKERS.items():
            if given.asker not in (None, label) or label in NEEDED and not shutil.which(NEEDED[label]):
                continue
            try:
                row = measure(kind, language, root, names, expected, given.rounds)
            except (RuntimeError, TimeoutError, OSError) as error:
                print(f"| {language} | {label} | {str(error)[:120]} |", flush=True)
                continue
            print(
                f"| {language} | {label} | {seconds(row['definition'])} | {seconds(row['references'])} ({row['of']}) "
                f"| {row['median']:.0f} ms | {row['p95']:.0f} ms | {row['bytes']:,} | {row['incomplete']} of "
                f"{given.rounds} | {row['memory']} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
