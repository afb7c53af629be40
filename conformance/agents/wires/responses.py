"""OpenAI Responses. Its tools may stand in namespaces, and may have to be searched for first."""

import json
import uuid

from script import Call, Conversation, Result, Tool
from wires.sse import named


SEARCH = "tool_search"


def read(body):
    conversation = Conversation(list(tools_of(body.get("tools", []))))
    names = {}
    items = body["input"]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        match item.get("type", "message"):
            case "message" if item["role"] == "user":
                conversation.user_text("\n".join(texts_of(item["content"])))
            case "function_call":
                names[item["call_id"]] = item["name"]
            case "function_call_output":
                blocks = texts_of(item["output"])
                conversation.results.append(Result(names.get(item["call_id"], ""), blocks))
            case "tool_search_output":
                conversation.tools += tools_of(item["tools"])
                conversation.results.append(Result(SEARCH, []))
    return conversation


def tools_of(tools):
    for tool in tools:
        if tool["type"] == "function":
            yield Tool(tool["name"])
        elif tool["type"] == SEARCH:
            yield Tool(SEARCH)
        elif tool["type"] == "namespace":
            for inner in tools_of(tool["tools"]):
                yield Tool(inner.name, namespace=tool["name"])


def texts_of(content):
    if isinstance(content, str):
        return [content]
    return [part["text"] if "text" in part else json.dumps(part) for part in content]


def write(move, body):
    """The answer as a JSON object, and the events that stream it."""
    if isinstance(move, Call) and move.tool.name == SEARCH:
        item = {"type": "tool_search_call", "id": f"ts_{uuid.uuid4().hex[:20]}",
                "call_id": f"call_{uuid.uuid4().hex[:20]}", "execution": "client",
                "arguments": {"query": move.arguments["query"]}, "status": "completed"}
    elif isinstance(move, Call):
        item = {"type": "function_call", "id": f"fc_{uuid.uuid4().hex[:20]}",
                "call_id": f"call_{uuid.uuid4().hex[:20]}", "name": move.tool.name,
                "arguments": json.dumps(move.arguments), "status": "completed"}
        if move.tool.namespace:
            item["namespace"] = move.tool.namespace
    else:
        item = {"type": "message", "id": f"msg_{uuid.uuid4().hex[:20]}", "role": "assistant",
                "content": [{"type": "output_text", "text": move.text, "annotations": []}],
                "status": "completed"}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20,
             "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": f"resp_{uuid.uuid4().hex[:20]}", "object": "response", "created_at": 1,
                "model": body["model"], "status": "completed", "output": [item], "usage": usage}
    return response, b"".join(named(event) for event in events(response, item))


def events(response, item):
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.output_item.added", "output_index": 0,
           "item": {**item, "status": "in_progress"}}
    if item["type"] == "message":
        place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", **place, "delta": item["content"][0]["text"]}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}
