//! The parser of types.

use serde_json::Value as Json;

use super::SignatureError;
use super::reader::Reader;
use crate::refinement::{Pattern, Refinement, pattern_length};
use crate::types::Literal;
use crate::{Parameter, Type};

type Read<T> = Result<T, SignatureError>;

impl Reader<'_> {
    /// Reads `string | Symbol`.
    pub(super) fn ty(&mut self) -> Read<Type> {
        self.deeper(|reader| {
            reader.eat("|");
            let mut members = vec![reader.refined()?];
            while reader.eat("|") {
                members.push(reader.refined()?);
            }
            Ok(if members.len() == 1 { members.remove(0) } else { Type::union(members) })
        })
    }

    /// Reads `number.min(1)?`, `string[]`.
    fn refined(&mut self) -> Read<Type> {
        let mut ty = self.primary()?;
        loop {
            ty = if self.eat("?") {
                Type::Optional(Box::new(ty))
            } else if self.eat("[]") {
                Type::List(Box::new(ty))
            } else if self.eat(".") {
                let refinement = self.refinement(&ty)?;
                match ty {
                    Type::Refined(inner, mut all) => {
                        all.push(refinement);
                        Type::Refined(inner, all)
                    }
                    ty => Type::Refined(Box::new(ty), vec![refinement]),
                }
            } else {
                return Ok(ty);
            };
        }
    }

    fn primary(&mut self) -> Read<Type> {
        let start = self.place();
        match self.rest().chars().next() {
            Some('(') => self.bracketed(),
            Some('[') => {
                self.expect("[")?;
                let inner = self.ty()?;
                self.expect("]")?;
                Ok(Type::List(Box::new(inner)))
            }
            Some('{') => {
                self.expect("{")?;
                Ok(Type::Fields(self.separated("}", Self::field)?))
            }
            Some('"' | '-' | '0'..='9') => match self.json()? {
                Json::String(text) => Ok(Type::Literal(Literal::Text(text))),
                Json::Number(number) => Ok(Type::Literal(Literal::Number(number))),
                _ => self.fail_at(start, "a type"),
            },
            _ => self.by_name(),
        }
    }

    /// Reads `(item: any) -> boolean`, or a type in parentheses.
    fn bracketed(&mut self) -> Read<Type> {
        let start = self.place();
        self.expect("(")?;
        let is_function =
            self.eat(")") || self.name().is_ok() && (self.eat("?") && self.eat(":") || self.eat(":"));
        self.go_back(start + 1);
        if !is_function {
            let inner = self.ty()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let parameters = self.separated(")", |reader, _| {
            let Parameter { name, ty, optional, .. } = reader.field(&[])?;
            Ok((name, if optional { Type::Optional(Box::new(ty)) } else { ty }))
        })?;
        self.expect("->")?;
        Ok(Type::Function { parameters, returns: Box::new(self.ty()?) })
    }

    fn field(&mut self, before: &[Parameter]) -> Read<Parameter> {
        let start = self.place();
        let name = if self.rest().starts_with('"') {
            self.json()?.as_str().unwrap_or_default().to_owned()
        } else {
            self.name()?.to_owned()
        };
        if before.iter().any(|it| it.name == name) {
            return self.fail_at(start, "a field of another name");
        }
        let optional = self.eat("?");
        self.typed(name, optional)
    }

    fn by_name(&mut self) -> Read<Type> {
        let start = self.place();
        let whole = self.name()?;
        // `number.min(1)`: the last part is a refinement if arguments follow it.
        let is_refined = self.rest().trim_start().starts_with('(');
        let name = whole.rsplit_once('.').filter(|_| is_refined).map_or(whole, |(before, _)| before);
        self.go_back(start + name.len());
        Ok(match name {
            "any" | "JSONValue" => Type::Any,
            "null" | "void" => Type::Null,
            "boolean" | "bool" => Type::Bool,
            "number" => Type::Number,
            "int" => Type::Refined(Box::new(Type::Number), vec![Refinement::Integer]),
            "string" => Type::Text,
            "object" | "JSONObject" => Type::Object,
            "true" | "false" => Type::Literal(Literal::Bool(name == "true")),
            "List" => Type::List(Box::new(self.argument_of_type()?)),
            "Option" => Type::Optional(Box::new(self.argument_of_type()?)),
            "Map" | "Dict" => self.map()?,
            "choice" => self.bracketed()?,
            name => Type::Named(name.into()),
        })
    }

    fn argument_of_type(&mut self) -> Read<Type> {
        self.expect("<")?;
        let inner = self.ty()?;
        self.expect(">")?;
        Ok(inner)
    }

    /// Keys of objects are texts.
    fn map(&mut self) -> Read<Type> {
        self.expect("<")?;
        if self.ty()? != Type::Text {
            return self.fail("keys of type `string`");
        }
        self.expect(",")?;
        let values = self.ty()?;
        self.expect(">")?;
        Ok(Type::Map(Box::new(values)))
    }

    /// Reads the refinement behind a dot.
    fn refinement(&mut self, ty: &Type) -> Read<Refinement> {
        let start = self.place();
        let name = self.name()?;
        self.expect("(")?;
        let refinement = match name {
            "min" => Refinement::Min(self.number()?),
            "max" => Refinement::Max(self.number()?),
            "multipleOf" => Refinement::MultipleOf(self.number()?),
            "integer" => Refinement::Integer,
            "positive" => Refinement::Positive,
            "negative" => Refinement::Negative,
            "minLength" => Refinement::MinLength(self.count()?),
            "maxLength" => Refinement::MaxLength(self.count()?),
            "nonEmpty" => Refinement::NonEmpty,
            "startsWith" => Refinement::StartsWith(self.text()?),
            "endsWith" => Refinement::EndsWith(self.text()?),
            "regex" => Refinement::Regex(self.pattern()?),
            "email" => Refinement::Email,
            "url" => Refinement::Url,
            "uuid" => Refinement::Uuid,
            "minItems" => Refinement::MinItems(self.count()?),
            "maxItems" => Refinement::MaxItems(self.count()?),
            "unique" => Refinement::Unique,
            _ => return self.fail_at(start, "a refinement such as `min(1)` or `nonEmpty()`"),
        };
        self.expect(")")?;
        if refinement.is_about(ty) {
            Ok(refinement)
        } else {
            self.fail_at(start, "a refinement that values of this type can have")
        }
    }

    fn number(&mut self) -> Read<serde_json::Number> {
        let start = self.place();
        match self.json()? {
            Json::Number(number) => Ok(number),
            _ => self.fail_at(start, "a number"),
        }
    }

    fn count(&mut self) -> Read<usize> {
        let start = self.place();
        let count = self.json()?.as_u64().and_then(|it| usize::try_from(it).ok());
        count.map_or_else(|| self.fail_at(start, "a whole number"), Ok)
    }

    fn text(&mut self) -> Read<String> {
        let start = self.place();
        match self.json()? {
            Json::String(text) => Ok(text),
            _ => self.fail_at(start, "a text in double quotes"),
        }
    }

    /// Reads `/^[a-z]+$/i`.
    fn pattern(&mut self) -> Read<Pattern> {
        let start = self.place();
        let inner = self.rest().strip_prefix('/');
        let read = inner.and_then(|inner| {
            let length = pattern_length(inner)?;
            let flags = &inner[length + 1..];
            let flags = &flags[..flags.find(|char: char| !char.is_ascii_lowercase()).unwrap_or(flags.len())];
            Some((Pattern::parse(&inner[..length], flags).ok()?, length + 2 + flags.len()))
        });
        let Some((pattern, length)) = read else { return self.fail_at(start, "a pattern between slashes") };
        self.skip(length);
        Ok(pattern)
    }
}
