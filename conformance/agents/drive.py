"""A headless ACP client: starts a command line, speaks protocol version 1 with it, keeps what it says.

It offers no file system and no terminal, allows whatever the agent asks permission for (at once, or when it is told
to), and answers every other request with "method not found".
"""

import asyncio
import json
import os
import signal
import time
from dataclasses import dataclass

LINE_LIMIT = 64 * 1024 * 1024


class AcpError(Exception):
    """An error the peer answered with."""

    def __init__(self, method, error):
        super().__init__(f"{method}: {json.dumps(error)}")
        self.error = error


@dataclass
class Turn:
    """What one prompt brought."""

    text: str
    stop_reason: str
    seconds: float
    updates: list


class Client:
    """One connection. Use as `async with Client(command, env, cwd, log) as client`."""

    def __init__(self, command, env, cwd, log, transcript=None, capabilities=None):
        self.command, self.env, self.cwd, self.log = command, env, cwd, log
        self.capabilities = capabilities or {}
        self.holds = lambda params: False  # says of a request for permission that it is answered later
        self.held = {}  # the requests for permission that wait, by the ids of the requests
        self.withdrawn = []  # the requests that the agent has cancelled
        self.transcript = open(transcript, "w", encoding="utf-8") if transcript else None
        self.waiting, self.updates = {}, []
        self.heard = []  # what each session reported and asked for, in order: (kind, session)
        self.stray = []  # lines on standard output that are no JSON
        self.last_id = 0
        self.changed = asyncio.Condition()
        self.ended_by_itself = None

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, cwd=self.cwd, env=self.env, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=open(self.log, "ab"), limit=LINE_LIMIT,
            start_new_session=True,
        )
        self.reading = asyncio.create_task(self.read())
        return self

    async def __aexit__(self, *_):
        await self.close()

    async def initialize(self):
        return await self.request("initialize", {
            "protocolVersion": 1,
            "clientInfo": {"name": "drive", "version": "1"},
            "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, **self.capabilities},
        })

    async def new_session(self, cwd, servers=()):
        answer = await self.request("session/new", {"cwd": str(cwd), "mcpServers": list(servers)})
        self.modes = answer.get("modes") or {}
        return answer["sessionId"]

    async def load_session(self, session, cwd, servers=()):
        return await self.request("session/load", {
            "sessionId": session, "cwd": str(cwd), "mcpServers": list(servers),
        })

    async def prompt(self, session, text, timeout=120):
        """Sends a prompt and waits for the end of its turn."""
        start, before = time.monotonic(), len(self.updates)
        content = [{"type": "text", "text": text}]
        answer = await self.request("session/prompt", {"sessionId": session, "prompt": content}, timeout)
        updates = [update for at, update in self.updates[before:] if at == session]
        said = [update["content"].get("text", "") for update in updates
                if update["sessionUpdate"] == "agent_message_chunk"]
        return Turn("".join(said), answer["stopReason"], time.monotonic() - start, updates)

    def cancel(self, session):
        self.send({"method": "session/cancel", "params": {"sessionId": session}})

    async def call_begun(self, session, since, timeout=60):
        """Waits until the session has reported a tool call, or asked for it, after `since` messages."""
        def begun():
            return any(at == session and kind in ("tool_call", "permission")
                       for kind, at in self.heard[since:])
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(begun), timeout)

    async def request(self, method, params, timeout=120):
        self.last_id += 1
        answer = self.waiting[self.last_id] = asyncio.get_running_loop().create_future()
        self.send({"id": self.last_id, "method": method, "params": params})
        try:
            message = await asyncio.wait_for(answer, timeout)
        except TimeoutError:
            raise TimeoutError(f"no answer to {method} within {timeout} s") from None
        if "error" in message:
            raise AcpError(method, message["error"])
        return message["result"]

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message})
        self.note("→", line)
        self.process.stdin.write(line.encode() + b"\n")

    async def read(self):
        async for line in self.process.stdout:
            text = line.decode(errors="replace").strip()
            self.note("←", text)
            try:
                message = json.loads(text)
            except ValueError:
                self.stray.append(text)
                continue
            await self.receive(message)
        gone = {"error": {"message": "the agent closed its standard output"}}
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_result(gone)

    async def receive(self, message):
        method = message.get("method")
        if method is None:
            answer = self.waiting.pop(message.get("id"), None)
            if answer and not answer.done():
                answer.set_result(message)
        elif "id" in message:
            params = message.get("params")
            if method == "session/request_permission" and self.holds(params):
                self.held[message["id"]] = params
            else:
                self.send({"id": message["id"], **self.answer(method, params)})
            if method == "session/request_permission":
                await self.hear("permission", params["sessionId"])
        elif method == "$/cancel_request":
            self.withdrawn.append(message["params"]["requestId"])
            await self.hear("withdrawn", None)
        elif method == "session/update":
            params = message["params"]
            self.updates.append((params["sessionId"], params["update"]))
            await self.hear(params["update"]["sessionUpdate"], params["sessionId"])

    def release(self):
        """Allows everything that was held back."""
        for id, params in self.held.items():
            self.send({"id": id, **self.answer("session/request_permission", params)})
        self.held.clear()

    async def until(self, holds, timeout=60):
        """Waits for something that messages of the agent make true."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(holds), timeout)

    async def hear(self, kind, session):
        async with self.changed:
            self.heard.append((kind, session))
            self.changed.notify_all()

    def answer(self, method, params):
        if method != "session/request_permission":
            return {"error": {"code": -32601, "message": f"Method not found: {method}"}}
        kinds = {option["kind"]: option["optionId"] for option in reversed(params["options"])}
        allowed = kinds.get("allow_once") or kinds.get("allow_always")
        return {"result": {"outcome": {"outcome": "selected", "optionId": allowed}}}

    def note(self, arrow, line):
        if self.transcript:
            self.transcript.write(f"{time.monotonic():.3f} {arrow} {line}\n")
            self.transcript.flush()

    async def close(self, grace=5):
        """Closes standard input; an agent that does not end by that alone is killed with its group."""
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), grace)
            self.ended_by_itself = True
        except TimeoutError:
            self.ended_by_itself = False
            os.killpg(self.process.pid, signal.SIGKILL)
            await self.process.wait()
        self.reading.cancel()
