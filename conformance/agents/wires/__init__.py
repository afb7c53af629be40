"""The wires that agents speak to their models: each reads a request and writes a move."""

from . import anthropic, chat, gemini, responses

# The first whose suffix the path of a POST ends with is meant.
WIRES = {
    "/messages": anthropic,
    "/chat/completions": chat,
    "/responses": responses,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}


def wire_of(path):
    return next((wire for suffix, wire in WIRES.items() if path.endswith(suffix)), None)
