"""Installs an agent's package, pinned, into a cache folder, once."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

NODE = 22  # the oldest major version that every agent of the recipes runs on
PYTHON = "python3.13"


def install(package, cache):
    """Gives the folder that holds the package; installs it when it is not there yet."""
    kind, name = package.split(" ", 1)
    prefix = Path(cache) / name.replace("/", "+").replace("==", "@")  # `env` reads `=` as a variable
    if not (prefix / ".complete").exists():
        shutil.rmtree(prefix, ignore_errors=True)
        prefix.mkdir(parents=True)
        {"npm": npm_install, "pip": pip_install}[kind](name, prefix, cache)
        (prefix / ".complete").touch()
    return prefix


def npm_install(name, prefix, cache):
    print(f"installing {name} …", file=sys.stderr)
    command = ["npm", "install", "--no-fund", "--no-audit", "--loglevel=error", "--prefix", str(prefix), name]
    subprocess.run(command, check=True, stdout=sys.stderr, env={**os.environ, "PATH": path_of(cache)})


def pip_install(name, prefix, _cache):
    print(f"installing {name} …", file=sys.stderr)
    python = shutil.which(PYTHON) or sys.exit(f"{name} needs {PYTHON} in PATH")
    subprocess.run([python, "-m", "venv", str(prefix)], check=True)
    subprocess.run([str(prefix / "bin/pip"), "install", "-q", name], check=True, stdout=sys.stderr)


def path_of(cache):
    """A PATH whose `node` is new enough; Node itself is an npm package."""
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    if found and int(found.lstrip("v").split(".")[0]) >= NODE:
        return os.environ["PATH"]
    package = node_package()
    prefix = Path(cache) / f"{package}@{NODE}"
    if not (prefix / ".complete").exists():
        command = ["npm", "install", "--no-fund", "--no-audit", "--loglevel=error",
                   "--prefix", str(prefix), f"{package}@{NODE}"]
        subprocess.run(command, check=True, stdout=sys.stderr)
        (prefix / ".complete").touch()
    return f"{prefix / 'node_modules' / package / 'bin'}:{os.environ['PATH']}"


def node_package():
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"node-{sys.platform}-{machine}"
