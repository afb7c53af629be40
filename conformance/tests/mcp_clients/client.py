"""The official Python SDK as a client: lists, calls, answers a question, and cancels a call that waits for an answer.

Arguments: the mode of the connection, then a URL or a command. Prints what it saw as one JSON object.
"""

import json
import sys

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

mode, server = sys.argv[1], sys.argv[2:]
target = server[0] if server[0].startswith("http") else StdioServerParameters(command=server[0], args=server[1:])
edit = {"code": "await fs.edit('src/lib.py', 'twice', 'thrice', true)"}
back = {"code": "await fs.edit('src/lib.py', 'thrice', 'twice', true)"}
steps = []


def client(answer):
    return Client(target, mode=mode, elicitation_callback=answer)


async def allow(_, params):
    assert "Allow once" in params.requested_schema["properties"]["decision"]["enum"], params
    return types.ElicitResult(action="accept", content={"decision": "Allow once"})


async def decline(_, params):
    return types.ElicitResult(action="decline")


async def never(_, params):
    asked.set()
    await anyio.sleep_forever()


async def seen(progress, total, message):
    steps.append(progress)


async def main():
    global asked
    asked = anyio.Event()
    said = {}
    async with client(allow) as it:
        said["tools"] = sorted(tool.name for tool in (await it.list_tools()).tools)
        counted = {"program": "files(`*.py`).count()"}
        found = await it.call_tool("ide_operation", counted, progress_callback=seen)
        said["call"] = found.structured_content
        said["edit"] = (await it.call_tool("script", edit)).structured_content["outcome"]
        said["pages"] = len((await it.list_resources()).resources)
    async with client(decline) as it:
        said["declined"] = (await it.call_tool("script", back)).structured_content["outcome"]
    async with client(never) as it:
        async with anyio.create_task_group() as group:
            group.start_soon(it.call_tool, "script", back)
            await asked.wait()
            group.cancel_scope.cancel()
        after = await it.call_tool("ide_operation", {"program": "1 + 1"})
        said["after"] = after.structured_content["answer"]
    print(json.dumps(said))


anyio.run(main)
