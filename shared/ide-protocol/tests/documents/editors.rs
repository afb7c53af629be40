//! EDITORS.md: what stands between `<!-- generated: SUBJECT -->` and `<!-- end -->` comes from the types.

use std::path::Path;

use expect_test::expect_file;
use ide_protocol::{Operation, PROGRESS_METHOD};

use crate::schema::schema;
use crate::{tables, types};

pub(crate) fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("EDITORS.md");
    std::fs::read_to_string(path).expect("EDITORS.md can be read")
}

#[test]
fn generated_parts_are_those_of_the_types() {
    const START: &str = "<!-- generated: ";
    const END: &str = "<!-- end -->";
    let document = document();
    let schema = schema();
    let mut parts = document.split(START);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (subject, rest) = part.split_once(" -->\n").expect("a part names its subject");
        let (_, after) = rest.split_once(END).expect("a part ends");
        let table = match subject {
            "errors" => tables::errors(&schema),
            name => tables::fields(&schema, name),
        };
        written.push_str(&format!("{START}{subject} -->\n\n{table}\n{END}{after}"));
    }
    expect_file!["../../EDITORS.md"].assert_eq(&written);
}

#[test]
fn everything_is_described() {
    let document = document();
    for operation in Operation::ALL {
        assert!(document.contains(&format!("## `{}`", operation.method())), "{operation} has no section");
    }
    assert!(document.contains(PROGRESS_METHOD));
    for wire in types() {
        let table = format!("<!-- generated: {} -->", wire.name);
        assert!(document.contains(&table), "{} has no table", wire.name);
    }
}
