"""Gemini's generateContent. Its calls have names but no ids."""

import json

from script import Call, Conversation, Result, Tool
from wires.sse import event


def read(body):
    conversation = Conversation([
        Tool(function["name"])
        for group in body.get("tools", []) for function in group.get("functionDeclarations", [])
    ])
    for content in body["contents"]:
        for part in content.get("parts", []):
            if "functionResponse" in part:
                answer = part["functionResponse"]
                conversation.results.append(Result(answer["name"], texts_of(answer["response"])))
            elif "text" in part and content.get("role", "user") == "user":
                conversation.user_text(part["text"])
    return conversation


def texts_of(response):
    output = response.get("output", response.get("error"))
    return [output if isinstance(output, str) else json.dumps(response, ensure_ascii=False)]


def write(move, _body):
    """The answer as a JSON object, and the one event that streams it."""
    if isinstance(move, Call):
        part = {"functionCall": {"name": move.tool.name, "args": move.arguments}}
    else:
        part = {"text": move.text}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    whole = {"candidates": [candidate], "usageMetadata": usage}
    return whole, event(whole)
