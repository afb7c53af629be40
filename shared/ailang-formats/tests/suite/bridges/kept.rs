//! Whatever another format says is in the document, or in the report: defaults, parameters, keywords, front matter.

use ailang_formats::{Foreign, Imported, import, import_skill};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::checked;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        a_field_whose_default_is_lost_stays_optional,
        wrong_defaults_leave_the_other_rules_and_defaults,
        parameters_are_known_by_name_and_place,
        nothing_vanishes_without_a_word,
        keywords_of_the_wrong_kind_are_reported,
        texts_with_colons_in_skills_are_read_and_said,
        front_matter_of_skills_that_is_no_yaml_says_its_line_and_the_remedy,
        fields_that_are_given_twice_are_reported_with_both_lines,
        the_narrower_of_two_bounds_counts
    ]
}

/// Returns the definitions of one object as each format describes it, with the document of each.
fn in_each_format(schema: &Value) -> [(Foreign, Value); 3] {
    let parameters = schema["properties"].as_object().expect("it has some");
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|it| it.contains(&name.into()));
    let parameters: Vec<Value> = parameters
        .iter()
        .map(|(name, it)| json!({"name": name, "in": "query", "required": is_required(name), "schema": it}))
        .collect();
    [
        (Foreign::Mcp, json!({"tools": [{"name": "look", "inputSchema": schema}]})),
        (Foreign::JsonSchema, json!({"$defs": {"Look": schema}})),
        (
            Foreign::OpenApi,
            json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1.0.0"}, "paths": {"/look": {"get": {
                "operationId": "look", "parameters": parameters, "responses": {"200": {"description": "The result."}},
            }}}}),
        ),
    ]
}

fn said(imported: &Imported) -> String {
    imported.remarks.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Returns the declaration of a field or a parameter: its line, or its part between commas.
fn declared<'t>(text: &'t str, name: &str) -> &'t str {
    let is_start = |at: &usize| !text[..*at].ends_with(|it: char| it.is_ascii_alphanumeric());
    let found = text.match_indices(name).map(|(at, _)| at).filter(is_start);
    let mut found = found.filter(|at| text[at + name.len()..].starts_with([':', '?']));
    let start = found.next().unwrap_or_else(|| panic!("{name} is not declared in {text}"));
    text[start..].split('\n').next().unwrap_or_default()
}

fn a_field_whose_default_is_lost_stays_optional() {
    for (schema, ty) in [
        (json!({"type": "integer", "default": "10"}), "int"),
        (json!({"type": "integer", "default": 1.5}), "int"),
        (json!({"type": "integer", "default": 9_007_199_254_740_993_u64}), "int"),
        (json!({"type": "number", "default": 9_007_199_254_740_993_u64}), "number"),
        (json!({"type": "number", "default": [1]}), "number"),
        (json!({"type": "boolean", "default": "true"}), "bool"),
        (json!({"type": "string", "default": 10}), "string"),
        (json!({"type": "string", "default": {}}), "string"),
        (json!({"type": "integer", "minimum": 5, "default": 1}), "int.min(5)"),
        (json!({"type": "integer", "maximum": 5, "default": 9}), "int.max(5)"),
        (json!({"type": "string", "minLength": 3, "default": "a"}), "string.minLength(3)"),
        (json!({"type": "string", "pattern": "^[a-z]+$", "default": "A1"}), "string.regex(/^[a-z]+$/)"),
        (json!({"enum": ["a", "b"], "default": "c"}), "\"a\" | \"b\""),
        (json!({"type": "array", "items": {"type": "string"}, "default": "a"}), "List<string>"),
        (json!({"type": "array", "items": {"type": "string"}, "default": [1]}), "List<string>"),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "default": ["a"]}),
            "List<string>.minItems(2)",
        ),
        (json!({"anyOf": [{"type": "string"}, {"type": "boolean"}], "default": 3}), "string | bool"),
    ] {
        for (required, mark) in [(json!([]), "?"), (json!(["limit"]), "")] {
            let object = json!({"type": "object", "additionalProperties": false, "required": required,
                "properties": {"name": {"type": "string", "minLength": 2}, "limit": schema}});
            for (format, document) in in_each_format(&object) {
                let imported = import(&document, format).expect("it is read");
                let text = checked(&imported);
                let found = declared(text, "limit");
                let wanted = format!("limit{mark}: {ty}");
                assert!(found.starts_with(&wanted), "{wanted} for {schema} in {format:?}, but {text}");
                assert!(!found.contains(".default"), "{found}");
                assert!(declared(text, "name").starts_with("name?: string.minLength(2)"), "{text}");
                let said = said(&imported);
                let is_named = said.contains("the default of `limit`")
                    || said.contains("properties/limit the default")
                    || said.contains("/schema the default");
                assert!(is_named, "{schema} in {format:?}: {said}");
            }
        }
    }
}

fn wrong_defaults_leave_the_other_rules_and_defaults() {
    let object = json!({"type": "object", "additionalProperties": false, "properties": {
        "a": {"type": "integer", "minimum": 1, "default": "1"},
        "b": {"type": "string", "maxLength": 9, "default": 2},
        "c": {"type": "array", "items": {"type": "integer", "maximum": 7}, "default": "x"},
        "d": {"type": "integer", "minimum": 3, "default": 4},
        "e": {"type": "integer", "minimum": 3, "default": 2},
        "f": {"type": "object", "additionalProperties": false, "properties": {
            "g": {"type": "boolean", "default": 0}, "h": {"type": "integer", "minimum": 1, "default": 1},
        }},
    }});
    for (format, document) in in_each_format(&object) {
        let imported = import(&document, format).expect("it is read");
        let text = checked(&imported);
        for (name, wanted) in [
            ("a", "a?: int.min(1)"),
            ("b", "b?: string.maxLength(9)"),
            ("c", "c?: List<int.max(7)>"),
            ("d", "d: int.min(3).default(4)"),
            ("e", "e?: int.min(3)"),
            ("g", "g?: bool"),
            ("h", "h: int.min(1).default(1)"),
        ] {
            let found = declared(text, name);
            assert!(found.starts_with(wanted), "{wanted} in {format:?}, but {text}");
        }
        let said = said(&imported);
        for name in ["a", "b", "c", "e", "f.g"] {
            assert!(said.contains(&format!("the default of `{name}`")), "{name} in {format:?}: {said}");
        }
        assert!(!said.contains("rules of"), "{said}");
    }
}

fn parameters_are_known_by_name_and_place() {
    let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1.10"}, "paths": {"/things/{id}": {
        "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "page", "in": "query", "schema": {"type": "string"}},
        ],
        "get": {
            "operationId": "thing",
            "parameters": [
                {"name": "id", "in": "query", "schema": {"type": "integer"}},
                {"name": "id", "in": "header", "schema": {"type": "boolean"}},
                {"name": "page", "in": "query", "schema": {"type": "number"}},
                {"name": "page", "in": "query", "schema": {"type": "boolean"}},
                {"in": "query"},
            ],
            "responses": {"200": {"description": "The result."}},
        },
    }}});
    let imported = import(&document, Foreign::OpenApi).expect("it is read");
    let text = checked(&imported);
    for wanted in ["id?: int", "headerId?: bool", "pathId: string", "page?: number"] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
    let said = said(&imported);
    for wanted in [
        "lost: /info/version the version \"1.10\"",
        "the parameter `id` in `header`: another one has the name, so it is called `headerId`",
        "the parameter `id` in `path`: another one has the name, so it is called `pathId`",
        "lost: /paths/~1things~1{id}/get/parameters/3 the parameter `page`: another one has its name and its place",
        "lost: /paths/~1things~1{id}/get/parameters/4 a parameter: it has no name",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
    let version = json!({"openapi": "3.1.0", "info": {"title": "T", "version": 2}, "paths": {}});
    assert!(self::said(&import(&version, Foreign::OpenApi).expect("it is read")).contains("the version 2"));
}

/// Returns the pointers of all members of objects in a value.
fn members(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                found.push(at.clone());
                members(value, &at, found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, it)| members(it, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

fn without(document: &Value, pointer: &str) -> Value {
    let mut document = document.clone();
    let (above, key) = pointer.rsplit_once('/').expect("it has a slash");
    let key = key.replace("~1", "/").replace("~0", "~");
    let owner = document.pointer_mut(above).and_then(Value::as_object_mut).expect("it is an object");
    owner.shift_remove(&key);
    document
}

/// Members that say nothing: types that follow from other keywords, marks of formats, and where parameters are sent,
/// which the report says of the operation.
const SILENT: [&str; 8] = [
    "/type",
    "/in",
    "/$schema",
    "files/jsonrpc",
    "files/id",
    "orders/$id",
    "Cash/properties",
    "Trace/schema",
];

/// Starts of what reports name as a whole.
const WHOLE: [&str; 9] = [
    "a component",
    "a response",
    "a constant",
    "a schema",
    "the response",
    "the security scheme",
    "the servers",
    "the content",
    "a part of",
];

/// Returns `true` if a report says that a member, or something around it, was not carried over.
fn is_reported(imported: &Imported, pointer: &str) -> bool {
    let ends = pointer.match_indices('/').map(|(at, _)| at).skip(1).chain([pointer.len()]);
    ends.map(|end| &pointer[..end]).any(|member| {
        let (above, key) = member.rsplit_once('/').expect("it has a slash");
        let key = format!("`{}`", key.replace("~1", "/").replace("~0", "~"));
        imported.remarks.iter().any(|it| {
            it.place == above && it.what.contains(&key)
                || it.place == member && WHOLE.iter().any(|start| it.what.starts_with(start))
                || above.strip_suffix("/content") == Some(&it.place) && it.what.contains(&key)
        })
    })
}

/// Every member of a foreign document changes the result or the report: without it one of them differs.
fn nothing_vanishes_without_a_word() {
    let rich: Value = serde_json::from_str(include_str!("cases/openapi-rich.json")).expect("it is JSON");
    let pets: Value = serde_json::from_str(include_str!("cases/openapi-pets.json")).expect("it is JSON");
    let files: Value = serde_json::from_str(include_str!("cases/mcp-files.json")).expect("it is JSON");
    let orders: Value = serde_json::from_str(include_str!("cases/schema-orders.json")).expect("it is JSON");
    let mut vanished = Vec::new();
    for (name, format, document) in [
        ("rich", Foreign::OpenApi, rich),
        ("pets", Foreign::OpenApi, pets),
        ("files", Foreign::Mcp, files),
        ("orders", Foreign::JsonSchema, orders),
    ] {
        let whole = import(&document, format).expect("it is read");
        let mut pointers = Vec::new();
        members(&document, "", &mut pointers);
        for pointer in pointers {
            let part = without(&document, &pointer);
            let is_silent = SILENT.iter().any(|it| format!("{name}{pointer}").ends_with(it));
            let is_same = import(&part, format).is_ok_and(|it| it == whole);
            if is_same && !is_silent && !is_reported(&whole, &pointer) {
                vanished
                    .push(format!("{name}{pointer}: {}", document.pointer(&pointer).expect("it is there")));
            }
        }
    }
    assert!(vanished.is_empty(), "{}", vanished.join("\n"));
}

fn keywords_of_the_wrong_kind_are_reported() {
    for (key, value) in [
        ("minLength", json!("3")),
        ("maxLength", json!([])),
        ("pattern", json!(3)),
        ("minimum", json!("1")),
        ("multipleOf", json!({})),
        ("required", json!("a")),
        ("required", json!([1])),
        ("type", json!(3)),
        ("enum", json!("a")),
        ("anyOf", json!({})),
        ("properties", json!([])),
        ("description", json!(5)),
        ("deprecated", json!("yes")),
        ("uniqueItems", json!("no")),
        ("format", json!(1)),
        ("allOf", json!(1)),
    ] {
        let imported = import(&json!({"$defs": {"A": {"type": "string", key: value}}}), Foreign::JsonSchema)
            .expect("it is read");
        checked(&imported);
        let said = said(&imported);
        assert!(said.contains(&format!("`{key}`")), "{key}: {value}: {said}");
    }
}

fn texts_with_colons_in_skills_are_read_and_said() {
    for (front, summary, line) in [
        ("name: pdf\ndescription: Use for x: y\n", "Use for x: y", 3),
        ("description: Use for x: y\nname: pdf\n", "Use for x: y", 2),
        ("name: pdf\r\ndescription: Use for x: y\r\n", "Use for x: y", 3),
        ("name: pdf\ndescription: Use for\n  forms: and\n  'more': z\n", "Use for forms: and 'more': z", 3),
        ("name: pdf\nlicense: See: LICENSE\ndescription: Forms\n", "Forms", 3),
        ("name: pdf\nmetadata:\n  note: a: b\ndescription: Forms\n", "Forms", 4),
    ] {
        let skill = format!("---\n{front}---\n\n# PDF\n");
        let imported = import_skill(&skill, |_| None).unwrap_or_else(|it| panic!("{front}: {it}"));
        let text = checked(&imported).replace('"', "");
        assert!(text.contains(&format!("summary: {summary}\n")), "{text}");
        assert!(
            said(&imported).contains(&format!("line {line}: a text without quotes")),
            "{}",
            said(&imported)
        );
    }
}

fn front_matter_of_skills_that_is_no_yaml_says_its_line_and_the_remedy() {
    for (front, line) in [
        ("name: pdf\ndescription: \"Use\" it\n", 3),
        ("name: pdf\ndescription: [x\n", 3),
        ("name: pdf\ndescription: *bold*\n", 3),
        ("- name\n", 2),
    ] {
        let error = import_skill(&format!("---\n{front}---\n# A\n"), |_| None).expect_err(front).to_string();
        assert!(error.contains("put the text between quotes"), "{error}");
        let found: usize =
            error.split([' ', ':']).nth(1).and_then(|it| it.parse().ok()).expect("it has a line");
        assert!(found == line || found == line + 1, "{front}: {error}");
    }
}

fn fields_that_are_given_twice_are_reported_with_both_lines() {
    let skill = "---\nname: pdf\ndescription: First\nmetadata:\n  author: a\n  author: b\ndescription: Second\n---\n\n# PDF\n";
    let imported = import_skill(skill, |_| None).expect("it is a skill");
    assert!(checked(&imported).contains("summary: First\n"), "{}", imported.text);
    let said = said(&imported);
    assert!(
        said.contains("`description` in line 7: it is given twice, and the one in line 3 is taken"),
        "{said}"
    );
    assert!(
        said.contains("`metadata.author` in line 6: it is given twice, and the one in line 5 is taken"),
        "{said}"
    );
    let document = "---\nid: a\ntitle: A\nsummary: B\nsize_hints:\n  minimal: 1\n  minimal: 2\n---\n\n# A\n";
    let errors = super::errors(document);
    assert!(errors.iter().any(|it| it.contains("`size_hints.minimal` is given twice")), "{errors:?}");
}

fn the_narrower_of_two_bounds_counts() {
    let schema = json!({"$defs": {"A": {"type": "integer", "minimum": 3, "exclusiveMinimum": 1, "maximum": 5, "exclusiveMaximum": 9}}});
    let imported = import(&schema, Foreign::JsonSchema).expect("it is read");
    assert!(checked(&imported).contains("int.min(3).max(5)"), "{}", imported.text);
}
