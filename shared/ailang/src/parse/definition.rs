//! Definitions: `type`, `enum`, `capability`, `error`, `tool`, each with its name.

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::diagnostic::Code;
use crate::syntax::{Definition, DefinitionKind, Enum, EnumVariant, Name, TypeDefinition};

impl Parser<'_, '_> {
    pub(super) fn definition(&mut self) -> Parsed<Definition> {
        let first = self.at;
        let keyword = self.word();
        self.next();
        let name = self.name("a name")?;
        let read = match keyword {
            "type" => self.type_definition().map(DefinitionKind::Type),
            "enum" => self.enumeration(&name).map(DefinitionKind::Enum),
            "capability" => self.capability().map(DefinitionKind::Capability),
            "error" => self.error_definition().map(DefinitionKind::Error),
            _ => self.tool().map(DefinitionKind::Tool),
        };
        match read {
            Ok(kind) => {
                let documentation = self.documentation(first);
                Ok(Definition { name, kind, documentation, span: self.span_from(first) })
            }
            Err(skip) => {
                self.unread.push(name);
                self.skip_to_item();
                Err(skip)
            }
        }
    }

    fn type_definition(&mut self) -> Parsed<TypeDefinition> {
        let mut parameters = Vec::new();
        if self.eat("<") {
            loop {
                parameters.push(self.name("the name of a type parameter")?);
                if !self.eat(",") || self.at_mark(">") {
                    break;
                }
            }
            self.expect(">")?;
        }
        self.expect("=")?;
        Ok(TypeDefinition { parameters, ty: self.ty()? })
    }

    fn enumeration(&mut self, name: &Name) -> Parsed<Enum> {
        if !self.at_mark("{") {
            return self.expected("`{`");
        }
        let reported = self.diagnostics.len();
        let variants = self.between(Separator::Line, Self::variant);
        if variants.is_empty() && self.diagnostics.len() == reported {
            let message = format!("the enum `{}` has no variant", name.text);
            self.error(Code::EMPTY_ENUM, name.span, message)
                .help("write at least one name between the braces");
        }
        Ok(Enum { variants })
    }

    fn variant(&mut self) -> Parsed<EnumVariant> {
        let first = self.at;
        let name = self.name("the name of a variant")?;
        let value = if self.eat("=") { Some(self.literal()?) } else { None };
        Ok(EnumVariant { name, value, documentation: self.documentation(first) })
    }
}
