//! Items: imports, definitions and statements.

use super::{Content, Parsed, Parser, Skip};
use crate::diagnostic::Code;
use crate::syntax::Item;

impl Parser<'_, '_> {
    /// Parses an item.
    pub(super) fn item(&mut self, content: Content) -> Parsed<Item> {
        if self.at_import() {
            return self.import().map(Item::Import);
        }
        if self.at_definition() {
            return self.definition().map(Item::Definition);
        }
        if content == Content::Statements {
            return self.statement().map(Item::Statement);
        }
        self.stray()
    }

    /// Returns `true` at a definition: its keyword, and a name on the same line.
    pub(super) fn at_definition(&self) -> bool {
        matches!(self.word(), "type" | "enum" | "capability" | "error" | "tool") && self.name_on_line(1)
    }

    fn at_import(&self) -> bool {
        let next = self.peek_ahead(1);
        if next.starts_line {
            return false;
        }
        match self.word() {
            "from" => next.is_name() && self.word_ahead(1) != "in" || is_text(&next.kind),
            "import" => next.is_name() || next.is_mark("{") || next.is_mark("*"),
            _ => false,
        }
    }

    /// Reports a token that starts no definition.
    fn stray(&mut self) -> Parsed<Item> {
        let token = self.peek();
        let found = super::shortened(self.text(token.span));
        let behind_tool = !token.starts_line && token.is_name();
        let message = format!("`{found}` starts no definition");
        let error = self.error(Code::UNEXPECTED, token.span, message);
        if behind_tool {
            error.help("a return type stands behind `->`");
        } else {
            error.help(
                "a `<define>` holds `type`, `enum`, `capability`, `error`, `tool` and imports; statements belong \
                 into an `<example>`",
            );
        }
        self.skip_to_item();
        Err(Skip)
    }

    /// Skips to the next line that starts an import or a definition, within the braces around.
    pub(super) fn skip_to_item(&mut self) {
        self.skip();
        while self.at < self.end && !(self.peek().starts_line && (self.at_definition() || self.at_import())) {
            self.skip();
        }
        self.at = self.at.min(self.end);
    }
}

fn is_text(kind: &dialect::code::TokenKind) -> bool {
    matches!(kind, dialect::code::TokenKind::Text(_) | dialect::code::TokenKind::TemplateStart)
}
