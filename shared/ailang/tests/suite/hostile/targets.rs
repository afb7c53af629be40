//! Properties that hold for any bytes, for the fuzzer and for plain tests.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use ailang::split::Part;
use ailang::{
    CapabilityMode, Document, Documents, Level, Provider, Runtime, RuntimeSettings, RuntimeSetup, Strictness,
    ValidationMode, Values, check_value, format, validate,
};
use dialect::code::Code;
use dialect::{Handler, Invocation, Limits, Pattern, Refinement, Type, Value};
use futures::executor::block_on;
use source_text::{LineIndex, Span};

/// Returns the target of that name.
pub(crate) fn target(name: &str) -> fn(&[u8]) {
    match name {
        "scan" => scan,
        "lex" => lex,
        "parse" => parse,
        "front_matter" => front_matter,
        "regex" => regex,
        "value" => value,
        "layout" => layout,
        "run" => run,
        _ => panic!("there is no target `{name}`"),
    }
}

/// The parts of a document contain every byte of it.
fn scan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let document = Document::parse(text.as_ref());
    let whole: String = document.parts.iter().map(|part| document.text(part.span())).collect();
    assert_eq!(whole, text);
}

/// Tokens follow each other, and their places are correct.
fn lex(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let code = Code::read(&text, Span::new(0, text.len()), &Limits::default());
    let mut at = 0;
    for token in code.tokens() {
        assert!(text.get(token.span.range()).is_some() && token.span.start >= at, "{token:?} in {text}");
        at = token.span.end;
    }
}

/// Every part of a parsed document has a place, can be shown, and is extracted at each level.
fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for source in [text.to_string(), within("define", &text), within("example", &text)] {
        checked(&source);
    }
}

fn within(block: &str, code: &str) -> String {
    format!("---\nid: a\ntitle: A\nsummary: S\n---\n<{block}>\n{code}\n</{block}>\n")
}

fn checked(source: &str) {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(source));
    let found = validate(&documents, "a.md", Strictness::Strict).expect("it was added");
    let document = documents.get("a.md").expect("it was added");
    let index = LineIndex::new(source);
    for diagnostic in &found {
        assert!(source.get(diagnostic.span.range()).is_some(), "{diagnostic:?} in {source}");
        assert!(!diagnostic.show("a.md", source, &index).is_empty(), "{diagnostic:?} in {source}");
        for fix in &diagnostic.fixes {
            assert!(source.get(fix.span.range()).is_some(), "{diagnostic:?} in {source}");
        }
    }
    for level in Level::ALL {
        document.at(level);
    }
}

/// Front matter has its place in the document whatever the YAML is, and the rest is still parsed.
fn front_matter(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let yaml: String = text
        .lines()
        .filter(|line| !matches!(line.trim_end(), "---" | "..."))
        .fold(String::new(), |yaml, line| yaml + line + "\n");
    let source = format!("---\n{yaml}---\nText.\n");
    let document = Document::parse(source.as_str());
    let reported = document.diagnostics.iter().all(|it| source.get(it.span.range()).is_some());
    assert!(reported, "{source}\n{:?}", document.diagnostics);
    assert!(matches!(document.parts[0], Part::FrontMatter { .. }), "{source}");
    layout(source.as_bytes());
}

/// The examples of a document run to an end, whatever their tools return.
fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for source in [text.to_string(), within("example", &text)] {
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source));
        let settings = RuntimeSettings {
            capabilities: CapabilityMode::Audit,
            validation: ValidationMode::None,
            steps: 20_000,
            ..RuntimeSettings::default()
        };
        let setup = RuntimeSetup {
            settings,
            providers: vec![Arc::new(Echoes)],
            libraries: vec![core_library::library()],
            ..RuntimeSetup::default()
        };
        let Ok(runtime) = Runtime::new(documents, "a.md", setup) else { continue };
        for index in 0..runtime.examples().len() {
            assert!(block_on(runtime.run_example(index)).is_some(), "{text}");
        }
    }
}

/// Every tool returns its arguments.
struct Echoes;

impl Provider for Echoes {
    fn implementation(&self, _: &str) -> Option<Arc<dyn Handler>> {
        Some(Arc::new(|invocation: Invocation| async move { Ok(Value::Object(invocation.arguments.0)) }))
    }
}

/// A pattern (the first line) is translated and matched against a text (the rest) in bounded time.
fn regex(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, subject) = text.split_once('\n').unwrap_or((&text, ""));
    let started = Instant::now();
    for flags in ["", "i", "u", "iu"] {
        let Ok(pattern) = Pattern::parse(pattern, flags) else { continue };
        Refinement::Regex(pattern).holds(&Value::from(subject.to_owned()));
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{pattern} on {subject}");
}

/// A value either fits a type or has problems. A coerced value fits, and is not coerced again.
fn value(bytes: &[u8]) {
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(bytes) else { return };
    for ty in TYPES.iter() {
        let checked = check_value(ty, &json);
        assert!(checked.err().is_none_or(|problems| !problems.is_empty()), "{ty:?} of {json}");
        let Ok(made) = Values::default().coerce(ty, &json) else { continue };
        assert!(check_value(ty, &made.value).is_ok(), "{ty:?} of {json}: {}", made.value);
    }
}

static TYPES: LazyLock<Vec<Type>> = LazyLock::new(|| {
    let types = [
        "int.min(0).max(150)",
        "number.multipleOf(0.5)",
        "string.minLength(1).regex(/^[a-z]+$/)",
        "string.email()",
        "\"low\" | \"high\"",
        "bool",
        "List<string.nonEmpty()>.minItems(1).unique()",
        "Map<string, int>",
        "{a: string, b?: List<{c: int}>}",
    ];
    types.map(|it| Type::parse(it).expect("it is a type")).to_vec()
});

/// A formatted document means the same, and stays unchanged when it is formatted again.
fn layout(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(formatted) = format(&text) else { return };
    let again = format(&formatted).unwrap_or_else(|refused| panic!("{text}\n{formatted}\n{refused:?}"));
    assert_eq!(again, formatted, "{text}");
    let definitions = |source: &str| Document::parse(source).definitions().count();
    assert_eq!(definitions(&formatted), definitions(&text), "{text}\n{formatted}");
}
