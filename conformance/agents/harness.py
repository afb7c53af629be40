"""One agent in one run: its home, its command line, its connection, and the way to ask it something."""

import asyncio
import contextlib
import os
import signal
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path

import crate
import install
import two_blocks
from drive import Client
from script import read_echo, write_script

TOOL = "ide_operation"
LISTED_WITHIN = 30  # seconds until an agent that never offers the tool is given up
BACKGROUND = " server run"  # ends the command line of the process that outlives its clients by design
KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "SSL_CERT_FILE")


@dataclass
class Answer:
    """What one scripted turn brought: the blocks of each tool result as the model saw them."""

    results: list[list[str]]
    seconds: list[float]
    turn: object
    listed: float | None


class Harness:
    """`chain` is the command line in front of the agent's own, empty for none."""

    def __init__(self, name, recipe, chain, model, cache, workspaces=()):
        self.name, self.recipe, self.chain, self.model = name, recipe, chain, model
        self.workspaces = workspaces
        self.prefix = install.install(recipe.package, cache)
        self.path = install.path_of(cache)
        self.folder = Path(tempfile.mkdtemp(prefix=f"agent-{name}-"))
        self.home = self.folder / "home"
        for file, text in recipe.files(model.base).items():
            (self.home / file).parent.mkdir(parents=True, exist_ok=True)
            (self.home / file).write_text(text, encoding="utf-8")
        self.home.mkdir(exist_ok=True)
        self.connections = 0

    def workspace(self, name):
        return crate.write(self.folder / name)

    def agent_command(self):
        """The agent; what stands before it keeps the user's environment."""
        return ["env", "-i", *(f"{key}={value}" for key, value in self.environment().items()),
                *self.recipe.command(self.prefix)]

    def environment(self):
        """An environment of the agent's own. The folder in it tells the processes of this run."""
        env = {key: os.environ[key] for key in KEPT if key in os.environ}
        env |= {"PATH": self.path, "HOME": str(self.home), "DIALECT_RUN": str(self.folder)}
        for name, folder in {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state",
                             "CACHE": ".cache"}.items():
            env[f"XDG_{name}_HOME"] = str(self.home / folder)
        return env | self.recipe.env(self.model.base)

    def connect(self, capabilities=None):
        self.connections += 1
        command = [*self.chain, "--", *self.agent_command()] if self.chain else self.agent_command()
        env = {**os.environ, "DIALECT_RUN": str(self.folder)}
        return Client(command, env, self.folder, self.folder / "stderr.log",
                      self.folder / f"transcript-{self.connections}.txt", capabilities)

    def servers(self, initialized):
        """Without a chain the client gives the session a server of its own."""
        if self.chain:
            return []
        offers = initialized["agentCapabilities"].get("mcpCapabilities", {})
        return [two_blocks.serve_http() if offers.get("http") else two_blocks.stdio_entry()]

    async def ask(self, client, session, programs):
        """One turn in which the model runs the programs one after the other and says what came back."""
        steps = [{"tool": TOOL, "args": {"program": program}} for program in programs]
        loop = asyncio.get_running_loop()
        deadline = loop.time() + LISTED_WITHIN
        while True:
            nonce = self.nonce()
            turn = await self.perform(client, session, [*steps, {"echo": nonce}])
            if "@@MISSING" not in turn.text or loop.time() > deadline:
                return self.read(turn, nonce)
            await asyncio.sleep(0.2)

    def nonce(self):
        return uuid.uuid4().hex[:12]

    async def perform(self, client, session, steps):
        """One turn in which the model goes through the steps."""
        return await client.prompt(session, "Play this: " + write_script(steps))

    def results(self, nonce):
        """The blocks of each tool result that the model has seen in the play with this nonce."""
        requests = self.model.of(nonce)
        return [result.blocks for result in requests[-1].conversation.counted()] if requests else []

    def read(self, turn, nonce):
        moves = [request for request in self.model.of(nonce) if request.offers(TOOL)]
        seconds = [after.at - before.at for before, after in zip(moves, moves[1:])]
        return Answer(read_echo(turn.text, nonce), seconds, turn, moves[0].at if moves else None)

    async def left_behind(self, found=None, within=5):
        """The command lines of processes that are still there some seconds after the end of the run: by default all but
        the background process and what that started."""
        for _ in range(within * 10):
            if not (left := (found or self.without_background)()):
                break
            await asyncio.sleep(0.1)
        return list(left.values())

    def without_background(self):
        found = self.processes()
        background = {process for process, line in found.items() if line.endswith(BACKGROUND)}
        return {process: line for process, line in found.items() if not background & set(ancestry(process))}

    def processes(self):
        """The command lines of this run's processes, by their ids."""
        return processes_of(str(self.folder))

    @contextlib.contextmanager
    def frozen(self, program):
        """Stops the run's processes of this program, so that whoever asks them waits."""
        stopped = [pid for pid, line in self.processes().items() if program in line.split()[0]]
        signal_all(stopped, signal.SIGSTOP)
        try:
            yield
        finally:
            signal_all(stopped, signal.SIGCONT)


def signal_all(processes, number):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def ancestry(process):
    """A process, its parent and so on."""
    while process > 1:
        yield process
        try:
            stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
        except OSError:  # it is gone
            return
        process = int(stat.rsplit(")", 1)[1].split()[1])


def processes_of(folder):
    """The command lines by process id. Found by a folder that their environment names, so that none escapes by
    leaving the process group (Linux only)."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone, or another user's
            if f"={folder}".encode() in (process / "environ").read_bytes():
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                found |= {int(process.name): line} if line else {}  # dead, but not reaped: no command line
    return found
