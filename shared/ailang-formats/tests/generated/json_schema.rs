//! JSON Schema: three validators accept the same values.

use ailang_formats::{GenerateOptions, Language};
use jsonschema::Validator;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::subjects::{Subject, combined as to_combine, subjects};
use super::tools::{run, tool, trial};
use super::{combinations, driver, folder, write};

const AJV: &[&[&str]] = &[&["node", "-e", "require('ajv/dist/2020')"]];
const PYTHON: &[&[&str]] = &[&["python3", "-c", "import jsonschema"]];

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("json-schema", "the crate jsonschema", &[], || subjects().iter().try_for_each(by_the_crate)),
        trial("json-schema", "whatever is left out", &[], combined),
        trial("json-schema", "ajv", AJV, || by_driver("ajv", "node", "check-schema.cjs")),
        trial("json-schema", "Python's jsonschema", PYTHON, || {
            by_driver("python", "python3", "check-schema.py")
        }),
    ]
}

fn schema(subject: &Subject, options: &GenerateOptions) -> Result<Value, Failed> {
    Ok(serde_json::from_str(&subject.code(Language::JsonSchema, options))?)
}

/// Returns the validator of one definition.
fn validator(whole: &Value, name: &str) -> Result<Validator, Failed> {
    let mut schema = whole.clone();
    schema["$ref"] = json!(format!("#/$defs/{name}"));
    jsonschema::meta::validate(&schema).map_err(|it| it.to_string())?;
    Ok(jsonschema::draft202012::new(&schema).map_err(|it| it.to_string())?)
}

fn by_the_crate(subject: &Subject) -> Result<(), Failed> {
    let whole = schema(subject, &GenerateOptions::default())?;
    for vectors in subject.vectors().as_array().into_iter().flatten() {
        let name = vectors["name"].as_str().unwrap_or_default();
        let validator = validator(&whole, name)?;
        for (key, wanted) in [("ok", true), ("bad", false), ("newer", false)] {
            for value in vectors[key].as_array().into_iter().flatten() {
                let is_loose = vectors["loose"] == true && !wanted;
                if validator.is_valid(value) != wanted && !is_loose && !is_limit(value) {
                    return Err(format!("{name}: {value} should be {key}").into());
                }
            }
        }
    }
    Ok(())
}

/// Tells texts with a line break that the crate's patterns take for other characters.
fn is_limit(value: &Value) -> bool {
    value.as_str().is_some_and(|it| it.contains(['\r', '\u{2028}', '\u{2029}']))
}

fn combined() -> Result<(), Failed> {
    for subject in to_combine(subjects()) {
        for options in combinations() {
            let whole = schema(subject, &options)?;
            let definitions = whole["$defs"].as_object().ok_or("there are definitions")?;
            definitions.keys().try_for_each(|name| validator(&whole, name).map(drop))?;
            let text = whole.to_string();
            for (part, is_in) in [
                ("\"minLength\"", options.validators),
                ("x-ailang-requires", options.capabilities),
                ("x-ailang-recovery", options.errors),
            ] {
                let is_known = subject.name == "shop";
                if is_known && text.contains(part) != is_in {
                    return Err(format!("{part} with {options:?}").into());
                }
            }
        }
    }
    Ok(())
}

fn by_driver(name: &str, program: &str, script: &str) -> Result<(), Failed> {
    let folder = folder(&format!("json-schema-{name}"));
    let mut check = tool(program);
    check.arg(driver(script));
    for subject in subjects() {
        let (schema, vectors) = (
            folder.join(format!("{}.schema.json", subject.name)),
            folder.join(format!("{}.json", subject.name)),
        );
        write(&schema, &subject.code(Language::JsonSchema, &GenerateOptions::default()))?;
        write(&vectors, &subject.vectors().to_string())?;
        check.arg(schema).arg(vectors);
    }
    run(&mut check)?;
    Ok(())
}
