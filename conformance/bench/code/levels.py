"""The levels of trust beside each other: are answers the same, how often is one not complete, and what does a wall cost?

    python3 levels.py [--project NAME] [--starts N] [--rounds N]

The programs of the thirty questions are asked at each level, in sessions of their own that take turns. Answers are compared
as they are read, notes apart: these are counted where they say that an answer is not complete. Times are those of the first
complete references after a start, and of each project's ten warm questions.
"""

import argparse
import statistics
import time

from context import programs_of
from projects import project
from tool import Tool

LEVELS = ["confined", "trusted", "restricted"]


class Session:
    """One level, in a session that has just begun."""

    def __init__(self, folder, level, programs):
        began = time.perf_counter()
        self.tool = Tool(folder, level)
        first = next((it for it in programs if "findReferences" in it), programs[0])
        self.tool.call_when_ready(first)
        self.started = time.perf_counter() - began

    def answers(self, programs):
        return [self.tool.call(it) for it in programs]

    def times(self, programs, rounds):
        taken = []
        for program in programs[:10] * rounds:
            began = time.perf_counter()
            self.tool.call(program)
            taken.append(time.perf_counter() - began)
        return taken


def is_incomplete(blocks):
    return any("not complete" in it for it in blocks)


def measure(name, starts, rounds):
    programs = programs_of(name)
    folder = project(name)
    started, warm = {it: [] for it in LEVELS}, {it: [] for it in LEVELS}
    said, incomplete = {}, {}
    for turn in range(starts):
        for level in LEVELS if turn % 2 == 0 else reversed(LEVELS):
            session = Session(folder, level, programs)
            answers = session.answers(programs)
            said[level] = [it[0] for it in answers]
            incomplete[level] = sum(map(is_incomplete, answers))
            started[level].append(session.started)
            warm[level] += session.times(programs, rounds)
            session.tool.close()
    for level in LEVELS:
        same = sum(mine == theirs for mine, theirs in zip(said[level], said["trusted"]))
        first, median = statistics.median(started[level]), statistics.median(warm[level]) * 1000
        row = (name, level, f"{same} of {len(programs)}", incomplete[level], f"{first:.2f} s", f"{median:.2f} ms")
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        for program, mine, theirs in zip(programs, said[level], said["trusted"]):
            if mine != theirs and level == "confined":
                print(f"  differs: {program}\n    {level}: {mine[:300]}\n    trusted: {theirs[:300]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--project", choices=["rust", "python", "typescript"])
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    print("| project | level | answers as trusted | not complete | first complete references | warm median |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in [given.project] if given.project else ["python", "typescript", "rust"]:
        measure(name, given.starts, given.rounds)


if __name__ == "__main__":
    main()
