//! Imports in all spellings.

use dialect::code::TokenKind;

use super::bracket::Separator;
use super::{Parsed, Parser};
use crate::syntax::{Import, ImportForm, ImportItem, ModuleReference};

impl Parser<'_, '_> {
    pub(super) fn import(&mut self) -> Parsed<Import> {
        let first = self.at;
        let names_come_last = self.word() == "from";
        self.next();
        let read = if names_come_last { self.names_behind() } else { self.names_before() };
        match read {
            Ok((form, module)) => Ok(Import { form, module, span: self.span_from(first) }),
            Err(skip) => {
                self.skip_to_item();
                Err(skip)
            }
        }
    }

    /// Parses an import behind `from`.
    fn names_behind(&mut self) -> Parsed<(ImportForm, ModuleReference)> {
        let module = self.module()?;
        self.expect_word("import")?;
        let mut items = vec![self.import_item()?];
        while self.eat(",") {
            if self.peek().starts_line && !self.at_name() || self.peek().kind == TokenKind::End {
                break;
            }
            items.push(self.import_item()?);
        }
        Ok((ImportForm::Names(items), module))
    }

    /// Parses an import behind `import`.
    fn names_before(&mut self) -> Parsed<(ImportForm, ModuleReference)> {
        let form = if self.at_mark("{") {
            ImportForm::Names(self.between(Separator::Comma, Self::import_item))
        } else if self.eat("*") {
            self.expect_word("as")?;
            ImportForm::Module(self.name("a name for the module")?)
        } else {
            ImportForm::Module(self.name("a name for the module")?)
        };
        self.expect_word("from")?;
        Ok((form, self.module()?))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.word() != word {
            return self.expected(&format!("`{word}`"));
        }
        self.next();
        Ok(())
    }

    fn import_item(&mut self) -> Parsed<ImportItem> {
        let name = self.name("the name of what to import")?;
        let alias = if self.word() == "as" {
            self.next();
            Some(self.name("a name behind `as`")?)
        } else {
            None
        };
        Ok(ImportItem { name, alias })
    }

    fn module(&mut self) -> Parsed<ModuleReference> {
        let token = self.peek();
        if let TokenKind::Text(text) = &token.kind {
            self.next();
            return Ok(ModuleReference { text: text.clone(), quoted: true, span: token.span });
        }
        let path = self.path("a module: a path between quotes, or a name")?;
        Ok(ModuleReference { text: path.text(), quoted: false, span: path.span() })
    }
}
