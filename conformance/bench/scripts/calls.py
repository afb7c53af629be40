"""B1: fifty calls that follow each other."""

import json
import tempfile
from pathlib import Path
from statistics import median

import peers
from chain import Chain
from table import milliseconds, show
from tool import programs

# Through the whole chain: a function of the component alone, and one that goes to the disk through the adapter.
COMPUTED = "let n = ''; for (let i = 0; i < 50; i++) n = await core.lower('A' + i); return n"
READ = "let n = 0; for (let i = 0; i < 50; i++) n += (await fs.read('a.txt')).length; return n"


def runtimes():
    """Each with its command. Bun and Node.js read the same loop of frames that the tool gives to external runtimes."""
    loop = peers.bench("external")
    (peers.FOLDER / "external.mjs").write_text(loop)
    node, bun, deno = (str(peers.binary(it)) for it in ["node", "bun", "deno"])
    environment = list(peers.environment().items())
    written = {key: str(peers.FOLDER / it) for key, it in {"http": "http.mjs", "run": "run.mjs", "loop": "external.mjs"}.items()}
    of_node = [node, "--input-type=module", "--no-warnings", "-e", loop]
    of_deno = [deno, "run", "--quiet", "--no-prompt", "--no-remote", written["loop"]]
    rows = [
        ("ours, `dialect script-worker`", "frames", [str(programs() / "dialect"), "script-worker"], []),
        ("Vercel `run` 2.1.5 in node 24", "lines", [node, written["run"]], environment),
        ("bun 1.4.5, loopback HTTP", "http", [bun, written["http"]], environment),
        ("bun 1.4.5, our frames", "frames", [bun, written["loop"]], environment),
        ("deno 2.9.6, our frames", "frames", of_deno, environment),
        ("node 24.21, our frames", "frames", of_node, environment),
    ]
    return [{"name": n, "kind": k, "command": c, "environment": e} for n, k, c, e in rows]


def in_chain(code, rounds):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_text("x" * 100)
        chain = Chain(folder)
        command = "script " + json.dumps({"code": code})
        first = chain.times(1, command)
        rest = chain.times(rounds, command)
        chain.close()
        return first, rest


def main(rounds):
    peers.install()
    measured = json.loads(peers.bench("calls", given=json.dumps({"rounds": rounds, "runtimes": runtimes()})))
    rows = []
    for it in measured:
        rows.append([it["name"], *milliseconds(it["cold"]), *milliseconds(it["warm"]), f"{median(it['cpu']):.1f}"])
    for name, code in [("`core.lower`, which the component answers", COMPUTED), ("`fs.read`, through the adapter", READ)]:
        first, rest = in_chain(code, rounds)
        rows.append([f"ours, the whole chain: {name}", f"{first[0]:.1f}", "", *milliseconds(rest), ""])
    show(["fifty calls", "cold: min", "median", "prewarmed: min", "median", "CPU, cold"], rows, "milliseconds")
    ours = measured[0]
    return min(ours["cold"]) <= 3 and min(ours["warm"]) <= 1
