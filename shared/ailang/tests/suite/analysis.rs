//! Meanings and uses of names, and renames.

use ailang::{Analysis, Document, Documents, RenameEdit, RenameError, Strictness};
use expect_test::{Expect, expect};
use libtest_mimic::Trial;
use source_text::{Encoding, LineIndex};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        each_name_means_something,
        a_rename_changes_every_document_and_back,
        what_cannot_be_renamed_is_refused,
        members_of_values_are_renamed,
        a_member_of_a_value_without_a_type_prevents_its_rename,
        members_of_values_are_suggested,
        members_of_literals_are_suggested,
        members_and_refinements_are_suggested,
        renames_of_the_corpus_can_be_undone
    ]
}

const MAIL: &str = "---\nid: mail\ntitle: Mail\nsummary: Mail.\n---\n<define>
from \"./types.md\" import Address as Where, Size
import types from \"./types.md\"
enum Mode { Fast, Slow }
type Page<T> = { items: List<T>, mode: Mode.default(Fast) }
capability Send { ask = \"Allow?\", paths?: List<string> }
error Refused(reason: string) { message = \"no: ${reason}\", recovery = \"Wait.\" }
tool send(to: Where, size?: types.Size) -> Page<string>
  requires Send(paths = [\"a\"])
  throws Refused
</define>
<example id=\"one\" tool=\"send\">
to = \"a@b.co\"
try {
  page = send(to = to, size = Size.Big)
  print(page.mode, { to })
} catch Refused(why) {
  print(why)
}
</example>
";

const TYPES: &str = "---\nid: types\ntitle: T\nsummary: T.\n---\n<define>
type Address = string.email()
enum Size { Big, Small }
</define>
";

fn package(documents: &[(&str, &str)]) -> Documents {
    let mut package = Documents::new();
    for (path, text) in documents {
        package.insert(*path, Document::parse(*text));
    }
    package
}

fn check(package: &Documents, path: &str, expected: Expect) {
    let analysis = Analysis::new(package);
    let place = |text: &str, offset| {
        let (line, column) = LineIndex::new(text).position(text, offset, Encoding::Utf32);
        format!("{}:{}", line + 1, column + 1)
    };
    let document = package.get(path).expect("the document is there");
    let mut lines = String::new();
    for it in analysis.occurrences(path) {
        let home = analysis.document_of(it.target).expect("a target has a document");
        let file = analysis.path_of(it.target).unwrap_or("prelude");
        let file = if file == path { String::new() } else { format!("{file}:") };
        let target = place(&home.source, it.target.span.start);
        let marks = [(it.is_alias, " alias"), (it.is_shorthand, " shorthand")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect();
        let (at, name, noun) =
            (place(&document.source, it.span.start), document.text(it.span), it.target.kind.noun());
        lines.push_str(&format!("{at} {name}: {noun} {file}{target}{marks}\n"));
    }
    expected.assert_eq(&lines);
}

fn each_name_means_something() {
    let package = package(&[("mail.md", MAIL), ("types.md", TYPES)]);
    let analysis = Analysis::new(&package);
    assert_eq!(analysis.diagnostics("mail.md", Strictness::Normal), []);
    check(
        &package,
        "mail.md",
        expect![[r#"
        7:26 Address: type types.md:7:6
        7:37 Where: type types.md:7:6 alias
        7:44 Size: enum types.md:8:6
        8:8 types: module 8:8
        9:6 Mode: enum 9:6
        9:13 Fast: variant 9:13
        9:19 Slow: variant 9:19
        10:6 Page: type 10:6
        10:11 T: type parameter 10:11
        10:18 items: field 10:18
        10:30 T: type parameter 10:11
        10:34 mode: field 10:34
        10:40 Mode: enum 9:6
        10:53 Fast: variant 9:13
        11:12 Send: capability 11:12
        11:35 paths: parameter 11:35
        12:7 Refused: error 12:7
        12:15 reason: parameter 12:15
        12:50 reason: parameter 12:15
        13:6 send: tool 13:6
        13:11 to: parameter 13:11
        13:15 Where: type types.md:7:6 alias
        13:22 size: parameter 13:22
        13:29 types: module 8:8
        13:35 Size: enum types.md:8:6
        13:44 Page: type 10:6
        14:12 Send: capability 11:12
        14:17 paths: parameter 11:35
        15:10 Refused: error 12:7
        17:25 send: tool 13:6
        18:1 to: variable 18:1
        20:3 page: variable 20:3
        20:10 send: tool 13:6
        20:15 to: parameter 13:11
        20:20 to: variable 18:1
        20:24 size: parameter 13:22
        20:31 Size: enum types.md:8:6
        20:36 Big: variant types.md:8:13
        21:9 page: variable 20:3
        21:14 mode: field 10:34
        21:22 to: variable 18:1 shorthand
        22:9 Refused: error 12:7
        22:17 why: variable 22:17
        23:9 why: variable 22:17
    "#]],
    );
    assert_eq!(analysis.importers("types.md"), ["mail.md"]);
}

/// Returns all documents after a rename of the name at `at`, which is the first place of that text.
fn renamed(package: &Documents, path: &str, at: &str, name: &str) -> Result<Documents, RenameError> {
    let analysis = Analysis::new(package);
    let offset =
        package.get(path).expect("the document is there").source.find(at).expect("the text is there");
    let occurrence = analysis.occurrence_at(path, offset).expect("a name is there");
    let edits = analysis.rename(path, occurrence, name)?;
    let mut after = package.clone();
    RenameEdit::apply(&mut after, &edits);
    Ok(after)
}

fn a_rename_changes_every_document_and_back() {
    let package = package(&[("mail.md", MAIL), ("types.md", TYPES)]);
    for (path, at, name, gone) in [
        ("types.md", "Size {", "Extent", "Size"),
        ("types.md", "Big", "Huge", "Big"),
        ("mail.md", "send(to:", "post", "send"),
        ("mail.md", "to:", "target", ""),
        ("mail.md", "to =", "goal", ""),
        ("mail.md", "Where", "There", "Where"),
        ("mail.md", "Refused(reason", "Denied", "Refused"),
        ("mail.md", "reason:", "cause", "reason"),
        ("mail.md", "why", "cause", "why"),
        ("mail.md", "types from", "other", ""),
        ("mail.md", "T>", "Item", ""),
        ("mail.md", "paths", "folders", "paths"),
    ] {
        let after = renamed(&package, path, at, name).unwrap_or_else(|error| panic!("{at}: {error}"));
        let text = |documents: &Documents| {
            documents.iter().map(|(_, document)| document.source.clone()).collect::<Vec<_>>()
        };
        assert_ne!(text(&after), text(&package), "{at}");
        assert!(gone.is_empty() || !text(&after).concat().contains(&format!("{gone}(")), "{at}");
        let analysis = Analysis::new(&after);
        assert_eq!(analysis.diagnostics("mail.md", Strictness::Normal), [], "{at}");
        let old: String = at.chars().take_while(|char| char.is_alphanumeric()).collect();
        let place = package.get(path).unwrap().source.find(at).unwrap();
        let start = after.get(path).unwrap().source[place..].find(name).unwrap() + place;
        let back = analysis.rename(path, analysis.occurrence_at(path, start).unwrap(), &old).unwrap();
        let mut restored = after.clone();
        RenameEdit::apply(&mut restored, &back);
        let restored = text(&restored).concat().replace("{ to: to }", "{ to }");
        assert_eq!(restored, text(&package).concat(), "{at}");
    }
}

fn what_cannot_be_renamed_is_refused() {
    let documents = [("mail.md", MAIL), ("types.md", TYPES)];
    let package = package(&documents);
    for (path, at, name, expected) in [
        ("mail.md", "send(to:", "Send", "the names of tools and parameters start with a small letter"),
        ("mail.md", "Refused(", "Send", "in `mail.md`: `Send` is defined twice"),
        ("types.md", "Size", "9", "a name has letters, digits and `_`, and starts with a letter"),
        ("types.md", "Size", "Address", "in `types.md`: `Address` is defined twice"),
        ("types.md", "Size", "Mode", "in `mail.md`: `Mode` means something else already"),
        ("mail.md", "to =", "page", "in `mail.md`: the new name has another meaning there already"),
    ] {
        let error = renamed(&package, path, at, name).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{at} → {name}");
    }
    let broken = TYPES.replace("Small }", "Small");
    let package = self::package(&[("mail.md", MAIL), ("types.md", &broken)]);
    let error = renamed(&package, "types.md", "Size", "Extent").map(|_| ()).unwrap_err();
    assert_eq!(error, RenameError::Unparsed("types.md".to_owned()));
}

const SHOP: &str = "---\nid: shop\ntitle: Shop\nsummary: Shop.\n---\n<define>
type Size = { width: int, \"height\"?: int, scaled(by: int) -> int }
type Order = { sizes: List<Size>, notes: Dict<string, Size>, first?: Size.default({ width: 1 }) }
tool order(size: Size, more?: List<Size>) -> Order {
  return { sizes: [size, { width: 2 }], notes: {}, first: size }
}
</define>
<example id=\"one\" tool=\"order\">
width = 3
made = order({ width, height: 1 }, more = [{ width: 4 }])
print(made.first.width, made.sizes[0].width, made.sizes.length)
for (size in made.sizes) {
  print(size.width + size[\"width\"] + size.scaled(2))
}
try { print(1) } catch Error { print(error.width) }
</example>
";

/// Fields and methods are renamed where the type of each value is known.
fn members_of_values_are_renamed() {
    let package = package(&[("shop.md", SHOP)]);
    for (at, name, expected) in [
        (
            "width:",
            "breadth",
            SHOP.replace("width", "breadth")
                .replace("breadth = 3", "width = 3")
                .replace("{ breadth, height", "{ breadth: width, height")
                .replace("error.breadth", "error.width"),
        ),
        ("height\\", "depth", String::new()),
        ("scaled(", "times", SHOP.replace("scaled", "times")),
        ("sizes:", "extents", SHOP.replace("sizes", "extents")),
        ("width = 3", "wide", SHOP.replace("width = 3", "wide = 3").replace("{ width, ", "{ width: wide, ")),
    ] {
        let (at, expected) = match expected.as_str() {
            "" => ("height", SHOP.replace("height", "depth")),
            _ => (at, expected),
        };
        let after = renamed(&package, "shop.md", at, name).unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!(after.get("shop.md").unwrap().source, expected, "{at}");
        let before = Analysis::new(&package).diagnostics("shop.md", Strictness::Normal).len();
        assert_eq!(Analysis::new(&after).diagnostics("shop.md", Strictness::Normal).len(), before, "{at}");
    }
}

fn a_member_of_a_value_without_a_type_prevents_its_rename() {
    for (code, line) in [
        ("print(JSON.parse(\"{}\").width)", 21),
        ("it = { width: 1 }", 21),
        ("x = [1].map(it => it.width)", 21),
        ("print(JSON.parse(\"{}\")[\"width\"])", 21),
    ] {
        let text = SHOP.replace("</example>", &format!("{code}\n</example>"));
        let package = package(&[("shop.md", &text)]);
        let error = renamed(&package, "shop.md", "width:", "breadth").map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "line {line} of `shop.md` may name this field: the type of the value is not known there; change it by hand"
            ),
            "{code}"
        );
        assert!(renamed(&package, "shop.md", "sizes:", "extents").is_ok(), "{code}");
    }
}

/// Returns the declarations of the members that are suggested at the mark in code of the example.
fn suggested(code: &str) -> Vec<String> {
    let text = SHOP.replace("</example>", &format!("{code}\n</example>"));
    let offset = text.find(code).unwrap() + code.find('‸').unwrap();
    let text = text.replace('‸', "");
    let package = package(&[("shop.md", &text)]);
    let found = Analysis::new(&package).members_of_value("shop.md", offset);
    found.into_iter().map(|it| it.declaration).collect()
}

fn members_of_values_are_suggested() {
    let size = ["width: int", "\"height\"?: int", "scaled(by: int) -> int"];
    assert_eq!(suggested("made.first.‸"), size);
    assert_eq!(suggested("print(made.sizes[0].‸)"), size);
    assert_eq!(suggested("made.sizes[0].‸wid"), size);
    assert_eq!(suggested("for (it in made.sizes) { print(it.‸) }"), size);
    assert_eq!(suggested("made.‸\nprint(1)")[0], "sizes: List<Size>");
    assert!(suggested("made.sizes.‸").contains(&"map(item => …)".to_owned()));
    assert!(suggested("made.notes.‸").contains(&"keys()".to_owned()));
    assert_eq!(suggested("unknown.‸"), Vec::<String>::new());
}

/// No type is declared for a variable with a literal, whose kind says enough.
fn members_of_literals_are_suggested() {
    let (list, text, dictionary) = ("map(item => …)", "toUpperCase()", "keys()");
    for (code, wanted) in [
        ("xs = [1]\nxs.‸", Some(list)),
        ("xs = []\nxs.‸len", Some(list)),
        ("print([1].‸)", Some(list)),
        ("x = \"a\"\nx.‸", Some(text)),
        ("x = \"a${1}\"\nx.‸", Some(text)),
        ("x = { a: 1 }\nx.‸", Some(dictionary)),
        ("x = 1\nx.‸", None),
        ("x = [1]\nx = unknown\nx.‸", None),
    ] {
        let found = suggested(code);
        assert_eq!(
            found.iter().find(|it| [list, text, dictionary].contains(&it.as_str())).map(String::as_str),
            wanted,
            "{code}"
        );
    }
}

fn members_and_refinements_are_suggested() {
    let package = package(&[("mail.md", MAIL), ("types.md", TYPES)]);
    let analysis = Analysis::new(&package);
    let names =
        |found: Vec<ailang::Suggestion<'_>>| found.iter().map(|it| it.name.to_owned()).collect::<Vec<_>>();
    assert_eq!(names(analysis.members_of("mail.md", 0, "types")), ["Address", "Size"]);
    assert_eq!(names(analysis.members_of("mail.md", 0, "Size")), ["Big", "Small"]);
    assert_eq!(names(analysis.exports_of("types.md")), ["Address", "Size"]);
    let refinements = |name| -> Vec<&str> {
        analysis.refinements_of("mail.md", name).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(
        refinements("int"),
        ["min", "max", "positive", "negative", "integer", "multipleOf", "default"]
    );
    assert!(refinements("Where").contains(&"startsWith"));
    assert_eq!(refinements("Mode"), ["default"]);
    assert!(refinements("Nothing").is_empty());
}

/// A rename and the one back leave every document of the corpus as it was, with the same mistakes in between.
fn renames_of_the_corpus_can_be_undone() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/valid");
    let mut renamed = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let Ok(text) = std::fs::read_to_string(entry.unwrap().path()) else { continue };
        let package = package(&[("it.md", &text)]);
        let analysis = Analysis::new(&package);
        let definitions = analysis.occurrences("it.md").into_iter().filter(|it| it.span == it.target.span);
        for occurrence in definitions {
            let old = &text[occurrence.span.range()];
            let is_capital = old.starts_with(|char: char| char.is_ascii_uppercase());
            let name = if is_capital { "Zyxwv" } else { "zyxwv" };
            let Ok(edits) = analysis.rename("it.md", occurrence, name) else { continue };
            let mut after = package.clone();
            RenameEdit::apply(&mut after, &edits);
            let changed = Analysis::new(&after);
            let mistakes = |it: &Analysis<'_>| it.diagnostics("it.md", Strictness::Normal).len();
            assert_eq!(mistakes(&changed), mistakes(&analysis), "{old} in {text}");
            let back = changed.occurrences("it.md");
            let back = back.iter().find(|it| after.get("it.md").unwrap().text(it.span) == name).unwrap();
            let edits = changed.rename("it.md", *back, old).unwrap_or_else(|error| panic!("{old}: {error}"));
            RenameEdit::apply(&mut after, &edits);
            let restored = after.get("it.md").unwrap().source.replace(&format!("{old}: {old}"), old);
            assert_eq!(restored, text.replace(&format!("{old}: {old}"), old), "{old}");
            renamed += 1;
        }
    }
    assert!(renamed > 100, "{renamed}");
}
