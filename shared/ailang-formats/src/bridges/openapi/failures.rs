//! Responses that are errors → errors of documents.

use std::collections::HashMap;

use ailang::print::quoted;
use ailang::syntax::{DefinitionKind, Documentation, ErrorDefinition, Member, Parameters};
use ailang::{Document, LONGEST_RECOVERY, plain};
use serde_json::{Map, Value};

use super::operation::OperationReader;
use crate::bridges::draft::{DraftItem, ErrorBody};
use crate::bridges::node::{field, named};
use crate::bridges::read::step;
use crate::bridges::words;

/// The errors so far.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) items: Vec<DraftItem>,
    /// The names of errors by status, or by the pointer of their schema.
    names: HashMap<String, String>,
}

/// The properties of an error that an export of ours adds, and that are code.
const PROPERTIES: &[&str] = &["message", "recovery", "retryable", "retryAfter", "userMessage", "maxRetries"];

impl<'v> OperationReader<'v> {
    /// Adds the errors of an export of ours, also those that no operation names.
    pub(super) fn declare_errors(&mut self) {
        for (key, schema) in rows(self.root.pointer("/components/schemas")) {
            if schema.get("x-ailang-error").is_some() {
                self.declared(schema, &format!("/components/schemas/{}", step(key)));
            }
        }
    }

    /// Returns the names of the errors that a response means.
    pub(super) fn thrown(&mut self, status: &str, response: &'v Value, at: &str) -> Vec<String> {
        let schema = response.pointer("/content/application~1json/schema");
        let members = schema.and_then(|it| it.get("oneOf")).and_then(Value::as_array);
        let ours: Option<Vec<(&'v Value, String)>> = members.map(|members| {
            let place = format!("{at}/content/application~1json/schema/oneOf");
            members.iter().filter_map(|it| self.followed(it, &place)).collect()
        });
        match ours.filter(|it| !it.is_empty() && it.iter().all(|(it, _)| it.get("x-ailang-error").is_some()))
        {
            Some(ours) => ours.into_iter().map(|(schema, place)| self.declared(schema, &place)).collect(),
            None => vec![self.by_status(status, response, at)],
        }
    }

    /// Adds an error that an export of ours declares.
    pub(super) fn declared(&mut self, schema: &'v Value, at: &str) -> String {
        if let Some(name) = self.failures.names.get(at) {
            return name.clone();
        }
        let wanted = schema.pointer("/properties/error/const").and_then(Value::as_str).unwrap_or("Failure");
        let name = self.free_name(wanted);
        let parameters = schema.pointer("/properties/params").and_then(Value::as_object);
        let parameters = parameters.map(|keywords| {
            let place = format!("{at}/properties/params");
            let members = self.schemas.argument_fields(keywords, &place);
            self.schemas.parameters(members, &place)
        });
        let properties = schema["x-ailang-error"].as_object();
        let mut code = String::new();
        for key in PROPERTIES {
            let Some(Value::String(words)) = properties.and_then(|it| it.get(*key)) else { continue };
            if is_property(key, words) {
                code.push_str(&format!("  {key} = {words}\n"));
            } else {
                self.schemas.remarks.lost(at, format!("`{key}` of the error"), "it is not one expression");
            }
        }
        let plain = format!("  message = {}\n  recovery = {}\n", quoted(&name), quoted(RECOVERY));
        let body = ErrorBody { code: if code.is_empty() { plain.clone() } else { code }, plain };
        let documentation = words::description(schema, at, &mut self.schemas.remarks);
        self.add(at, &name, parameters, documentation, body, at);
        name
    }

    /// Adds an error for a status of HTTP.
    fn by_status(&mut self, status: &str, response: &Value, at: &str) -> String {
        if let Some(name) = self.failures.names.get(status).cloned() {
            self.advised(status, &name, at);
            return name;
        }
        let name = self.free_name(&reason(status));
        self.advised(status, &name, at);
        let (recovery, is_retryable) = advice(status);
        let about = response.get("description").and_then(Value::as_str).unwrap_or_default();
        let about = plain(about, LONGEST_RECOVERY);
        let documentation = words::comment(&about, at, &mut self.schemas.remarks);
        let detail = Member { ..field("detail", false, named("string"), Documentation::default()) };
        let parameters = self.schemas.parameters(vec![detail], at);
        let message = format!(
            "\"{}: ${{detail}}\"",
            if status == "default" {
                "The service failed".to_owned()
            } else {
                plain(status, 3).replace(|it: char| !it.is_ascii_alphanumeric(), "?")
            }
        );
        let code = format!(
            "  message = {message}\n  recovery = {}\n  retryable = {is_retryable}\n",
            quoted(recovery)
        );
        let body = ErrorBody { plain: code.clone(), code };
        self.add(status, &name, Some(parameters), documentation, body, at);
        name
    }

    /// Reports that a response is an error without the content of the response.
    fn advised(&mut self, status: &str, name: &str, at: &str) {
        let what = format!("the response {}", plain(status, 10));
        let why = format!("it is the error `{name}`, with advice by its status and without its content");
        self.schemas.remarks.changed(at, what, why);
    }

    fn add(
        &mut self,
        key: &str,
        name: &str,
        parameters: Option<Parameters>,
        documentation: Documentation,
        body: ErrorBody,
        at: &str,
    ) {
        let kind = DefinitionKind::Error(ErrorDefinition { parameters, properties: Vec::new() });
        let mut item = DraftItem::new(name, kind, documentation, at);
        item.body = Some(body);
        self.failures.items.push(item);
        self.failures.names.insert(key.to_owned(), name.to_owned());
    }
}

const RECOVERY: &str = "Read the message; change the call, or tell the user.";

/// Returns `true` if the words are the value of that property, and nothing else.
fn is_property(key: &str, words: &str) -> bool {
    let is_fenced = words.contains("```") || words.contains("~~~") || words.contains("</");
    let hides = words
        .chars()
        .any(|char| char != '\n' && ailang::visible_line(&char.to_string(), 20) != char.to_string());
    if is_fenced || hides || words.chars().count() > 4 * LONGEST_RECOVERY {
        return false;
    }
    let source = format!(
        "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\n```ts\nerror A {{\n  {key} = {words}\n}}\n```\n</define>\n"
    );
    let document = Document::parse(source);
    let mut definitions = document.definitions();
    let (Some(only), None) = (definitions.next(), definitions.next()) else { return false };
    let DefinitionKind::Error(error) = &only.kind else { return false };
    document.diagnostics.is_empty()
        && error.properties.len() == 1
        && document.text(error.properties[0].value.span) == words
}

/// Returns the phrase of a status.
fn reason(status: &str) -> String {
    let phrase = match status {
        "400" => "BadRequest",
        "401" => "Unauthorized",
        "402" => "PaymentRequired",
        "403" => "Forbidden",
        "404" => "NotFound",
        "405" => "MethodNotAllowed",
        "406" => "NotAcceptable",
        "408" => "RequestTimeout",
        "409" => "Conflict",
        "410" => "Gone",
        "412" => "PreconditionFailed",
        "413" => "ContentTooLarge",
        "415" => "UnsupportedMediaType",
        "422" => "UnprocessableContent",
        "429" => "TooManyRequests",
        "500" => "InternalServerError",
        "501" => "NotImplemented",
        "502" => "BadGateway",
        "503" => "ServiceUnavailable",
        "504" => "GatewayTimeout",
        "default" => "ServiceError",
        other => return format!("Status{}", other.to_ascii_uppercase()),
    };
    phrase.to_owned()
}

/// Returns advice for a status, and `true` if a repetition may help.
fn advice(status: &str) -> (&'static str, bool) {
    match status {
        "408" | "429" | "502" | "503" | "504" => ("Wait, then try again.", true),
        "401" | "403" => ("Do not repeat the call; tell the user which permission is missing.", false),
        "404" | "410" => ("Check the identifier; list what exists.", false),
        status if status.starts_with('5') => ("Try once more; then report it.", true),
        _ => (RECOVERY, false),
    }
}

/// Returns the properties of an object of JSON.
pub(super) fn rows(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
