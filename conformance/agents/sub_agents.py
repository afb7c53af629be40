"""What is asked of agents that run sub-agents: their folders, the end of their calls, and work beside other sessions."""

import asyncio
import contextlib
import subprocess
import time

from harness import TOOL

UNCOMMITTED = "# not committed"
FILES = {
    "src/lib.py": "def rate(n):\n    return n\n",
    "src/use.py": "from lib import rate\n\nprint(rate(5))\n",
    ".gitignore": ".claude/\n",
}
SEES, RENAMES = "lines(`src/lib.py`, 1, 1)", "applyEdits(rename(`rate`, `share`))"
ENDS_WITHIN = 20  # seconds
# What a client declares decides how an agent reports sub-agents: as sessions with folders, as parts of the session that
# started them, or, to editors of JetBrains, as sessions without folders that may outlive the turn.
JETBRAINS = {"version": 1, "capabilities": ["nativeSubagentSessions", "backgroundSubagents"]}
FORMS = {
    "own sessions": {"subagents": {}},
    "parts": {},
    "drafts": {"_meta": {"jetbrains": {"air": JETBRAINS}}},
}


async def play(harness, row):
    """All scenarios, if the recipe says how the agent starts a sub-agent."""
    if not (harness.chain and harness.recipe.sub_agent):
        return
    for form, capabilities in FORMS.items():
        async with harness.connect(capabilities) as client:
            harness.capabilities = (await client.initialize())["agentCapabilities"]
            for scenario in (worktree, cancelled_parent, beside_another):
                try:
                    await scenario(harness, row, client, form)
                except TimeoutError as error:
                    row.check(f"{cell(scenario)}, {form}", False, f"waited in vain: {error}")


def cell(scenario):
    return scenario.__name__.replace("_", " ")


def repository(harness, name):
    """A repository of Python whose first file has a line that no other work tree has."""
    folder = harness.folder / name
    for file, text in FILES.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    changed = f"{UNCOMMITTED}\n{FILES['src/lib.py']}"
    (folder / "src/lib.py").write_text(changed, encoding="utf-8")
    return folder.resolve(), changed


def start(harness, programs, nonce, **arguments):
    """The step in which the model starts a sub-agent that runs the programs."""
    steps = [{"tool": TOOL, "args": {"program": program}} for program in programs]
    words = {"description": "look", "subagent_type": "general-purpose", **arguments}
    return {"tool": harness.recipe.sub_agent, "args": words, "child": [*steps, {"echo": nonce}]}


async def worktree(harness, row, client, form):
    """A sub-agent in a work tree of its own reads and changes that, or is refused; never its parent's."""
    folder, changed = repository(harness, f"worktree-{form[:3]}")
    session = await client.new_session(folder)
    nonce = harness.nonce()
    turn = await harness.perform(client, session, [start(harness, [SEES, RENAMES], nonce, isolation="worktree")])
    deadline = time.monotonic() + ENDS_WITHIN
    while len(harness.results(nonce)) < 2 and time.monotonic() < deadline:  # it may outlive the turn
        await asyncio.sleep(0.2)
    texts = ["\n".join(blocks) for blocks in harness.results(nonce)]
    ours = (folder / "src/lib.py").read_text(encoding="utf-8")
    trees = [(it / "src/lib.py").read_text(encoding="utf-8") for it in folder.glob(".claude/worktrees/*")]
    name = f"{cell(worktree)}, {form}"
    answered = len(texts) == 2 and "def rate" in texts[0] and any("def share" in it for it in trees)
    refused = len(texts) == 2 and all("`ide_operation`" in it or "not answered" in it for it in texts)
    row.check(name, ours == changed and UNCOMMITTED not in "\n".join(texts) and (answered or refused),
              f"the sub-agent saw {texts}, the parent's file is {ours!r}, the trees' are {trees}, said {turn.text!r}")
    if row.cells[name] == "yes":
        row.cells[name] = "its tree" if answered else "refused"


async def cancelled_parent(harness, row, client, form):
    """The question of a sub-agent in the background outlives the turn of its parent, or is withdrawn; nobody hangs."""
    folder, changed = repository(harness, f"cancelled-{form[:3]}")
    session = await client.new_session(folder)
    nonce = harness.nonce()
    client.holds = lambda params: is_ours(params)
    before, withdrawn = len(client.held), len(client.withdrawn)
    steps = [start(harness, [RENAMES], nonce, run_in_background=True), {"tool": "Bash", "args": {
        "command": "python3 -c 'import time; time.sleep(60)'", "description": "wait"}}]
    turn = asyncio.create_task(harness.perform(client, session, steps))
    await client.until(lambda: len(client.held) > before)
    client.cancel(session)
    began = time.monotonic()
    with contextlib.suppress(TimeoutError):
        await client.until(lambda: len(client.withdrawn) > withdrawn, timeout=2)
    client.holds = lambda params: False
    client.release()
    ended = (await asyncio.wait_for(turn, ENDS_WITHIN)).stop_reason
    deadline = time.monotonic() + ENDS_WITHIN
    while not harness.results(nonce) and time.monotonic() < deadline and not len(client.withdrawn) > withdrawn:
        await asyncio.sleep(0.2)
    seen = harness.results(nonce)
    after = await asyncio.wait_for(harness.ask(client, session, [SEES]), 60)
    name = f"{cell(cancelled_parent)}, {form}"
    works = after.results and "\n".join(after.results[0]).strip() != ""
    ends = bool(seen) or len(client.withdrawn) > withdrawn
    row.check(name, ended == "cancelled" and works and ends,
              f"{ended} after {time.monotonic() - began:.1f} s, the sub-agent saw {seen}, then {after.results}")
    if row.cells[name] == "yes":
        row.cells[name] = "goes on" if seen else "withdrawn"


async def beside_another(harness, row, client, form):
    """A sub-agent whose parent rests is answered while another session works in another folder."""
    folder, _ = repository(harness, f"beside-{form[:3]}")
    other, _ = repository(harness, f"other-{form[:3]}")
    (other / "src/lib.py").write_text("# elsewhere\n", encoding="utf-8")
    first = await client.new_session(folder)
    second = await client.new_session(other)
    nonce = harness.nonce()
    wait = {"tool": "Bash", "args": {"command": "sleep 4", "description": "wait"}}
    step = start(harness, [SEES], nonce, run_in_background=True)
    step["child"].insert(0, wait)
    parent = asyncio.create_task(harness.perform(client, first, [step]))
    await asyncio.sleep(1)
    busy = asyncio.create_task(harness.perform(client, second, [
        {"tool": "Bash", "args": {"command": "sleep 8", "description": "wait"}}]))
    await parent
    await busy
    deadline = time.monotonic() + ENDS_WITHIN
    while len(harness.results(nonce)) < 2 and time.monotonic() < deadline:
        await asyncio.sleep(0.2)
    seen = ["\n".join(blocks) for blocks in harness.results(nonce)]
    name = f"{cell(beside_another)}, {form}"
    row.check(name, len(seen) == 2 and UNCOMMITTED in seen[1], f"the sub-agent saw {seen}")


def is_ours(params):
    return any(option["optionId"].startswith("ailang.") for option in params["options"])
