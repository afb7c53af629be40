"""Agents' own command lines as clients of `dialect mcp`: a process for each turn, with the settings of `dialect setup`."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from harness import TOOL, Harness
from recipes import PROMPT
from scenarios import LANGUAGE_SERVER, OFFERED, Chain, Row, compare, milliseconds
from script import TOOL_SEARCH, Call, read_echo, write_script

TURN_WITHIN = 120  # seconds
INTERRUPTED_WITHIN = 8  # seconds; where its client is gone, Dialect goes on with a call for five
WRITING, WRITTEN = "applyEdits(rename(`filled`, `full`))", "pub fn full()"
LONG = "range(1, 3001)"  # nearly as long as an answer may be
REMEDY = "--allow-write"
STRUCTURED = "outcome"  # a field that only the structured content has
TOOLCHAINS = (".rustup", ".cargo")  # of the user's home; some agents pass their servers no variables but `HOME`


@dataclass
class Turn:
    """What one run of the command line brought. It has no code if it had to be killed."""

    text: str
    code: int | None
    nonce: str


class CommandLine(Harness):
    """One agent in one run. `chain` is the executable of Dialect, which the agent starts by itself."""

    def __init__(self, name, headless, chain, model, cache):
        super().__init__(name, headless.recipe, chain, model, cache)
        self.headless = headless
        for folder in TOOLCHAINS:
            (self.home / folder).symlink_to(Path.home() / folder)

    def dialect(self, *words):
        """Runs Dialect as the user whose home it is."""
        return subprocess.run([self.chain[0], *words], env=self.environment(), capture_output=True, text=True, check=True)

    def settings(self):
        """The file that `dialect setup` writes."""
        return Path(self.dialect("setup", self.headless.setup, "--print").stderr.strip()[len("In "):-1])

    def version(self):
        done = subprocess.run([*self.agent_command(), "--version"], capture_output=True, text=True, check=False)
        return next((word.rstrip(".") for word in done.stdout.split() if word[0].isdigit()), done.stdout.strip())

    async def start(self, workspace, programs):
        """Starts a turn in which the model runs the programs and says what came back."""
        nonce = self.nonce()
        steps = [*({"tool": TOOL, "args": {"program": program}} for program in programs), {"echo": nonce}]
        prompt, words = f"Play this: {write_script(steps)}", self.headless.turn
        with (self.folder / "stderr.log").open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *self.agent_command(), *(prompt if word == PROMPT else word for word in words), cwd=workspace,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True)
        if PROMPT not in words:
            process.stdin.write(prompt.encode())
        process.stdin.close()
        return process, nonce

    async def finish(self, process, nonce, within=TURN_WITHIN):
        """Waits for the end of a turn, and kills its group if it does not end."""
        reading = asyncio.create_task(process.stdout.read())
        try:
            code = await asyncio.wait_for(process.wait(), within)
        except TimeoutError:
            code = None
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        text = (await reading).decode(errors="replace")
        with (self.folder / "stdout.log").open("a", encoding="utf-8") as log:
            log.write(text)
        return Turn(text, code, nonce)

    async def play(self, workspace, programs):
        return await self.finish(*await self.start(workspace, programs))

    async def called(self, nonce):
        """Waits until the model has called the tool in this turn."""
        async with asyncio.timeout(TURN_WITHIN):
            while not any(calls(request.move) for request in self.model.of(nonce)):
                await asyncio.sleep(0.1)


def calls(move):
    """Says whether the model calls the tool, and does not only search for it."""
    return isinstance(move, Call) and not TOOL_SEARCH.search(move.tool.name)


async def play_headless(agent):
    """All scenarios with one agent."""
    row = Row(agent.name)
    row.cells["version"] = agent.version()
    source, workspace = Chain(agent), agent.workspace("depot")
    try:
        agent.dialect("setup", agent.headless.setup, "--yes", "--workspace", str(workspace))
        await answers(agent, source, row, workspace)
        await writing(agent, row, workspace)
        await cancellation(agent, source, row, workspace)
        await leaves_nothing(agent, row)
    except Exception as error:  # one agent's failure must not hide the others
        row.failures.append(f"{agent.name}: {type(error).__name__}: {error}")
    return row


async def answers(agent, source, row, workspace):
    cells = {source.noted: "value and note", LONG: "long", source.failing: "failure", source.ambiguous: "ambiguity"}
    programs = [*source.programs, *cells]
    began = time.monotonic()
    turn = await agent.play(workspace, programs)
    requests = agent.model.of(turn.nonce)
    offered = next((request for request in requests if request.offers(TOOL)), None)
    row.check("listed", offered, f"the tool was never offered to the model: {turn}")
    if not offered:
        return
    searched = bool(offered.conversation.searches())
    row.cells["listed"] = f"{'by searching' if searched else 'at once'}, {milliseconds(offered.at - began)}"
    results = agent.results(turn.nonce)
    row.check("called", len(results) == len(programs), f"{len(results)} of {len(programs)} results, said {turn.text!r}")
    for program, blocks in zip(programs, results):
        compare(row, cells.get(program, "answers"), source, workspace, program, blocks)
    row.cells["shows"] = shown_content(source.expected(workspace, source.noted), results[len(source.programs)])
    row.check("says", len(read_echo(turn.text, turn.nonce)) == len(programs), f"said {turn.text!r}")
    row.check("ends", turn.code == 0, f"it ended with {turn.code}")
    offered = OFFERED.findall(unescaped(results[-1]))
    row.check("offered", len(offered) > 1, f"expected two programs or more in {results[-1]}")
    turn = await agent.play(workspace, offered)
    for program, blocks in zip(offered, agent.results(turn.nonce)):
        compare(row, "offered run", source, workspace, program, blocks)


def shown_content(expected, blocks):
    """Which part of a result the model sees: its text, its structured content, or both."""
    whole = "\n".join(blocks)
    parts = {"text": expected[0] in whole, "structured": f'"{STRUCTURED}"' in unescaped(blocks)}
    return " and ".join(part for part, is_there in parts.items() if is_there) or "NEITHER"


def unescaped(blocks):
    """Some agents print a result as JSON, or as JSON in JSON."""
    return "\n".join(blocks).replace("\\\\", "\\").replace("\\n", "\n").replace('\\"', '"')


async def writing(agent, row, workspace):
    """A program that writes is refused with the remedy, as nobody can be asked, and writes with the remedy."""
    file = workspace / "src/lib.rs"
    before = file.read_text(encoding="utf-8")
    seen = texts(agent, await agent.play(workspace, [WRITING]))
    row.check("refused", REMEDY in seen and file.read_text(encoding="utf-8") == before, f"the model saw {seen!r}")
    settings = agent.settings()
    written = settings.read_text(encoding="utf-8")
    settings.write_text(written.replace('"mcp",', f'"mcp", "{REMEDY}",', 1), encoding="utf-8")
    turn = await agent.play(workspace, [WRITING])
    row.check("writes", WRITTEN in file.read_text(encoding="utf-8"),
              f"the model saw {texts(agent, turn)!r}, said {turn.text!r}")
    settings.write_text(written, encoding="utf-8")
    file.write_text(before, encoding="utf-8")


def texts(agent, turn):
    return "\n".join(block for blocks in agent.results(turn.nonce) for block in blocks)


async def cancellation(agent, source, row, workspace):
    """An interrupt while the tool runs ends the command line and its server; the next turn is answered."""
    with agent.frozen(LANGUAGE_SERVER):
        process, nonce = await agent.start(workspace, [source.slow])
        await agent.called(nonce)
        await asyncio.sleep(1.5)  # no message says that the call has left the agent
        how = await interrupted(agent, process)
        await agent.finish(process, nonce, 0)
        left = await agent.left_behind()
    answered = agent.results(nonce)
    row.check("cancel", not left and not answered, f"the model saw {answered}, still running: {left}")
    if row.cells["cancel"] == "yes":
        row.cells["cancel"] = how
    turn = await agent.play(workspace, [source.noted])
    results = agent.results(turn.nonce)
    compare(row, "after it", source, workspace, source.noted, results[0] if results else [])


async def interrupted(agent, process):
    """How the command line and all that it started end: by an interrupt of its process, by one of its group, as a
    terminal sends it, or by neither. Some commands only start the agent, and pass no signal on."""
    for how, send in (("SIGINT", os.kill), ("SIGINT to the group", os.killpg)):
        with contextlib.suppress(ProcessLookupError):
            send(process.pid, signal.SIGINT)
        began = time.monotonic()
        if not await agent.left_behind(within=INTERRUPTED_WITHIN):
            return f"{how}, {milliseconds(time.monotonic() - began)}"
    return "killed only"


async def leaves_nothing(agent, row):
    """Nothing but the background process stays, and that ends when it is told to."""
    left = await agent.left_behind()
    agent.dialect("server", "stop")
    left += await agent.left_behind(agent.processes)
    row.check("leaves nothing", not left, f"still running: {left}")
