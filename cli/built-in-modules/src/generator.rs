//! `generator`: code in other languages.

use ailang_formats::{GenerateOptions, GeneratedFile, Language, generate};
use dialect::{Failure, Value};
use serde_json::{Value as Json, json};
use source_text::LineIndex;

use crate::call::{Call, result};
use crate::validator::{Whole, whole};

pub(crate) fn generate_code(call: &Call) -> Result<Value, Failure> {
    let Whole { documents, path } = whole(call)?;
    let config = call.invocation.arguments.get("config").map(Value::to_json).unwrap_or_default();
    let target = config["targetLanguage"].as_str().unwrap_or_default();
    let Some(language) = Language::parse(target) else {
        let params = json!({"target": target, "reason": "there is no such language"});
        return Ok(result(Err(call.run.error("GeneratorError", params))));
    };
    let generated = match generate(&documents, &path, language, &options(&config["options"])) {
        Ok(generated) => generated,
        Err(errors) => {
            let reason = errors.first().map_or_else(String::new, |(path, error)| {
                let source = documents.get(path).map_or("", |it| it.source.as_str());
                error.show(path, source, &LineIndex::new(source))
            });
            let error = call.run.error("GeneratorError", json!({"target": target, "reason": reason}));
            return Ok(result(Err(error)));
        }
    };
    for warning in &generated.warnings {
        call.run.log(format!("{}: {}", warning.code, warning.message));
    }
    let folder = config["outputDir"].as_str().unwrap_or_default().trim_end_matches('/');
    let placed = |file: &str| if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
    let file = |it: &GeneratedFile| {
        let (path, language) = (placed(&it.path), it.language.name());
        json!({"path": path, "content": it.content, "language": language})
    };
    Ok(result(Ok(generated.files.iter().map(file).collect::<Json>().into())))
}

/// Reads the options; those that are left out are true.
fn options(given: &Json) -> GenerateOptions {
    let is_on = |name: &str| given[name] != false;
    GenerateOptions {
        types: is_on("generateTypes"),
        validators: is_on("generateValidators"),
        capabilities: is_on("generateCapabilities"),
        errors: is_on("generateErrors"),
        documentation: is_on("includeDocumentation"),
        style: given["style"].as_object().cloned().unwrap_or_default(),
        ..GenerateOptions::default()
    }
}
