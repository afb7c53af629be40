//! Properties of every document.

use ailang::split::{BlockPart, Part};
use ailang::{Code, Diagnostic, Document, Documents, Level, Strictness, validate};
use libtest_mimic::Trial;
use proptest::prelude::*;
use source_text::LineIndex;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        every_byte_is_in_a_part,
        every_diagnostic_can_be_shown,
        reading_twice_says_the_same,
        what_is_valid_strictly_is_valid_loosely,
        nesting_has_a_limit,
        levels_are_ordered_and_named
    ]
}

const FRONT: &str = "---\nid: a\ntitle: A\nsummary: S\n---\n";

/// Returns a piece of a document, or a broken one.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "---\n",
        "id: x\n",
        "title: \"a\n",
        "related: @import(./a)\n",
        "loading: by_rule\n",
        "<define>\n",
        "</define>\n",
        "<example id=\"a\" tool=\"f\">\n",
        "</example>\n",
        "<Define>",
        "```ts\n",
        "```\n",
        "~~~\n",
        "````\n",
        "<!-- ",
        "-->",
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\u{feff}",
        "type A = ",
        "type B<T> = ",
        "string",
        "number",
        "A",
        "T",
        "List<",
        "Option<",
        ">",
        ">=",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        ",",
        ";",
        ":",
        "?",
        "|",
        "&",
        "=",
        "->",
        "=>",
        "...",
        ".min(3)",
        ".max(2)",
        ".regex(/^a$/)",
        ".default(\"x\")",
        ".nonEmpty()",
        "choice(",
        "\"a\"",
        "'b'",
        "`c`",
        "\"${",
        "`${",
        "\\q",
        "12",
        "0xff",
        "1__0",
        "enum E { ",
        "X",
        "capability C { ask = \"a\" }\n",
        "capability D = C & D\n",
        "error F(a: string) { message = \"${a}\" }\n",
        "tool f(a: A, b?: int) -> void\n",
        " requires C",
        " throws F",
        "from \"./b.md\" import A\n",
        "import m from \"./a.md\"\n",
        "x = f(1)\n",
        "f(b = 2, b = 3)\n",
        "if (x) {",
        "else ",
        "for (i in xs) {",
        "while (x) ",
        "try {",
        "} catch F(a) {",
        "finally {",
        "return x\n",
        "throw F(1)\n",
        "break\n",
        "x => ",
        "(y: A) => { y }",
        "x is A",
        "// comment\n",
        "/* c */",
        "/*",
        "@readOnly",
        "日本",
        "é",
        "😀",
        "\0",
    ];
    prop::sample::select(pieces.to_vec()).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(piece(), 0..60)
            .prop_map(|pieces| format!("{FRONT}<define>\n{}\n</define>\n", pieces.concat())),
        prop::collection::vec(piece(), 0..60)
            .prop_map(|pieces| format!("{FRONT}<example>\n{}\n</example>\n", pieces.concat())),
    ]
}

/// Validates the document alone in a package.
fn checked(source: &str) -> (Documents, Vec<Diagnostic>) {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(source));
    let found = validate(&documents, "a.md", Strictness::Strict).expect("it was added");
    (documents, found)
}

/// Returns `true` if the parts, and those of each block, follow each other without gaps.
fn is_tiled(document: &Document) -> bool {
    let mut at = 0;
    let whole = document.parts.iter().all(|part| {
        let span = part.span();
        let follows = span.start == at;
        at = span.end;
        follows && is_block_tiled(part)
    });
    whole && at == document.source.len()
}

fn is_block_tiled(part: &Part) -> bool {
    let Part::Block(block) = part else { return true };
    let mut at = block.opener.end;
    let inner = block.parts.iter().map(BlockPart::span).all(|span| {
        let follows = span.start == at;
        at = span.end;
        follows
    });
    inner && block.closer.map_or(block.span.end, |closer| closer.start) == at
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    fn every_byte_is_in_a_part(source in text()) {
        prop_assert!(is_tiled(&Document::parse(source)));
    }

    fn every_diagnostic_can_be_shown(source in text()) {
        let (documents, found) = checked(&source);
        let document = documents.get("a.md").expect("it was added");
        let index = LineIndex::new(&source);
        for diagnostic in &found {
            prop_assert!(source.get(diagnostic.span.range()).is_some(), "{diagnostic:?}");
            for place in diagnostic.fixes.iter().map(|fix| fix.span) {
                prop_assert!(source.get(place.range()).is_some(), "{diagnostic:?}");
            }
            prop_assert!(!diagnostic.show("a.md", &document.source, &index).is_empty());
            prop_assert!(diagnostic.to_json("a.md", &document.source, &index)["location"]["line"].is_u64());
        }
        prop_assert!(found.is_sorted_by_key(|it| it.span.start));
    }

    fn reading_twice_says_the_same(source in text()) {
        let (_, first) = checked(&source);
        let (_, second) = checked(&source);
        prop_assert_eq!(first, second);
    }

    fn what_is_valid_strictly_is_valid_loosely(source in text()) {
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source));
        let errors = |strictness| {
            let found = validate(&documents, "a.md", strictness).expect("it was added");
            found.into_iter().filter(|it| it.severity == ailang::Severity::Error).count()
        };
        let (loose, normal, strict) =
            (errors(Strictness::Loose), errors(Strictness::Normal), errors(Strictness::Strict));
        prop_assert!(loose <= normal && normal <= strict);
    }
}

/// A kind of nesting, with a function that builds a document of that depth.
type Shape<'f> = (&'static str, Box<dyn Fn(usize) -> String + 'f>);

/// Nesting at the limit and beyond fits into the stack of an unoptimized test.
fn nesting_has_a_limit() {
    let define = |code: String| format!("{FRONT}<define>\n{code}\n</define>\n");
    let example = |code: String| format!("{FRONT}<example>\n{code}\n</example>\n");
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let shapes: Vec<Shape<'_>> = vec![
        ("lists", Box::new(|n| define(format!("type A = {}", nested("[", "string", "]", n))))),
        ("arrays", Box::new(|n| define(format!("type A = string{}", "[]".repeat(n))))),
        ("structs", Box::new(|n| define(format!("type A = {}", nested("{ a: ", "string", " }", n))))),
        ("arguments", Box::new(|n| define(format!("type A = {}", nested("Option<", "string", ">", n))))),
        ("functions", Box::new(|n| define(format!("type A = {}string", "() -> ".repeat(n))))),
        ("groups", Box::new(|n| define(format!("capability A = {}", nested("(", "NetworkAccess", ")", n))))),
        ("values", Box::new(|n| define(format!("tool f(a: any.default({}))", nested("[", "1", "]", n))))),
        ("blocks", Box::new(|n| example(nested("{ ", "print(1)", " }", n)))),
        ("conditions", Box::new(|n| example(format!("{}print(1)", "if (true) ".repeat(n))))),
        ("otherwise", Box::new(|n| example(format!("{}print(1)", "if (true) { print(2) } else ".repeat(n))))),
        ("loops", Box::new(|n| example(nested("for (x in []) { ", "print(1)", " }", n)))),
        ("calls", Box::new(|n| example(nested("print(", "1", ")", n)))),
        ("lambdas", Box::new(|n| example(nested("print(x => { ", "print(1)", " })", n)))),
        ("templates", Box::new(|n| example(format!("print({})", nested("`${", "1", "}`", n))))),
        ("sums", Box::new(|n| example(format!("print({}1)", "1 + ".repeat(n))))),
    ];
    for (name, shape) in shapes {
        for depth in [20, 60, 99] {
            let (_, found) = checked(&shape(depth));
            let errors: Vec<_> = found.iter().filter(|it| it.severity == ailang::Severity::Error).collect();
            assert!(errors.is_empty(), "{name} {depth}: {errors:?}");
        }
        for depth in [190, 201, 20_000] {
            let (_, found) = checked(&shape(depth));
            let reported = found.iter().any(|it| it.code == Code::TOO_DEEP);
            assert!(reported || depth < 200 || name == "sums", "{name} {depth}: {found:?}");
        }
    }
}

fn levels_are_ordered_and_named() {
    assert!(Level::ALL.is_sorted());
    assert!(Level::ALL.iter().all(|level| Level::parse(level.name()) == Some(*level)));
}
