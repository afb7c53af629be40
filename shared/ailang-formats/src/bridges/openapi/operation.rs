//! Operations → tools.

use std::collections::BTreeSet;

use ailang::syntax::{DefinitionKind, Documentation, Member, MemberKind, Parameters, Tool, Type};
use ailang::{LONGEST_SUMMARY, plain, visible_line};
use serde_json::{Map, Value};
use source_text::Span;

use super::failures::Failures;
use super::permissions::Permissions;
use super::tags::TAGS;
use super::unread::{BODY, MEDIA_TYPE, PARAMETER, RESULT};
use crate::bridges::draft::{Draft, DraftItem, Header};
use crate::bridges::identifier::small_name;
use crate::bridges::node::{field, named, requirement};
use crate::bridges::read::{SchemaReader, step};
use crate::bridges::words::{self, tag};

/// The maximum length of a chain of references.
const LONGEST_CHAIN: usize = 32;

/// The maximum number of parameters of an operation.
const MOST_PARAMETERS: usize = 300;

/// A reader of operations.
pub(super) struct OperationReader<'v> {
    pub(super) root: &'v Value,
    pub(super) schemas: SchemaReader<'v>,
    pub(super) permissions: Permissions,
    pub(super) failures: Failures,
    /// The pointers of the components that were referred to.
    pub(super) followed: BTreeSet<String>,
    tools: Vec<DraftItem>,
}

impl<'v> OperationReader<'v> {
    pub(super) fn new(root: &'v Value, schemas: SchemaReader<'v>) -> Self {
        let (permissions, failures) = (Permissions::default(), Failures::default());
        Self { root, schemas, permissions, failures, followed: BTreeSet::new(), tools: Vec::new() }
    }

    /// Returns all definitions as a document: capabilities, types, errors, tools.
    pub(super) fn into_draft(mut self, header: Header, prose: String) -> Draft {
        self.schemas.read_pending();
        let items = self.permissions.items.into_iter().chain(self.schemas.types);
        let items = items.chain(self.failures.items).chain(self.tools).collect();
        Draft { header, prose, items, remarks: self.schemas.remarks }
    }

    /// Adds the tool of an operation.
    pub(super) fn operation(&mut self, path: &str, method: &str, item: &'v Map<String, Value>, at: &str) {
        let Some(operation) = item[method].as_object() else {
            self.schemas.remarks.lost(at, "an operation", "it is no object");
            return;
        };
        let name = self.name(path, method, operation, at);
        let mut documentation = words::description(&item[method], at, &mut self.schemas.remarks);
        if documentation.text.is_empty()
            && let Some(summary) = operation.get("summary").and_then(Value::as_str)
        {
            documentation.text = words::comment(summary, at, &mut self.schemas.remarks).text;
        }
        self.tags(method, operation, &mut documentation, at);
        let parameters = self.parameters(item, operation, at);
        let (returns, throws) = self.responses(operation, at);
        let mut requires = self.requirements(operation, at);
        if requires.is_empty() {
            requires = vec![requirement("ToolExecution", Vec::new())];
            self.schemas.remarks.added(
                at,
                "requires ToolExecution",
                "so that the user is asked before it runs",
            );
        }
        self.report_operation(operation, at);
        let throws = throws.iter().map(|it| crate::bridges::node::path(it)).collect();
        let tool = Tool { parameters, returns: Some(returns), requires, throws, body: None };
        self.tools.push(DraftItem::new(&name, DefinitionKind::Tool(tool), documentation, at));
    }

    fn name(&mut self, path: &str, method: &str, operation: &Map<String, Value>, at: &str) -> String {
        let given = operation.get("operationId").and_then(Value::as_str);
        let wanted = given.map_or_else(|| format!("{method} {path}"), str::to_owned);
        let name = self.schemas.taken.free(small_name(&wanted, "operation"));
        if given != Some(&name) || path != format!("/{name}") || method != "post" {
            let what = format!("{} {}", method.to_uppercase(), plain(path, 100));
            self.schemas.remarks.changed(
                at,
                what,
                format!("the tool is called `{name}`; documents do not know HTTP"),
            );
        }
        name
    }

    /// Adds the tags that the method means, or those of an export of ours.
    fn tags(
        &mut self,
        method: &str,
        operation: &Map<String, Value>,
        documentation: &mut Documentation,
        at: &str,
    ) {
        if let Some(Value::Array(tags)) = operation.get("x-ailang-tags") {
            for text in tags.iter().filter_map(Value::as_str) {
                let line = visible_line(text, LONGEST_SUMMARY);
                let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
                let name = name.trim_start_matches('@');
                if !TAGS.contains(&name) {
                    self.schemas.remarks.lost(at, "a tag", "tags that change other tools are not imported");
                    continue;
                }
                documentation.tags.retain(|it| it.name != name);
                documentation.tags.push(tag(name, rest.trim()));
            }
            return;
        }
        let meant: &[&str] = match method {
            "get" | "head" | "options" | "trace" => &["readOnly"],
            "put" => &["idempotent"],
            "delete" => &["destructive", "idempotent"],
            _ if operation.contains_key("x-ailang-requires") => &[],
            _ => &["openWorld"],
        };
        documentation.tags.extend(meant.iter().map(|it| tag(it, "")));
    }

    /// Returns the parameters of an operation, of its path, and those in its body.
    fn parameters(
        &mut self,
        item: &'v Map<String, Value>,
        operation: &'v Map<String, Value>,
        at: &str,
    ) -> Parameters {
        let mut members: Vec<Member> = Vec::new();
        // A parameter is known by its name and where it is sent; an operation's replaces that of its path.
        let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
        let of_path = at.rsplit_once('/').map_or("", |(path, _)| path);
        for (owner, place) in [(operation, at), (item, of_path)] {
            let before = known.clone();
            let list = owner.get("parameters").and_then(Value::as_array).into_iter().flatten();
            for (index, given) in list.enumerate() {
                let place = format!("{place}/parameters/{index}");
                let Some((given, place)) = self.followed(given, &place) else { continue };
                let text = |key: &str| given.get(key).and_then(Value::as_str);
                let Some(name) = text("name") else {
                    self.schemas.remarks.lost(&place, "a parameter", "it has no name");
                    continue;
                };
                let location = text("in").unwrap_or_default();
                let what = format!("the parameter `{}`", plain(name, 60));
                if before.contains(&(name, location)) {
                    continue;
                }
                if members.len() >= MOST_PARAMETERS {
                    self.schemas.remarks.lost(&place, what, format!("only {MOST_PARAMETERS} are read"));
                } else if !known.insert((name, location)) {
                    self.schemas.remarks.lost(&place, what, "another one has its name and its place");
                } else {
                    let mut member = self.parameter(name, given, &place);
                    if members.iter().any(|it| it.name == member.name) {
                        member.name.text = small_name(&format!("{location} {name}"), "argument");
                        let why = format!("another one has the name, so it is called `{}`", member.name.text);
                        self.schemas.remarks.changed(
                            &place,
                            format!("{what} in `{}`", plain(location, 20)),
                            why,
                        );
                    }
                    members.push(member);
                }
            }
        }
        if let Some(body) = operation.get("requestBody") {
            self.body(body, &format!("{at}/requestBody"), &mut members);
        }
        self.schemas.parameters(members, at)
    }

    fn parameter(&mut self, name: &str, given: &'v Value, at: &str) -> Member {
        self.report_unread(given, PARAMETER, at);
        let documentation = words::description(given, at, &mut self.schemas.remarks);
        let is_required = given.get("required") == Some(&Value::Bool(true));
        let ty = match (given.get("schema"), self.json(given, at)) {
            (Some(schema), _) => self.schemas.part(schema, &format!("{at}/schema")),
            (None, Some((schema, place))) => self.schemas.part(schema, &place),
            (None, None) => named("string"),
        };
        field(name, !is_required, ty, documentation)
    }

    /// Adds the fields of a body as parameters, or the body as one.
    fn body(&mut self, body: &'v Value, at: &str, members: &mut Vec<Member>) {
        let Some((body, at)) = self.followed(body, at) else { return };
        self.report_unread(body, BODY, &at);
        let is_required = body.get("required") == Some(&Value::Bool(true));
        let Some((schema, place)) = self.json(body, &at) else {
            self.schemas.remarks.changed(&at, "a body that is not JSON", "it is given as a text");
            members.push(field("body", !is_required, named("string"), Documentation::default()));
            return;
        };
        let written_out = schema.as_object().filter(|it| it.contains_key("properties"));
        if let Some(keywords) = written_out {
            let fields = self.schemas.argument_fields(keywords, &place);
            let is_free = |field: &Member| members.iter().all(|it| it.name != field.name);
            let can_be_absent = |field: &Member| matches!(&field.kind, MemberKind::Field { optional, ty } if *optional || ty.default().is_some());
            if fields.iter().all(is_free) && (is_required || fields.iter().all(can_be_absent)) {
                members.extend(fields);
                return;
            }
        }
        let ty = self.schemas.part(schema, &place);
        members.push(field("body", !is_required, ty, Documentation::default()));
    }

    /// Returns the JSON schema of a content, with its pointer.
    fn json(&mut self, owner: &'v Value, at: &str) -> Option<(&'v Value, String)> {
        let content = owner.get("content")?.as_object()?;
        let is_json = |kind: &str| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind.ends_with("/json") || kind.ends_with("+json") || kind == "*/*"
        };
        let (kind, media) = content.iter().find(|(kind, _)| is_json(kind))?;
        for other in content.keys().filter(|it| *it != kind).take(20) {
            self.schemas.remarks.lost(at, format!("the content `{}`", plain(other, 60)), "values are JSON");
        }
        let place = format!("{at}/content/{}", step(kind));
        self.report_unread(media, MEDIA_TYPE, &place);
        Some((media.get("schema")?, format!("{place}/schema")))
    }

    /// Returns the type of the result, and the names of the errors.
    fn responses(&mut self, operation: &'v Map<String, Value>, at: &str) -> (Type, Vec<String>) {
        let (mut returns, mut throws) = (None, Vec::new());
        let responses = operation.get("responses").and_then(Value::as_object);
        for (status, response) in responses.into_iter().flatten() {
            let place = format!("{at}/responses/{}", step(status));
            let Some((response, place)) = self.followed(response, &place) else { continue };
            let is_status = status == "default"
                || status.len() == 3 && status.starts_with(|it: char| it.is_ascii_digit());
            if !is_status || !status.is_ascii() {
                self.schemas.remarks.lost(&place, "a response", "its key is no status of HTTP");
            } else if !status.starts_with(['2', '3']) {
                let names = self.thrown(status, response, &place);
                throws.extend(names.into_iter().filter(|it| !throws.contains(it)).collect::<Vec<_>>());
            } else if returns.is_some() || !status.starts_with('2') {
                let what = format!("the response {}", plain(status, 10));
                self.schemas.remarks.lost(&place, what, "a tool has one kind of result");
            } else {
                returns = Some(self.result(response, &place));
            }
        }
        (returns.unwrap_or_else(|| named("any")), throws)
    }

    fn result(&mut self, response: &'v Value, at: &str) -> Type {
        self.report_unread(response, RESULT, at);
        if let Some((schema, place)) = self.json(response, at) {
            return self.schemas.part(schema, &place);
        }
        let has_content = response.get("content").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
        if has_content {
            self.schemas.remarks.changed(at, "a result that is not JSON", "it is a text");
            return named("string");
        }
        named("void")
    }

    /// Follows references to parameters, bodies and responses.
    pub(super) fn followed(&mut self, value: &'v Value, at: &str) -> Option<(&'v Value, String)> {
        let (mut value, mut place) = (value, at.to_owned());
        for _ in 0..LONGEST_CHAIN {
            let Some(target) = value.get("$ref").and_then(Value::as_str) else { return Some((value, place)) };
            let found = target.strip_prefix('#').and_then(|it| Some((self.root.pointer(it)?, it)));
            let Some((next, pointer)) = found else { break };
            (value, place) = (next, pointer.to_owned());
            self.followed.insert(place.clone());
        }
        self.schemas.remarks.lost(at, "a reference", "it does not lead to anything in this document");
        None
    }
}

impl OperationReader<'_> {
    /// Returns a name for a definition, which nothing else has.
    pub(super) fn free_name(&mut self, name: &str) -> String {
        self.schemas.taken.free(crate::bridges::identifier::type_name(name))
    }

    /// Returns the span of a node without a text.
    pub(super) fn nowhere() -> Span {
        Span::default()
    }
}
