"""A small MCP server whose tool answers with two text blocks: what reaches the model, without Dialect?

Served over HTTP to both eras of the protocol (with and without `initialize`), and over stdio when
run by itself. The tool's programs are `two`, `fail`, `wait`, and a number: so many KiB.
"""

import json
import sys
import time

import loopback

MODERN, LEGACY = "2026-07-28", "2025-11-25"
FIRST, SECOND = '{"value":[1,"zwölf"],"nonce":"8f2c-first"}', "note: not complete, 6d1b-second"
TOOL = {
    "name": "ide_operation",
    "description": "Answers a program with two text blocks.",
    "inputSchema": {
        "type": "object", "properties": {"program": {"type": "string"}}, "required": ["program"],
    },
    "_meta": {"anthropic/alwaysLoad": True},
}


class Failure(Exception):
    """A JSON-RPC error."""


def answer(message):
    """The answer to one JSON-RPC message, or None to a notification."""
    if "id" not in message:
        return None
    try:
        result = result_of(message["method"], message.get("params") or {})
    except Failure as failure:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": str(failure)}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def result_of(method, params):
    match method:
        case "server/discover":
            return {"resultType": "complete", "supportedVersions": [MODERN], "ttlMs": 0,
                    "capabilities": {"tools": {}}, "cacheScope": "private"}
        case "initialize":
            return {"protocolVersion": min(params["protocolVersion"], LEGACY),
                    "capabilities": {"tools": {}}, "serverInfo": {"name": "two-blocks", "version": "1"}}
        case "tools/list":
            return {"resultType": "complete", "tools": [TOOL], "ttlMs": 0, "cacheScope": "private"}
        case "tools/call":
            return {"resultType": "complete", **run(params["arguments"]["program"])}
        case "ping":
            return {}
    raise Failure(f"no such method: {method}")


def long_text(kibibytes):
    """A long line of JSON of this length, no part of which repeats. Compact, as some agents print JSON anew."""
    places = [f"src/module_{number}.rs:{number}" for number in range(kibibytes * 64)]
    text = json.dumps({"places": places}, separators=(",", ":"))
    return text[: kibibytes * 1024 - 3] + '"]}'


def run(program):
    if program.isdigit():
        return {"content": [{"type": "text", "text": long_text(int(program))}], "isError": False}
    if program == "wait":
        time.sleep(30)
    texts = [{"type": "text", "text": FIRST}, {"type": "text", "text": SECOND}]
    return {"content": texts, "isError": program == "fail"}


class Handler(loopback.Handler):
    """POST /mcp alone; whatever else a client tries is refused, as the specification allows."""

    def do_POST(self):
        message = json.loads(self.body())
        if self.path != "/mcp":
            return self.reply(404)
        reply = answer(message)
        return self.reply(202) if reply is None else self.reply(200, reply)

    def do_GET(self):
        self.reply(405 if self.path == "/mcp" else 404)

    do_DELETE = do_HEAD = do_GET


def serve_http():
    """Starts the server and gives its entry for `mcpServers`."""
    return {"type": "http", "name": "probe", "url": f"{loopback.serve(Handler)}/mcp", "headers": []}


def stdio_entry():
    return {"name": "probe", "command": sys.executable, "args": [__file__], "env": []}


if __name__ == "__main__":
    for line in sys.stdin:
        reply = answer(json.loads(line))
        if reply is not None:
            print(json.dumps(reply), flush=True)
