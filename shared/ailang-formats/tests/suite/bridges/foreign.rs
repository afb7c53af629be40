//! Documents of other formats, as people and programs write them. Each case is a file in `cases`, beside the document and
//! the remarks that come of it.

use std::path::Path;

use ailang_formats::{Foreign, Imported, import, import_skill};
use expect_test::expect_file;
use libtest_mimic::Trial;

use super::checked;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        tools_of_servers_are_read,
        interfaces_of_services_are_read,
        schemas_of_libraries_are_read,
        skills_of_others_are_read,
        what_is_not_of_the_format_is_refused
    ]
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/bridges/cases").join(name);
    std::fs::read_to_string(path).expect("it is there")
}

/// Compares the document and the remarks with the recorded ones.
fn check(name: &str, imported: &Imported) {
    checked(imported);
    let remarks: String = imported.remarks.iter().map(|it| format!("{it}\n")).collect();
    expect_file![format!("cases/{name}.expected.md")]
        .assert_eq(&format!("{}\n<!-- remarks\n{remarks}-->\n", imported.text));
}

fn check_json(name: &str, format: Foreign) {
    let value = serde_json::from_str(&read(&format!("{name}.json"))).expect("it is JSON");
    check(name, &import(&value, format).unwrap_or_else(|error| panic!("{name}: {error}")));
}

fn tools_of_servers_are_read() {
    check_json("mcp-files", Foreign::Mcp);
}

fn interfaces_of_services_are_read() {
    check_json("openapi-pets", Foreign::OpenApi);
    check_json("openapi-old", Foreign::OpenApi);
}

fn schemas_of_libraries_are_read() {
    check_json("schema-orders", Foreign::JsonSchema);
    check_json("schema-choices", Foreign::JsonSchema);
}

fn skills_of_others_are_read() {
    check("skill-pdf", &import_skill(&read("skill-pdf.md"), |_| None).expect("it is a skill"));
}

fn what_is_not_of_the_format_is_refused() {
    for (text, format, why) in [
        ("[]", Foreign::JsonSchema, "a JSON Schema is an object"),
        (r#"{"title": "A"}"#, Foreign::JsonSchema, "it describes no type: it has neither `$defs` nor `type`"),
        (r#"{"swagger": "2.0"}"#, Foreign::OpenApi, "it has Swagger 2; OpenAPI 3.1 and 3.0 are read"),
        ("{}", Foreign::OpenApi, "it has no `openapi: 3.x`; OpenAPI 3.1 and 3.0 are read"),
        ("{}", Foreign::Mcp, "it has no list `tools`, as a result of `tools/list` has"),
    ] {
        let value = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(import(&value, format).expect_err(text).to_string(), why);
    }
    for (text, why) in [
        ("# A", "it has no front matter between lines `---`"),
        ("---\nname: a\n---\n", "its front matter has no `name`, or no `description`"),
    ] {
        assert_eq!(import_skill(text, |_| None).expect_err(text).to_string(), why);
    }
}
