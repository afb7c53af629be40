"""Do sessions that share servers get the answers of one that has its own, and what do they all take?

    python3 sharing.py answers [--project NAME] [--names 200] [--edits 20]
    python3 sharing.py memory [--project NAME]
    python3 sharing.py crowd [--workspaces 10] [--sessions 20] [--percent 12] [--seconds 120]
    python3 sharing.py worktrees [--workspaces 20] [--sessions 2] [--percent 3] [--project python]

`answers`: two sessions of two chains that share the background process, and two that have servers of their own, are asked
the programs of the project's questions and the references of drawn names. Between them files change on disk. Equal means
that all say the same, notes apart. Where they do not, *alone* counts what the two with servers of their own already answer
differently, and *marked* what says that it is not complete; neither is due to sharing. Exit code 1 for anything else.

`memory`: what a second agent and a shell add to the first, after each has asked: the memory of all processes of ours and of
the servers, what they share counted once.

`crowd`: sessions in workspaces of three languages, more than fit into the budget, ask at the same time. The memory of the
servers is read every quarter of a second. Each answer is compared with that of a session that is alone. Exit code 1 for a
wrong answer, or for more than the budget for longer than a server takes to be stopped.

`worktrees`: the same with agents that ask about each of many worktrees of one repository, in a session for each.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from context import programs_of
from equality import draw, is_marked as is_not_of_server, uses
from lsp import SERVERS
from peers import memory
from projects import CACHE, project
from tool import Tool, programs

STOPPING = 10  # seconds in which a server is stopped that is one too many

COMMENTS = {"rust": "//", "python": "#", "typescript": "//"}


@contextmanager
def place():
    """A folder for a background process of its own, and the environment with which programs find it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        run = Path(folder) / "run"
        run.mkdir(mode=0o700)
        environment = {"XDG_RUNTIME_DIR": str(run), "DIALECT_SERVER": "on", "DIALECT_SERVER_IDLE": "1"}
        try:
            yield Path(folder), environment
        finally:
            dialect(environment, "server", "stop")


def dialect(environment, *words):
    said = subprocess.run([programs() / "dialect", *words], env=os.environ | environment, capture_output=True, text=True)
    return said.stdout


def status(environment):
    said = dialect(environment, "server", "status", "--json")
    running = json.loads(said) if said.strip() else []
    return running[0] if running else None


def is_marked(blocks):
    """Whether an answer says that it is not complete, or comes from less than the server."""
    return is_not_of_server(blocks) or any(it in block.lower() for block in blocks for it in ("not complete", "may succeed later"))


def value(blocks):
    """What an answer says, without its notes; lists in any order."""
    try:
        read = json.loads(blocks[0])
    except json.JSONDecodeError:
        return blocks[0]
    return sorted(read, key=json.dumps) if isinstance(read, list) else read


def edit(name, root, chooser):
    """Puts a line at the top of a file, or takes it away again: every place below it moves."""
    ending, line = SERVERS[name][3], f"{COMMENTS[name]} moved\n"
    path = chooser.choice(sorted(it for it in root.rglob("*" + ending) if "node_modules" not in it.parts))
    text = path.read_text()
    path.write_text(text.removeprefix(line) if text.startswith(line) else line + text)


def answers(given):
    rows = []
    for name in [given.project] if given.project else list(SERVERS):
        with place() as (folder, shared):
            root = folder / name
            shutil.copytree(project(name), root, symlinks=True)
            asked = programs_of(name) + [uses(*it) for it in draw(name, root, given.seed)[:given.names]]
            alone = {"DIALECT_SERVER": "off"}
            sessions = [Tool(root, environment=it) for it in (alone, alone, shared, shared)]
            row = {"programs": len(asked), "edits": 0} | dict.fromkeys(["equal", "alone", "marked", "different"], 0)
            for tool in sessions:
                tool.call_when_ready(next(it for it in asked if "findReferences" in it))
            chooser = random.Random(given.seed)
            every = max(1, len(asked) // max(1, given.edits))
            for number, program in enumerate(asked):
                print(f"\r{name}: {number} of {len(asked)}", end="", file=sys.stderr, flush=True)
                if number % every == every - 1:
                    edit(name, root, chooser)
                    row["edits"] += 1
                row[compared(name, program, sessions, number)] += 1
            for tool in sessions:
                tool.close()
            rows.append((name, row))
    print("\n| project | " + " | ".join(rows[0][1]) + " |\n| --- |" + " ---: |" * len(rows[0][1]))
    for name, row in rows:
        print(f"| {name} | " + " | ".join(map(str, row.values())) + " |")
    return any(row["different"] for _, row in rows)


def compared(name, program, sessions, number):
    order = list(range(len(sessions)))
    order = order[number % len(order):] + order[:number % len(order)]
    said = [None] * len(sessions)
    for index in order:
        said[index] = sessions[index].call_when_ready(program)
    values = [value(it) for it in said]
    if all(it == values[0] for it in values):
        return "equal"
    if any(map(is_marked, said)):
        return "marked"
    kind = "alone" if values[0] != values[1] and (values[2] in values[:2] or values[3] in values[:2]) else "different"
    print(f"{kind.upper()} {name} {program}")
    for label, one in zip(["alone", "alone", "shared", "shared"], values):
        others = [it for it in values if isinstance(it, list) and isinstance(one, list)]
        lacks = {json.dumps(it) for other in others for it in other} - {json.dumps(it) for it in one} if others else one
        print(f"    {label}: lacks {sorted(lacks)[:6] if isinstance(lacks, set) else str(lacks)[:300]}")
    print("    notes:", [it[1:] for it in said])
    return kind


def taken(environment, *tools):
    """The megabytes of chains, without their agents, and of the background process."""
    running = status(environment)
    own = [it.process.pid for it in tools]
    return memory(own + ([running["process"]] if running else []), without=(programs() / "mock-agent").resolve())


def measure_memory(given):
    print("| project | one agent | a second agent adds | a shell adds | an agent with servers of its own |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in [given.project] if given.project else list(SERVERS):
        with place() as (folder, shared):
            root = folder / name
            shutil.copytree(project(name), root, symlinks=True)
            asked = programs_of(name)

            def take(*tools):
                for _ in range(2):
                    for tool in tools:
                        for program in asked:
                            tool.call_when_ready(program)
                time.sleep(2)
                return taken(shared, *tools)

            first = Tool(root, environment=shared)
            one = take(first)
            again = take(first)
            second = Tool(root, environment=shared)
            two = take(first, second)
            for program in asked:
                dialect(shared, "eval", "--workspace", str(root), program)
            time.sleep(2)
            three = taken(shared, first, second)
            alone = Tool(root, environment={"DIALECT_SERVER": "off"})
            for program in asked:
                alone.call_when_ready(program)
            own = taken({"XDG_RUNTIME_DIR": "/nonexistent"}, alone)
            print(f"| {name} | {again} MB | {two - again} MB | {three - two} MB | {own} MB |", flush=True)
            print(f"  (the first agent right after its questions: {one} MB)", file=sys.stderr)
            for tool in (first, second, alone):
                tool.close()
    return False


def repository(name, folder, count):
    """Worktrees of one repository of a project."""
    main = folder / name
    shutil.copytree(project(name), main, symlinks=True)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-C", str(main)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "all"], check=True)
    roots = [folder / f"tree-{number}" for number in range(count)]
    for root in roots:
        subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(root)], check=True)
    return roots


def crowd(given):
    is_repository = given.part == "worktrees"
    names = [given.project or "python"] if is_repository else list(SERVERS)
    with place() as (folder, shared):
        settings = folder / "config"
        (settings / "dialect").mkdir(parents=True)
        (settings / "dialect" / "config.toml").write_text(f"all_memory_percent = {given.percent}\n")
        shared |= {"XDG_CONFIG_HOME": str(settings)}
        roots, truth = [], {}
        for name in names:
            copy = folder / f"truth-{name}"
            shutil.copytree(project(name), copy, symlinks=True)
            tool = Tool(copy, environment={"DIALECT_SERVER": "off"})
            truth[name] = {it: value(tool.call_when_ready(it)) for it in programs_of(name)}
            tool.close()
        for number in range(0 if is_repository else given.workspaces):
            name = names[number % len(names)]
            root = folder / f"{number}" / name
            shutil.copytree(project(name), root, symlinks=True)
            roots.append((name, [root]))
        if is_repository:
            roots.append((names[0], repository(names[0], folder, given.workspaces)))
        sessions = [roots[it % len(roots)] for it in range(given.sessions)]
        until = time.monotonic() + given.seconds
        counts = {"answers": 0, "marked": 0, "wrong": 0}
        lock = threading.Lock()

        def ask(number, name, roots):
            tool, chooser = Tool(roots[0], environment=shared), random.Random(number)
            opened = [tool.session, *(tool.open(it) for it in roots[1:])]
            while time.monotonic() < until:
                program = chooser.choice(list(truth[name]))
                tool.session = chooser.choice(opened)
                blocks = tool.call(program)
                with lock:
                    counts["answers"] += 1
                    if is_marked(blocks):
                        counts["marked"] += 1
                    elif value(blocks) != truth[name][program]:
                        counts["wrong"] += 1
                        print(f"WRONG {name} {program}\n    {value(blocks)!r}\n    {truth[name][program]!r}")
            tool.close()

        threads = [threading.Thread(target=ask, args=(number, *it), daemon=True) for number, it in enumerate(sessions)]
        for thread in threads:
            thread.start()
        peak, over, budget, servers = 0, 0.0, None, 0
        last = time.monotonic()
        while any(it.is_alive() for it in threads):
            time.sleep(0.25)
            if running := status(shared):
                budget = running["budget"]
                used = sum(it["memory"] or 0 for it in running["servers"])
                servers = max(servers, sum(it["memory"] is not None for it in running["servers"]))
                peak = max(peak, used)
                over += (time.monotonic() - last) * (used > budget)
            last = time.monotonic()
    print("| sessions | workspaces | budget | most memory of servers | seconds above it | most servers | answers | marked | wrong |")
    print("| ---: |" + " ---: |" * 8)
    megabytes = lambda it: f"{(it or 0) / 1e6:.0f} MB"
    print(f"| {given.sessions} | {given.workspaces} | {megabytes(budget)} | {megabytes(peak)} | {over:.1f} | {servers} | "
          f"{counts['answers']} | {counts['marked']} | {counts['wrong']} |")
    return counts["wrong"] > 0 or over > STOPPING


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["answers", "memory", "crowd", "worktrees"])
    parser.add_argument("--project", choices=SERVERS)
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20_261_127)
    parser.add_argument("--workspaces", type=int)
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--percent", type=int)
    parser.add_argument("--seconds", type=int, default=120)
    given = parser.parse_args()
    usual = (20, 2, 3) if given.part == "worktrees" else (10, 20, 12)
    for what, number in zip(("workspaces", "sessions", "percent"), usual):
        setattr(given, what, getattr(given, what) or number)
    parts = {"answers": answers, "memory": measure_memory, "crowd": crowd, "worktrees": crowd}
    sys.exit(parts[given.part](given))


if __name__ == "__main__":
    main()
