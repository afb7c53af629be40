"""Everything, or some of it: `python3 all.py [--rounds N] [PART …]`. Fails where a goal is missed."""

import argparse
import importlib
import sys

PARTS = ["calls", "attacks", "memory", "erasure", "tasks", "errors", "declarations", "condensing"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    missed = []
    for part in given.parts or PARTS:
        module = importlib.import_module(part)
        print(f"## {module.__doc__.splitlines()[0]}\n", flush=True)
        if not module.main(given.rounds):
            missed.append(part)
        sys.stdout.flush()
    if missed:
        sys.exit(f"goals missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
