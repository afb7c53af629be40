#!/usr/bin/env python3
"""A plugin in Python without dependencies: finds the comments that say what is left to do.

    dialect eval --plugin examples/plugins/todo.py 'todo.todos()'
    dialect eval --plugin examples/plugins/todo.py 'todo.todos("src", keep=(t => t.word == "FIXME"))'

It shows the protocol as it is: JSON-RPC 2.0, one message a line, values with their types, and a call back into the
program while a call of ours is under way. Each call has a thread, so the reader is never blocked.
"""

import json
import os
import re
import sys
import threading

WORDS = ["TODO", "FIXME", "HACK", "XXX"]
SKIPPED = {".git", ".hg", ".svn", "node_modules", "target", "build", "dist", ".venv", "venv", "__pycache__"}
LARGEST = 1 << 20  # bytes of a file that is read

out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
os.dup2(2, 1)  # what `print` writes is no message
lock = threading.Lock()
waiting = {}  # our own calls: id -> [event, answer]
last = 0


def to_wire(value):
    if value is None:
        return {"type": "null"}
    if isinstance(value, bool):
        return {"type": "bool", "value": value}
    if isinstance(value, int):
        return {"type": "int", "value": value}
    if isinstance(value, float):
        return {"type": "float", "value": value}
    if isinstance(value, str):
        return {"type": "string", "value": value}
    if isinstance(value, list):
        return {"type": "list", "items": [to_wire(it) for it in value]}
    return {"type": "dict", "entries": {key: to_wire(it) for key, it in value.items()}}


def from_wire(value):
    kind = (value or {}).get("type", "null")
    if kind == "list":
        return [from_wire(it) for it in value.get("items") or []]
    if kind == "dict":
        return {key: from_wire(it) for key, it in (value.get("entries") or {}).items()}
    if kind == "callback":
        return Callback(value["callback"]["id"])
    return value.get("value") if kind != "null" else None


def send(message):
    with lock:
        out.write(json.dumps(dict(jsonrpc="2.0", **message), ensure_ascii=False, allow_nan=False) + "\n")
        out.flush()


class Callback:
    """A function of the program. It can be called until the call that passed it is answered."""

    def __init__(self, id):
        self.id = id

    def __call__(self, *args):
        global last
        with lock:
            last += 1
            id, wait = f"todo-{last}", [threading.Event(), None]
            waiting[id] = wait
        params = {"id": self.id, "args": [to_wire(it) for it in args]}
        send({"id": id, "method": "callback.call", "params": params})
        wait[0].wait()
        if wait[1].get("error"):
            raise Failure(wait[1]["error"].get("message", "the function failed"))
        return from_wire(wait[1].get("result"))


class Failure(Exception):
    pass


def files(path):
    if os.path.isfile(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(it for it in folders if it not in SKIPPED)
        yield from (os.path.join(folder, it) for it in sorted(names))


def todos(path=".", words=None, keep=None):
    if not os.path.exists(path):
        raise Failure(f"there is no {path} in {os.getcwd()}")
    if not isinstance(words or WORDS, list) or not all(isinstance(it, str) and it for it in words or WORDS):
        raise Failure("`words` is a list of words, such as [\"TODO\"]")
    any_word = "|".join(re.escape(it) for it in words or WORDS)
    # A word of its own, the author in parentheses, and the text.
    pattern = re.compile(rf"(?<![\w`'\"])({any_word})(?:\(([^)]*)\))?(?![\w`'\"])[:\s-]*(.*)")
    found = []
    for name in files(path):
        try:
            if os.path.getsize(name) > LARGEST:
                continue
            with open(name, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError):
            continue  # no text
        for number, line in enumerate(lines, 1):
            match = pattern.search(line)
            if match:
                word, author, text = match.groups()
                text = text.strip(" */->")
                it = {"path": os.path.normpath(name), "line": number, "word": word, "text": text, "author": author}
                if keep is None or keep(it):
                    found.append(it)
    return found


def parameter(name, kind, description):
    return {"name": name, "type": kind, "optional": True, "description": description}


SCHEMA = {
    "protocol": "1.0",
    "transport": "json",
    "library": {"name": "todo", "version": "1.0", "description": "Comments that say what is left to do"},
    "capabilities": ["remote_objects"],
    "schema": {
        "functions": [
            {
                "name": "todos",
                "description": "Returns the comments with TODO, FIXME, HACK or XXX. "
                "Each has `path`, `line`, `word`, `text` and `author`, which is null if it names none.",
                "params": [
                    parameter("path", "string", "The file or folder; the whole workspace by default"),
                    parameter("words", "List<string>", "Other words to look for"),
                    parameter("keep", "function", "Called with each comment: returns whether to keep it"),
                ],
                "returns": "List<object>",
                "effect": "reads",
            }
        ],
        "classes": [],
        "constants": [{"name": "words", "value": to_wire(WORDS)}],
    },
}


def call(params):
    if params.get("name") != "todos":
        raise Failure(f"unknown function {params.get('name')} (available: todos)")
    args = [from_wire(it) for it in params.get("args") or []]
    kwargs = {key: from_wire(it) for key, it in (params.get("kwargs") or {}).items()}
    try:
        return todos(*args, **kwargs)
    except TypeError as error:
        raise Failure(f"todos(path?, words?, keep?): {error}") from None


def answer(id, method, params):
    try:
        if method == "scriptling.handshake":
            result = SCHEMA
        elif method == "function.call":
            result = to_wire(call(params))
        elif method in ("plugin.shutdown", "object.destroy", "environment.open", "environment.close"):
            result = None
        else:
            raise Failure(f"unknown method {method}")
        outcome = {"result": result}
    except Exception as error:  # the error of this call, and of no other
        text = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
        outcome = {"error": {"code": -32000, "message": text}}
    if id is not None:
        send({"id": id, **outcome})


def serve():
    calls = []
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
            method, id = message.get("method"), message.get("id")
        except (ValueError, AttributeError):
            if line.strip():
                print("skipped:", line[:100], file=sys.stderr)
            continue
        if method is None:
            with lock:
                wait = waiting.pop(id, None) if isinstance(id, str) else None
            if wait:
                wait[1] = message
                wait[0].set()
        else:
            calls = [it for it in calls if it.is_alive()]
            params = message.get("params") or {}
            calls.append(threading.Thread(target=answer, args=(id, method, params), daemon=True))
            calls[-1].start()
    # The host is gone: what waits for it fails, and what is nearly done is answered.
    with lock:
        for wait in waiting.values():
            wait[1] = {"error": {"message": "the host has closed the connection"}}
            wait[0].set()
    for it in calls:
        it.join(timeout=1)


# Values are up to thousands of lists deep.
sys.setrecursionlimit(50_000)
threading.stack_size(64 << 20)
main = threading.Thread(target=serve)
main.start()
main.join()
