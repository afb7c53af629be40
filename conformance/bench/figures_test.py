"""Tests of how pages are rewritten: `python3 -m unittest figures_test`."""

import unittest

import figures

PAGE = """# Load

<!-- figures: load -->
*2026-01-02, a machine*

| a | ms |
|---|---:|
| b | 1 |

<!-- end -->

<!-- figures: other -->
*2026-01-02, a machine*
<!-- end -->
"""

SAID = "3 files\n\n| who | wall |\n| --- | ---: |\n| rg | 5 |\n\nwords\n| no | table\n\n| a | ms |\n|---|---:|\n| b | 2 |\n"


class Pages(unittest.TestCase):
    def test_a_table_takes_the_place_of_the_old_one(self):
        page = figures.replaced(PAGE, "load", lambda _: figures.measured(figures.table_of(SAID, "ms"), "2026-02-03, here"))
        self.assertIn("<!-- figures: load -->\n*2026-02-03, here*\n\n| a | ms |\n|---|---:|\n| b | 2 |\n<!-- end -->", page)
        self.assertNotIn("| b | 1 |", page)
        self.assertIn("<!-- figures: other -->\n*2026-01-02, a machine*\n<!-- end -->", page)

    def test_what_is_not_measured_keeps_its_table_and_says_why_once(self):
        kept = lambda page, date: figures.replaced(page, "load", lambda it: figures.kept(it, date, "`rg` is not installed"))
        page = kept(kept(PAGE, "2026-02-03"), "2026-02-04")
        self.assertIn("*2026-01-02, a machine*\n\n| a | ms |", page)
        self.assertIn("| b | 1 |\n\n*Kept on 2026-02-04: `rg` is not installed.*\n<!-- end -->", page)
        self.assertNotIn("2026-02-03", page)

    def test_tables_are_found_by_a_word_of_their_head(self):
        self.assertEqual(len(figures.tables(SAID)), 2)
        self.assertEqual(figures.table_of(SAID, ""), "| who | wall |\n| --- | ---: |\n| rg | 5 |\n")
        self.assertEqual(figures.table_of("nothing", "ms"), None)
        self.assertEqual(figures.table_of("a\nb\n", None), "```text\na\nb\n```\n")

    def test_pages_and_benches_fit_each_other(self):
        self.assertEqual(figures.complaints(), [])

    def test_what_is_missing_is_named(self):
        self.assertEqual(figures.lacking(figures.Bench([], {}, needs=["no-such-program", "$NO_SUCH_FOLDER"])), ["no-such-program", "$NO_SUCH_FOLDER"])


if __name__ == "__main__":
    unittest.main()
