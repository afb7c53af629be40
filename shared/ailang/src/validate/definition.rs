//! The rules of a definition.

use std::collections::HashSet;

use source_text::Severity;

use super::Checker;
use super::types::TypePosition;
use crate::diagnostic::Code;
use crate::names::{OccurrenceKind, Scope};
use crate::syntax::{
    Definition, DefinitionKind, Enum, LiteralKind, Parameters, Program, Tool, TypeDefinition,
};

impl<'a> Checker<'_, 'a> {
    /// Checks a definition of `program`, in its scope.
    pub(super) fn definition<'l>(
        &mut self,
        definition: &'a Definition,
        program: &'a Program,
        scope: Scope<'l, 'a>,
    ) {
        self.definition_name(definition);
        self.defines(&definition.name, OccurrenceKind::of(&definition.kind));
        self.tags(definition);
        match &definition.kind {
            DefinitionKind::Type(it) => self.type_definition(it, scope),
            DefinitionKind::Enum(it) => self.enumeration(it),
            DefinitionKind::Capability(it) => self.capability(definition, it, scope),
            DefinitionKind::Error(it) => self.error_definition(definition, it, scope),
            DefinitionKind::Tool(it) => self.tool((definition, it), program, scope),
        }
        let documents =
            !matches!(definition.kind, DefinitionKind::Tool(_)) || !definition.documentation.is_empty();
        let missing = self.by_strictness(None, None, Severity::Warning).filter(|_| !documents);
        if let Some(severity) = missing {
            let message = format!("the tool `{}` is not documented", definition.name.text);
            let help = "write a comment above it: what it does, in a sentence";
            self.diagnostics.report(severity, Code::UNDOCUMENTED, definition.name.span, message).help(help);
        }
    }

    fn type_definition(&mut self, definition: &'a TypeDefinition, scope: Scope<'_, 'a>) {
        for name in &definition.parameters {
            self.capital_initial(name, "type parameter");
        }
        self.type_parameters = &definition.parameters;
        definition.parameters.iter().for_each(|name| self.defines(name, OccurrenceKind::TypeParameter));
        let parameters: HashSet<&str> = definition.parameters.iter().map(|name| name.text.as_str()).collect();
        self.ty(&definition.ty, scope, &parameters, TypePosition::Value);
        self.type_parameters = &[];
    }

    fn enumeration(&mut self, definition: &'a Enum) {
        self.no_duplicates(
            definition.variants.iter().map(|variant| &variant.name),
            Code::DUPLICATE_VARIANT,
            "variant",
        );
        for variant in &definition.variants {
            self.capital_initial(&variant.name, "variant");
            self.defines(&variant.name, OccurrenceKind::Variant);
            if let Some(value) = &variant.value
                && !matches!(value.kind, LiteralKind::Text(_) | LiteralKind::Number(_) | LiteralKind::Broken)
            {
                self.error(Code::ENUM_VALUE, value.span, "the value of a variant is a text or a number");
            }
        }
    }

    fn tool(
        &mut self,
        (definition, tool): (&'a Definition, &'a Tool),
        program: &'a Program,
        scope: Scope<'_, 'a>,
    ) {
        self.parameters(&tool.parameters, scope, &HashSet::new());
        if let Some(returns) = &tool.returns {
            self.ty(returns, scope, &HashSet::new(), TypePosition::Result);
        }
        for expression in &tool.requires {
            self.capability_expression(expression, scope);
        }
        for path in &tool.throws {
            self.thrown(path, scope);
        }
        self.tool_detail(tool);
        if let Some(body) = &tool.body {
            self.body((definition, tool), body, program, scope);
        }
    }

    fn tool_detail(&mut self, tool: &Tool) {
        if tool.parameters.elided {
            let (warning, error) = (Severity::Warning, Severity::Error);
            if let Some(severity) = self.by_strictness(Some(Severity::Info), Some(warning), error) {
                self.diagnostics
                    .report(severity, Code::ELIDED, tool.parameters.span, "the parameters are left out")
                    .help("write them, at least their names");
            }
        }
        // Parameters without types are allowed, except for publication.
        let Some(severity) = self.by_strictness(None, None, Severity::Warning) else { return };
        for parameter in tool.parameters.list.iter().filter(|parameter| parameter.ty.is_none()) {
            let message = format!("the parameter `{}` has no type", parameter.name.text);
            self.diagnostics.report(severity, Code::UNTYPED, parameter.name.span, message);
        }
    }

    /// Checks parameters.
    pub(super) fn parameters(
        &mut self,
        parameters: &'a Parameters,
        scope: Scope<'_, 'a>,
        known: &HashSet<&str>,
    ) {
        self.no_duplicates(parameters.list.iter().map(|it| &it.name), Code::DUPLICATE_PARAMETER, "parameter");
        for parameter in &parameters.list {
            self.small_initial(&parameter.name, "parameter");
            self.defines(&parameter.name, OccurrenceKind::Parameter);
            if let Some(ty) = &parameter.ty {
                self.ty(ty, scope, known, TypePosition::Value);
            }
        }
    }
}
