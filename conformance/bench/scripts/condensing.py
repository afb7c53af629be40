"""B9: long outputs, shortened: ours, and the rules of tsforge as they are described."""

import json
import re
import tempfile
from pathlib import Path

import peers
from chain import Chain
from table import show

CAP = 12_000


def inputs():
    """The name, the text, and the lines or words that must be left."""
    rows = json.dumps([{"name": f"row{it}", "path": f"src/file{it}.ts", "line": it, "kind": "fn"} for it in range(60)])
    symbols = json.dumps([
        {"name": f"symbol{it}", "kind": "function", "path": f"src/module{it % 40}/file{it}.ts", "line": it, "signature": f"fn symbol{it}(value: number): number", "public": it % 2 == 0}
        for it in range(600)
    ])
    long = json.dumps({"path": "src/a.ts", "text": "y" * 72_000, "lines": 1_200})
    log = [f"[{it:04}] compiling module {it} of many" for it in range(3_000)]
    log[1_200], log[2_850] = "src/a.ts:12:5 error TS2304: cannot find the first", "src/b.ts:9:1 error TS2322: not the second"
    warnings = ["warning: unused import"] * 20_000 + ["done"]
    tests = [f"(pass) suite {it % 9} > case {it} [0.{it % 90:02}ms]" for it in range(600)]
    for at in [100, 333, 590]:
        tests[at] = f"(fail) suite {at % 9} > case {at}: Error: expected {at} to be {at + 1}"
    return [
        ("60 rows of JSON", rows, [f'"row{it}"' for it in range(60)]),
        ("600 symbols of JSON", symbols, ['"symbol0"', '"symbol599"', "600"]),
        ("an object with a text of 72 KB", long, ['"path"', '"lines"', "omitted"]),
        ("a log of 3,000 lines with 2 errors", "\n".join(log), [log[1_200], log[2_850], log[-1]]),
        ("20,000 warnings that are the same", "\n".join(warnings), ["warning: unused import", "20000", "done"]),
        ("600 tests with 3 failures", "\n".join(tests), [tests[100], tests[333], tests[590]]),
    ]


def tsforge(text, cap=CAP):
    """Written from a description: no carriage returns; the first rule that fits; above the cap 40 lines, 20 lines and up
    to 40 that tell of problems; and a cut at the cap."""
    text = "\n".join(it.rsplit("\r", 1)[-1] for it in text.split("\n"))
    lines = text.split("\n")
    if any(re.match(r"\((pass|fail)\)", it) for it in lines):
        failed = [it for it in lines if not it.startswith("(pass)")]
        text = "\n".join([*failed, f"{len(lines) - len(failed)} passed (elided)"])
    elif any(lines[at] == lines[at + 1] == lines[at + 2] for at in range(len(lines) - 2)):
        kept = []
        for it in lines:
            if kept and kept[-1][0] == it:
                kept[-1][1] += 1
            else:
                kept.append([it, 1])
        text = "\n".join(it if count == 1 else f"{it} (×{count})" for it, count in kept)
    elif (start := text.find("[")) >= 0 and (end := text.rfind("]")) > start:
        try:
            items = json.loads(text[start:end + 1])
            if isinstance(items, list) and len(items) > 20:
                text = f"array of {len(items)} items (elided), first: {json.dumps(items[0])}"
        except ValueError:
            pass
    if len(text) > cap:
        lines = text.split("\n")
        middle = [it for it in lines[40:-20] if re.search(r"error|warn", it, re.I)][:40]
        text = "\n".join([*lines[:40], f"… {len(lines) - 60} lines elided …", *middle, *lines[-20:]])
    return text[:cap]


def main(_):
    peers.install()
    rows, met = [], True
    with tempfile.TemporaryDirectory() as folder:
        chain = Chain(folder)
        for name, text, wanted in inputs():
            Path(folder, "input.txt").write_text(text)
            # JSON is what a program returns; lines are what it prints.
            read = "await fs.read('input.txt')"
            code = f"return JSON.parse({read})" if name.endswith("JSON") or "object" in name else f"console.log({read})"
            said = chain.script(code).partition("\n")[2]
            said = re.sub(r"\n\(shortened; .*\)$", "", said)
            kept, kept_there = (sum(it in out for it in wanted) for out in (said, tsforge(text)))
            met &= kept == len(wanted) and len(said) <= CAP * 1.05
            rows.append([name, len(text), len(said), f"{kept} of {len(wanted)}", len(tsforge(text)), f"{kept_there} of {len(wanted)}"])
        chain.close()
    head = ["", "characters", "ours", "kept of what matters", "tsforge's rules", "kept of what matters"]
    show(head, rows)
    return met
