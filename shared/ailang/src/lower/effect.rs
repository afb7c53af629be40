//! The effect of a tool, from its tags.

use dialect::Effect;

use super::Lowering;
use crate::diagnostic::Code;
use crate::names::Symbol;
use crate::syntax::{Definition, Tool};

/// The capabilities of the prelude that a reading tool does not need.
const WRITING: &[&str] = &["FileSystemWrite", "ProcessExecution"];

impl<'a> Lowering<'_, 'a> {
    /// Returns the effect: `@pure` computes, and `@readOnly` reads. Without a tag a tool writes, so that a
    /// forgotten tag asks for permission.
    pub(super) fn effect(&mut self, definition: &'a Definition, tool: &'a Tool, home: usize) -> Effect {
        let documentation = &definition.documentation;
        let (tag, effect) = match (documentation.tag("pure"), documentation.tag("readOnly")) {
            (_, Some(tag)) => (tag, Effect::Reads),
            (Some(tag), None) => (tag, Effect::Pure),
            (None, None) => return Effect::Writes,
        };
        match self.writing(tool, home) {
            None if documentation.tag("destructive").is_none() => effect,
            found => {
                let why =
                    found.map_or("it is `@destructive`".to_owned(), |name| format!("it requires `{name}`"));
                let message = format!("`{}` counts as writing: {why}", definition.name.text);
                self.warning(home, Code::WRITES_AFTER_ALL, tag.span, message);
                Effect::Writes
            }
        }
    }

    /// Returns the name of a required capability that allows writing.
    fn writing(&self, tool: &'a Tool, home: usize) -> Option<&'a str> {
        let scope = self.scope(home);
        let prelude = self.table.prelude_home();
        let atoms = tool.requires.iter().flat_map(|it| it.atoms());
        let mut names = atoms.filter_map(|(path, _)| match scope.find_path(path)? {
            Symbol::Definition(definition, home) if home == prelude => Some(definition.name.text.as_str()),
            _ => None,
        });
        names.find(|name| WRITING.contains(name))
    }
}
