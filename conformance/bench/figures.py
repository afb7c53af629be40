#!/usr/bin/env python3
"""Makes the pages with figures anew: runs the benches that this machine can run, and puts their tables into the pages.

    python3 figures.py                     # all of them: hours, on a machine that does nothing else
    python3 figures.py plugins peers       # these
    python3 figures.py --list              # what there is, and what each lacks here
    python3 figures.py --check             # whether pages and benches fit each other; runs none

A table stands between `<!-- figures: NAME -->` and `<!-- end -->`, below a line with the date, the machine, the version
and the command. A bench whose peers or servers are not installed, or that fails, keeps its old table and its line, and a
line below says why. Programs under test are built first; `--built` takes those that are there.
"""

import argparse
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [HERE / "README.md", ROOT / "docs" / "measurements.md"]

BLOCK = re.compile(r"(?P<start><!-- figures: (?P<name>[\w-]+) -->\n)(?P<inside>.*?)(?P<end><!-- end -->)", re.S)
KEPT = "*Kept on "

PROGRAMS = ["cargo", "build", "--release", "--locked", "-p", "cli", "-p", "conformance", "--bins", "--features", "conformance/reports"]


@dataclass
class Bench:
    """A command, and which of the tables that it prints belong into the pages."""

    command: list
    # The name of each block, with a word of the head of its table; "" is the first table, None all that it says.
    blocks: dict
    folder: str = "."
    # Programs of the search path, or environment variables with a folder: `$DIR`.
    needs: list = field(default_factory=list)


def large(part):
    return Bench(["cargo", "run", "--release", "-p", "large", "--", part], {f"large-{part}": ""}, needs=["rg"])


def script(part, *blocks, needs=("node", "bun", "deno")):
    return Bench(["python3", "all.py", part], dict(blocks), "scripts", list(needs))


PROJECTS = ["cargo", "npm"]
SERVERS = ["rust-analyzer", "ty", "tsc"]

BENCHES = {
    "load": Bench(["cargo", "run", "--release", "-p", "load"], {"load": ""}),
    "plugins": Bench(["cargo", "run", "--release", "-p", "plugins"], {"plugins": ""}),
    "servers": Bench(["python3", "servers.py", "--tsp", "$TSP_SERVER"], {"servers": ""}, "servers", ["$TSP_SERVER"]),
    "generators": Bench(
        ["$GENERATORS/python/bin/python", "compare.py", "$GENERATORS", str(ROOT / "target/release/ailang")],
        {"generators": "generator"}, "generators", ["$GENERATORS"],
    ),
    "context": Bench(["python3", "context.py"], {"context": "right of"}, "code", [*PROJECTS, *SERVERS, "rg", "serena"]),
    "equality": Bench(["python3", "equality.py"], {"equality": "project"}, "code", [*PROJECTS, *SERVERS]),
    "levels": Bench(["python3", "levels.py"], {"levels": "level"}, "code", [*PROJECTS, *SERVERS]),
    "peers": Bench(
        ["python3", "peers.py"], {"peers": "asker"}, "code", [*PROJECTS, *SERVERS, "serena", "cclsp", "agent-lsp"],
    ),
    "sharing-answers": Bench(["python3", "sharing.py", "answers"], {"sharing-answers": "alone"}, "code", [*PROJECTS, *SERVERS]),
    "sharing-memory": Bench(["python3", "sharing.py", "memory"], {"sharing-memory": "a shell adds"}, "code", [*PROJECTS, *SERVERS]),
    "sharing-crowd": Bench(["python3", "sharing.py", "crowd"], {"sharing-crowd": "budget"}, "code", [*PROJECTS, *SERVERS]),
    "sharing-worktrees": Bench(
        ["python3", "sharing.py", "worktrees"], {"sharing-worktrees": "budget"}, "code", [*PROJECTS, *SERVERS, "git"],
    ),
    "experiment": Bench(["python3", "experiment.py"], {"experiment": "task"}, "code", ["ty", "agent-lsp"]),
    "warm": Bench(
        [str(ROOT / "target/release/warm"), *(f"{it}=$PROJECTS/{it}" for it in ("rust", "python", "typescript"))],
        {"warm": None}, needs=[*SERVERS, "$PROJECTS"],
    ),
    "large-search": large("search"),
    "large-definition": large("definition"),
    "large-names": large("names"),
    "soak": Bench([str(ROOT / "target/release/soak"), "--calls", "10000", "--kills", "20", "--record"], {"soak": None}, needs=SERVERS),
    "calls": script("calls", ("scripts-calls", "fifty calls")),
    "attacks": script("attacks", ("scripts-attacks", "clear outcomes"), ("scripts-others", "another session")),
    "memory": script("memory", ("scripts-memory", "waiting")),
    "erasure": script("erasure", ("scripts-erasure", "")),
    "tasks": script("tasks", ("scripts-tasks", "task")),
    "declarations": script("declarations", ("scripts-declarations", "tokens a function"), needs=()),
    "condensing": script("condensing", ("scripts-condensing", "characters"), needs=()),
}


def expanded(text):
    return re.sub(r"\$(\w+)", lambda it: os.environ.get(it[1], ""), text)


def lacking(bench):
    """What a bench needs and this machine has not."""
    here = lambda it: os.environ.get(it[1:]) if it.startswith("$") else shutil.which(it)
    return [it for it in bench.needs if not here(it)]


def machine():
    """The model of the processor, and how much there is of what."""
    read = lambda path, pattern: re.search(pattern, Path(path).read_text(), re.M) if Path(path).exists() else None
    model = read("/proc/cpuinfo", r"^model name\s*: (.*)$")
    memory = read("/proc/meminfo", r"^MemTotal:\s+(\d+)")
    parts = [(model[1] if model else platform.processor() or platform.machine()).strip(), f"{os.cpu_count()} cores"]
    if memory:
        parts.append(f"{round(int(memory[1]) / 1024 / 1024)} GiB")
    return ", ".join(parts)


def version():
    git = lambda *it: subprocess.run(["git", *it], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    changed = " with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return f"commit {git('rev-parse', '--short', 'HEAD')}{changed}"


def tables(said):
    """The tables of Markdown in an output, each as one text."""
    found, lines = [], []
    for line in [*said.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line)
        elif lines:
            if len(lines) > 2 and re.fullmatch(r"[\s|:-]+", lines[1]):
                found.append("\n".join(lines) + "\n")
            lines = []
    return found


def table_of(said, word):
    """The table with a word in its head; all that was said, as it is, without a word."""
    if word is None:
        return f"```text\n{said.strip()}\n```\n" if said.strip() else None
    return next((it for it in tables(said) if word in it.splitlines()[0]), None)


def measured(table, about):
    """The inside of a block with a new table."""
    return f"*{about}*\n\n{table}"


def kept(inside, date, why):
    """The inside of a block that was not measured again, with the reason; the last one counts."""
    lines = inside.rstrip("\n").split("\n")
    while lines and (lines[-1].startswith(KEPT) or not lines[-1]):
        lines.pop()
    return "\n".join([*lines, "", f"{KEPT}{date}: {why}.*", ""])


def replaced(page, name, change):
    """A page with another inside of the blocks of a name."""
    inside = lambda it: it["start"] + change(it["inside"]) + it["end"]
    return BLOCK.sub(lambda it: inside(it) if it["name"] == name else it[0], page)


def rewrite(name, change):
    for path in PAGES:
        page = path.read_text()
        if (new := replaced(page, name, change)) != page:
            path.write_text(new)


def run(name, bench):
    """Runs a bench, and rewrites its blocks; the reason if it kept one."""
    date = datetime.date.today().isoformat()
    if lacks := lacking(bench):
        why = f"{' and '.join(f'`{it}`' for it in lacks)} {'is' if len(lacks) == 1 else 'are'} not installed"
        for block in bench.blocks:
            rewrite(block, lambda it: kept(it, date, why))
        return why
    command = [expanded(it) for it in bench.command]
    shown = " ".join(Path(it).name if it.startswith("/") else it for it in bench.command)
    print(f"{name}: {shown}", file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=HERE / bench.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    missing = None
    for block, word in bench.blocks.items():
        table = table_of(done.stderr if word is None else done.stdout, word)
        if table:
            about = f"{date}, {machine()}, {version()}: `{shown}`"
            if done.returncode:
                about += " (a goal was missed)"
            rewrite(block, lambda _: measured(table, about))
        else:
            last = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-1]
            missing = f"the bench failed: {last[:200]}"
            rewrite(block, lambda it: kept(it, date, missing))
    return missing


def complaints():
    """What does not fit between the pages and the benches."""
    wanted = {block for bench in BENCHES.values() for block in bench.blocks}
    found, wrong = set(), []
    for path in PAGES:
        page = path.read_text()
        blocks = list(BLOCK.finditer(page))
        found |= {it["name"] for it in blocks}
        if page.count("<!-- figures: ") != len(blocks):
            wrong.append(f"{path.name}: a block has no end")
        for it in blocks:
            if not it["inside"].startswith("*"):
                wrong.append(f"{path.name}: `{it['name']}` does not say when and where it was measured")
            if "<!-- figures" in it["inside"]:
                wrong.append(f"{path.name}: `{it['name']}` has no end")
        # A table elsewhere would grow old without anybody's noticing.
        for table in tables(BLOCK.sub("", page)):
            wrong.append(f"{path.name}: a table outside of a block: {table.splitlines()[0]}")
    wrong += [f"no page has `{it}`" for it in sorted(wanted - found)]
    wrong += [f"no bench makes `{it}`" for it in sorted(found - wanted)]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--list", action="store_true", help="what there is, and what each lacks here")
    parser.add_argument("--check", action="store_true", help="whether pages and benches fit each other")
    parser.add_argument("--built", action="store_true", help="takes the programs that are built")
    given = parser.parse_args()
    if unknown := [it for it in given.names if it not in BENCHES]:
        parser.error(f"there is no {', '.join(unknown)}")
    chosen = {it: BENCHES[it] for it in given.names or BENCHES}
    if given.check:
        wrong = complaints()
        print("\n".join(wrong))
        sys.exit(bool(wrong))
    if given.list:
        for name, bench in chosen.items():
            lacks = lacking(bench)
            print(f"{name:18} {'lacks ' + ', '.join(lacks) if lacks else 'can run'}")
        return
    if not given.built and any(not lacking(it) for it in chosen.values()):
        subprocess.run(PROGRAMS, cwd=ROOT, check=True)
    reasons = {name: run(name, bench) for name, bench in chosen.items()}
    for name, why in reasons.items():
        print(f"{name:18} {why or 'measured'}")


if __name__ == "__main__":
    main()
