"""B7: tokens of the functions: TypeScript declarations, JSON Schema for tools, and what the tools' descriptions take."""

import json
import re
import subprocess
import tempfile

import peers
from chain import Chain
from table import show
from tool import programs

# The goal, in tokens a function.
MOST = 35


def namespaces():
    """The declarations of `dialect script --types` by namespace: the functions of each, with their comments."""
    text = subprocess.run([programs() / "dialect", "script", "--types"], capture_output=True, text=True, check=True).stdout
    found = {}
    for name, body in re.findall(r"^(?:declare )?namespace (\w+) \{\n([\s\S]*?)^\}", text, re.M):
        found[name] = re.findall(r"(?:  /\*\*(?:(?!\*/)[\s\S])*\*/\n)?  (?:const|function) .*\n", body)
    shared = len(text) - sum(len(it) for each in found.values() for it in each)
    return text, found, shared


def descriptions():
    with tempfile.TemporaryDirectory() as folder:
        chain = Chain(folder)
        told = [chain.play("describe script"), chain.play("describe ide_operation")]
        chain.close()
    return told


def plain(declaration):
    """A declaration without its comment, and without the second form of its arguments."""
    line = declaration.rstrip().splitlines()[-1].strip()
    return re.sub(r"Operation<(\[.*?\]), \{.*\}, (.*)>;$", r"Operation<\1, \2>;", line)


def main(_):
    peers.install()
    text, found, _ = namespaces()
    tools = json.loads(peers.bench("tools"))
    rows, goal = [], None
    for name in ["ide", "core"]:
        declared = {re.search(r"(?:const|function) (\w+)", it.splitlines()[-1]).group(1): it for it in found[name]}
        mine = [it["tool"] for it in tools if it["library"] == name and it["tool"]["name"] in declared]
        short = [{**it, "inputSchema": {k: v for k, v in it["inputSchema"].items() if k != "$defs"}} for it in mine]
        texts = [declared[it["name"]] for it in mine]
        counted = [
            sum(peers.tokens(it))
            for it in [[plain(t) for t in texts], texts, map(json.dumps, short), map(json.dumps, mine)]
        ]
        each = [f"{it / len(mine):.0f}" for it in counted]
        rows.append([f"`{name}`", len(mine), *each])
        goal = goal or counted[0] / len(mine)
    own = [it for name in ["fs", "dialect"] for it in found[name]]
    rows.append(["`fs` and `dialect`", len(own), *[f"{sum(peers.tokens(own)) / len(own):.0f}"] * 2, "", ""])
    show(["tokens a function", "functions", "signature", "with comments", "tool, its types elsewhere", "tool on its own"], rows)
    [all_tokens] = peers.tokens([text])
    print(f"All declarations, with the types of results, take {all_tokens:,} tokens.")
    script, operation = peers.tokens(descriptions())
    print(f"An agent gets none of them, but the descriptions of the tools: `script` {script:,} tokens, `ide_operation` {operation:,}.\n")
    return goal <= MOST
