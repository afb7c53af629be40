"""Beside the language server itself and two other ways to it: time, bytes and memory on the same projects.

    python3 peers.py [--project NAME] [--asker NAME] [--rounds 50] [--patience 240]

Each one is started anew in each project and asked for a definition until it gives the right one, then for references
until they are complete: as many as the server gives to a client of its own that asks until two answers agree. Then it
is asked for the references of ten names once and, three seconds later, in turn. Memory is that of all its processes at
the end, what they share counted once. Peers that are not installed are left out.

A peer that answers, and never rightly, has "never" and the figures of its answers. One that gives nothing but errors has not
started: its row is the first of them, and no figure.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from queue import Empty

from equality import draw, known, settled, symbol
from lsp import SERVERS, Raw
from mcp import Server, ToolError
from projects import CACHE, project
from tool import Tool

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
        return "\n".join(self.tool.call(f"brief(findReferences({symbol(name, place)}))"))

    def lines(self, answer):
        said = answer.replace("\\n", "\n").replace('\\"', '"')
        return {tuple(it) for it in re.findall(r'^["`]?([\w./@$-]+):(\d+): ', said, re.M)}

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
        """Its definitions begin at their documentation, in lines from 0."""
        path, line = re.escape(json.dumps(place[0])), place[1] - 1
        spans = re.findall(r'"start_line": (\d+)[^{}]*?"end_line": (\d+)', answer)
        return bool(re.search(path, answer)) and any(int(start) <= line <= int(end) for start, end in spans)

    def references(self, name, place):
        return self.server.call("find_referencing_symbols", {"name_path": name, "relative_path": place[0]})

    def error(self, answer):
        """Its errors are answers like others, but no JSON."""
        return None if answer.lstrip().startswith(("{", "[")) else answer

    def lines(self, answer):
        files = json.loads(answer)
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


class AgentLsp:
    """From PyPI, with the language servers that ours takes. It is asked by place, which it needs, as the server itself.

    It leaves a process with the language server behind for the next session, which is ended before and after.
    """

    def __init__(self, language, root):
        command = SERVERS[language][0]()
        self.root, self.language = root, SERVERS[language][2]
        self.state = CACHE / "agent-lsp"
        self.environment = dict(os.environ, AGENT_LSP_DAEMON_DIR=str(self.state))
        self._end_left()
        named = f"{self.language}:{','.join(command)}"
        self.server = Server([shutil.which("agent-lsp"), named], root, self.environment)
        self.process = self.server.process
        self.server.call("start_lsp", {"root_dir": str(root), "language_id": self.language})

    def at(self, place):
        path, line, column = place
        return {"file_path": str(self.root / path), "language_id": self.language, "line": line, "column": column}

    def definition(self, name, place):
        return self.server.call("go_to_definition", self.at(place))

    def is_right(self, answer, place):
        return (place[0], str(place[1])) in self.lines(answer)

    def references(self, name, place):
        return self.server.call("find_references", self.at(place) | {"include_declaration": False})

    def lines(self, answer):
        """Its places are rows below a head `## [COUNT]{FIELD,…}`."""
        found, fields = set(), []
        for row in answer.splitlines():
            if head := re.match(r"## .*\{(.*)\}$", row):
                fields = head[1].split(",")
            elif "FilePath" in fields and len(cells := row.split("|")) == len(fields):
                place = dict(zip(fields, cells))
                found.add((os.path.relpath(place["FilePath"], self.root), place["StartLine"]))
        return found

    def left(self):
        """The processes that outlive it, by the files that it keeps about them."""
        kept = (json.loads(it.read_text()) for it in self.state.rglob("*.json"))
        return [it["pid"] for it in kept if isinstance(it, dict) and it.get("pid")]

    def _end_left(self):
        stop = ["daemon-stop", f"--root-dir={self.root}", f"--language={self.language}"]
        subprocess.run([shutil.which("agent-lsp"), *stop], env=self.environment, capture_output=True)

    def close(self):
        self.server.close()
        self._end_left()


ASKERS = {"ours": Ours, "the server itself": Itself, "Serena": Serena, "cclsp": Cclsp, "agent-lsp": AgentLsp}
NEEDED = {"Serena": "serena", "cclsp": "cclsp", "agent-lsp": "agent-lsp"}


class NotStarted(Exception):
    """A peer gave nothing but errors; the first of them."""


class Asked:
    """An asker, of whose answers one is told from an error."""

    def __init__(self, asker):
        self.asker, self.first_error, self.has_answered = asker, None, False

    def ask(self, what, name, place):
        """An answer; None for an error."""
        try:
            answer = getattr(self.asker, what)(name, place)
            error = self.asker.error(answer) if hasattr(self.asker, "error") else None
        except ToolError as failed:
            error = str(failed)
        if error is None:
            self.has_answered = True
            return answer
        self.first_error = self.first_error or error.strip()
        return None

    def check(self):
        if not self.has_answered:
            raise NotStarted(self.first_error or "it said nothing")


def memory(pids, without=None):
    """Megabytes of processes and all below them, but for those of an executable."""
    total = 0
    below = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, parent = int(path.parent.name), int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue
        below.setdefault(parent, []).append(number)
    left, seen = list(pids), set()
    while left:
        number = left.pop()
        if number in seen:
            continue
        seen.add(number)
        try:
            if without and os.readlink(f"/proc/{number}/exe") == str(without):
                continue
            left += below.get(number, [])
            rollup = Path(f"/proc/{number}/smaps_rollup").read_text()
            total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.M)[1])
        except (OSError, TypeError):
            continue
    return total // 1024


def measure(kind, language, root, names, expected, rounds, patience):
    started = time.monotonic()
    try:
        asker = kind(language, root)
    except (RuntimeError, ToolError) as error:
        raise NotStarted(str(error)) from error
    try:
        return measured(asker, started, names, expected, rounds, patience)
    finally:
        asker.close()


def measured(asker, started, names, expected, rounds, patience):
    asked = Asked(asker)
    (name, place), wanted = names[0], {(path, str(line)) for path, line, _ in expected[0]}
    row = {"definition": None, "references": None}
    while time.monotonic() - started < patience and row["definition"] is None:
        answer = asked.ask("definition", name, place)
        if answer is not None and asker.is_right(answer, place):
            row["definition"] = time.monotonic() - started
    began, lines = time.monotonic(), set()
    while time.monotonic() - began < patience and row["references"] is None:
        answer = asked.ask("references", name, place)
        lines = asker.lines(answer) if answer is not None else set()
        if lines >= wanted:
            row["references"] = time.monotonic() - started
    asked.check()
    row["of"] = f"{len(lines & wanted)}/{len(wanted)}"
    taken, n_bytes, missed = [], 0, 0
    for name, place in names:  # the first answer about a name may have more to do
        asked.ask("references", name, place)
    time.sleep(SETTLING)
    for index in range(rounds):
        (name, place), wanted = names[index % len(names)], expected[index % len(names)]
        before = time.monotonic()
        answer = asked.ask("references", name, place)
        taken.append((time.monotonic() - before) * 1000)
        n_bytes += len((answer or "").encode())
        found = asker.lines(answer) if answer is not None else set()
        missed += bool({(path, str(line)) for path, line, _ in wanted} - found)
    taken.sort()
    return row | {
        "median": statistics.median(taken),
        "p95": taken[int(len(taken) * 0.95) - 1],
        "bytes": n_bytes // rounds,
        "incomplete": missed,
        "memory": memory([asker.process.pid, *(asker.left() if hasattr(asker, "left") else [])]),
    }


def not_started(error):
    """The cells of a peer that has not started: the start of its error."""
    said = " ".join(str(error).split()).replace("|", "\\|")
    return f"did not start: {said[:200]}{'…' if len(said) > 200 else ''} |" + " |" * 6


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
    parser.add_argument("--patience", type=int, default=240, help="seconds for the first right answers of each kind")
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
                row = measure(kind, language, root, names, expected, given.rounds, given.patience)
            except (NotStarted, OSError) as error:
                print(f"| {language} | {label} | {not_started(error)}", flush=True)
                continue
            except (RuntimeError, Empty) as error:
                print(f"| {language} | {label} | ended: {str(error)[:120]} |" + " |" * 6, flush=True)
                continue
            print(
                f"| {language} | {label} | {seconds(row['definition'])} | {seconds(row['references'])} ({row['of']}) "
                f"| {row['median']:.0f} ms | {row['p95']:.0f} ms | {row['bytes']:,} | {row['incomplete']} of "
                f"{given.rounds} | {row['memory']} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
