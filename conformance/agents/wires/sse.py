"""Server-sent events, as all wires stream."""

import json


def event(body, name=None):
    """One event. A wire that names its events repeats the name in the body's `type`."""
    head = f"event: {name}\n" if name else ""
    text = body if isinstance(body, str) else json.dumps(body)
    return f"{head}data: {text}\n\n".encode()


def named(body):
    return event(body, body["type"])
