"""Tests of how peers are judged: `python3 -m unittest peers_test`."""

import json
import os
import time
import unittest
from types import SimpleNamespace

import peers
from mcp import ToolError

NAMES = [("user", ("a.py", 3, 1))]
EXPECTED = [[("a.py", 7, 1), ("b.py", 2, 1)]]


class Answering:
    """A peer with an answer for each question; an exception is raised."""

    process = SimpleNamespace(pid=os.getpid())

    def __init__(self, definition, references):
        self.answers = {"definition": definition, "references": references}

    def _answer(self, what):
        answer = self.answers[what]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def definition(self, name, place):
        return self._answer("definition")

    def references(self, name, place):
        return self._answer("references")

    def is_right(self, answer, place):
        return answer == "a.py:3"

    def lines(self, answer):
        return {tuple(it.split(":")) for it in answer.split()}


class SayingErrors(Answering):
    def error(self, answer):
        return answer if answer.startswith("Error") else None


def measured(asker):
    peers.SETTLING = 0
    return peers.measured(asker, time.monotonic(), NAMES, EXPECTED, rounds=2, patience=0.05)


class Rows(unittest.TestCase):
    def test_a_peer_that_gives_nothing_but_errors_has_not_started(self):
        error = ToolError("Failed to start:\n no server")
        for asker in [Answering(error, error), SayingErrors("Error: Failed to start: no server", "Error: later")]:
            with self.assertRaises(peers.NotStarted) as raised:
                measured(asker)
            row = peers.not_started(raised.exception)
            self.assertIn("Failed to start: no server", row)
            self.assertEqual(row.count("|"), 7, "a cell for each column, and no figure")
        self.assertTrue(peers.not_started("x" * 2000).startswith(f"did not start: {'x' * 200}… |"))

    def test_a_peer_that_answers_wrongly_has_figures(self):
        row = measured(Answering("a.py:9", "a.py:7"))
        self.assertEqual((row["definition"], row["references"], row["of"], row["incomplete"]), (None, None, "1/2", 2))
        self.assertEqual(row["bytes"], len("a.py:7"))

    def test_errors_between_answers_are_incomplete_answers(self):
        row = measured(Answering("a.py:3", ToolError("it died")))
        self.assertIsNotNone(row["definition"])
        self.assertEqual((row["of"], row["incomplete"], row["bytes"]), ("0/2", 2, 0))

    def test_serenas_definitions_may_begin_at_their_documentation(self):
        serena = peers.Serena.__new__(peers.Serena)
        answer = json.dumps([{"relative_path": "src/lib.rs", "body_location": {"start_line": 1, "end_line": 4}}])
        self.assertTrue(serena.is_right(answer, ("src/lib.rs", 5, 8)))
        self.assertFalse(serena.is_right(answer, ("src/lib.rs", 7, 8)))
        self.assertEqual(serena.error("Error executing tool"), "Error executing tool")
        self.assertIsNone(serena.error(answer))

    def test_places_of_agent_lsp_are_rows_below_their_head(self):
        peer = peers.AgentLsp.__new__(peers.AgentLsp)
        peer.root = "/w"
        answer = "GCF profile=generic\n## [1]{EndCol,EndLine,FilePath,StartCol,StartLine}\n46|93|/w/src/a.py|27|93\n\nNext step: Use it."
        self.assertEqual(peer.lines(answer), {("src/a.py", "93")})

    def test_ours_may_begin_with_a_backtick(self):
        ours = peers.Ours.__new__(peers.Ours)
        self.assertEqual(ours.lines("`src/a.py:3: x\nb.py:4: y`"), {("src/a.py", "3"), ("b.py", "4")})


if __name__ == "__main__":
    unittest.main()
