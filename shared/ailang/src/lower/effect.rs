//! What a tool does to the world, as its tags say.

use dialect::Effect;

use super::Lowering;
use crate::diagnostic::Code;
use crate::names::Symbol;
use crate::syntax::{Definition, Tool};

/// Capabilities of the prelude that nobody needs who only reads.
const WRITING: &[&str] = &["FileSystemWrite", "ProcessExecution"];

impl<'a> Lowering<'_, 'a> {
    /// `@pure` computes, `@readOnly` reads; without a tag it counts as writing, so that a forgotten tag asks for
    /// permission instead of doing harm.
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

    /// The capability to write that it requires.
    fn writing(&self, tool: &'a Tool, home: usize) -> Option<&'a str> {
        let scope = self.scope(home);
        let prelude = self.world.prelude_home();
        let atoms = tool.requires.iter().flat_map(|it| it.atoms());
        let mut names = atoms.filter_map(|(path, _)| match scope.find_path(path)? {
            Symbol::Definition(definition, home) if home == prelude => Some(definition.name.text.as_str()),
            _ => None,
        });
        names.find(|name| WRITING.contains(name))
    }
}
