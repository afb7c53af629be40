//! Layouts by example, and the properties of all of them.

use std::sync::LazyLock;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::same::is_same;
use super::*;
use crate::parse::parse;

fn check(source: &str, expected: Expect) {
    let formatted = format(source).expect("it is a program");
    expected.assert_eq(&formatted);
    hold(source);
}

/// Checks the promises for a program; returns `false` if the text is not a program.
fn hold(source: &str) -> bool {
    let limits = Limits::default();
    let (Some(program), failures) = parse(source, &limits) else { return false };
    if !failures.is_empty() {
        return false;
    }
    let formatted = lay_out(source, &program, &limits);
    assert!(is_same(source, &program, &formatted, &limits), "{source}\n--- became ---\n{formatted}");
    let again = format(&formatted).expect("it is the same program");
    assert_eq!(again, formatted, "of {source:?}");
    true
}

#[test]
fn what_fits_stands_on_one_line() {
    check(
        "search( `src` ,pattern = `TODO`,)\n  .filter( x=>x.path!=`a`&&! x.external )",
        expect![[r#"
            search(`src`, pattern=`TODO`).filter(x => x.path != `a` && !x.external)
        "#]],
    );
    check(
        "{ \"findReferences\" :{\"symbol\": \"User\" , } }",
        expect![[r#"
            {"findReferences": {"symbol": "User"}}
        "#]],
    );
    check(
        "[ 1,-2, 3 - -4, ...xs ][ 0 ]",
        expect![[r#"
        [1, -2, 3 - -4, ...xs][0]
    "#]],
    );
}

#[test]
fn a_statement_stands_on_a_line_of_its_own() {
    check(
        "let x=1; y = 2;;\n\n\n\nconst z = x\nreturn x+y+z;",
        expect![[r#"
            let x = 1
            y = 2

            const z = x
            return x + y + z
        "#]],
    );
    check(
        "x = 1;\n-x",
        expect![[r#"
        x = 1;
        -x
    "#]],
    );
}

#[test]
fn chains_are_broken_at_each_call() {
    check(
        "findReferences(findDefinition(`validateToken`)).filter(r => r.path.startsWith(`src/`)).map(r => ({path: r.path, line: r.start.line}))",
        expect![[r#"
            findReferences(findDefinition(`validateToken`))
              .filter(r => r.path.startsWith(`src/`))
              .map(r => ({path: r.path, line: r.start.line}))
        "#]],
    );
}

#[test]
fn brackets_and_operators_are_broken() {
    check(
        "search(path=`some/folder/that/has/a/long/name`, pattern=`a|regular|expression|that|is|long`, extension=`.rs`)",
        expect![[r#"
            search(
              path=`some/folder/that/has/a/long/name`,
              pattern=`a|regular|expression|that|is|long`,
              extension=`.rs`
            )
        "#]],
    );
    check(
        "count(search(`src`, `TODO`)) > 100 && count(search(`tests`, `TODO`)) > 100 || count(search(`.`, `FIXME`)) > 10 * 10",
        expect![[r#"
            count(search(`src`, `TODO`)) > 100 && count(search(`tests`, `TODO`)) > 100 ||
              count(search(`.`, `FIXME`)) > 10 * 10
        "#]],
    );
    check(
        "count(search(`src`, `TODO`)) > 100 ? brief(search(`src`, `TODO`)) : search(`src`, `TODO`).map(x => x.path)",
        expect![[r#"
            count(search(`src`, `TODO`)) > 100
              ? brief(search(`src`, `TODO`))
              : search(`src`, `TODO`).map(x => x.path)
        "#]],
    );
    check(
        r#"{"search": {"path": "some/folder/that/has/a/long/name", "pattern": "a|regular|expression", "extension": ".rs"}}"#,
        expect![[r#"
            {
              "search": {
                "path": "some/folder/that/has/a/long/name",
                "pattern": "a|regular|expression",
                "extension": ".rs"
              }
            }
        "#]],
    );
    check(
        "shape({first: `a text that is long enough`, second: `another text that is long enough`, third: `and one more`})",
        expect![[r#"
            shape({
              first: `a text that is long enough`,
              second: `another text that is long enough`,
              third: `and one more`
            })
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "// first\n\n/* of x */ x = 1 // one\n\n// then\nfoo(\n// before a\na, // after a\nb // after b\n, /* c */ c,\n // last\n) // end\n// very end",
        expect![[r#"
            // first

            /* of x */ x = 1 // one

            // then
            foo(
              // before a
              a, // after a
              b, // after b
              /* c */ c
              // last
            ) // end
            // very end
        "#]],
    );
    check(
        "[ /* nothing */ ].map(x => // why\n x /* it */ + /* one */ 1)",
        expect![[r#"
            [/* nothing */].map(
              x => // why
              x /* it */ + /* one */ 1
            )
        "#]],
    );
}

#[test]
fn a_fence_goes_and_raw_text_stays() {
    check(
        "```dialect\nfoo( `two\n  lines` )\n```",
        expect![[r#"
        foo(`two
          lines`)
    "#]],
    );
}

#[test]
fn what_is_no_program_is_refused() {
    for source in ["", "foo(", "a b", "x = 1", "\"\\d\""] {
        let failures = format(source).expect_err("it is no program");
        assert!(!failures.all.is_empty(), "{source}");
    }
}

#[test]
fn large_programs_are_laid_out_in_time() {
    let many = format!("[{}]", vec!["{\"a\": [1, 2, `x`]}"; 10_000].join(","));
    assert!(hold(&many));
    assert!(hold(&format!("{}x", "await ".repeat(100_000))));
    assert!(hold(&format!("1{}", " + 1".repeat(90))));
    assert!(hold(&format!("{}1{}", "[".repeat(99), "]".repeat(99))));
}

const CHAPTERS: &[&str] = &[
    include_str!("../../spec/1-values.md"),
    include_str!("../../spec/2-calls.md"),
    include_str!("../../spec/3-conversions.md"),
    include_str!("../../spec/4-outcomes.md"),
    include_str!("../../spec/5-limits.md"),
    include_str!("../../spec/6-language.md"),
    include_str!("../../spec/7-json.md"),
    include_str!("../../spec/8-where-it-comes-from.md"),
    include_str!("../../spec/9-documents.md"),
];

/// Every program of the manual.
static PROGRAMS: LazyLock<Vec<String>> = LazyLock::new(programs);

fn programs() -> Vec<String> {
    let mut programs = Vec::new();
    for chapter in CHAPTERS {
        let blocks = chapter.split("```dialect\n").skip(1).filter_map(|it| it.split("\n```").next());
        programs.extend(blocks.map(str::to_owned));
    }
    programs.sort();
    programs
}

#[test]
fn every_program_of_the_manual_keeps_its_meaning() {
    let held = PROGRAMS.iter().filter(|it| hold(it)).count();
    assert!(held > 150, "{held}");
}

const FILLINGS: &[&str] = &[
    "",
    "",
    "",
    "",
    " ",
    "\n",
    "\n\n\n",
    " // one\n",
    "\n// own line\n",
    " /* inline */ ",
    "\n/* own */\n",
    " /* two\n lines */",
    "\n/* a */ /* b */ // c\n",
    " /* end */\n",
    "\r\n",
    " // windows\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Programs of the manual with anything between their tokens.
    #[test]
    fn comments_and_meaning_survive_anywhere(
        which in any::<prop::sample::Index>(),
        fillings in prop::collection::vec((any::<prop::sample::Index>(), 0..FILLINGS.len()), 0..6),
    ) {
        let source = which.get(&PROGRAMS);
        let tokens = lex(source).tokens;
        let mut changed = source.clone();
        let mut places: Vec<(usize, &str)> = fillings
            .iter()
            .map(|(index, filling)| (index.get(&tokens).span.start, FILLINGS[*filling]))
            .collect();
        places.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        for (at, filling) in places {
            changed.insert_str(at, filling);
        }
        hold(&changed);
    }
}
