"""Are the references that our tool answers those that the language server gives to a client of its own?

    python3 equality.py [--names 200] [--seed 20261121] [--project NAME]

Names are drawn by the seed from three projects, functions and methods in every second place. The server is asked until
two rounds of its answers agree. Our tool also asks what the name leads to where the server's answer does not have it;
what it has beyond the server's answer is asked of the server the other way round: each of these places has to lead to
the definition. An answer that says that it does not come from the server, which was too busy, counts as marked. Exit code 1
when anything else differs.
"""

import argparse
import json
import random
import re
import sys
import time
from collections import Counter

from lsp import SERVERS, Raw
from projects import project
from tool import Tool

DEFINITIONS = {
    "rust": r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|unsafe|const|extern)\s+)*"
            r"(fn|struct|enum|trait|type|const|static|mod)\s+([A-Za-z_]\w*)",
    "python": r"^\s*(?:async\s+)?(def|class)\s+([A-Za-z_]\w*)|^()([A-Z_]{3,})\s*(?::[^=]+)?=",
    "typescript": r"^\s*(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
                  r"(function|class|interface|type|const|let|enum)\s+([A-Za-z_$][\w$]*)",
}
FUNCTIONS = {"fn", "def", "function"}


def draw(language, root, seed, most=99):
    """Places of definitions whose names stand elsewhere too, and are defined at most so often."""
    ending, pattern = SERVERS[language][3], re.compile(DEFINITIONS[language])
    counts, functions, others = {}, [], []
    for path in sorted(root.rglob("*" + ending)):
        inside = str(path.relative_to(root))
        text = path.read_text(errors="replace")
        for word in re.findall(r"[\w$]+", text):
            counts[word] = counts.get(word, 0) + 1
        for number, line in enumerate(text.split("\n"), 1):
            if match := pattern.match(line):
                kind, name = [it for it in match.groups() if it is not None][:2]
                place = (inside, number, match.start(match.lastindex) + 1)
                (functions if kind in FUNCTIONS else others).append((name, place))
    defined = Counter(it[0] for it in functions + others)
    random.seed(seed)
    drawn = []
    for some in (functions, others):
        some[:] = [it for it in some if counts[it[0]] > 1 and defined[it[0]] <= most]
        random.shuffle(some)
    for function, other in zip(functions, others):
        drawn += [function, other]
    return drawn


def known(raw, drawn, wanted):
    """The first ones that the server knows: code that is not loaded, or in a comment, it does not."""
    found = []
    for name, place in drawn:
        raw.open(place[0])
        if len(found) < wanted and any(it[:2] == place[:2] for it in raw.definitions(place)):
            found.append((name, place))
    return found


def settled(raw, places):
    before = [raw.references(it) for it in places]
    while True:
        again = [raw.references(it) for it in places]
        if again == before:
            return again
        before = again


def is_marked(notes):
    """Whether the answer says that it comes from less than the server."""
    return any("not from a language server" in it for it in notes)


def symbol(name, place):
    """A program for the symbol of that name there."""
    path, line, column = place
    return f"symbol(`{name}`, path=`{path}`, line={line}, column={column})"


def uses(name, place):
    """A program for the places where it is used."""
    return f"findReferences({symbol(name, place)}).map(r => [r.path, r.start.line, r.start.column])"


def answered(tool, name, place):
    """What our tool says, as a set, and its notes."""
    for _ in range(4):
        found, notes = answered_once(tool, name, place)
        if not is_marked(notes):
            break
    return found, notes


def answered_once(tool, name, place):
    program = uses(name, place)
    found, skip = set(), 0
    while True:
        blocks = tool.call_when_ready(program if not skip else f"{program}.drop({skip})")
        try:
            places = json.loads(blocks[0])
        except json.JSONDecodeError:
            return None, blocks
        found |= {tuple(it) for it in places}
        skip += len(places)
        if not any("Cut to fit" in it for it in blocks[1:]):
            return found, blocks[1:]


def compare(language, names, seed):
    root = project(language)
    raw = Raw(language, root)
    raw.wait()
    drawn = known(raw, draw(language, root, seed), names)
    started = time.monotonic()
    expected = settled(raw, [it[1] for it in drawn])
    tool = Tool(root)
    row = {"names": len(drawn), "references": sum(map(len, expected))}
    row |= dict.fromkeys(["equal", "more", "beyond", "marked", "different"], 0)
    for (name, place), wanted in zip(drawn, expected):
        found, notes = answered(tool, name, place)
        if is_marked(notes):
            row["marked"] += 1
            continue
        if found is None:
            row["equal" if not wanted and "no symbol" in notes[0] else "different"] += 1
            if wanted:
                print(f"DIFFERS {language} {name} {place}: {notes[0][:300]}")
            continue
        missing, extra = wanted - found, found - wanted
        wrong = {it for it in extra if not leads(raw, it, place)}
        if missing or wrong:
            row["different"] += 1
            print(f"DIFFERS {language} {name} {place}: missing {sorted(missing)[:5]}, wrong {sorted(wrong)[:5]}; {notes}")
        elif extra:
            row["more"] += 1
            row["beyond"] += len(extra)
            print(f"more    {language} {name} {place}: {sorted(extra)[:5]}; {notes}")
        else:
            row["equal"] += 1
    row["seconds"] = round(time.monotonic() - started)
    tool.close()
    raw.close()
    return row


def leads(raw, place, home):
    """Whether a place leads to the definition, through the names that imports give it."""
    seen, left = set(), [place]
    while left:
        at = left.pop()
        if at[:2] == home[:2]:
            return True
        if at in seen or not (raw.root / at[0]).is_file():
            continue
        seen.add(at)
        raw.open(at[0])
        left += raw.definitions(at)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20_261_121)
    parser.add_argument("--project", choices=SERVERS)
    given = parser.parse_args()
    chosen = [given.project] if given.project else list(SERVERS)
    shares = [given.names // len(chosen) + (i < given.names % len(chosen)) for i in range(len(chosen))]
    rows = {it: compare(it, share, given.seed) for it, share in zip(chosen, shares)}
    keys = list(next(iter(rows.values())))
    print("\n| project | " + " | ".join(keys) + " |\n| --- |" + " --- |" * len(keys))
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(str(row[key]) for key in keys) + " |")
    sys.exit(any(row["different"] for row in rows.values()))


if __name__ == "__main__":
    main()
