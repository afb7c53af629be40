"""Thirty questions: are they answered right, in how many calls, and how many bytes does an agent read for that?

    python3 context.py [--only PART] [--project NAME] [--asker NAME] [--show]

A question is right when the truth, which was read from the sources, is what was answered: each item of it, and of what
the question's `all` pattern finds in the answer nothing else. Notes count as read, but what they name as left out is no part of
the answer. For the others, whose answers hold more than was asked, it is enough that every item is there. Bytes are those of what is sent and of all that comes back, and the description of the tool once.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

from mcp import Server, ToolError
from projects import CACHE, HERE, project
from tool import Tool

ASKERS = ["ours", "rg", "serena"]


@dataclass
class Question:
    project: str
    title: str
    truth: list = field(default_factory=list)
    all: str = ""
    programs: dict = field(default_factory=dict)

    def is_answered(self, text, value=None):
        """What is missing, and what is too much in the value. An item may be spelled in several ways, with `|` between."""
        wanted = [it.split("|") for it in self.truth]
        missing = [it[0] for it in wanted if not any(spelling in text for spelling in it)]
        known = {spelling for it in wanted for spelling in it}
        extra = {it for it in found(self.all, value) if it not in known} if self.all and value else set()
        return missing, extra


def found(pattern, text):
    return re.findall(pattern, text, re.M)


def questions():
    """From `questions/*.md`: a heading each, and fenced blocks in it."""
    read = []
    for path in sorted((HERE / "questions").glob("*.md")):
        for part in re.split(r"^## ", path.read_text(), flags=re.M)[1:]:
            title, _, rest = part.partition("\n")
            question = Question(path.stem, title.strip())
            for kind, more, text in re.findall(r"^```(\w+)[ ]?(.*)\n((?:.*\n)*?)```$", rest, re.M):
                lines = text.splitlines()
                if kind == "truth":
                    question.truth, question.all = lines, more
                else:
                    question.programs[kind] = lines
            read.append(question)
    return read


def programs_of(project):
    """All programs of the questions about a project."""
    return [step for it in questions() if it.project == project for step in it.programs["dialect"]]


class Ours:
    """A program a line."""

    def __init__(self, folder):
        self.tool = Tool(folder)

    def describe(self):
        program = {"type": "string", "description": "A Dialect program, e.g. findReferences(`User`)"}
        schema = {"type": "object", "properties": {"program": program}, "required": ["program"]}
        return "ide_operation" + self.tool.description() + json.dumps(schema)

    def warm(self, question):
        self.tool.call_when_ready(question.programs["dialect"][0])

    def steps(self, question):
        return question.programs["dialect"]

    def call(self, step):
        sent = json.dumps({"program": step}, ensure_ascii=False)
        return sent, self.tool.call(step)

    def plain(self, said):
        """A text comes as JSON: its lines are told apart by what stands for the ends of them."""
        return said.replace("\\n", "\n").replace('\\"', '"')

    def close(self):
        self.tool.close()


class Rg:
    """A command a line: `rg`, and `sed` for what has to be read around a hit. Agents have a shell anyway."""

    def __init__(self, folder):
        self.folder = folder

    def describe(self):
        return ""

    def warm(self, question):
        pass

    def steps(self, question):
        return question.programs["sh"]

    def call(self, step):
        done = subprocess.run(step, shell=True, cwd=self.folder, capture_output=True, text=True)
        return json.dumps({"command": step}, ensure_ascii=False), [done.stdout + done.stderr]

    def close(self):
        pass


class Serena:
    """A tool and its arguments a line."""

    def __init__(self, folder):
        own = CACHE / "serena" / folder.name  # it writes into the project
        if not own.exists():
            shutil.copytree(folder, own)
        environment = dict(os.environ, SERENA_HOME=str(CACHE / "serena-home"))
        command = [serena(), "start-mcp-server", "--project", str(own), "--context", "ide-assistant"]
        command += ["--agent-interface", "tools", "--enable-web-dashboard", "false"]
        self.server = Server(command, own, environment)

    def describe(self):
        keys = ("name", "description", "inputSchema")
        tools = [{key: it.get(key) for key in keys} for it in self.server.tools()]
        return self.server.instructions + json.dumps(tools, ensure_ascii=False)

    def warm(self, question):
        self.call(question.programs["serena"][0])

    def steps(self, question):
        return question.programs.get("serena", [])

    def call(self, step):
        name, arguments = step.split(" ", 1)
        try:
            return step, [self.server.call(name, json.loads(arguments))]
        except ToolError as error:
            return step, [str(error)]  # an agent reads it as well

    def close(self):
        self.server.close()


def serena():
    return os.environ.get("SERENA") or shutil.which("serena")


def ask(asker, question, strictly, show):
    sent, said, values = "", "", ""
    steps = asker.steps(question)
    for step in steps:
        asked, blocks = asker.call(step)  # the first is the value, the others are notes
        sent, said, values = sent + asked, said + "\n".join(blocks) + "\n", values + blocks[0] + "\n"
    # Who answers that there is nothing names only in the question what it says that of.
    plain = asker.plain(said) if strictly else sent + said
    missing, extra = question.is_answered(plain, asker.plain(values) if strictly else None)
    right = bool(steps) and not missing and not extra
    size = len((sent + said).encode()) - len(steps)
    print(f"  {'right' if right else 'WRONG'} {len(steps)} calls {size:6} bytes  {question.title}")
    if missing or extra:
        print(f"    missing {sorted(missing)[:8]} extra {sorted(extra)[:8]}")
    if show or not right:
        print("    " + said[:show or 1500].replace("\n", "\n    "))
    return right, len(steps), size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--project", choices=["rust", "python", "typescript"])
    parser.add_argument("--asker", choices=ASKERS)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    chosen = [it for it in questions() if given.only in it.title and given.project in (None, it.project)]
    table = []
    kinds = {"ours": Ours, "rg": Rg, "serena": Serena}
    for name in [given.asker] if given.asker else ASKERS:
        if name == "serena" and not serena() or name == "rg" and not shutil.which("rg"):
            print(f"{name}: not installed")
            continue
        total, described = [], 0
        for folder in dict.fromkeys(it.project for it in chosen):
            print(f"{name}, {folder}")
            mine = [it for it in chosen if it.project == folder]
            asker = kinds[name](project(folder))
            asker.warm(mine[0])  # whoever has to load the project has done it then
            described = max(described, len(asker.describe().encode()))
            total += [ask(asker, it, name == "ours", given.show) for it in mine]
            asker.close()
        right, calls, size = (sum(it[i] for it in total) for i in range(3))
        table.append((name, right, calls, described, size, described + size))
    print(f"\n| asker | right of {len(chosen)} | calls | bytes of description | bytes of calls and answers | bytes in all |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in table:
        print("| " + " | ".join(f"{it:,}" if isinstance(it, int) else it for it in row) + " |")
    ours = next((it for it in table if it[0] == "ours"), None)
    met = ours is None or len(chosen) < 30 or (ours[1] == len(chosen) and ours[2] <= 33 and ours[5] <= 20_000)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
