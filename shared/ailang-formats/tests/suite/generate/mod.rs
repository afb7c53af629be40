//! Generated code: the same meaning as the checks of values, options, styles, and the text for documents in
//! `tests/suite/generate`.

mod names;

use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{GenerateOptions, GeneratedFile, Language, generate};
use expect_test::{expect, expect_file};
use libtest_mimic::Trial;
use serde_json::json;

use crate::vectors::vectors;

pub(crate) fn trials() -> Vec<Trial> {
    [
        literate::trials![
            code_for_documents_is_as_recorded,
            documents_with_errors_and_unknown_styles_are_reported,
            code_has_the_indentation_of_its_style,
            languages_with_a_runtime_write_it_beside_the_code,
            code_has_no_more_than_it_needs,
            every_type_has_accepted_and_refused_values
        ],
        names::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn read(path: impl AsRef<Path>) -> Documents {
    let mut documents = Documents::new();
    let path = path.as_ref();
    let source = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    documents.insert(path.file_name().expect("it is a file").to_string_lossy(), Document::parse(source));
    documents
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn code_for_documents_is_as_recorded() {
    for name in ["shop", "words", "sky"] {
        let documents = read(folder(&format!("tests/suite/generate/{name}.md")));
        let mut warnings = Vec::new();
        for language in Language::ALL {
            let made = generate(&documents, &format!("{name}.md"), language, &GenerateOptions::default());
            let made = made.unwrap_or_else(|errors| panic!("{errors:#?}"));
            let again = generate(&documents, &format!("{name}.md"), language, &GenerateOptions::default());
            assert_eq!(again.as_ref(), Ok(&made), "it is deterministic");
            for file in &made.files {
                expect_file![folder(&format!("tests/suite/generate/{name}/{}.txt", file.path))]
                    .assert_eq(&file.content);
            }
            warnings.extend(made.warnings.iter().map(|it| format!("{}: {}\n", language.name(), it.message)));
        }
        expect_file![folder(&format!("tests/suite/generate/{name}/warnings.txt"))]
            .assert_eq(&warnings.concat());
    }
}

fn code_has_no_more_than_it_needs() {
    let documents = read(folder("tests/suite/generate/sky.md"));
    for language in [Language::Go, Language::Rust, Language::Python, Language::TypeScript] {
        let made =
            generate(&documents, "sky.md", language, &GenerateOptions::default()).expect("it is valid");
        let lines = made.files[0].content.lines().count();
        assert!(lines <= 150, "{}: {lines} lines", language.name());
    }
}

fn documents_with_errors_and_unknown_styles_are_reported() {
    let mut documents = Documents::new();
    let head = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\n";
    documents.insert("a.md", Document::parse(format!("{head}tool f(a: Strnig)\n</define>\n")));
    let options = GenerateOptions::default();
    let errors = generate(&documents, "a.md", Language::Python, &options).expect_err("a type is unknown");
    assert_eq!(errors[0].1.message, "no type is called `Strnig`");

    documents.insert("a.md", Document::parse(format!("{head}tool f(a: string)\n</define>\n")));
    assert_eq!(generate(&documents, "b.md", Language::Python, &options), Err(Vec::new()));
    let style = json!({"semi": 3, "quotes": "none", "tabs": true, "indent": 9}).as_object().unwrap().clone();
    let options = GenerateOptions { style, ..options };
    let warnings = |language| {
        let made = generate(&documents, "a.md", language, &options).expect("it is valid");
        made.warnings.iter().map(|it| format!("{}: {}\n", it.code, it.message)).collect::<String>()
    };
    expect![[r#"
        AL6002: no style is called `tabs`
        AL6002: the style `indent` is 1 to 8, or "tab"
        AL6002: the style `quotes` is "double" or "single"
        AL6002: the style `semi` is true or false
    "#]]
    .assert_eq(&warnings(Language::TypeScript));
    expect![[r#"
        AL6002: no style is called `quotes`
        AL6002: no style is called `semi`
        AL6002: no style is called `tabs`
        AL6002: the style `indent` is 1 to 8, or "tab"
    "#]]
    .assert_eq(&warnings(Language::Python));
    assert!(warnings(Language::Go).contains("no style is called `indent`"), "gofmt has one layout only");
}

fn languages_with_a_runtime_write_it_beside_the_code() {
    let documents = read(folder("tests/suite/generate/words.md"));
    for language in Language::ALL {
        for runtime in [false, true] {
            let options = GenerateOptions { runtime, ..GenerateOptions::default() };
            let made = generate(&documents, "words.md", language, &options).expect("it is valid");
            let files = 1 + usize::from(runtime && language.has_runtime());
            assert_eq!(made.files.len(), files, "{}", language.name());
            assert!(made.files.iter().skip(1).all(|it| GeneratedFile::is_generated(&it.content)));
        }
    }
}

fn code_has_the_indentation_of_its_style() {
    let documents = read(folder("tests/suite/generate/words.md"));
    let code = |language, indent: serde_json::Value| {
        let style = json!({"indent": indent}).as_object().unwrap().clone();
        let options = GenerateOptions { style, ..GenerateOptions::default() };
        generate(&documents, "words.md", language, &options).expect("it is valid").files[0].content.clone()
    };
    assert!(code(Language::TypeScript, json!(4)).contains("{\n    result: Record_;\n}"));
    assert!(code(Language::TypeScript, json!("tab")).contains("{\n\tresult: Record_;\n}"));
    assert!(code(Language::Python, json!(2)).contains("class Promise(_Struct):\n  result: Record\n"));
    assert!(code(Language::Rust, json!(2)).contains("pub struct Promise {\n  pub result: Record,\n"));
    let schema = code(Language::JsonSchema, json!(1));
    assert!(schema.starts_with("{\n \"$schema\""), "{schema}");
    assert!(code(Language::Python, json!(4)).contains("class Promise(_Struct):\n    result: Record\n"));
}

fn every_type_has_accepted_and_refused_values() {
    for (name, without) in [("shop", "JSONValue open.output"), ("words", "")] {
        let documents = read(folder(&format!("tests/suite/generate/{name}.md")));
        for it in vectors(&documents, &format!("{name}.md")).expect("it is valid") {
            let is_anything = without.split(' ').any(|other| other == it.name);
            assert!(
                !it.ok.is_empty() && it.bad.is_empty() == is_anything,
                "{}: {} {}",
                it.name,
                it.ok.len(),
                it.bad.len()
            );
        }
    }
}
