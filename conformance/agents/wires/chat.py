"""OpenAI chat completions."""

import json
import uuid

from script import Call, Conversation, Result, Tool
from wires.sse import event


def read(body):
    conversation = Conversation([Tool(tool["function"]["name"]) for tool in body.get("tools") or []])
    names = {}
    for message in body["messages"]:
        texts = texts_of(message.get("content"))
        for call in message.get("tool_calls") or []:
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "user":
            conversation.user_text("\n".join(texts))
        elif message["role"] == "tool":
            conversation.results.append(Result(names.get(message["tool_call_id"], ""), texts))
    return conversation


def texts_of(content):
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    return [part["text"] if part["type"] == "text" else json.dumps(part) for part in content]


def write(move, body):
    """The answer as a JSON object, and the events that stream it."""
    delta = {"role": "assistant", "content": None}
    if isinstance(move, Call):
        function = {"name": move.tool.name, "arguments": json.dumps(move.arguments)}
        delta["tool_calls"] = [{"index": 0, "id": f"call_{uuid.uuid4().hex[:20]}",
                                "type": "function", "function": function}]
    else:
        delta["content"] = move.text
    reason = "tool_calls" if isinstance(move, Call) else "stop"
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:20]}", "created": 1, "model": body["model"]}
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    whole = {**head, "object": "chat.completion", "usage": usage,
             "choices": [{"index": 0, "message": delta, "finish_reason": reason}]}
    chunk = {**head, "object": "chat.completion.chunk"}
    return whole, b"".join([
        event({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        event({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        event({**chunk, "choices": [], "usage": usage}),
        event("[DONE]"),
    ])
