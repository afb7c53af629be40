//! Doc tags: their names, and promises that contradict each other.

use source_text::Span;

use super::Checker;
use crate::diagnostic::{Code, nearest};
use crate::parse::FLAGS;
use crate::syntax::{Definition, DefinitionKind, Documentation, MemberKind, TypeKind};

/// The tags that take the rest of their line as a text.
const WITH_TEXT: &[&str] = &["alias", "deprecated", "example", "foreign", "preferWhen", "since"];

impl Checker<'_, '_> {
    /// Checks the tags of a definition and of its parts.
    pub(super) fn tags(&mut self, definition: &Definition) {
        self.tag_names(&definition.documentation);
        match &definition.kind {
            DefinitionKind::Tool(tool) => {
                tool.parameters.list.iter().for_each(|it| self.tag_names(&it.documentation));
                self.effects(&definition.documentation);
            }
            DefinitionKind::Error(error) => {
                let parameters = error.parameters.iter().flat_map(|it| &it.list);
                parameters.for_each(|it| self.tag_names(&it.documentation));
            }
            DefinitionKind::Type(it) => {
                let TypeKind::Struct(members) = &it.ty.kind else { return };
                members.iter().for_each(|it| self.tag_names(&it.documentation));
                let methods = members.iter().filter(|it| matches!(it.kind, MemberKind::Method { .. }));
                methods.for_each(|it| self.effects(&it.documentation));
            }
            DefinitionKind::Enum(_) | DefinitionKind::Capability(_) => {}
        }
    }

    /// Reports tags that are nearly known ones. All others are a document's own.
    fn tag_names(&mut self, documentation: &Documentation) {
        let known = || FLAGS.iter().chain(WITH_TEXT).copied();
        for tag in documentation.tags.iter().filter(|tag| !known().any(|it| it == tag.name)) {
            let Some(near) = nearest(&tag.name, known()).first().copied() else { continue };
            let name = Span::new(tag.span.start + 1, tag.span.start + 1 + tag.name.len());
            let message = format!("there is no tag `@{}`", tag.name);
            self.diagnostics
                .warning(Code::UNKNOWN_TAG, name, message)
                .help(format!("did you mean `@{near}`?"))
                .replace(format!("write `@{near}`"), name, near);
        }
    }

    /// Reports a promise to change nothing beside one to destroy something.
    fn effects(&mut self, documentation: &Documentation) {
        let reads = documentation.tag("readOnly").or(documentation.tag("pure"));
        if let (Some(reads), Some(destroys)) = (reads, documentation.tag("destructive")) {
            let message = format!("`@{}` and `@destructive` contradict each other", reads.name);
            self.error(Code::TAGS_DISAGREE, destroys.span, message).related(reads.span, "the other tag");
        }
    }
}
