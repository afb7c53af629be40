"""The scripted model's mind: which move follows from what the conversation holds so far.

The prompt carries the script, so the model keeps no state:

    @@FAKE [{"tool": "ide_operation", "args": {"program": "…"}}, {"echo": "nonce"}] @@

The move is step k, where k counts the tool results that came since that text. Calls to a tool that
only searches for deferred tools do not count.
"""

import json
import re
from dataclasses import dataclass, field

SCRIPT = re.compile(r"@@FAKE (\[.*?\]) @@", re.DOTALL)
TOOL_SEARCH = re.compile(r"tool_?search", re.IGNORECASE)
WRAPPER = "tool_call"  # some agents call what their search found through this one


@dataclass
class Tool:
    """A tool that the agent offers to the model. `namespace` exists on one wire only."""

    name: str
    namespace: str | None = None


@dataclass
class Result:
    """What came back of one call: the content blocks as the agent put them on the model's wire."""

    tool: str
    blocks: list[str]
    failed: bool | None = None


@dataclass
class Conversation:
    """One request to the model, the same whatever wire it came over."""

    tools: list[Tool]
    steps: list[dict] | None = None
    results: list[Result] = field(default_factory=list)

    def user_text(self, text):
        """A text of the user's. The last one that holds a script begins the play anew."""
        found = SCRIPT.findall(text)
        if found:
            self.steps, self.results = json.loads(found[-1]), []

    def counted(self):
        return [result for result in self.results if not TOOL_SEARCH.search(result.tool)]

    def searches(self):
        return [result for result in self.results if TOOL_SEARCH.search(result.tool)]

    def find(self, wanted):
        """The tool of exactly this name, else the first one whose name ends with it."""
        exact = [tool for tool in self.tools if tool.name == wanted]
        return next(iter(exact + [tool for tool in self.tools if tool.name.endswith(wanted)]), None)

    def found_by_search(self, wanted):
        """The full name of a deferred tool, as the search for it said."""
        said = "\n".join(block for result in self.searches() for block in result.blocks)
        name = re.search(rf'"name":\s*"([\w.-]*{wanted})"', said)
        return name and name[1]


@dataclass
class Say:
    text: str


@dataclass
class Call:
    tool: Tool
    arguments: dict


def next_move(conversation):
    """The move that the script asks for now."""
    if conversation.steps is None or not conversation.tools:
        return Say("Noted.")  # titles, summaries and warm-ups that agents ask for on the side
    done = len(conversation.counted())
    if done >= len(conversation.steps):
        return Say("Done.")
    step = conversation.steps[done]
    if "tool" in step:
        return call(conversation, step)
    return Say(echo(conversation, step["echo"]))


def call(conversation, step):
    arguments = step.get("args", {})
    if "child" in step:  # the script of a sub-agent, whose marks would end the one around it
        arguments = {**arguments, "prompt": f"Play this: {write_script(step['child'])}"}
    if tool := conversation.find(step["tool"]):
        return Call(tool, arguments)
    wrapper = conversation.find(WRAPPER)
    if wrapper and (name := conversation.found_by_search(step["tool"])):
        return Call(wrapper, {"name": name, "arguments": arguments})
    search = next((tool for tool in conversation.tools if TOOL_SEARCH.search(tool.name)), None)
    if search and len(conversation.searches()) < 3:
        return Call(search, {"query": step["tool"], "max_results": 5})
    return Say(f"@@MISSING {step['tool']} @@")


def echo(conversation, nonce):
    """Every block of every result, verbatim, between marks that `read_echo` finds again."""
    return "\n".join(
        f"<<<{nonce}.{number}\n{block}\n{nonce}>>>"
        for number, result in enumerate(conversation.counted())
        for block in result.blocks
    )


def read_echo(text, nonce):
    """The blocks of each result that an echo under this nonce shows: a list of lists."""
    marked = re.compile(rf"<<<{nonce}\.(\d+)\n(.*?)\n{nonce}>>>", re.DOTALL)
    results = {}
    for number, block in marked.findall(text):
        results.setdefault(int(number), []).append(block)
    return [results[number] for number in sorted(results)]


def write_script(steps):
    return f"@@FAKE {json.dumps(steps)} @@"
