"""B3: memory of a process that waits for a program, and the most that it takes."""

import subprocess
import time
from pathlib import Path
from statistics import median
from threading import Thread

import peers
from calls import runtimes
from table import show
from worker import Worker

FIFTY = "let n = 0; for (let i = 0; i < 50; i++) n = await test.next(n); return n"
GREEDY = "const a = []; for (;;) a.push(new Array(1000).fill(1.5))"

# The goals, in MB: private memory while it waits, and the most.
IDLE, PEAK = 0.5, 70


def megabytes(process):
    """Private, proportional and resident memory, in MB."""
    text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    sizes = {}
    for line in text.splitlines()[1:]:
        key, value = line.split(":")
        sizes[key] = int(value.split()[0]) * 1024 / 1e6
    return sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Pss"], sizes["Rss"]


def private_dirty(process):
    text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    return next(int(it.split()[1]) * 1024 / 1e6 for it in text.splitlines() if it.startswith("Private_Dirty"))


def peak(process, action):
    """The most private memory while something happens."""
    seen, is_over = [0.0], []

    def watch():
        while not is_over:
            try:
                seen.append(megabytes(process)[0])
            except (OSError, KeyError, ValueError):
                return  # it has ended
            time.sleep(0.001)

    watching = Thread(target=watch)
    watching.start()
    action()
    is_over.append(True)
    watching.join()
    return max(seen)


def ours():
    several = [Worker() for _ in range(10)]
    for worker in several:
        worker.next()
    time.sleep(0.2)
    idle = [megabytes(it.process) for it in several]
    dirty = median(private_dirty(it.process) for it in several)
    row = ["ours", *(median(it[part] for it in idle) for part in range(3))]
    fifty = peak(several[0].process, lambda: several[0].run(FIFTY))
    greedy = peak(several[1].process, lambda: several[1].run(GREEDY, cpuMs=2000))
    for worker in several:
        worker.reap()
    return [*row, fifty, greedy], dirty


def of_frames(runtime):
    worker = Worker(runtime["command"], dict(runtime["environment"]))
    worker.next()
    time.sleep(0.2)
    idle = megabytes(worker.process)
    fifty = peak(worker.process, lambda: worker.run(FIFTY))
    worker.reap()
    return [runtime["name"], *idle, fifty, None]


def of_run():
    """Its host is the process, so that it waits with the host's own memory."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([peers.binary("node"), peers.FOLDER / "run.mjs"], env=peers.environment(), **pipes)

    def line(text, stream):
        process.stdin.write(text)
        process.stdin.flush()
        while not stream.readline().strip():
            pass

    line(b"run\n", process.stdout)
    time.sleep(0.5)
    idle = megabytes(process)
    fifty = peak(process, lambda: line(b"run\n", process.stdout))
    greedy = peak(process, lambda: line(b'{"source": "%s"}\n' % GREEDY.encode(), process.stderr))
    process.stdin.close()
    process.wait()
    return ["Vercel `run` 2.1.5 in node 24", *idle, fifty, greedy]


def main(_):
    peers.install()
    own, dirty = ours()
    rows = [own, of_run()]
    rows += [of_frames(it) for it in runtimes() if it["kind"] == "frames" and "ours" not in it["name"]]
    cells = [[row[0], *("" if it is None else f"{it:.1f}" for it in row[1:])] for row in rows]
    head = ["waiting", "private", "proportional", "resident", "most private, fifty calls", "most private, 64 MiB limit"]
    show(head, cells, "MB")
    print(f"Of ours, {dirty:.2f} MB are private and written; the rest are pages of the program that no other process maps.\n")
    return dirty <= IDLE and own[5] <= PEAK
