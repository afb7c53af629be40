"""B4: the types of programs, erased: the same JavaScript as esbuild makes, and in what time."""

import json
import subprocess
import tempfile
from pathlib import Path

import peers
from projects import project
from table import show

ROUNDS = 300

# The goal for 200 lines, in microseconds.
MOST = 250


def erase(*arguments):
    command = ["cargo", "run", "--quiet", "--release", "-p", "erase", "--", *arguments]
    done = subprocess.run(command, cwd=peers.HERE.parent, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return done.stdout


def compared(files):
    """How many of the files are the same JavaScript as with esbuild, those that differ, those in which code was made for
    enumerations and fields (esbuild makes other code), and those that are refused."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [it.split("\t") for it in erase(folder, *files).splitlines()]
        done = [f"{path}\t{folder}/{number}.js" for number, path, what in lines if what == "ok"]
        made = [path for _, path, what in lines if what == "made"]
        refused = [(path, what) for _, path, what in lines if what not in ("ok", "made")]
        told = json.loads(peers.node("compare.mjs", given="\n".join(done) + "\n"))
    return told["equal"], told["different"], made, refused


def main(_):
    peers.install()
    folder = project("typescript")
    files = sorted(str(it) for it in Path(folder, "src").rglob("*.ts"))
    equal, different, made, refused = compared(files)
    print(f"Of {len(files)} files of zod, {equal} are the same JavaScript as esbuild makes of the source,")
    print(f"{len(different)} differ, {len(made)} have enumerations or fields of parameters, for which code is made,")
    print(f"and {len(refused)} are refused for other syntax that makes code.\n")
    for path in different[:5]:
        print(f"different: {path}")
    # A file of about two hundred lines.
    length = {it: Path(it).read_text().count("\n") for it in files if it not in dict(refused)}
    chosen = min(length, key=lambda it: abs(length[it] - 200))
    least, middle = map(float, erase("--time", str(ROUNDS), chosen).split())
    rows = [["ours", f"{least:.0f}", f"{middle:.0f}"]]
    for line in peers.node("erase.mjs", chosen, str(ROUNDS)).splitlines():
        name, quick, usual = json.loads(line)
        rows.append([name, f"{quick:.0f}", f"{usual:.0f}"])
    name = Path(chosen).relative_to(folder)
    show([f"`{name}`, {length[chosen]} lines, {ROUNDS} times", "µs, least", "µs, median"], rows)
    return not different and least <= MOST
