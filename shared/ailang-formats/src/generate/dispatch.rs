//! The choice of the target.

use ailang::{Code, Diagnostics, Documents};
use serde_json::Value;

use super::go::Go;
use super::hoisted::hoisted;
use super::json_schema::JsonSchema;
use super::options::{GenerateOptions, Language};
use super::python::Python;
use super::rust::Rust;
use super::target::{DocumentErrors, Generated, GeneratedFile, Target, valid_model, warn};
use super::typescript::TypeScript;

/// Generates code for the document at `path`: the same text for the same documents and options.
///
/// # Errors
/// The errors of the documents with their paths; empty without a document at `path`.
pub fn generate(
    documents: &Documents,
    path: &str,
    language: Language,
    options: &GenerateOptions,
) -> Result<Generated, DocumentErrors> {
    let (model, mut warnings) = valid_model(documents, path)?;
    let target: &dyn Target = match language {
        Language::TypeScript => &TypeScript,
        Language::JsonSchema => &JsonSchema,
        Language::Python => &Python,
        Language::Rust => &Rust,
        Language::Go => &Go,
    };
    let model = match target.nameless() {
        Some(nameless) => hoisted(model, nameless),
        None => model,
    };
    let mut diagnostics = Diagnostics::default();
    for key in options.style.keys().filter(|key| !target.styles().contains(&key.as_str())) {
        let known = match target.styles() {
            [] => format!("{} has no styles", language.name()),
            known => format!("{} has {}", language.name(), known.join(", ")),
        };
        warn(&mut diagnostics, Code::STYLE, format!("no style is called `{key}`")).help(known);
    }
    let mut files = vec![(language.file_name(&model.id), target.print(&model, options, &mut diagnostics))];
    if let Some((path, content)) = target.runtime(options).filter(|_| options.runtime) {
        files.push((path.to_owned(), content));
    }
    if let (Some(unit), Some(indent)) = (target.indentation(), options.style.get("indent")) {
        match indentation(indent) {
            Some(indent) => {
                files.iter_mut().for_each(|(_, content)| *content = indented(content, unit, &indent));
            }
            None => drop(warn(
                &mut diagnostics,
                Code::STYLE,
                "the style `indent` is 1 to 8, or \"tab\"".to_owned(),
            )),
        }
    }
    warnings.extend(diagnostics.into_sorted());
    let files = files.into_iter().map(|(path, content)| GeneratedFile { path, content, language });
    Ok(Generated { files: files.collect(), warnings })
}

/// Returns one level of indentation: that many spaces, or a tab.
fn indentation(style: &Value) -> Option<String> {
    match style {
        Value::String(tab) if tab == "tab" => Some("\t".to_owned()),
        style => style.as_u64().filter(|it| (1..=8).contains(it)).map(|it| " ".repeat(it as usize)),
    }
}

/// Returns code with another indentation than `unit` spaces.
fn indented(code: &str, unit: usize, indent: &str) -> String {
    let line = |line: &str| {
        let text = line.trim_start_matches(' ');
        let spaces = line.len() - text.len();
        format!("{}{}{text}\n", indent.repeat(spaces / unit), " ".repeat(spaces % unit))
    };
    code.lines().map(line).collect()
}
