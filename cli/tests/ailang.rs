//! Tests of `ailang` as a user runs it: arguments and standard input in, exit code and output out.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use serde_json::Value;

const GOOD: &str = "---\nid: mail\ntitle: Mail\nsummary: Sends mail.\nkeywords: [mail]\n---\n\n# Mail\n\nTo whom it may concern.\n\n\
                    <define>\n```typescript\nerror Lost(to: string) { message = \"Lost on the way to ${to}.\", recovery = \"Send it again.\" }\n\
                    // Sends one.\n// @readOnly\ntool send(to: string.nonEmpty(), copies?: int) -> bool\n  throws Lost\n```\n</define>\n\n\
                    <example id=\"one\" tool=\"send\">\n```typescript\nprint(send(\"Ada\"))\n```\n</example>\n";
const BAD: &str = "---\nid: bad\ntitle: Bad\nsummary: Bad.\n---\n<define>\ntool f(a: Strnig)\n</define>\n";

struct Output {
    code: i32,
    out: String,
    err: String,
}

/// Runs the program of that name, in a folder with `good.md`, `bad.md` and a file that is not UTF-8.
fn run(program: &str, arguments: &str, input: &str) -> Output {
    let folder = tempfile::tempdir().expect("there is room");
    let write =
        |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).expect("it can be written");
    write("good.md", GOOD.as_bytes());
    write("bad.md", BAD.as_bytes());
    write("bytes.md", b"---\nid: \xff\n---\n");
    in_folder(folder.path(), program, arguments, input)
}

fn in_folder(folder: &Path, program: &str, arguments: &str, input: &str) -> Output {
    let mut child = Command::new(program)
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was built");
    // Whoever needs no input may be gone.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| {
        let text = String::from_utf8(bytes).expect("it says UTF-8");
        text.replace(&folder.display().to_string(), "FOLDER")
    };
    Output {
        code: output.status.code().expect("it ends by itself"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn ailang(arguments: &str, input: &str) -> Output {
    run(env!("CARGO_BIN_EXE_ailang"), arguments, input)
}

/// Exports a document to each format, and imports it again.
#[test]
fn documents_go_to_other_formats_and_back() {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("good.md"), GOOD).expect("it can be written");
    std::fs::write(folder.path().join("bad.md"), BAD).expect("it can be written");
    let run = |arguments: &str| in_folder(folder.path(), env!("CARGO_BIN_EXE_ailang"), arguments, "");
    for (format, output, input) in [
        ("skill", "skills", "skills/mail"),
        ("mcp", "mcp/a.json", "mcp/a.json"),
        ("openapi", "openapi.json", "openapi.json"),
        ("json-schema", "schema.json", ""),
    ] {
        let exported = run(&format!("export good.md --to={format} --output {output} --report=json"));
        assert_eq!(exported.code, 0, "{format}: {}", exported.err);
        let report: Value = serde_json::from_str(&exported.err).expect("the report is JSON");
        let is_lossless = report["differences"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(is_lossless, format == "skill", "{format}: {report}");
        if !input.is_empty() {
            let imported = run(&format!("import {input} --from={format} --output back.md"));
            assert_eq!(imported.code, 0, "{format}: {}", imported.err);
            assert_eq!(run("validate back.md").code, 0);
            let back = std::fs::read_to_string(folder.path().join("back.md")).expect("it was written");
            assert!(back.contains("tool send(to: string.nonEmpty(), copies?: int) -> "), "{format}: {back}");
        }
    }
    assert_eq!(run("export bad.md --to=mcp").code, 1);
    assert_eq!(run("import schema.json --from=json-schema").code, 1);
    assert_eq!(run("import good.md --from=openapi").code, 1);
    assert_eq!(run("import absent.json --from=mcp").code, 1);
}

#[test]
fn versions_values_and_pages() {
    let folder = tempfile::tempdir().expect("there is room");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it can be written");
    write("old.md", GOOD);
    write("new.md", &GOOD.replace("copies?: int", "copies: int"));
    let run = |arguments: &str, input: &str| {
        in_folder(folder.path(), env!("CARGO_BIN_EXE_ailang"), arguments, input)
    };
    let same = run("diff old.md old.md", "");
    assert_eq!((same.code, same.out.as_str()), (0, "no changes\n"));
    let changed = run("diff old.md new.md --format=json", "");
    assert_eq!(changed.code, 1, "{}", changed.err);
    let report: Value = serde_json::from_str(&changed.out).expect("it is JSON");
    assert_eq!(report["changes"][0]["rule"], "parameterRequired");
    assert_eq!(report["changes"][0]["location"]["path"], "new.md");
    assert_eq!(run("check-value old.md --type List<string> --value [\"a\"]", "").code, 0);
    let wrong = run("check-value old.md --type List<string> --input -", "[1, \"a\", null]");
    assert_eq!(
        (wrong.code, wrong.out.as_str()),
        (1, "/0: expected string, got 1\n/2: expected string, got null\n")
    );
    assert_eq!(run("docs old.md --output=site", "").code, 0);
    let page = std::fs::read_to_string(folder.path().join("site/old.html")).expect("it was written");
    assert!(page.contains("id=\"d-send\"") && folder.path().join("site/index.html").exists(), "{page}");
    assert_eq!(run("docs old.md --output=site --format=markdown", "").code, 0);
    let page = std::fs::read_to_string(folder.path().join("site/old.md")).expect("it was written");
    assert!(page.contains("### tool send") && page.contains("[`Lost`](#d-Lost)"), "{page}");
}

fn check(arguments: &str, input: &str, wanted: &Expect) {
    let Output { code, out, err } = ailang(arguments, input);
    let mark = if err.is_empty() { "" } else { "--- errors\n" };
    wanted.assert_eq(&format!("{out}{mark}{err}--- {code}\n"));
    let nested = run(env!("CARGO_BIN_EXE_dialect"), &format!("ailang {arguments}"), input);
    assert_eq!((nested.code, nested.out, nested.err), (code, out, err), "dialect ailang {arguments}");
}

fn json(arguments: &str) -> Value {
    serde_json::from_str(&ailang(arguments, "").out).expect("it is JSON")
}

#[test]
fn documents_are_validated() {
    check(
        "validate good.md",
        "",
        &expect![[r#"
        ✓ good.md is valid
        --- 0
    "#]],
    );
    check(
        "validate bad.md absent.md good.md",
        "",
        &expect![[r#"
        error[AL3001]: no type is called `Strnig`
          --> bad.md:7:11
        7 | tool f(a: Strnig)
          |           ^^^^^^
        help: did you mean `string`?

        ✗ bad.md has 1 error
        ✓ good.md is valid
        --- errors
        ailang: absent.md cannot be read: No such file or directory (os error 2)
        --- 3
    "#]],
    );
    check(
        "validate --strictness=loose -",
        BAD,
        &expect![[r#"
        warning[AL3001]: no type is called `Strnig`
          --> standard input:7:11
        7 | tool f(a: Strnig)
          |           ^^^^^^
        help: did you mean `string`?

        ✓ standard input is valid, with 1 warning
        --- 0
    "#]],
    );
    check(
        "validate bytes.md",
        "",
        &expect![[r#"
            --- errors
            ailang: bytes.md is not UTF-8: line 2, column 5: the byte 0xff
            --- 3
        "#]],
    );
    check(
        "validate bad.md absent.md --format json",
        "",
        &expect![[r#"
        [
          {
            "code": "AL3001",
            "severity": "error",
            "message": "no type is called `Strnig`",
            "location": {
              "path": "bad.md",
              "line": 7,
              "column": 11,
              "endLine": 7,
              "endColumn": 17,
              "start": 60,
              "end": 66
            },
            "suggestion": "did you mean `string`?",
            "fixes": [
              {
                "title": "write `string`",
                "location": {
                  "path": "bad.md",
                  "line": 7,
                  "column": 11,
                  "endLine": 7,
                  "endColumn": 17,
                  "start": 60,
                  "end": 66
                },
                "text": "string"
              }
            ]
          }
        ]
        --- errors
        ailang: absent.md cannot be read: No such file or directory (os error 2)
        --- 3
    "#]],
    );
}

#[test]
fn documents_are_parsed_at_a_level() {
    for level in ["minimal", "compact", "standard", "detailed", "complete"] {
        let tree = json(&format!("parse good.md --format json --level {level}"));
        let yaml = ailang(&format!("parse good.md --format=yaml --level={level}"), "").out;
        assert!(yaml.starts_with("ailangAst: 1\n"), "{yaml}");
        assert_eq!(
            (&tree["level"], &tree["ailangAst"], &tree["id"]),
            (&level.into(), &1.into(), &"mail".into())
        );
    }
    check(
        "parse good.md --level minimal --format json",
        "",
        &expect![[r#"
        {
          "ailangAst": 1,
          "path": "good.md",
          "level": "minimal",
          "id": "mail",
          "title": "Mail",
          "summary": "Sends mail.",
          "loading": "on_demand",
          "keywords": [
            "mail"
          ],
          "related": [],
          "diagnostics": []
        }
        --- 0
    "#]],
    );
    check(
        "parse - --level compact --format yaml",
        GOOD,
        &expect![[r#"
        ailangAst: 1
        path: standard input
        level: compact
        id: mail
        title: Mail
        summary: Sends mail.
        loading: on_demand
        keywords:
        - mail
        related: []
        definitions:
        - kind: tool
          name: send
          line: 17
          parameters:
          - to
          - copies
        diagnostics: []
        --- 0
    "#]],
    );
    check(
        "parse good.md --level detailed --format yaml",
        "",
        &expect![[r#"
        ailangAst: 1
        path: good.md
        level: detailed
        id: mail
        title: Mail
        summary: Sends mail.
        loading: on_demand
        keywords:
        - mail
        related: []
        definitions:
        - kind: error
          name: Lost
          line: 14
          declaration: |-
            error Lost(to: string) {
              message = "Lost on the way to ${to}."
              recovery = "Send it again."
            }
          tags: []
          documentation: ""
        - kind: tool
          name: send
          line: 17
          parameters:
          - name: to
            type: string.nonEmpty()
            optional: false
            documentation: ""
          - name: copies
            type: int
            optional: true
            documentation: ""
          returns: bool
          requires: []
          throws:
          - Lost
          declaration: "tool send(to: string.nonEmpty(), copies?: int) -> bool throws Lost"
          tags:
          - name: readOnly
            text: ""
          documentation: Sends one.
        examples:
        - id: one
          tool: send
          line: 22
          code: print(send("Ada"))
          attachments: []
        prose: To whom it may concern.
        diagnostics: []
        --- 0
    "#]],
    );
    check(
        "parse good.md",
        "",
        &expect![[r#"
        good.md: Mail
            14  error Lost(to: string) {
                  message = "Lost on the way to ${to}."
                  recovery = "Send it again."
                }
            17  tool send(to: string.nonEmpty(), copies?: int) -> bool throws Lost
        --- 0
    "#]],
    );
    check(
        "parse good.md --level detailed",
        "",
        &expect![[r#"
        good.md: Mail
            14  error Lost(to: string) {
                  message = "Lost on the way to ${to}."
                  recovery = "Send it again."
                }
            17  // Sends one.
            17  tool send(to: string.nonEmpty(), copies?: int) -> bool throws Lost
            22  example one
        --- 0
    "#]],
    );
}

#[test]
fn documents_are_extracted_counted_and_laid_out() {
    check(
        "extract good.md --level minimal --include tools,errors --exclude errors",
        "",
        &expect![[r#"
        ---
        id: mail
        title: Mail
        summary: Sends mail.
        keywords: [mail]
        ---

        <define>
        // @readOnly
        tool send(to: string.nonEmpty(), copies?: int) -> bool throws Lost
        </define>
        --- 0
    "#]],
    );
    check(
        "extract - --level compact",
        GOOD,
        &expect![[r#"
        ---
        id: mail
        title: Mail
        summary: Sends mail.
        keywords: [mail]
        ---

        send(to, copies)
        --- 0
    "#]],
    );
    check(
        "tokens good.md bad.md",
        "",
        &expect![[r#"
                  minimal   compact  standard  detailed  complete
        good.md        25        31        64       126       139
        bad.md         17        21        32        32        32
        --- 0
    "#]],
    );
    check(
        "fmt -",
        GOOD,
        &expect![[r#"
        ---
        id: mail
        title: Mail
        summary: Sends mail.
        keywords: [mail]
        ---

        # Mail

        To whom it may concern.

        <define>

        ```typescript
        error Lost(to: string) {
          message = "Lost on the way to ${to}."
          recovery = "Send it again."
        }
        // Sends one.
        // @readOnly
        tool send(to: string.nonEmpty(), copies?: int) -> bool
          throws Lost
        ```

        </define>

        <example id="one" tool="send">

        ```typescript
        print(send("Ada"))
        ```

        </example>
        --- 0
    "#]],
    );
    check(
        "fmt --check good.md bad.md",
        "",
        &expect![[r#"
        good.md
        bad.md
        --- 1
    "#]],
    );
    check(
        "fmt --check .",
        "",
        &expect![[r#"
            ./bad.md
            ./good.md
            --- errors
            ailang: ./bytes.md is not UTF-8: line 2, column 5: the byte 0xff
            --- 3
        "#]],
    );
}

#[test]
fn codes_are_explained() {
    check(
        "explain al3001",
        "",
        &expect![[r#"
        AL3001: a type is not defined

        No type of this name is defined in the document, imported, or known everywhere. In a union, a name alone is a variant only beside a variant that carries something.
        --- 0
    "#]],
    );
    check(
        "explain AL9999",
        "",
        &expect![[r#"
        --- errors
        no code is called `AL9999`; codes look like AL3001
        --- 2
    "#]],
    );
}

#[test]
fn wrong_usage_is_told() {
    for arguments in [
        "validate",
        "validate good.md --strictness most",
        "extract good.md --include tool",
        "parse good.md --format xml",
        "sing",
    ] {
        let came = ailang(arguments, "");
        assert_eq!((came.code, came.out.as_str()), (2, ""), "{arguments}: {}", came.err);
        assert!(came.err.contains("error:"), "{arguments}: {}", came.err);
    }
}

#[test]
fn a_package_is_started() {
    let folder = tempfile::tempdir().expect("there is room");
    let ailang = |arguments: &str| in_folder(folder.path(), env!("CARGO_BIN_EXE_ailang"), arguments, "");
    assert_eq!(ailang("init tools").code, 0);
    assert_eq!(ailang("init tools").code, 3, "nothing is written over");
    for arguments in ["validate tools", "fmt --check tools", "tokens tools", "parse tools --format json"] {
        let came = ailang(arguments);
        assert_eq!((came.code, came.err.as_str()), (0, ""), "{arguments}: {}", came.out);
    }
}

#[test]
fn code_is_generated_and_checked() {
    let folder = tempfile::tempdir().expect("there is room");
    let document = folder.path().join("good.md");
    std::fs::write(&document, GOOD).expect("it can be written");
    let run = |arguments: &str| in_folder(folder.path(), env!("CARGO_BIN_EXE_ailang"), arguments, "");
    let generate =
        "generate good.md --lang typescript --output out --without documentation --style semi=false";

    let first = run(generate);
    assert_eq!((first.code, &*first.out, &*first.err), (0, "out/mail.generated.ts\n", ""));
    let written =
        std::fs::read_to_string(folder.path().join("out/mail.generated.ts")).expect("it was written");
    assert!(
        written.starts_with("// Generated by ailang ") && written.contains("from good.md (sha256 "),
        "{written}"
    );
    assert_eq!(run(generate).out, "", "nothing changed");
    assert_eq!(run(&format!("{generate} --check")).code, 0);

    std::fs::write(&document, GOOD.replace("copies?: int", "copies?: int.min(1)"))
        .expect("it can be written");
    let differs = run(&format!("{generate} --check"));
    assert_eq!(differs.code, 1);
    assert!(
        differs.out.contains("+  copies: z.number().int(\"expected a whole number\").min(1, \"expected at least 1\").optional(),"),
        "{}",
        differs.out
    );
    assert_eq!(
        differs.err,
        "out/mail.generated.ts is not what the document generates; run `ailang generate` without --check\n"
    );
    let now = std::fs::read_to_string(folder.path().join("out/mail.generated.ts")).expect("it is there");
    assert_eq!(now, written, "a check writes nothing");
}

#[test]
fn what_cannot_be_generated_is_refused() {
    check(
        "generate bad.md --lang python --output out",
        "",
        &expect![[r#"
        --- errors
        error[AL3001]: no type is called `Strnig`
          --> bad.md:7:11
        7 | tool f(a: Strnig)
          |           ^^^^^^
        help: did you mean `string`?
        bad.md has errors, so nothing was generated
        --- 1
    "#]],
    );
    check(
        "generate good.md --lang cobol",
        "",
        &expect![[r#"
        --- errors
        error: invalid value 'cobol' for '--lang <LANG>': expected one of typescript, python, rust, go, json-schema

        For more information, try '--help'.
        --- 2
    "#]],
    );
    check(
        "generate good.md --lang json-schema --output bytes.md/out",
        "",
        &expect![[r#"
        --- errors
        ailang: bytes.md/out/mail.schema.json cannot be read: Not a directory (os error 20)
        --- 3
    "#]],
    );
}
