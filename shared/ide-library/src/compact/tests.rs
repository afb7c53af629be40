use serde_json::json;

use super::*;

fn place(path: &str, line: u32, role: &str, text: &str) -> Value {
    json!({"path": path, "start": {"line": line, "column": 5}, "end": {"line": line, "column": 9}, "text": text,
        "in": "auth::check", "inKind": "function", "role": role})
}

/// Prints a list and checks that its lines read as the same list.
fn lines(list: &Value) -> String {
    let list = list.as_array().unwrap();
    let kind = Kind::of(list).unwrap();
    lines_of(kind, list).expect("it reads as the list")
}

#[test]
fn ranges_are_lines_grouped_by_file() {
    let list = json!([
        place("src/a.rs", 3, "import", "use b::load;"),
        place("src/b.rs", 7, "call", "load(\"x: y\")"),
        place("src/b.rs", 9, "read", "let f = load;"),
    ]);
    assert_eq!(
        lines(&list),
        "src/a.rs:3:5-9 import in function auth::check: use b::load;\n\
         src/b.rs:\n \
         in function auth::check:\n  \
         7:5-9 call: load(\"x: y\")\n  \
         9:5-9 read: let f = load;"
    );
}

#[test]
fn every_field_of_a_range_is_kept() {
    let whole = json!([{"path": "a b/ü.rs", "start": {"line": 3, "column": 5}, "end": {"line": 4, "column": 1},
        "text": "", "in": "describe(a: b)", "role": "call", "signature": true, "public": true, "test": true,
        "outside": true, "external": true, "bindings": {"X": "a: \"b\"\n"}}]);
    lines(&whole);
    lines(&json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}}]));
    lines(
        &json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}, "in": "in"}]),
    );
}

#[test]
fn definitions_have_the_line_of_their_name_and_their_range() {
    let list = json!([
        {"name": "User", "kind": "struct",
            "definedAt": {"path": "a.rs", "start": {"line": 3, "column": 1}, "end": {"line": 6, "column": 2},
                "text": "/// Somebody."},
            "nameAt": {"path": "a.rs", "start": {"line": 4, "column": 12}, "end": {"line": 4, "column": 16},
                "text": "pub struct User {"},
            "path": "a.rs", "line": 4},
        {"name": "new", "kind": "method",
            "definedAt": {"path": "a.rs", "start": {"line": 9, "column": 5}, "end": {"line": 9, "column": 30},
                "text": "pub fn new() -> Self {}"},
            "nameAt": {"path": "a.rs", "start": {"line": 9, "column": 12}, "end": {"line": 9, "column": 15},
                "text": "pub fn new() -> Self {}"},
            "container": "User", "path": "a.rs", "line": 9},
    ]);
    assert_eq!(
        lines(&list),
        "a.rs:\n \
         4:12 3:1-6:2: pub struct User {\n  \
         /// Somebody.\n \
         9:12 method 9:5-30 in User: pub fn new() -> Self {}"
    );
}

#[test]
fn a_common_callee_is_printed_once() {
    let call = |line: u32, caller: &str| {
        json!({"caller": {"name": caller, "path": "a.rs", "line": line - 1},
            "callee": {"name": "load", "path": "b.rs", "line": 1}, "path": "a.rs", "line": line, "column": 3,
            "text": "load()"})
    };
    assert_eq!(
        lines(&json!([call(3, "f"), call(9, "g")])),
        "to load@b.rs:1\na.rs:\n 3:3 from f@2: load()\n 9:3 from g@8: load()"
    );
    let other = json!({"caller": {"name": "a b"}, "callee": {"name": "c@d", "path": "x", "line": 1, "column": 2},
        "path": "z.rs", "line": 1, "column": 1, "external": true});
    lines(&json!([call(3, "f"), other]));
}

#[test]
fn a_caller_is_qualified_by_its_type() {
    let call = |line: u32, caller: &str, inside: &str| {
        json!({"caller": {"name": caller, "path": "a.py", "line": line - 1}, "in": inside, "inKind": "method",
            "callee": {"name": "load", "path": "b.py", "line": 1}, "path": "a.py", "line": line, "column": 3,
            "text": "load()", "test": true})
    };
    assert_eq!(
        lines(&json!([call(3, "f", "A.f"), call(9, "g", "A::g"), call(12, "<lambda>", "A.h")])),
        "to load@b.py:1\na.py: test\n 3:3 from method A.f@2: load()\n 9:3 from method A::g@8: load()\n \
         12:3 from <lambda>@11 in method A.h: load()"
    );
    assert_eq!(
        lines(&json!([call(3, "f", "A.f")])),
        "from method A.f@a.py:2\nto load@b.py:1\na.py:3:3 test: load()"
    );
}

#[test]
fn diagnostics_have_their_severity_rule_and_source() {
    let at = |line: u32| json!({"line": line, "column": 3});
    let list = json!([
        {"severity": "error", "message": "mismatched types\n\n  expected `u8`", "code": "E0308", "source": "rustc",
            "path": "a.rs", "start": at(1), "end": at(2)},
        {"severity": "hint", "message": "deprecated", "code": "a b", "path": "a.rs", "start": at(4), "end": at(4)},
        {"severity": "warning", "message": "", "source": "ty", "path": "b.py", "start": at(5), "end": at(5)},
    ]);
    assert_eq!(
        lines(&list),
        "a.rs:\n 1:3-2:3 error E0308 from rustc: mismatched types\n  \n    expected `u8`\n \
         4:3-3 hint \"a b\": deprecated\nb.py:5:3-3 warning from ty:"
    );
}

#[test]
fn a_value_is_printed_as_a_program_of_it() {
    let list = json!([place("src/a.rs", 3, "call", "f()")]);
    let printed = "rangeLines(`src/a.rs:3:5-9 call in function auth::check: f()`)";
    assert_eq!(compact(&list), printed);
    assert_eq!(compact(&list[0]), format!("{printed}.first()"));
    assert_eq!(compact(&json!({"a": list, "b": 1})), format!("{{\"a\":{printed},\"b\":1}}"));
    assert_eq!(compact(&json!("a\n\"b\"")), "`a\n\"b\"`");
    assert_eq!(compact(&json!("plain")), "\"plain\"");
}

#[test]
fn backticks_are_quoted_line_by_line() {
    let list = json!([place("a.ts", 3, "call", "f(`x`)"), place("a.ts", 4, "call", "f(1)")]);
    assert_eq!(
        compact(&list),
        "rangeLines([\n\"a.ts: call\",\n\" in function auth::check:\",\n\"  3:5-9: f(`x`)\",\n\
         \"  4:5-9: f(1)\"\n])"
    );
}

#[test]
fn what_would_read_as_something_else_stays_json() {
    for odd in [
        json!([{"path": "a:1:2-3 b", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}}]),
        json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}, "own": 1}]),
        json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}, "text": "a\nb"}]),
        json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}, "role": "in"}]),
    ] {
        assert!(!compact(&odd).contains("Lines("), "{}", compact(&odd));
    }
    let mixed =
        json!([{"path": "a.rs", "start": {"line": 3, "column": 5}, "end": {"line": 3, "column": 5}}, 1]);
    assert_eq!(compact(&mixed), "[rangeLines(`a.rs:3:5-5`).first(),1]", "the list is none of places");
    let marked = json!(["\u{1}compact:0\u{1}", [place("a.rs", 1, "call", "x")]]);
    assert_eq!(compact(&marked), show(&marked), "its text could be taken for a list");
}

#[test]
fn a_signature_stands_for_the_text_of_a_definition() {
    let at = |line: u32, column: u32, end: u32| json!({"path": "a.rs", "start": {"line": line, "column": column}, "end": {"line": line, "column": end}});
    let list = json!([
        {"name": "new", "kind": "method", "definedAt": at(9, 5, 30), "nameAt": at(9, 12, 15), "container": "User",
            "path": "a.rs", "line": 9, "signature": "pub fn new(name: &str) -> Self", "public": true},
        {"name": "works", "kind": "function", "definedAt": at(12, 1, 9), "nameAt": at(12, 4, 9), "path": "a.rs",
            "line": 12, "test": true},
        {"name": "=", "kind": "method", "definedAt": at(14, 1, 9), "nameAt": at(14, 4, 5), "path": "a.rs",
            "line": 14, "signature": "fn = = x: y"},
    ]);
    assert_eq!(
        lines(&list),
        "a.rs:\n \
         9:12 method 9:5-30 public in User = pub fn new(name: &str) -> Self\n \
         12:4 function works 12:1-9 test\n \
         14:4 method = 14:1-9 = fn = = x: y"
    );
}

#[test]
fn what_places_share_is_printed_once() {
    let at = |path: &str, line: u32, inside: Option<(&str, u32)>| {
        let mut it = place(path, line, "call", "load()");
        it["public"] = true.into();
        if path.starts_with("tests/") {
            it["test"] = true.into();
        }
        it.as_object_mut().unwrap().remove("in");
        it.as_object_mut().unwrap().remove("inKind");
        if let Some((name, of)) = inside {
            (it["in"], it["inKind"], it["inLine"]) = (name.into(), "function".into(), of.into());
        }
        it
    };
    let list = json!([
        at("src/a.rs", 3, None),
        at("src/a.rs", 5, Some(("f", 4))),
        at("src/a.rs", 9, Some(("f", 4))),
        at("src/a.rs", 12, Some(("describe(a: b)", 11))),
        at("tests/b.rs", 7, Some(("g@1", 6))),
        at("tests/b.rs", 8, Some(("g@1", 6))),
        at("tests/b.rs", 9, None),
        at("src/c.rs", 1, None),
    ]);
    assert_eq!(
        lines(&list),
        "each: call public\n\
         src/a.rs:\n 3:5-9: load()\n in function f@4:\n  5:5-9: load()\n  9:5-9: load()\n \
         12:5-9 in function \"describe(a: b)\"@11: load()\n\
         tests/b.rs: test\n in function \"g@1\"@6:\n  7:5-9: load()\n  8:5-9: load()\n 9:5-9: load()\n\
         src/c.rs:1:5-9: load()"
    );
}

#[test]
fn callers_of_callers_stand_below_whom_they_call() {
    let call = |line: u32, caller: &str, callee: &str| {
        json!({"caller": {"name": caller, "path": "a.rs", "line": line / 10 * 10},
            "callee": {"name": callee, "path": "b.rs", "line": 1}, "path": "a.rs", "line": line, "column": 3,
            "text": "x()"})
    };
    let list =
        json!([call(11, "f", "load"), call(12, "f", "load"), call(21, "g", "load"), call(31, "h", "f")]);
    assert_eq!(
        lines(&list),
        "to load@b.rs:1\na.rs:\n from f@10:\n  11:3: x()\n  12:3: x()\n 21:3 from g@20: x()\n\
         to f@b.rs:1\na.rs:31:3 from h@30: x()"
    );
}

#[test]
fn paths_of_libraries_are_short_where_they_stay_apart() {
    let stubs = |hash: &str, file: &str| format!("/c/typeshed/{hash}/stdlib/{file}");
    let list = |paths: &[&str]| -> Value { paths.iter().map(|it| place(it, 3, "call", "f()")).collect() };
    let shown = |paths: &[&str]| {
        let mut list = list(paths);
        shorten_paths(&mut list);
        lines(&list); // reads as the list
        paths_of(&list).unwrap().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (stubs("1", "os/path.pyi"), stubs("2", "os/path.pyi"));
    assert_eq!(shown(&["a.py", &one, &one]), ["a.py", "typeshed:os/path.pyi", "typeshed:os/path.pyi"]);
    assert_eq!(
        shown(&[&one, &other, &stubs("2", "re.pyi")]),
        [one.as_str(), other.as_str(), "typeshed:re.pyi"],
        "two paths with one short form stay whole"
    );
    assert_eq!(
        shown(&["typeshed:os/path.pyi", &one]),
        ["typeshed:os/path.pyi", one.as_str()],
        "a file of the workspace has that name"
    );
    let call = |path: &str| {
        json!({"caller": {"name": "f", "path": "a.ts", "line": 1},
            "callee": {"name": "push", "path": path, "line": 1345}, "path": "a.ts", "line": 2, "column": 3})
    };
    let mut calls =
        json!([call("/r/node_modules/typescript/lib/lib.es5.d.ts"), call("/r/node_modules/@a/b@1/c.d.ts")]);
    shorten_paths(&mut calls);
    assert_eq!(
        lines(&calls),
        "from f@a.ts:1\na.ts:\n 2:3 to push@typescript:lib.es5.d.ts:1345\n 2:3 to push@npm:@a/b@1/c.d.ts:1345"
    );
    let mut text = json!({"text": one, "list": [one]});
    let same = text.clone();
    shorten_paths(&mut text);
    assert_eq!(text, same, "only paths are shortened");
}

#[test]
fn a_signature_has_the_name_of_its_definition() {
    let at = |column: u32, end: u32| json!({"path": "a.rs", "start": {"line": 9, "column": column}, "end": {"line": 9, "column": end}});
    for (signature, name, is_short) in [
        ("pub(crate) fn spawn( mut self: T, ) -> (A, B)", "spawn", true),
        ("pub(super) context: McpConnectionContext", "context", true),
        ("_meta!: Meta", "_meta", true),
        ("content: string[] = []", "content", true),
        ("write(line: string): void", "write", true),
        ("def send(self, request: R, **kwargs: Any) -> Response", "send", true),
        ("get<S extends Schema>(schema: S): T", "get", true),
        ("static async *items(): AsyncIterator<T>", "items", false),
        ("constructor(args: string[] = [])", "constructor", true),
        ("Standalone", "Standalone", true),
        ("operator==(const T& other)", "operator==", false),
        ("int count", "size", false),
        ("", "x", false),
        ("fn r#type(&self)", "type", false),
    ] {
        let list = json!([{"name": name, "kind": "method", "definedAt": at(1, 60), "nameAt": at(5, 5 + name.chars().count() as u32),
            "path": "a.rs", "line": 9, "signature": signature}]);
        let shown = lines(&list);
        assert_eq!(!shown.contains(&format!("method {name} ")), is_short, "{shown}");
    }
}

#[test]
fn callees_are_printed_above_their_calls_where_that_is_shorter() {
    let call = |line: u32, callee: &str| {
        json!({"caller": {"name": "f", "path": format!("{line}.rs"), "line": 1},
            "callee": {"name": callee, "path": "src/some/long/path.rs", "line": 7}, "path": format!("{line}.rs"),
            "line": line, "column": 3})
    };
    let list = json!([call(1, "load"), call(2, "load"), call(3, "load"), call(4, "a"), call(5, "b")]);
    assert_eq!(
        lines(&list),
        "to load@src/some/long/path.rs:7\n1.rs:1:3 from f@1\n2.rs:2:3 from f@1\n3.rs:3:3 from f@1\n\
         to a@src/some/long/path.rs:7\n4.rs:4:3 from f@1\nto b@src/some/long/path.rs:7\n5.rs:5:3 from f@1"
    );
}
