#!/usr/bin/env python3
"""Drives real agents against a scripted model. See README.md.

    python3 conformance/agents/run.py goose claude codex -- target/debug/dialect agent
    python3 conformance/agents/run.py --headless claude codex -- target/debug/dialect
"""

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from model import Model, describe
from recipes import HEADLESS, RECIPES
from harness import Harness
from headless import CommandLine, play_headless
from scenarios import play


def arguments():
    given, chain = sys.argv[1:], []
    if "--" in given:
        place = given.index("--")
        given, chain = given[:place], given[place + 1:]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", choices=RECIPES, metavar="AGENT", help=", ".join(RECIPES))
    parser.add_argument("--headless", action="store_true",
                        help="without ACP: the agent's own command line starts `dialect mcp` ("
                             + ", ".join(HEADLESS) + ")")
    parser.add_argument("--cache", default=Path(tempfile.gettempdir()) / "dialect-agents",
                        help="where agents are installed, once")
    parser.add_argument("--log", type=argparse.FileType("w", encoding="utf-8"),
                        help="a file for what the model was offered, saw and did: a line of JSON a request")
    parser.add_argument("--workspace", action="append", default=[], type=lambda path: Path(path).resolve(),
                        help="ask about this folder too (it needs one Rust definition named Registry)")
    options = parser.parse_args(given)
    if options.headless and not (len(chain) == 1 and set(options.agents) <= set(HEADLESS)):
        parser.error(f"--headless AGENT … -- DIALECT, where each agent is one of {', '.join(HEADLESS)}")
    return options, chain


async def main():
    options, chain = arguments()
    if chain:
        chain = [str(Path(word).resolve()) if Path(word).is_file() else word for word in chain]
    model = Model(lambda request: options.log and log(options.log, request))
    rows = []
    for name in options.agents:
        if options.headless:
            harness = CommandLine(name, HEADLESS[name], chain, model, options.cache)
        else:
            harness = Harness(name, RECIPES[name], chain, model, options.cache, options.workspace)
        print(f"{name}: {harness.folder}", file=sys.stderr)
        rows.append(await (play_headless if options.headless else play)(harness))
    print(table(rows))
    failures = [failure for row in rows for failure in row.failures]
    print("\n".join(["", *failures]) if failures else "\nEverything held.")
    return 1 if failures else 0


def log(file, request):
    print(json.dumps(describe(request), ensure_ascii=False), file=file, flush=True)


def table(rows):
    """The rows as Markdown, with every column that some row has."""
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    lines = [["agent", *columns], ["---"] * (len(columns) + 1)]
    lines += [[row.agent, *(str(row.cells.get(column, "")) for column in columns)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
