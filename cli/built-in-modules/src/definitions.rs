//! Definitions as the objects that `parser` describes.

use ailang::syntax::{
    Capability, CapabilityExpression, Definition, DefinitionKind, Documentation, ErrorDefinition, Literal,
    LiteralKind, Member, MemberKind, Parameter, Parameters, Path, Tool, Type,
};
use ailang::{Document, GrantScope};
use serde_json::{Map, Value as Json, json};

/// The printed form of the definitions of one document.
pub(crate) struct Printed<'d> {
    /// The document at its level.
    pub(crate) shown: &'d Document,
    /// The path of its file.
    pub(crate) path: Option<&'d str>,
}

impl Printed<'_> {
    /// Returns a definition of the document; `line` is its place in the whole one.
    pub(crate) fn definition(&self, it: &Definition, line: Option<usize>) -> Json {
        let mut fields = json!({"kind": it.kind.keyword(), "name": it.name.text});
        let mut put = |name: &str, value: Json| {
            if !value.is_null() {
                fields[name] = value;
            }
        };
        match &it.kind {
            DefinitionKind::Type(ty) => put("definition", self.text(&ty.ty).into()),
            DefinitionKind::Enum(it) => {
                put("variants", it.variants.iter().map(|it| it.name.text.as_str()).collect());
            }
            DefinitionKind::Error(error) => self.error(error, &mut put),
            DefinitionKind::Capability(capability) => self.capability(capability, &mut put),
            DefinitionKind::Tool(tool) => self.tool(it, tool, &mut put),
        }
        put("documentation", text_of(&it.documentation));
        put("line", line.into());
        fields
    }

    fn tool(&self, it: &Definition, tool: &Tool, put: &mut impl FnMut(&str, Json)) {
        put("parameters", self.parameters(Some(&tool.parameters)));
        put("returnType", tool.returns.as_ref().map(|ty| self.text(ty)).into());
        let requires = tool.requires.iter().map(|it| self.shown.text(it.span).trim());
        put("requires", requires.collect());
        put("throws", tool.throws.iter().map(Path::text).collect());
        put("signature", self.signature(it, tool).into());
        put("detailLevel", detail(it, tool).into());
        put("document", self.path.into());
    }

    /// Returns the call of a tool with types: `send(to: Email, text?: string) -> Receipt`.
    fn signature(&self, it: &Definition, tool: &Tool) -> String {
        let parameter = |it: &Parameter| {
            let mark = if it.optional { "?" } else { "" };
            let ty = it.ty.as_ref().map(|ty| format!(": {}", self.text(ty))).unwrap_or_default();
            format!("{}{mark}{ty}", it.name.text)
        };
        let parameters: Vec<String> = tool.parameters.list.iter().map(parameter).collect();
        let parameters = if tool.parameters.elided { "...".to_owned() } else { parameters.join(", ") };
        let returns = tool.returns.as_ref().map(|ty| format!(" -> {}", self.text(ty))).unwrap_or_default();
        format!("{}({parameters}){returns}", it.name.text)
    }

    fn error(&self, error: &ErrorDefinition, put: &mut impl FnMut(&str, Json)) {
        put("parameters", self.parameters(error.parameters.as_ref()));
        let property = |name: &str| error.property(name).map(|it| self.shown.text(it.value.span).trim());
        put("message", property("message").map(unquoted).into());
        put("recovery", property("recovery").map(unquoted).into());
        put("retryable", (property("retryable") == Some("true")).into());
        put("retryAfter", property("retryAfter").into());
    }

    fn capability(&self, capability: &Capability, put: &mut impl FnMut(&str, Json)) {
        let (mut ask, mut scopes, mut parts) = (None, Vec::new(), Vec::new());
        let mut members: &[Member] = &[];
        match capability {
            Capability::Composed(expression) => {
                parts = CapabilityExpression::atoms(expression).iter().map(|(path, _)| path.text()).collect();
            }
            Capability::Declared { ask: question, scope, parameters, .. } => {
                ask = question.as_ref().and_then(literal_text);
                scopes = match scope {
                    Some(scope) => scope.iter().filter_map(literal_text).collect(),
                    None => GrantScope::ALL.map(|it| it.name().to_owned()).into(),
                };
                members = parameters;
            }
        }
        put("ask", ask.into());
        put("scope", scopes.into());
        put("parameters", members.iter().map(|it| self.member(it)).collect());
        put("parts", parts.into());
    }

    fn member(&self, it: &Member) -> Json {
        let MemberKind::Field { optional, ty } = &it.kind else { return json!({"name": it.name.text}) };
        json!({"name": it.name.text, "type": self.text(ty), "optional": optional})
    }

    fn parameters(&self, parameters: Option<&Parameters>) -> Json {
        let list = parameters.map(|it| it.list.as_slice()).unwrap_or_default();
        list.iter().map(|it| self.parameter(it)).collect()
    }

    fn parameter(&self, it: &Parameter) -> Json {
        let mut fields = json!({"name": it.name.text});
        if let Some(ty) = &it.ty {
            fields["type"] = self.text(ty).into();
        }
        fields["optional"] = (!it.is_required()).into();
        let documentation = text_of(&it.documentation);
        if !documentation.is_null() {
            fields["documentation"] = documentation;
        }
        fields
    }

    fn text(&self, ty: &Type) -> &str {
        self.shown.text(ty.span).trim()
    }
}

/// Returns a tool with the names of its parameters alone.
pub(crate) fn names(it: &Definition, tool: &Tool, line: usize, path: Option<&str>) -> Json {
    let parameters: Vec<Json> = tool.parameters.list.iter().map(|it| json!({"name": it.name.text})).collect();
    let mut fields = Map::new();
    let all = [
        ("kind", json!("tool")),
        ("name", json!(it.name.text)),
        ("parameters", json!(parameters)),
        ("detailLevel", json!("signature")),
        ("line", json!(line)),
    ];
    fields.extend(all.map(|(name, value)| (name.to_owned(), value)));
    if let Some(path) = path {
        fields.insert("document".to_owned(), path.into());
    }
    fields.into()
}

/// Returns how much a document says about a tool.
fn detail(it: &Definition, tool: &Tool) -> &'static str {
    let is_typed = !tool.parameters.elided && tool.parameters.list.iter().all(|it| it.ty.is_some());
    let comments = tool.parameters.list.iter().map(|it| &it.documentation).chain([&it.documentation]);
    match (is_typed, comments.into_iter().any(|it| !it.text.is_empty())) {
        (false, _) => "signature",
        (true, true) => "contextual",
        (true, false) => "full",
    }
}

fn text_of(documentation: &Documentation) -> Json {
    let text = documentation.text.trim();
    if text.is_empty() { Json::Null } else { text.into() }
}

fn literal_text(literal: &Literal) -> Option<String> {
    match &literal.kind {
        LiteralKind::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the text between the quotes of a literal or a template.
fn unquoted(text: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    let inner = quotes.iter().find_map(|it| text.strip_prefix(*it)?.strip_suffix(*it));
    inner.unwrap_or(text)
}
