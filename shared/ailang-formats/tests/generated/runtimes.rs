//! Runtimes of generated code: the examples in `examples/runtimes` run with the document that they name, and do the same
//! in each language.

use std::path::{Path, PathBuf};

use ailang::{Document, Documents};
use ailang_formats::{GenerateOptions, Language, generate};
use expect_test::{expect, expect_file};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::tools::{run, tool, trial};
use super::{folder, python, typescript, write};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("typescript", "a runtime asks, checks, retries and keeps an audit", typescript::NEEDS, || {
            by_node()
        }),
        trial("python", "a runtime asks, checks, retries and keeps an audit", python::NEEDS, by_python),
    ]
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The document of the examples.
const EMAIL: &str = "shared/ailang/corpus/skills/email-sender.md";

/// Writes a program to a folder, with the code of a document and the runtime.
fn prepare(
    folder: &Path,
    document: &str,
    program: &str,
    language: Language,
    style: &Value,
) -> Result<(), Failed> {
    let mut documents = Documents::new();
    let source = std::fs::read_to_string(root().join(document))?;
    documents.insert("document.md", Document::parse(source));
    let style = style.as_object().cloned().unwrap_or_default();
    let options = GenerateOptions { runtime: true, style, ..GenerateOptions::default() };
    let made = generate(&documents, "document.md", language, &options);
    for file in made.map_err(|errors| format!("{errors:?}"))?.files {
        write(&folder.join(file.path), &file.content)?;
    }
    let name = Path::new(program).file_name().ok_or("it is a file")?;
    std::fs::copy(root().join(program), folder.join(name))?;
    Ok(())
}

/// Compares what an example prints with what each of them should.
fn is_as_expected(printed: &str) {
    expect_file!["runtimes.expected.txt"].assert_eq(printed);
}

fn by_node() -> Result<(), Failed> {
    let folder = folder("typescript-runtime");
    let styles = [json!({}), json!({"semi": false, "quotes": "single", "indent": "tab"})];
    for (at, style) in styles.iter().enumerate() {
        let folder = folder.join(format!("style{at}"));
        prepare(&folder, EMAIL, "examples/runtimes/send-mail.ts", Language::TypeScript, style)?;
    }
    typescript::compile(&folder)?;
    for at in 0..styles.len() {
        is_as_expected(&run(tool("node").arg(folder.join(format!("out/style{at}/send-mail.js"))))?);
    }
    Ok(())
}

fn by_python() -> Result<(), Failed> {
    let folder = folder("python-runtime");
    prepare(&folder, EMAIL, "examples/runtimes/send_mail.py", Language::Python, &json!({}))?;
    let (shop, program) = (
        "shared/ailang-formats/tests/suite/generate/shop.md",
        "shared/ailang-formats/tests/generated/drivers/callback.py",
    );
    prepare(&folder, shop, program, Language::Python, &json!({}))?;
    python::is_typed(&folder)?;
    is_as_expected(&run(tool("python3").args(["-W", "error", "send_mail.py"]).current_dir(&folder))?);
    let printed = run(tool("python3").args(["-W", "error", "callback.py"]).current_dir(&folder))?;
    expect![[r#"
        Lamp
        watched [1]
        {'query': 'lamp', 'level': 2, 'limit': 20}
        State.OPEN
    "#]]
    .assert_eq(&printed);
    Ok(())
}
