"""Where the peers are: packages of npm at fixed versions, in the cache folder."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "code"))

from projects import CACHE, run as finished  # noqa: E402

FOLDER = CACHE / "scripts"
PACKAGES = {
    "@swc/core": "1.16.22", "bun": "1.4.5", "deno": "2.9.6", "esbuild": "0.28.2", "gpt-tokenizer": "4.0.0",
    "node": "24.21.0", "run": "2.1.5", "typescript": "6.0.3",
}


def install():
    """Installs the packages, and puts the peers' programs beside them: modules are searched from there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    manifest = json.dumps({"private": True, "type": "module", "dependencies": PACKAGES})
    marker = FOLDER / "installed.json"
    if not marker.exists() or marker.read_text() != manifest:
        (FOLDER / "package.json").write_text(manifest)
        finished(["npm", "install", "--no-audit", "--no-fund", "--silent"], FOLDER)
        marker.write_text(manifest)
    for program in (HERE / "peers").iterdir():
        shutil.copy(program, FOLDER)


def binary(name):
    """The program of a package itself, without what its launcher adds to its start."""
    found = {
        "node": "node/bin/node",
        "bun": "bun/bin/bun.exe",
        "deno": "deno/deno",
    }[name]
    return (FOLDER / "node_modules" / found).resolve()


def node(program, *arguments, given=None):
    """What one of the peers' programs says."""
    command = [binary("node"), FOLDER / program, *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{program}: {done.stderr[-2000:]}")
    return done.stdout


def tokens(texts):
    """The tokens of each text, as `o200k_base` counts them."""
    return json.loads(node("tokens.mjs", given=json.dumps(list(texts))))


def bench(*arguments, given=None):
    """What the part in Rust says."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "scripts", "--", *arguments]
    done = subprocess.run(command, cwd=HERE.parent, input=given, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def environment():
    """What a runtime needs to start."""
    return {"PATH": os.environ["PATH"], "HOME": str(FOLDER), "NO_COLOR": "1", "TZ": "UTC", "NODE_NO_WARNINGS": "1"}
