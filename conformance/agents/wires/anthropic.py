"""Anthropic Messages."""

import json
import uuid

from script import Call, Conversation, Result, Tool
from wires.sse import named


def read(body):
    loaded = set()
    conversation = Conversation(tools=[])
    names = {}
    for message in body["messages"]:
        for block in blocks_of(message["content"]):
            match block["type"]:
                case "text" if message["role"] == "user":
                    conversation.user_text(block["text"])
                case "tool_use":
                    names[block["id"]] = block["name"]
                case "tool_result":
                    content = blocks_of(block.get("content", ""))
                    loaded |= {part["tool_name"] for part in content if part["type"] == "tool_reference"}
                    conversation.results.append(Result(
                        names.get(block["tool_use_id"], ""),
                        [part["text"] if part["type"] == "text" else json.dumps(part) for part in content],
                        block.get("is_error"),
                    ))
    conversation.tools = [
        Tool(tool["name"]) for tool in body.get("tools", [])
        if not tool.get("defer_loading") or tool["name"] in loaded
    ]
    return conversation


def blocks_of(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def write(move, body):
    """The answer as a JSON object, and the events that stream it."""
    if isinstance(move, Call):
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:20]}",
                 "name": move.tool.name, "input": move.arguments}
    else:
        block = {"type": "text", "text": move.text}
    message = {
        "id": f"msg_{uuid.uuid4().hex[:20]}", "type": "message", "role": "assistant",
        "model": body["model"], "content": [block],
        "stop_reason": "tool_use" if isinstance(move, Call) else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }
    return message, b"".join(named(event) for event in events(message, block))


def events(message, block):
    if block["type"] == "tool_use":
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "usage": message["usage"],
           "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}}
    yield {"type": "message_stop"}
