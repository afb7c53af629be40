//! The canonical layout, and the parts that it does not change.

use std::path::{Path, PathBuf};

use ailang::{Document, Documents, Strictness, format, validate};
use expect_test::{Expect, expect};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        documents_keep_what_they_say,
        our_own_documents_are_laid_out_and_strictly_valid,
        the_arguments_of_a_type_stay_together,
        the_canonical_form,
        what_does_not_fit_is_broken,
        what_cannot_be_read_stays,
        line_ends_and_marks_stay,
        empty_blocks_stay
    ]
}

const CORPUS: &str = "corpus";

/// The folders of this repository's own interface documents.
const OURS: [&str; 4] =
    ["../core-library/interface", "../ide-library/interface", "../../examples/skills", "src/standard"];

/// Returns the documents of these folders, by path.
fn documents(folders: impl IntoIterator<Item = &'static str>) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    folders.into_iter().for_each(|folder| add(&root.join(folder), &mut paths));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn add(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            add(&path, paths);
        } else if path.extension().is_some_and(|it| it == "md") {
            paths.push(path);
        }
    }
}

fn codes(source: &str) -> Vec<String> {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(source));
    let found = validate(&documents, "a.md", Strictness::Normal).expect("it was added");
    // Missing quotes are added.
    let mut codes: Vec<String> = found.iter().map(|it| it.code.to_string()).collect();
    codes.retain(|code| !["AL0115", "AL0116"].contains(&code.as_str()));
    codes.sort();
    codes
}

/// Formats a document and checks all promises; `None` if it is refused.
fn held(source: &str) -> Option<String> {
    let formatted = match format(source) {
        Ok(formatted) => formatted,
        Err(refused) => {
            assert!(!refused.diagnostics.is_empty(), "{source}");
            return None;
        }
    };
    let again = format(&formatted).unwrap_or_else(|it| panic!("{source}\n{formatted}\n{it:?}"));
    assert_eq!(again, formatted, "laid out twice:\n{source}");
    assert_eq!(codes(&formatted), codes(source), "{source}\n{formatted}");
    let comments = |text: &str| text.matches("//").count() + text.matches("/*").count();
    assert_eq!(comments(&formatted), comments(source), "{source}\n{formatted}");
    Some(formatted)
}

fn documents_keep_what_they_say() {
    let (mut laid_out, mut refused) = (0, 0);
    for (_, source) in documents([CORPUS].into_iter().chain(OURS)) {
        match held(&source) {
            Some(_) => laid_out += 1,
            None => refused += 1,
        }
    }
    assert!(laid_out > 100 && refused > 20, "{laid_out} laid out, {refused} refused");
}

fn our_own_documents_are_laid_out_and_strictly_valid() {
    let ours = documents(OURS);
    assert!(ours.len() >= OURS.len(), "they are not where they were");
    for (path, source) in ours {
        let path = path.display();
        let formatted = format(&source).unwrap_or_else(|refused| panic!("{path}: {refused:?}"));
        assert!(formatted == source, "`dialect ailang fmt {path}` lays it out");
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source));
        let found = validate(&documents, "a.md", Strictness::Strict).expect("it was added");
        let wrong: Vec<_> = found.iter().filter(|it| it.severity == ailang::Severity::Error).collect();
        assert!(wrong.is_empty(), "{path}: {wrong:?}");
    }
}

fn check(source: &str, wanted: &Expect) {
    wanted.assert_eq(&held(source).expect("it can be read"));
}

fn the_arguments_of_a_type_stay_together() {
    let source = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\ntype A={\n// What it is.\nb?:Map<string,List<Map<string,{c:int,d:int}>>>,e:int}\n</define>\n";
    let formatted = held(source).expect("it can be read");
    assert!(formatted.contains("b?: Map<string, List<Map<string, { c: int, d: int }>>>,\n"), "{formatted}");
}

fn the_canonical_form() {
    let source = "---\nversion: '1.0.0'\n# The name.\nid: \"mail\"\nrelated: @import(./a.md), @import(./b.md)\nkeywords:\n  \
                  - mail\n  - \"a, b\"\ntitle: Mail: sending # soon\nloading: OnDemand\nsummary: 'It''s short.'\n---\n# Mail\n  \
                  *Prose*   stays.\n<define>\n// What is sent.\ntype Mail={to:string.email(),cc?:List<boolean>;\nbody:string\n\
                  .maxLength( 100 )}\nenum Kind{A\nB=\"b\"}\nerror Full( size:int ){message=\"${size} is 'full'\",recovery=\"Wait.\"}\n\n\n\n\
                  capability Send{ask=\"Send?\";scope=\"once\"}\ntool send(mail:Mail,/* ! */kind:Kind.default(A))->void \
                  requires Send&Other throws Full { // body\n   if(a<b){\nreturn -1}\n\n}\n</define>\n\
                  <example   id=welcome tool='send'>\n~~~ts {x}\nm=f( 1,b=[1 ,2] );\n\n\n\n  xs.map( x=>{\nx }) // end\n~~~\n\
                  Text.\n```output\n  as it is\n```\n</example>\nEnd.\n";
    check(
        source,
        &expect![[r#"
            ---
            # The name.
            id: mail
            title: "Mail: sending" # soon
            summary: It's short.
            loading: on_demand
            keywords: [mail, "a, b"]
            related: ["./a.md", "./b.md"]
            version: 1.0.0
            ---
            # Mail
              *Prose*   stays.

            <define>

            ```typescript
            // What is sent.
            type Mail = { to: string.email(), cc?: List<bool>, body: string.maxLength(100) }
            enum Kind { A, B = "b" }
            error Full(size: int) {
              message = "${size} is 'full'"
              recovery = "Wait."
            }

            capability Send { ask = "Send?", scope = "once" }
            tool send(mail: Mail, /* ! */ kind: Kind.default(A)) -> void
              requires Send & Other
              throws Full
            { // body
              if (a<b) {
                return -1 }
            }
            ```

            </define>

            <example id="welcome" tool="send">

            ~~~typescript {x}
            m = f(1, b = [1, 2]);

            xs.map(x => {
              x }) // end
            ~~~

            Text.

            ```output
              as it is
            ```

            </example>

            End.
        "#]],
    );
}

fn what_does_not_fit_is_broken() {
    let source = "---\nid: a\ntitle: A\nsummary: S\n---\n\n<define>\n\n```typescript\ntool search(first: string, // one\n  \
                  second: int, third: string) -> { a: int }\ntype Long = Aaaaaaaaaaaaaaaaaaaaaaaaa | Bbbbbbbbbbbbbbbbbbbbbbbbbb | \
                  Cccccccccccccccccccccccccccccc | { d: int }\ntool nested(options: { first: string, second: { third: string, fourth: int, fifth: \
                  List<string> }, sixth: any }, more: string) -> List<string>\n// A run of comments.\n\nenum E { A, // a\n\n// above\nB\n// last\n}\n```\n\n</define>\n";
    check(
        source,
        &expect![[r#"
        ---
        id: a
        title: A
        summary: S
        ---

        <define>

        ```typescript
        tool search(
          first: string, // one
          second: int,
          third: string
        ) -> { a: int }
        type Long = Aaaaaaaaaaaaaaaaaaaaaaaaa
          | Bbbbbbbbbbbbbbbbbbbbbbbbbb
          | Cccccccccccccccccccccccccccccc
          | { d: int }
        tool nested(
          options: {
            first: string,
            second: { third: string, fourth: int, fifth: List<string> },
            sixth: any
          },
          more: string
        ) -> List<string>
        // A run of comments.

        enum E {
          A, // a

          // above
          B
          // last
        }
        ```

        </define>
    "#]],
    );
}

fn what_cannot_be_read_stays() {
    let front = "---\nid: a\ntitle: A\nsummary: S\n---\n";
    for wrong in
        ["<define>\ntype A =\n</define>\n", "<define>\n", "<example>\nf(\n</example>\n", "<Define>\n"]
    {
        assert!(format(&format!("{front}{wrong}")).is_err(), "{wrong}");
    }
    assert!(format("---\na: [\n---\n").is_err());
}

fn line_ends_and_marks_stay() {
    let source =
        "\u{feff}---\r\nid: a\r\ntitle: A\r\nsummary: S\r\n---\r\n<define>\r\ntype A={a:int}\r\n</define>";
    let wanted = "\u{feff}---\r\nid: a\r\ntitle: A\r\nsummary: S\r\n---\r\n\r\n<define>\r\n\r\n```typescript\r\ntype A = { a: int }\r\n```\r\n\r\n</define>\r\n";
    assert_eq!(held(source).as_deref(), Some(wanted));
}

fn empty_blocks_stay() {
    let head = "---\nid: a\ntitle: A\nsummary: A.\n---\n\n";
    for block in ["<define>\n</define>\n", "<define>\n\n \n</define>\n", "<example id=\"a\">\n</example>\n"] {
        let formatted = held(&format!("{head}{block}")).expect("it can be read");
        let (open, close) = (block.lines().next().unwrap(), block.lines().last().unwrap());
        assert_eq!(formatted, format!("{head}{open}\n{close}\n"));
    }
}
