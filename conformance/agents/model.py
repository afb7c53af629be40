"""A scripted language model on loopback.

Speaks Anthropic Messages, OpenAI chat completions, OpenAI Responses and Gemini, streamed and whole. What it
does is written in the prompt (see `script.py`), so one server serves any number of agents at once.
Run by itself it prints its base URL and then one line of JSON for each request.
"""

import json
import sys
import threading
import time
from dataclasses import dataclass

import loopback
from script import Call, Conversation, next_move
from wires import wire_of


@dataclass
class Request:
    """One request that reached the model, and the move that answered it."""

    at: float
    wire: str
    conversation: Conversation
    move: object
    body: dict

    def plays(self, nonce):
        return any(step.get("echo") == nonce for step in self.conversation.steps or [])

    def offers(self, tool):
        return bool(self.conversation.find(tool) or self.conversation.found_by_search(tool))


class Model:
    """The server, running in a thread of its own, with the requests it has seen."""

    def __init__(self, seen=lambda request: None):
        self.requests = []
        self.seen = seen
        self.base = loopback.serve(handler_for(self))

    def answer(self, path, body):
        wire = wire_of(path)
        if wire is None:
            return None
        conversation = wire.read(body)
        move = next_move(conversation)
        request = Request(time.monotonic(), wire.__name__, conversation, move, body)
        self.requests.append(request)
        self.seen(request)
        return wire.write(move, body)

    def of(self, nonce):
        """The requests that played the script with this nonce."""
        return [request for request in self.requests if request.plays(nonce)]


def handler_for(model):
    class ModelHandler(loopback.Handler):
        def do_GET(self):
            self.reply(200, {"data": [{"id": "scripted", "object": "model"}], "object": "list"})

        do_HEAD = do_GET

        def do_POST(self):
            body = json.loads(self.body() or b"{}")
            path = self.path.split("?")[0]
            if path.endswith("/count_tokens"):
                return self.reply(200, {"input_tokens": 10})
            answer = model.answer(path, body)
            if answer is None:
                return self.reply(404, {"error": {"message": f"no such wire: {path}"}})
            whole, events = answer
            if body.get("stream") or "stream" in path:
                return self.reply(200, events, "text/event-stream")
            return self.reply(200, whole)

    return ModelHandler


def describe(request):
    """A request as a person wants to see it."""
    return {
        "wire": request.wire,
        "offered": [tool.name for tool in request.conversation.tools],
        "results": [vars(result) for result in request.conversation.results],
        "move": request.move.tool.name if isinstance(request.move, Call) else request.move.text[:200],
    }


if __name__ == "__main__":
    print(Model(lambda request: print(json.dumps(describe(request)), flush=True)).base, flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        sys.exit()
