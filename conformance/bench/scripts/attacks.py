"""B2: attacks, each of which has a clear outcome and costs nobody else anything."""

import json
import re
import subprocess
import threading
import tempfile
import time
from collections import Counter
from statistics import median

import peers
from chain import Chain
from peers import HERE
from table import show
from worker import LIMITS, Worker

CHAPTER = HERE.parents[2] / "component" / "script-worker" / "spec" / "2-attacks.md"

# The most that a program may take beyond its limit, in milliseconds.
MOST = 150


def attacks():
    """The name and the program of each."""
    found = re.findall(r"^### (.*)\n\n(?:[^`\n].*\n+)*```js\n([\s\S]*?)\n```$", CHAPTER.read_text(), re.M)
    assert len(found) == CHAPTER.read_text().count("```js"), "each program has a heading"
    return found


def alone(code):
    """One attack in a process of ours: its outcome, and the milliseconds beyond its limit."""
    worker = Worker()
    worker.next()
    begun = time.perf_counter()
    kind, content = worker.run(code)
    wall = (time.perf_counter() - begun) * 1e3
    cpu = worker.reap() * 1e3
    outcome = content["reason"] if kind == "failed" else kind
    beyond = (cpu - LIMITS["cpuMs"], wall - LIMITS["cpuMs"]) if outcome == "cpu" else (0, 0)
    return outcome, *beyond, wall


class Run:
    """The package `run`, in a process of its own that is started again where it does not answer."""

    def __init__(self):
        self.process = None

    def ask(self, question, seconds=20):
        if self.process is None or self.process.poll() is not None:
            command = [peers.binary("node"), peers.FOLDER / "run.mjs"]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            self.process = subprocess.Popen(command, env=peers.environment(), text=True, **pipes)
            self.ask({"source": "return 1"})
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        for line in self.process.stderr:
            if line.startswith("answer {"):
                timer.cancel()
                return json.loads(line.removeprefix("answer "))
        timer.cancel()
        return {"outcome": "hangs or died", "ms": seconds * 1e3, "cpu": 0}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def by_run(found):
    run, limits = Run(), {"timeoutMs": LIMITS["cpuMs"], "memoryLimitBytes": LIMITS["memory"]}
    outcomes, beyond = {}, {}
    for name, code in found:
        told = run.ask({"source": code, "limits": limits})
        outcomes[name] = told["outcome"]
        if "TIMEOUT" in told["outcome"]:
            beyond[name] = told["ms"] - LIMITS["cpuMs"]
    run.close()
    return outcomes, beyond


def beside(found):
    """Each attack in one session, while another one runs a program again and again."""
    with tempfile.TemporaryDirectory() as folder:
        chain = Chain(folder)
        other = chain.open(folder)
        quiet = [chain.timed_script("return 41 + 1", other)[1] for _ in range(20)]
        busy, unclear = [], []
        for name, code in found:
            turn = chain.begin_turn("script " + json.dumps({"code": code}))
            while turn[0] not in chain.answers:
                said, time_taken = chain.timed_script("return 41 + 1", other)
                assert "42" in said, said
                busy.append(time_taken)
            said = chain.end_turn(turn).removeprefix("failure: ")
            if not re.match(r"(ok|failed|stopped|not run) · ", said):
                unclear.append((name, said))
        chain.close()
    return quiet, busy, unclear


def main(_):
    peers.install()
    found = attacks()
    ours = {name: alone(code) for name, code in found}
    theirs, theirs_beyond = by_run(found)
    stopped = {name: it for name, it in ours.items() if it[0] == "cpu"}
    worst = max(stopped, key=lambda it: stopped[it][1])
    worst_wall = max(stopped, key=lambda it: stopped[it][2])
    worst_run = max(theirs_beyond, key=theirs_beyond.get)
    clear = sum(it[0] not in ("hangs", "died") for it in ours.values())
    clear_run = sum("hangs" not in it for it in theirs.values())
    show(
        ["", "outcome", "worst overshoot, CPU", "worst overshoot, wall"],
        [
            ["ours", f"{clear} of {len(ours)}", f"{stopped[worst][1]:.0f} ms ({worst})", f"{stopped[worst_wall][2]:.0f} ms ({worst_wall})"],
            ["Vercel `run`", f"{clear_run} of {len(theirs)}", "", f"{theirs_beyond[worst_run]:.0f} ms ({worst_run})"],
        ],
    )
    for who, outcomes in [("ours", [it[0] for it in ours.values()]), ("`run`", theirs.values())]:
        print(f"Outcomes of {who}: {', '.join(f'{count} {it}' for it, count in Counter(outcomes).most_common())}.\n")
    quiet, busy, unclear = beside(found)
    show(
        ["another session's `return 41 + 1`", "programs", "median", "worst"],
        [
            ["while nothing else runs", len(quiet), f"{median(quiet):.1f} ms", f"{max(quiet):.0f} ms"],
            ["while attacks run", len(busy), f"{median(busy):.1f} ms", f"{max(busy):.0f} ms"],
        ],
    )
    for name, said in unclear:
        print(f"unclear: {name}: {said[:300]}")
    return clear == len(ours) and not unclear and stopped[worst][1] <= MOST
