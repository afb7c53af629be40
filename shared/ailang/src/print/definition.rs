//! Definitions as text.

use super::literal::{key, literal};
use super::{Comments, Printer};
use crate::syntax::{
    Capability, CapabilityExpression, CapabilityTerm, Definition, DefinitionKind, Documentation, Enum,
    ErrorDefinition, ErrorProperty, GrantArgument, Tool, TypeDefinition,
};

/// Prints a tool with the names of its parameters: `send(recipient, body)`.
pub(crate) fn tool_names(name: &str, tool: &Tool) -> String {
    let names: Vec<&str> = tool.parameters.list.iter().map(|it| it.name.text.as_str()).collect();
    let names = if tool.parameters.elided { "...".to_owned() } else { names.join(", ") };
    format!("{name}({names})")
}

impl Printer<'_> {
    /// Prints a definition without the comments above it, without a line break at the end.
    pub fn defined(&self, definition: &Definition) -> String {
        let name = &definition.name.text;
        match &definition.kind {
            DefinitionKind::Type(it) => self.type_definition(name, it),
            DefinitionKind::Enum(it) => self.enumeration(name, it),
            DefinitionKind::Capability(it) => self.capability(name, it),
            DefinitionKind::Error(it) => self.error(name, it),
            DefinitionKind::Tool(it) => self.tool(name, it),
        }
    }

    fn type_definition(&self, name: &str, it: &TypeDefinition) -> String {
        let parameters: Vec<&str> = it.parameters.iter().map(|it| it.text.as_str()).collect();
        let parameters =
            if parameters.is_empty() { String::new() } else { format!("<{}>", parameters.join(", ")) };
        format!("type {name}{parameters} = {}", self.ty(&it.ty))
    }

    fn enumeration(&self, name: &str, it: &Enum) -> String {
        let variants = it.variants.iter().map(|variant| {
            let value = variant.value.as_ref().map_or_else(String::new, |it| format!(" = {}", literal(it)));
            (&variant.documentation, variant.name.text.clone() + &value)
        });
        format!("enum {name} {}", self.listed("{", " ", variants.collect(), "}"))
    }

    fn capability(&self, name: &str, it: &Capability) -> String {
        let Capability::Declared { ask, scope, others, parameters } = it else {
            let Capability::Composed(parts) = it else { return String::new() };
            return format!("capability {name} = {}", composed(parts));
        };
        let none = Documentation::default();
        let mut items: Vec<(&Documentation, String)> = Vec::new();
        items.extend(ask.as_ref().map(|ask| (&none, format!("ask = {}", literal(ask)))));
        items.extend(scope.as_ref().map(|scopes| {
            let scopes: Vec<String> = scopes.iter().map(literal).collect();
            let one =
                if scopes.len() == 1 { scopes.concat() } else { format!("choice({})", scopes.join(" | ")) };
            (&none, format!("scope = {one}"))
        }));
        items.extend(
            others.iter().map(|(name, value)| (&none, format!("{} = {}", key(&name.text), literal(value)))),
        );
        items.extend(parameters.iter().map(|it| (&it.documentation, self.member(it))));
        format!("capability {name} {}", self.listed("{", " ", items, "}"))
    }

    fn error(&self, name: &str, it: &ErrorDefinition) -> String {
        let parameters = it.parameters.as_ref().map_or_else(String::new, |it| self.parameters(it));
        let is_shown = |it: &&ErrorProperty| self.comments == Comments::All || it.name.text != "userMessage";
        let properties = it.properties.iter().filter(is_shown);
        let lines: Vec<String> = properties
            .map(|it| format!("  {} = {}\n", it.name.text, self.document.text(it.value.span)))
            .collect();
        let body = if lines.is_empty() { String::new() } else { format!(" {{\n{}}}", lines.concat()) };
        format!("error {name}{parameters}{body}")
    }

    fn tool(&self, name: &str, it: &Tool) -> String {
        let mut text = format!("tool {name}{}", self.parameters(&it.parameters));
        if let Some(returns) = &it.returns {
            text.push_str(&format!(" -> {}", self.ty(returns)));
        }
        if !it.requires.is_empty() {
            let each: Vec<String> = it.requires.iter().map(composed).collect();
            text.push_str(&format!(" requires {}", each.join(", ")));
        }
        if !it.throws.is_empty() {
            let each: Vec<String> = it.throws.iter().map(|path| path.text()).collect();
            text.push_str(&format!(" throws {}", each.join(", ")));
        }
        if let Some(body) = it.body.as_ref().filter(|_| self.comments == Comments::All) {
            text.push_str(&format!(" {}", self.document.text(body.span)));
        }
        text
    }
}

/// Prints a capability expression: `A & B(paths = ["src"])`.
fn composed(expression: &CapabilityExpression) -> String {
    let terms = expression.terms.iter().map(|term| match term {
        CapabilityTerm::Group(group) => format!("({})", composed(group)),
        CapabilityTerm::Named { path, arguments } if arguments.is_empty() => path.text(),
        CapabilityTerm::Named { path, arguments } => {
            let arguments: Vec<String> = arguments.iter().map(granted).collect();
            format!("{}({})", path.text(), arguments.join(", "))
        }
    });
    terms.collect::<Vec<_>>().join(" & ")
}

fn granted(argument: &GrantArgument) -> String {
    match &argument.name {
        Some(name) => format!("{} = {}", name.text, literal(&argument.value)),
        None => literal(&argument.value),
    }
}
