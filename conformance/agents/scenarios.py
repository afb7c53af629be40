"""What is asked of each agent, and what must come back."""

import asyncio
import functools
import json
import os
import re
import subprocess
import time
from dataclasses import dataclass, field

import sub_agents
import two_blocks
from drive import AcpError

CANCELLED_WITHIN = 5  # seconds
FAILURES = 4  # in a row
LANGUAGE_SERVER = "rust-analyzer"
END = "\0"  # stands between blocks
OFFERED = re.compile(r"^If you meant .*, use\n    (.*)", re.MULTILINE)


@dataclass
class Row:
    """One agent's line of the table, and everything that did not hold."""

    agent: str
    cells: dict = field(default_factory=dict)
    failures: list = field(default_factory=list)

    def check(self, cell, holds, otherwise):
        self.cells[cell] = "yes" if holds else "NO"
        if not holds:
            self.failures.append(f"{self.agent}, {cell}: {otherwise}")


class Direct:
    """No chain: the session's server is `two_blocks`, and what it answers is known."""

    programs, noted, failing, slow, ambiguous = [], "two", "fail", "wait", None
    may_lose_the_second = True  # what an agent does with it is measured here, not demanded
    sizes = [8, 12, 16, 24, 32, 48, 64, 96, 128]  # KiB

    def __init__(self, _rig):
        pass

    def expected(self, _workspace, _program):
        return [two_blocks.FIRST, two_blocks.SECOND]


class Chain:
    """Dialect stands before the agent: the answers must be those of `dialect eval`."""

    programs = [
        "search(`src`, `Registry`)",
        "lines(`src/lib.rs`, 1, 3)",
        "findReferences(findDefinition(`Registry`))",
    ]
    noted = "lines(`src/lib.rs`, 1, 999)"
    failing = "findReferences(findDefinition(`NoSuchThing`))"
    slow = "findReferences(findDefinition(`Registry`))"
    ambiguous = "findReferences(findDefinition(`Widget`))"
    may_lose_the_second = False
    sizes = []

    def __init__(self, harness):
        self.executable = harness.chain[0]

    def expected(self, workspace, program):
        """Failures, questions and notes are on standard error, beside the notes of every incomplete value."""
        value, said = evaluated(self.executable, workspace, program)
        return [value, said] if program == self.noted else [value or said]


@functools.cache
def evaluated(executable, workspace, program):
    """What the shell shows for a program: standard output and standard error."""
    done = subprocess.run([executable, "eval", "--compact", "--workspace", str(workspace), program],
                          capture_output=True, text=True, check=False)
    return done.stdout.rstrip("\n"), done.stderr.rstrip("\n")


def shown(expected, blocks):
    """How the blocks of one answer reached the model, or None if not all of them did."""
    whole = END.join(blocks)
    return between(expected, whole) or escaped(expected, whole)


def between(expected, whole):
    """Alone or with words of the agent's around it; several apart, or joined by what."""
    ends = []
    for text in expected:
        start = whole.find(text, ends[-1][1] if ends else 0)
        if start < 0:
            return None
        ends.append((start, start + len(text)))
    if len(expected) == 1:
        return "exact" if expected[0] in whole.split(END) else "inside"
    gaps = [whole[before[1]:after[0]] for before, after in zip(ends, ends[1:])]
    return ", ".join("apart" if END in gap else f"joined by {gap!r}" for gap in gaps)


def escaped(expected, whole):
    """Some agents print the whole result of a failed call as JSON."""
    inner = [json.dumps(text, ensure_ascii=False)[1:-1] for text in expected]
    return "as JSON" if between(inner, whole) else None


async def play(harness):
    """All scenarios with one agent."""
    row = Row(harness.name)
    source = (Chain if harness.chain else Direct)(harness)
    try:
        async with harness.connect() as client:
            session, workspace = await answers(harness, source, row, client)
            await after_failures(harness, source, row, client, session, workspace)
            await two_at_once(harness, source, row, client, session, workspace)
            await other_workspaces(harness, source, row, client)
            await largest(harness, source, row, client)
            await plugins(harness, row, client)
            await cancellation(harness, source, row, client)
        row.check("ends", client.ended_by_itself or not harness.chain, "had to be killed")
        row.check("stdout", not client.stray, f"no JSON on standard output: {client.stray[:3]}")
        await loading(harness, source, row, session, workspace)
        await sub_agents.play(harness, row)
        left = await harness.left_behind()
        row.check("leaves nothing", not left or not harness.chain, f"still running: {left}")
    except Exception as error:  # one agent's failure must not hide the others
        row.failures.append(f"{harness.name}: {type(error).__name__}: {error}")
    return row


async def answers(harness, source, row, client):
    began = time.monotonic()
    initialized = await client.initialize()
    row.cells["initialize"] = milliseconds(time.monotonic() - began)
    harness.capabilities = initialized["agentCapabilities"]
    offers = harness.capabilities.get("mcpCapabilities", {})
    row.cells["transport"] = "http" if offers.get("http") else "stdio"
    workspace = harness.workspace("depot")
    began = time.monotonic()
    session = await client.new_session(workspace, harness.servers(initialized))
    row.cells["session/new"] = milliseconds(time.monotonic() - began)
    if harness.recipe.mode:
        mode = client.modes.get("currentModeId")
        row.check("mode", mode == harness.recipe.mode, f"the session starts in {mode!r}")
    cells = {source.noted: "both blocks", source.failing: "failure"}
    programs = [*source.programs, *cells]
    answer = await harness.ask(client, session, programs)
    row.check("listed", answer.listed, f"the tool was never offered to the model: {answer.turn.text}")
    if answer.listed:
        row.cells["listed"] = milliseconds(answer.listed - began)
    row.cells["calls"] = " ".join(milliseconds(seconds) for seconds in answer.seconds)
    for program, blocks in zip(programs, answer.results):
        compare(row, cells.get(program, "answers"), source, workspace, program, blocks)
    row.check("called", len(answer.results) == len(programs), f"said {answer.turn.text!r}")
    if source.ambiguous:
        await ambiguity(harness, source, row, client, session, workspace)
    return session, workspace


def compare(row, cell, source, workspace, program, blocks):
    """Holds when every block that must be seen was seen; an answer may say how, another agent differs."""
    expected = source.expected(workspace, program)
    how = shown(expected, blocks)
    if how or row.cells.get(cell) == "NO":
        row.cells.setdefault(cell, how)
        return
    first = shown(expected[:1], blocks)
    row.cells[cell] = "first block only" if first else "NO"
    if not first or not source.may_lose_the_second:
        row.failures.append(f"{row.agent}, {cell}, {program}: {difference(expected, blocks)}")


def difference(expected, blocks):
    """Short texts whole; of long ones the first place where they part."""
    wanted, seen = END.join(expected), END.join(blocks)
    place = max(len(os.path.commonprefix([wanted, seen])) - 60, 0)
    return f"expected …{wanted[place:place + 400]!r}…, the model saw …{seen[place:place + 400]!r}…"


async def ambiguity(harness, source, row, client, session, workspace):
    """Every program that the answer offers gives an answer of its own."""
    answer = await harness.ask(client, session, [source.ambiguous])
    compare(row, "ambiguity", source, workspace, source.ambiguous, answer.results[0])
    # Some agents print the whole result as JSON.
    said = "\n".join(answer.results[0]).replace("\\n", "\n").replace('\\"', '"')
    offered = OFFERED.findall(said)
    row.check("offered", len(offered) > 1, f"expected two programs or more in {answer.results[0]}")
    runs = (await harness.ask(client, session, offered)).results if offered else []
    for program, blocks in zip(offered, runs):
        compare(row, "offered run", source, workspace, program, blocks)
        if OFFERED.search("\n".join(blocks)):
            row.failures.append(f"{row.agent}: the offered {program} is ambiguous: {blocks}")


async def after_failures(harness, source, row, client, session, workspace):
    """Some agents count failures and switch a server off. A program that fails is no fault of the server."""
    if harness.chain:
        answer = await harness.ask(client, session, [*[source.failing] * FAILURES, source.noted])
        blocks = answer.results[-1] if len(answer.results) > FAILURES else []
        compare(row, "after failures", source, workspace, source.noted, blocks)


async def two_at_once(harness, source, row, client, first, workspace):
    """A second session on the same connection asks about another place at the same time."""
    other = harness.workspace("other")
    (other / "src/lib.rs").write_text("//! Elsewhere.\n\npub struct Registry;\n", encoding="utf-8")
    second = await client.new_session(other, harness.servers({"agentCapabilities": harness.capabilities}))
    program = source.noted
    both = await asyncio.gather(harness.ask(client, first, [program]), harness.ask(client, second, [program]))
    for place, answer in zip((workspace, other), both):
        blocks = answer.results[0] if answer.results else []
        compare(row, "two sessions", source, place, program, blocks)


async def other_workspaces(harness, source, row, client):
    """The question whose answer needs a language server, on workspaces of the caller's choice."""
    for workspace in harness.workspaces:
        session = await client.new_session(workspace, harness.servers({"agentCapabilities": harness.capabilities}))
        answer = await harness.ask(client, session, [source.slow])
        compare(row, workspace.name, source, workspace, source.slow, answer.results[0])
        row.cells[f"{workspace.name} took"] = milliseconds(answer.seconds[0])


async def largest(harness, source, row, client):
    """The largest answer that reaches the model whole: agents cut long ones, some in the middle."""
    for size in source.sizes:
        workspace = harness.workspace("sizes")
        session = await client.new_session(workspace, harness.servers({"agentCapabilities": harness.capabilities}))
        answer = await harness.ask(client, session, [str(size)])
        if not answer.results or not shown([two_blocks.long_text(size)], answer.results[0]):
            break
        row.cells["whole up to"] = f"{size} KiB"


async def plugins(harness, row, client):
    """The plugin of `--plugin`: its function composed with an operation, a callback, a failure, and a death with the
    return from it."""
    if not (harness.chain and any("probe-plugin" in word for word in harness.chain)):
        return
    workspace = harness.workspace("plugins")
    session = await client.new_session(workspace, harness.servers({"agentCapabilities": harness.capabilities}))
    expected = {
        "probe.peek(findDefinition(`Registry`)).path": ['"src/lib.rs"'],
        "probe.call(n => count(search(`src`, `Registry`)) + n, 38)": ["42"],
        "probe.fail(1)": ["`probe.fail` failed: it failed"],
        "probe.die(1)": ["`probe.die` has no answer", "out of luck", "starts again with the next call"],
        "probe.peek(7)": ["7"],
    }
    answer = await harness.ask(client, session, list(expected))
    seen = ["\n".join(blocks) for blocks in answer.results]
    holds = len(seen) == len(expected) and all(
        all(part in text or json.dumps(part)[1:-1] in text for part in parts)
        for parts, text in zip(expected.values(), seen))
    row.check("plugins", holds, f"the model saw {seen}, said {answer.turn.text!r}")


async def cancellation(harness, source, row, client):
    """`session/cancel` while the tool runs ends the turn as cancelled, soon, and harms nothing."""
    workspace = harness.workspace("fresh")
    session = await client.new_session(workspace, harness.servers({"agentCapabilities": harness.capabilities}))
    await harness.ask(client, session, [source.noted])
    with harness.frozen(LANGUAGE_SERVER):
        began = len(client.heard)
        running = asyncio.create_task(harness.ask(client, session, [source.slow]))
        await client.call_begun(session, began)
        await asyncio.sleep(0.5)  # no message says that the call has left the agent
        asked = time.monotonic()
        client.cancel(session)
        try:
            how = (await running).turn.stop_reason
        except AcpError as error:
            how = str(error)
        took = time.monotonic() - asked
    ended = how == "cancelled" and took < CANCELLED_WITHIN
    row.check("cancel", ended, f"{how} after {took:.1f} s")
    if ended:
        row.cells["cancel"] = milliseconds(took)
    answer = await harness.ask(client, session, [source.noted])
    compare(row, "after it", source, workspace, source.noted, answer.results[0] if answer.results else [])


async def loading(harness, source, row, session, workspace):
    """Another process takes the session up again, with the tool."""
    if not harness.capabilities.get("loadSession"):
        row.cells["load"] = "not offered"
        return
    if harness.recipe.by_minute:
        await asyncio.sleep(60 - time.time() % 60)
    async with harness.connect() as client:
        initialized = await client.initialize()
        try:
            await client.load_session(session, workspace, harness.servers(initialized))
        except AcpError as error:
            return row.check("load", False, str(error))
        answer = await harness.ask(client, session, [source.noted])
        blocks = answer.results[0] if answer.results else []
        compare(row, "load", source, workspace, source.noted, blocks)


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"
