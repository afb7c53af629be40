"""The three projects that are asked about: real ones, at one version each, as their authors publish them."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Not in this repository: its `.gitignore` and its workspace would count there.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dialect-bench"
PROJECTS = CACHE / "projects"

RUST = ["", "-conductor", "-derive", "-polyfill", "-rmcp"]
PYTHON = "requests==2.34.2"
TYPESCRIPT = "zod@4.6.7"


def project(name):
    """The folder of a project, made when it is not there: `rust`, `python` or `typescript`."""
    folder = PROJECTS / name
    if not folder.exists():
        PROJECTS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PROJECTS) as made:
            made = Path(made)
            {"rust": rust, "python": python, "typescript": typescript}[name](made)
            os.rename(made / "project", folder)
    return folder


def rust(made):
    """Five crates of one workspace: their published sources, put together again."""
    crates = [f"agent-client-protocol{it}" for it in RUST]
    (made / "src").mkdir()
    (made / "src" / "lib.rs").write_text("")
    wanted = "".join(f'{it} = "=5.0.0"\n' for it in crates)
    head = '[package]\nname = "wanted"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n'
    (made / "Cargo.toml").write_text(head + wanted)
    metadata = run(["cargo", "metadata", "--format-version", "1"], made)
    found = {it["name"]: Path(it["manifest_path"]).parent for it in json.loads(metadata)["packages"]}
    folder = made / "project"
    for crate in crates:
        left_out = shutil.ignore_patterns("Cargo.lock", "Cargo.toml.orig", ".cargo*")
        shutil.copytree(found[crate], folder / crate, ignore=left_out)
    patched = "".join(f'{it} = {{ path = "{it}" }}\n' for it in crates if it != "agent-client-protocol-conductor")
    members = '[workspace]\nresolver = "2"\nmembers = ["agent-client-protocol*"]\n\n[patch.crates-io]\n'
    (folder / "Cargo.toml").write_text(members + patched)
    run(["cargo", "metadata", "--format-version", "1"], folder)  # what it depends on is fetched


def python(made):
    run(["python3", "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", PYTHON, "-d", "."], made)
    [archive] = made.glob("*.tar.gz")
    shutil.unpack_archive(archive, made)
    os.rename(made / archive.name.removesuffix(".tar.gz"), made / "project")


def typescript(made):
    """The sources alone, without what was compiled of them; its tests import it by its own name."""
    run(["npm", "pack", "--silent", TYPESCRIPT], made)
    [archive] = made.glob("*.tgz")
    shutil.unpack_archive(archive, made)
    folder = made / "project"
    folder.mkdir()
    for name in ["src", "package.json"]:
        os.rename(made / "package" / name, folder / name)
    options = {
        "target": "es2022",
        "module": "nodenext",
        "moduleResolution": "nodenext",
        "customConditions": ["@zod/source"],
        "strict": True,
        "skipLibCheck": True,
        "noEmit": True,
        "rootDir": ".",
    }
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["src"]}, indent=2))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    for name in ["rust", "python", "typescript"]:
        print(project(name))
