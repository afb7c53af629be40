"""B5: tasks over many files: as single calls, as parallel calls, as one program of Dialect, as one script."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median

import peers
import workspaces
from chain import Chain
from table import show

# The prompt that each turn of a model reads again.
PROMPT = 6_000


class Arm:
    """Turns, each with the calls that are made together: what was sent, and what came back."""

    def __init__(self):
        self.turns, self.milliseconds = [], None

    def turn(self, *calls):
        self.turns.append([(json.dumps(sent, ensure_ascii=False), said) for sent, said in calls])
        return [said for _, said in calls]

    def one_by_one(self):
        """The same calls, one in each turn."""
        single = Arm()
        single.turns = [[call] for turn in self.turns for call in turn]
        return single

    def row(self, name):
        calls = [call for turn in self.turns for call in turn]
        counted = iter(peers.tokens([text for call in calls for text in call]))
        sent_tokens, billed, context = 0, 0, PROMPT
        for turn in self.turns:
            billed += context
            for _ in turn:
                sent, said = next(counted), next(counted)
                sent_tokens += sent
                context += sent + said
        billed += context
        size = sum(len(text.encode()) for call in calls for text in call)
        time = "" if self.milliseconds is None else f"{self.milliseconds:.0f}"
        return [name, len(self.turns) + 1, len(calls), size, context - PROMPT, billed, sent_tokens, time]


class Files:
    """Tools as agents have them: they list, read, search, edit and create files."""

    def __init__(self, folder):
        self.folder = folder

    def call(self, tool, **arguments):
        return {"tool": tool, **arguments}, getattr(self, tool)(**arguments)

    def list(self, folder):
        return "\n".join(sorted(str(it.relative_to(self.folder)) for it in Path(self.folder, folder).iterdir()))

    def read(self, path):
        return Path(self.folder, path).read_text()

    def edit(self, path, find, replace):
        text = self.read(path)
        assert text.count(find) == 1, (path, find)
        Path(self.folder, path).write_text(text.replace(find, replace))
        return f"edited {path}"

    def create(self, path, text):
        Path(self.folder, path).parent.mkdir(parents=True, exist_ok=True)
        Path(self.folder, path).write_text(text)
        return f"created {path}"

    def grep(self, folder, pattern):
        done = subprocess.run(["grep", "-rnE", pattern, folder], cwd=self.folder, capture_output=True, text=True)
        return done.stdout


def copied(make):
    """A fresh workspace."""
    folder = tempfile.mkdtemp(dir=peers.CACHE)
    make(Path(folder))
    return folder


def by_files(make, calls, check):
    """The calls of `calls` over a fresh workspace, in parallel where they do not need each other."""
    folder, arm = copied(make), Arm()
    said = calls(Files(folder), arm)
    check(Path(folder), said)
    shutil.rmtree(folder)
    return arm


def by_script(make, code, check, rounds=1, dialect=None):
    """One script, and with `dialect` one program of that; the time is the median of `rounds`."""
    times, arm = [], None
    for _ in range(rounds):
        folder = copied(make)
        chain = Chain(folder)
        chain.script("return 1")  # the first program waits for what the chain itself has to start
        if dialect:
            arm = Arm()
            [said] = arm.turn(({"program": dialect}, "\n".join(chain.call(dialect))))
        else:
            arm = Arm()
            [said] = arm.turn(({"code": code}, chain.script(code)))
            assert said.startswith("ok"), said
            times.append(float(re.search(r"(\d+) ms", said.splitlines()[0]).group(1)))
            assert chain.questions <= 1, "one question for all changes"
        chain.close()
        check(Path(folder), said)
        shutil.rmtree(folder)
    arm.milliseconds = median(times) if times else None
    return arm


def show_arms(title, arms):
    print(f"### {title}\n")
    head = ["", "turns", "calls", "bytes", "new context tokens", "billed input tokens", "output tokens", "script, ms"]
    rows = [arm.row(name) for name, arm in arms.items()]
    show(head, rows)
    return {row[0]: row for row in rows}


def migrate(count, size, rounds):
    def make(folder):
        workspaces.migrate(folder, count, size)

    def calls(files, arm):
        [paths] = arm.turn(files.call("list", folder="services"))
        paths = [it for it in paths.splitlines() if not it.endswith("test.ts") and "svc" in it]
        texts = arm.turn(*(files.call("read", path=it) for it in paths))
        edits = []
        for path, text in zip(paths, texts):
            tier = re.search(r"tier: (\w+)", text).group(1)
            name = Path(path).stem
            edits.append((path, f'client.legacy("{name}")', f'client.connect("{name}", "{tier}")'))
        arm.turn(*(files.call("edit", path=p, find=f, replace=r) for p, f, r in edits))

    def tested(folder, _):
        done = subprocess.run([peers.binary("bun"), "test"], cwd=folder, capture_output=True, text=True, env=peers.environment())
        assert f"{count} pass" in done.stderr and done.returncode == 0, done.stderr

    parallel = by_files(make, calls, tested)
    # A program of Dialect changes no text, but it finds the tiers, so that files need not be read.
    gathered = gather_then_edit(make, tested)
    return show_arms(f"migrate, {count} services of {workspaces.size_name(size)}", {
        "one call in each turn": parallel.one_by_one(),
        "parallel calls": parallel,
        "one Dialect program, then parallel edits": gathered,
        "one script": by_script(make, workspaces.MIGRATE, tested, rounds),
    })


def gather_then_edit(make, check):
    folder, arm = copied(make), Arm()
    chain = Chain(folder)
    [said] = arm.turn(({"program": workspaces.TIERS}, "\n".join(chain.call(workspaces.TIERS))))
    chain.close()
    files = Files(folder)
    edits = []
    for path, tier in re.findall(r"(services/svc\d+\.ts)\W+(\w+)", said):
        name = Path(path).stem
        edits.append((path, f'client.legacy("{name}")', f'client.connect("{name}", "{tier}")'))
    arm.turn(*(files.call("edit", path=p, find=f, replace=r) for p, f, r in edits))
    check(Path(folder), said)
    shutil.rmtree(folder)
    return arm


def untested(rounds):
    """The exported functions of thirty modules that no test names."""
    expected = workspaces.UNTESTED

    def calls(files, arm):
        names, used = arm.turn(
            files.call("grep", folder="src", pattern="^export function"),
            files.call("grep", folder="tests", pattern="^import"),
        )
        tested = set(re.findall(r"\bfn\w+", used))
        return [it for it in re.findall(r"function (fn\w+)", names) if it not in tested]

    def reading(files, arm):
        arm.turn(files.call("list", folder="src"), files.call("list", folder="tests"))
        sources = [f"src/mod{it}.ts" for it in range(workspaces.MODULES)]
        tests = [f"tests/mod{it}.test.ts" for it in range(workspaces.MODULES)]
        texts = arm.turn(*(files.call("read", path=it) for it in sources + tests))
        tested = set(re.findall(r"\bfn\w+", "".join(texts[len(sources):])))
        return [it for it in re.findall(r"export function (fn\w+)", "".join(texts[:len(sources)])) if it not in tested]

    def complete(_, said):
        found = said if isinstance(said, list) else re.findall(r"\bfn\w+", said)
        assert sorted(set(found)) == sorted(expected), (found, expected)

    make = workspaces.untested
    parallel = by_files(make, reading, complete)
    return show_arms(f"{len(expected)} untested functions in {workspaces.MODULES} modules", {
        "one call in each turn, reading": parallel.one_by_one(),
        "parallel calls, reading": parallel,
        "parallel calls, searching; the model compares": by_files(make, calls, complete),
        "one Dialect program": by_script(make, None, complete, dialect=workspaces.UNTESTED_DIALECT),
        "one script": by_script(make, workspaces.UNTESTED_SCRIPT, complete, rounds),
    })


def settings(rounds):
    """A key that is renamed in twenty files, each with its own unit."""

    def calls(files, arm):
        [paths] = arm.turn(files.call("list", folder="conf"))
        paths = paths.splitlines()
        texts = arm.turn(*(files.call("read", path=it) for it in paths))
        edits = [(path, *workspaces.adapted(text)) for path, text in zip(paths, texts)]
        arm.turn(*(files.call("edit", path=p, find=f, replace=r) for p, f, r in edits))

    def adapted(folder, _):
        for path in Path(folder, "conf").iterdir():
            assert path.read_text() == workspaces.setting(int(path.stem.removeprefix("app")), True), path

    parallel = by_files(workspaces.settings, calls, adapted)
    return show_arms(f"a key of {workspaces.SETTINGS} settings files", {
        "one call in each turn": parallel.one_by_one(),
        "parallel calls": parallel,
        "one script": by_script(workspaces.settings, workspaces.SETTINGS_SCRIPT, adapted, rounds),
    })


def creating():
    """A control: files that have nothing to do with each other."""
    texts = workspaces.fixtures()

    def calls(files, arm):
        arm.turn(*(files.call("create", path=path, text=text) for path, text in texts.items()))

    def there(folder, _):
        for path, text in texts.items():
            assert Path(folder, path).read_text() == text

    code = "\n".join(f"await fs.write({json.dumps(path)}, {json.dumps(text)})" for path, text in texts.items())
    return show_arms(f"control: {len(texts)} independent new files", {
        "parallel calls": by_files(lambda _: None, calls, there),
        "one script": by_script(lambda _: None, code, there),
    })


def asking():
    """A control: one question."""
    def right(_, said):
        assert "src/mod3.ts" in said, said

    program = "brief(findSymbols(`fn3b`))"
    return show_arms("control: one question", {
        "one Dialect program": by_script(workspaces.untested, None, right, dialect=program),
        "one script": by_script(workspaces.untested, "return await ide.brief(await ide.findSymbols('fn3b'))", right),
    })


def main(rounds):
    peers.install()
    met = True
    for count, size in [(8, 106), (8, 6_300), (40, 6_300)]:
        table = migrate(count, size, max(3, rounds // 3))
        script = table["one script"]
        met &= script[1] == 2 and script[3] <= (700 if count == 8 else 1_600)
    untested(3)
    settings(3)
    created, asked = creating(), asking()
    # Where nothing depends on an answer, a script must not look better.
    met &= created["one script"][1] == created["parallel calls"][1]
    met &= asked["one script"][3] >= asked["one Dialect program"][3]
    return met
