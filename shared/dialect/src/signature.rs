//! Signatures, in AiLang's spelling:
//! `search(path: string, pattern: string, extension?: string) -> List<FileRange>`.

use std::fmt;

use crate::Type;
use crate::name::fold;

/// How something is called and what comes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The callable's name.
    pub name: String,
    /// Its parameters, in order; optional ones last.
    pub parameters: Vec<Parameter>,
    /// What it gives.
    pub returns: Type,
}

/// A declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, by which arguments may be given.
    pub name: String,
    /// What it takes.
    pub ty: Type,
    /// Whether it may be left out: `extension?: string`.
    pub optional: bool,
    /// Other names by which arguments may be given; a signature's text does not show them.
    pub aliases: Vec<String>,
}

impl Parameter {
    /// Whether an argument of that name is for it, ignoring case and underscores.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(&self.aliases).any(|it| fold(it) == fold(name))
    }
}

/// Why a text is no signature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("in `{text}`, at byte {at}: expected {expected}")]
pub struct SignatureError {
    /// The text.
    pub text: String,
    /// Offset in bytes of what is wrong.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

impl Signature {
    /// Reads `name(parameter: type, optional?: type) -> type`; without the arrow it gives `any`.
    ///
    /// # Errors
    /// When the text is not of that form, names a parameter twice, or has a required parameter after an
    /// optional one.
    pub fn parse(text: &str) -> Result<Self, SignatureError> {
        let mut reader = Reader { text, at: 0 };
        let signature = reader.signature()?;
        reader.skip_blanks();
        if reader.at < text.len() {
            return reader.fail("the end");
        }
        Ok(signature)
    }

    /// How many parameters must be given.
    pub fn required(&self) -> usize {
        self.parameters.iter().filter(|it| !it.optional).count()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{parameter}")?;
        }
        write!(f, ") -> {}", self.returns)
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.optional { "?" } else { "" };
        write!(f, "{}{mark}: {}", self.name, self.ty)
    }
}

struct Reader<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Reader<'text> {
    fn fail<T>(&self, expected: &'static str) -> Result<T, SignatureError> {
        Err(SignatureError { text: self.text.to_owned(), at: self.at, expected })
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, punctuation: &str) -> bool {
        self.skip_blanks();
        let found = self.text[self.at..].starts_with(punctuation);
        if found {
            self.at += punctuation.len();
        }
        found
    }

    fn expect(&mut self, punctuation: &'static str) -> Result<(), SignatureError> {
        if self.eat(punctuation) { Ok(()) } else { self.fail(punctuation) }
    }

    fn name(&mut self) -> Result<&'text str, SignatureError> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !is_name_char(char)).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|char: char| char.is_ascii_digit()) {
            return self.fail("a name");
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn signature(&mut self) -> Result<Signature, SignatureError> {
        let name = self.name()?.to_owned();
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.eat(")") {
            let parameter = self.parameter(&parameters)?;
            parameters.push(parameter);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        let returns = if self.eat("->") { self.ty()? } else { Type::Any };
        Ok(Signature { name, parameters, returns })
    }

    fn parameter(&mut self, before: &[Parameter]) -> Result<Parameter, SignatureError> {
        let name = self.name()?.to_owned();
        if before.iter().any(|it| crate::name::fold(&it.name) == crate::name::fold(&name)) {
            return self.fail("a parameter of another name");
        }
        let optional = self.eat("?");
        if !optional && before.last().is_some_and(|it| it.optional) {
            return self.fail("`?`, because a required parameter cannot follow an optional one");
        }
        self.expect(":")?;
        Ok(Parameter { name, ty: self.ty()?, optional, aliases: Vec::new() })
    }

    fn ty(&mut self) -> Result<Type, SignatureError> {
        if self.eat("(") {
            return self.function();
        }
        let mut ty = match self.name()? {
            "any" => Type::Any,
            "null" => Type::Null,
            "boolean" => Type::Bool,
            "number" => Type::Number,
            "string" => Type::Text,
            "object" => Type::Object,
            "List" => self.list()?,
            name => Type::Named(name.into()),
        };
        while self.eat("?") {
            ty = Type::Optional(Box::new(ty));
        }
        Ok(ty)
    }

    /// What follows the `(` of a function's type.
    fn function(&mut self) -> Result<Type, SignatureError> {
        let mut parameters = Vec::new();
        while !self.eat(")") {
            let name = self.name()?.to_owned();
            self.expect(":")?;
            parameters.push((name, self.ty()?));
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        self.expect("->")?;
        Ok(Type::Function { parameters, returns: Box::new(self.ty()?) })
    }

    fn list(&mut self) -> Result<Type, SignatureError> {
        self.expect("<")?;
        let inner = self.ty()?;
        self.expect(">")?;
        Ok(Type::List(Box::new(inner)))
    }
}

fn is_name_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '.')
}
