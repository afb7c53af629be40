"""B6: twenty broken programs: does the answer name the place, the cause and the remedy?"""

import re
import tempfile
from pathlib import Path

import peers
from attacks import Run
from chain import Chain
from peers import HERE
from table import show

FILES = {
    "main.py": "class User:\n    pass\n\nclass Group:\n    user = User()\n",
    "other.py": "class User:\n    other = 1\n",
}


def cases():
    """The heading, the marks, the program and the three expectations of each."""
    found = re.findall(r"^## (.*)\n\n```ts ?(.*)\n([\s\S]*?)\n```\n\n```answer\n([\s\S]*?)\n```$", (HERE / "broken.md").read_text(), re.M)
    return [(title, mark, code, answer.splitlines()) for title, mark, code, answer in found]


def shortened(text, most=160):
    text = " ⏎ ".join(it for it in text.splitlines() if it.strip())
    return text if len(text) <= most else text[:most] + "…"


def main(_):
    peers.install()
    rows, right, theirs = [], 0, 0
    run = Run()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text)
        chain = Chain(folder)
        for title, mark, code, wanted in cases():
            said = chain.script(code)
            missing = [it for it in wanted if not re.search(it, said)]
            right += not missing
            if missing:
                print(f"{title}: no {missing} in\n{said}\n")
            other = ""
            if mark != "ours":
                told = run.ask({"source": code, "limits": {"timeoutMs": 2000}})
                places = [it.strip() for it in told.get("stack", [])[1:] if "run.js" in it]
                other = f"{told['outcome']}: {told.get('message', told.get('value'))} {' '.join(places[:1])}"
                theirs += bool(places) or bool(re.search(r"\d+:\d+", told.get("message", "")))
            head, _, rest = said.partition("\n")
            rows.append([title, shortened(rest or head), shortened(other)])
        chain.close()
    run.close()
    show(["program", "ours, without its first line", "Vercel `run`"], rows)
    asked = sum(mark != "ours" for _, mark, _, _ in cases())
    print(f"Ours names the place, the cause and the remedy of {right} of {len(rows)}. `run` names a place for {theirs} of the {asked} that it can run.\n")
    return right == len(rows) == 20
