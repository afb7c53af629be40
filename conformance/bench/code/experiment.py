"""The thirteen tasks of agent-lsp's experiment about tokens, as programs of ours: calls and bytes.

    python3 experiment.py [--show]

The tasks are those of `experiments/token-savings/main.go` in github.com/blackwell-systems/agent-lsp, commit e5c8fe2d of 30 July
2026, on requests, chosen by its rules: the largest file that is no test, and the name with the most lines, at most a
hundred, of those that the five largest files define. What differs from it:

- Its side of a language server adds up the JSON of requests that it sends by itself, with results of simulations and of tests
  that it makes up. Here the shipped program is asked, with the tools that its skills name for the task.
- It measures ten definitions of a file and multiplies. Here all of them are asked for.
- It has the last two tasks only for Go and Rust. Here a class that others extend stands for the interface.
- Builds and tests are the same commands for everyone. Their output counts for nobody.

Bytes are those of what is sent and of all that comes back. A check of an edit is done with an edit that breaks its users.
"""

import argparse
import json
import os
import re
import subprocess
import time
from pathlib import Path

from context import Ours as Tool
from equality import settled
from lsp import Raw
from mcp import ToolError
from peers import AgentLsp, Ours
from projects import project

LANGUAGE = "python"
AMBIGUOUS = ["validate", "response", "request", "handle", "parse", "encode", "decode"]
INTERFACE = ("AuthBase", "src/requests/auth.py")
DEFINITION = re.compile(r"^(?P<before>\s*(?:async )?(?:def|class) )(?P<name>[A-Za-z]\w*)", re.M)


class Project:
    """What the tasks are about."""

    def __init__(self, root):
        self.root = root
        files = sorted(self.files(), key=lambda it: (-self.text(it).count("\n"), it))
        self.largest = files[0]
        names = {name: (path, at) for path in reversed(files[:5]) for name, at in self.exports(path).items() if len(name) > 3}
        counts = {name: self.grep(name).count("\n") for name in names}
        fitting = [it for it in sorted(counts, key=lambda it: (-counts[it], it)) if 5 <= counts[it] <= 100]
        self.name = fitting[0]
        self.place = (names[self.name][0], *names[self.name][1])
        for name in AMBIGUOUS:
            found = [it for it in self.files_with(name) if name in self.exports(it)]
            if found and self.grep(name).count("\n") >= 5:
                self.ambiguous, self.ambiguous_place = name, (found[0], *self.exports(found[0])[name])
                break
        name, path = INTERFACE
        self.interface_place = (path, *self.exports(path)[name])

    def files(self):
        every = (it.relative_to(self.root) for it in self.root.rglob("*.py"))
        return [str(it) for it in every if not it.name.startswith("test_") and "tests" not in it.parts]

    def text(self, path):
        return (self.root / path).read_text()

    def exports(self, path):
        """The names that a file defines, with line and column from 1."""
        text, found = self.text(path), {}
        for it in DEFINITION.finditer(text):
            start = it.start("name")
            found.setdefault(it["name"], (text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)))
        return found

    def grep(self, name):
        done = subprocess.run(["grep", "-rn", "--include=*.py", name, "."], cwd=self.root, capture_output=True, text=True)
        return done.stdout

    def files_with(self, name):
        return sorted({it.split(":")[0].removeprefix("./") for it in self.grep(name).splitlines()})


class Counted:
    """The calls of one task and their bytes."""

    def __init__(self):
        self.calls, self.bytes, self.answers = 0, 0, []

    def add(self, sent, said):
        self.calls += 1
        self.bytes += len(sent.encode()) + len(said.encode())
        self.answers.append(said)

    def grep(self, project, name):
        self.add(f"grep -rn --include=*.py {name} .", project.grep(name))

    def read(self, project, path, size=None):
        self.add(f"cat {path}", project.text(path)[:size])

    def tool(self, server, name, **arguments):
        try:
            said = server.call(name, arguments)
        except ToolError as error:
            said = str(error)
        self.add(name + json.dumps(arguments), said)
        return said

    def program(self, ours, program):
        said = "\n".join(ours.tool.call_when_ready(program))
        self.add(json.dumps({"program": program}, ensure_ascii=False), said)
        return said


def around(counted, project, name, size=2000):
    counted.grep(project, name)
    for path in project.files_with(name):
        counted.read(project, path, size)


def by_grep(task, it):
    """What an agent without a language server reads, as the experiment has it."""
    counted = Counted()
    exports = list(it.exports(it.largest))
    match task:
        case "callers":
            counted.grep(it, it.name)
        case "signature":
            done = subprocess.run(
                ["grep", "-rn", "-A", "15", "--include=*.py", f"def {it.name}", "."], cwd=it.root, capture_output=True, text=True
            )
            counted.add(f"grep -rn -A 15 --include=*.py 'def {it.name}' .", done.stdout)
        case "edit safety" | "safe edit":
            counted.read(it, it.place[0])
        case "refactor":
            around(counted, it, it.name)
        case "impact":
            counted.read(it, it.largest)
            for name in exports:
                around(counted, it, name)
        case "rename":
            around(counted, it, it.name, None)
        case "dead code":
            counted.read(it, it.largest)
            for name in exports:
                counted.grep(it, name)
        case "understand":
            counted.read(it, it.largest)
            for name in exports:
                around(counted, it, name)
        case "verify":
            for path in dict.fromkeys([it.place[0], it.largest]):
                counted.read(it, path)
        case "precision":
            counted.grep(it, it.ambiguous)
        case "callers of callers":
            around(counted, it, it.name, 3000)
            inside = {name for path in it.files_with(it.name) for name in it.exports(path)}
            for name in sorted(inside)[:10]:
                counted.grep(it, name)
        case "implementations":
            counted.read(it, INTERFACE[1])
            around(counted, it, INTERFACE[0], None)
    return counted


def by_agent_lsp(task, it, peer):
    counted, server = Counted(), peer.server
    at, new = peer.at(it.place), it.name + "New"
    path, line, column = it.place
    file = str(it.root / path)
    largest = [peer.at((it.largest, *place)) for place in it.exports(it.largest).values()]
    breaking = {
        "file_path": file, "workspace_root": str(it.root), "language": LANGUAGE, "start_line": line, "start_column": column,
        "end_line": line, "end_column": column + len(it.name), "new_text": it.name + "BROKEN",
    }
    match task:
        case "callers":
            counted.tool(server, "find_references", **at)
        case "signature":
            counted.tool(server, "inspect_symbol", **at)
        case "edit safety" | "safe edit":
            counted.tool(server, "preview_edit", **breaking)
        case "refactor" | "rename":
            counted.tool(server, "prepare_rename", **at)
            if task == "refactor":
                counted.tool(server, "find_references", **at)
            counted.tool(server, "rename_symbol", **at, new_name=new, dry_run=True)
            counted.tool(server, "get_diagnostics", file_path=file)
        case "impact":
            counted.tool(server, "blast_radius", changed_files=[str(it.root / it.largest)])
        case "dead code" | "understand":
            counted.tool(server, "list_symbols", file_path=str(it.root / it.largest))
            for place in largest:
                counted.tool(server, "find_references" if task == "dead code" else "explore_symbol", **place)
        case "verify":
            for each in dict.fromkeys([file, str(it.root / it.largest)]):
                counted.tool(server, "get_diagnostics", file_path=each)
        case "precision":
            counted.tool(server, "find_references", **peer.at(it.ambiguous_place))
        case "callers of callers":
            counted.tool(server, "blast_radius", changed_files=[file], include_transitive=True)
        case "implementations":
            counted.tool(server, "go_to_implementation", **peer.at(it.interface_place))
    return counted


def by_ours(task, it, ours):
    counted = Counted()
    path, line, column = it.place
    name = f"symbol(`{it.name}`, path=`{path}`, line={line}, column={column})"
    uses, change = f"brief(findReferences({name}))", f"rename({name}, `{it.name}New`)"
    here, largest = f"brief(diagnostics(`{path}`))", f"definitions(`{it.largest}`).filter(d => !d.name.startsWith(`_`))"
    ambiguous = "symbol(`{}`, path=`{}`, line={}, column={})".format(it.ambiguous, *it.ambiguous_place)
    program = {
        "callers": uses,
        "signature": f"describe({name})",
        "edit safety": f"{{breaks: {uses}, now: {here}}}",
        "refactor": f"{{uses: {uses}, edit: {change}, now: {here}}}",
        "impact": f"{largest}.map(d => {{name: d.name, from: findReferences(d).map(x => x.in ?? x.path).unique()}})",
        "rename": change,
        "dead code": f"{largest}.filter(d => findReferences(d).count() == 0).map(d => d.name)",
        "understand": f"{largest}.map(d => {{what: d.signature, from: findReferences(d).map(x => x.in ?? x.path).unique()}})",
        "safe edit": f"{{breaks: {uses}, now: {here}}}",
        "verify": f"[`{path}`, `{it.largest}`].unique().map(it => brief(diagnostics(it)))",
        "precision": f"brief(findReferences({ambiguous}))",
        "callers of callers": f"findCallers({name}, depth=2)",
        "implementations": f"brief(findImplementations(symbol(`{INTERFACE[0]}`, path=`{INTERFACE[1]}`)))",
    }[task]
    counted.program(ours, program)
    return counted


TASKS = [
    "callers", "signature", "edit safety", "refactor", "impact", "rename", "dead code", "understand", "safe edit", "verify",
    "precision", "callers of callers", "implementations",
]


def warm(peer, it):
    """Asks until two answers in turn are the same and not empty, as ours is asked until it is ready."""
    last, until = None, time.monotonic() + 60
    while time.monotonic() < until:
        try:
            answer = peer.references(it.name, it.place)
        except ToolError:
            answer = None  # it says that it is still indexing
        if answer and answer == last and peer.lines(answer):
            return
        last = answer
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="what the language servers' sides answered")
    given = parser.parse_args()
    root = project(LANGUAGE)
    it = Project(root)
    raw = Raw(LANGUAGE, root)
    raw.wait()
    wanted = [{(path, str(line)) for path, line, _ in uses} for uses in settled(raw, [it.place, it.ambiguous_place])]
    raw.close()
    peer, ours = AgentLsp(LANGUAGE, root), Ours(LANGUAGE, root)
    warm(peer, it)
    print(f"`{it.name}` at {it.place[0]}:{it.place[1]}; the file {it.largest} with {len(it.exports(it.largest))} names; ", end="")
    print(f"`{it.ambiguous}` at {it.ambiguous_place[0]}:{it.ambiguous_place[1]}; `{INTERFACE[0]}`\n")
    print("| task | grep and read: calls | bytes | agent-lsp: calls | bytes | ours: calls | bytes | places of the server's: agent-lsp | ours |")
    print("| --- |" + " ---: |" * 8)
    sums = [0] * 6
    for task in TASKS:
        sides = [by_grep(task, it), by_agent_lsp(task, it, peer), by_ours(task, it, ours)]
        cells = [number for side in sides for number in (side.calls, side.bytes)]
        sums = [a + b for a, b in zip(sums, cells)]
        found = ["", ""]
        if task in ("callers", "precision"):
            all_of = wanted[task == "precision"]
            found = [
                f"{len(all_of & lines)} of {len(all_of)}"
                for lines in (peer.lines(sides[1].answers[0]), ours.lines(sides[2].answers[0]))
            ]
        print(f"| {task} | " + " | ".join([*(f"{it:,}" for it in cells), *found]) + " |", flush=True)
        if given.show:
            for side in sides[1:]:
                print("\n".join(f"    {line[:200]}" for said in side.answers[:2] for line in said.splitlines()[:8]))
    print("| all | " + " | ".join(f"{it:,}" for it in sums) + " | | |")
    tools = [{key: it.get(key) for key in ("name", "description", "inputSchema")} for it in peer.server.tools()]
    described = len((peer.server.instructions + json.dumps(tools, ensure_ascii=False)).encode())
    own = len(Tool.describe(ours).encode())
    print(f"| definitions of tools | 0 | 0 | {len(tools)} | {described:,} | 1 | {own:,} | | |")
    peer.close()
    ours.close()


if __name__ == "__main__":
    main()
