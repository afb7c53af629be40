//! Security schemes, and capabilities of our own exports.

use std::collections::BTreeMap;

use ailang::syntax::{Capability, CapabilityExpression, DefinitionKind, Documentation, Member};
use ailang::{GrantScope, LONGEST_ASK, LONGEST_NAME, plain, prelude};
use serde_json::{Map, Value};

use super::failures::rows;
use super::operation::OperationReader;
use crate::bridges::draft::DraftItem;
use crate::bridges::node::{field, generic, named, requirement, text};
use crate::bridges::read::step;
use crate::bridges::words;

/// The maximum number of values to which a requirement is limited.
const MOST_VALUES: usize = 100;

/// The capabilities so far.
#[derive(Default)]
pub(super) struct Permissions {
    pub(super) items: Vec<DraftItem>,
    /// The names of capabilities by their names in the document, or by their security schemes.
    names: BTreeMap<String, String>,
    /// The hosts of the servers.
    hosts: Vec<String>,
}

impl<'v> OperationReader<'v> {
    /// Adds the capabilities of an export of ours, or those that the security schemes mean.
    pub(super) fn declare_permissions(&mut self) {
        let root = self.root;
        let ours = root.pointer("/components/x-ailang-capabilities");
        for (key, _) in rows(ours) {
            let name = self.free_name(key);
            self.permissions.names.insert(key.clone(), name);
        }
        for (key, row) in rows(ours) {
            self.capability(key, row, &format!("/components/x-ailang-capabilities/{}", step(key)));
        }
        for (key, scheme) in rows(root.pointer("/components/securitySchemes")) {
            self.scheme(key, scheme, &format!("/components/securitySchemes/{}", step(key)));
        }
        let servers = root.get("servers").and_then(Value::as_array).into_iter().flatten();
        let hosts = servers.filter_map(|it| host(it.get("url")?.as_str()?));
        self.permissions.hosts = hosts.take(MOST_VALUES).collect();
    }

    /// Adds a capability that an export of ours declares.
    fn capability(&mut self, key: &str, row: &'v Value, at: &str) {
        let documentation = words::description(row, at, &mut self.schemas.remarks);
        let capability = match row.get("parts") {
            Some(parts) => Capability::Composed(self.composed(parts, at)),
            None => {
                let ask = row.get("ask").and_then(Value::as_str).unwrap_or_default();
                let ask = if ask.trim().is_empty() { format!("Allow {key}") } else { ask.to_owned() };
                let scope = row.get("scope").and_then(Value::as_array).map(|scopes| {
                    let known = scopes
                        .iter()
                        .filter_map(Value::as_str)
                        .filter(|it| GrantScope::ALL.iter().any(|scope| scope.name() == *it));
                    known.map(text).collect()
                });
                let parameters = row.get("parameters").and_then(Value::as_object);
                let parameters =
                    parameters.map(|it| self.schemas.argument_fields(it, &format!("{at}/parameters")));
                declared(&ask, scope, parameters.unwrap_or_default())
            }
        };
        let name = self.permissions.names.get(key).cloned().unwrap_or_default();
        self.permissions.items.push(DraftItem::new(
            &name,
            DefinitionKind::Capability(capability),
            documentation,
            at,
        ));
    }

    fn composed(&mut self, parts: &Value, at: &str) -> CapabilityExpression {
        let parts = parts.as_array().map(|it| self.required(it, at)).unwrap_or_default();
        let terms = parts.into_iter().flat_map(|it| it.terms).collect::<Vec<_>>();
        if terms.is_empty() {
            return requirement("ToolExecution", Vec::new());
        }
        CapabilityExpression { terms, span: Self::nowhere() }
    }

    /// Adds a capability for a security scheme.
    fn scheme(&mut self, key: &str, scheme: &Value, at: &str) {
        let kind = scheme.get("type").and_then(Value::as_str).unwrap_or_default();
        let way = match kind {
            "oauth2" | "openIdConnect" => "your account",
            "apiKey" => "your key",
            "http" => "your credentials",
            _ => "your certificate",
        };
        let name = self.free_name(key);
        let ask = format!("Allow using {way} for {}", plain(key, LONGEST_NAME));
        let scopes = field("scopes", true, generic("List", vec![named("string")]), Documentation::default());
        let has_scopes = matches!(kind, "oauth2" | "openIdConnect");
        let capability = declared(&ask, None, if has_scopes { vec![scopes] } else { Vec::new() });
        let documentation = words::description(scheme, at, &mut self.schemas.remarks);
        let what = format!("the security scheme `{}`", plain(key, 60));
        self.schemas.remarks.changed(
            at,
            what,
            format!("it is the capability `{name}`; how to sign in is not kept"),
        );
        self.permissions.names.insert(key.to_owned(), name.clone());
        self.permissions.items.push(DraftItem::new(
            &name,
            DefinitionKind::Capability(capability),
            documentation,
            at,
        ));
    }

    /// Returns the capabilities that an operation requires.
    pub(super) fn requirements(
        &mut self,
        operation: &'v Map<String, Value>,
        at: &str,
    ) -> Vec<CapabilityExpression> {
        if let Some(Value::Array(ours)) = operation.get("x-ailang-requires") {
            return self.required(ours, at);
        }
        let mut requires = Vec::new();
        if !self.permissions.hosts.is_empty() {
            let domains = ("domains".to_owned(), self.permissions.hosts.clone());
            requires.push(requirement("NetworkAccess", vec![domains]));
        }
        let security = operation.get("security").or_else(|| self.root.get("security"));
        let alternatives = security.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if alternatives.len() > 1 {
            self.schemas.remarks.lost(
                at,
                "other ways to sign in",
                "a tool requires all of its capabilities; the first way is kept",
            );
        }
        for (scheme, scopes) in rows(alternatives.first()) {
            let Some(name) = self.permissions.names.get(scheme) else {
                let what = format!("the security scheme `{}`", plain(scheme, 60));
                self.schemas.remarks.lost(at, what, "nothing declares it");
                continue;
            };
            let scopes: Vec<String> = texts(scopes);
            let limits = if scopes.is_empty() { Vec::new() } else { vec![("scopes".to_owned(), scopes)] };
            requires.push(requirement(name, limits));
        }
        requires
    }

    /// Returns the requirements that an export of ours lists.
    fn required(&mut self, rows: &[Value], at: &str) -> Vec<CapabilityExpression> {
        let mut requires = Vec::new();
        for row in rows.iter().take(MOST_VALUES) {
            let wanted = row.get("capability").and_then(Value::as_str).unwrap_or_default();
            let of_prelude = prelude()
                .definitions()
                .any(|it| it.name.text == wanted && matches!(it.kind, DefinitionKind::Capability(_)));
            let name =
                self.permissions.names.get(wanted).cloned().or_else(|| of_prelude.then(|| wanted.to_owned()));
            let Some(name) = name else {
                self.schemas.remarks.lost(
                    at,
                    format!("the capability `{}`", plain(wanted, 60)),
                    "nothing declares it",
                );
                continue;
            };
            let arguments = super::failures::rows(row.get("arguments"));
            let arguments =
                arguments.filter(|(key, _)| crate::bridges::identifier::small_name(key, "") == **key);
            let arguments = arguments.map(|(key, values)| (key.clone(), texts(values))).collect();
            requires.push(requirement(&name, arguments));
        }
        requires
    }
}

fn declared(ask: &str, scope: Option<Vec<ailang::syntax::Literal>>, parameters: Vec<Member>) -> Capability {
    let scope = scope.filter(|it| !it.is_empty());
    Capability::Declared { ask: Some(text(&plain(ask, LONGEST_ASK))), scope, others: Vec::new(), parameters }
}

fn texts(values: &Value) -> Vec<String> {
    let texts = values.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.take(MOST_VALUES).map(|it| plain(it, LONGEST_NAME)).collect()
}

/// Returns the host of a URL, with its port; `None` if it is relative or has variables.
fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?.rsplit('@').next()?;
    (!host.is_empty() && !host.contains(['{', '}'])).then(|| plain(host, LONGEST_NAME))
}
