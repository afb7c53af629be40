//! Required fields of front matter.

use dialect::Level;
use source_text::{Severity, Span};

use super::{Checker, Strictness};
use crate::diagnostic::Code;

impl Checker<'_, '_> {
    pub(super) fn front_matter(&mut self) {
        let front_matter = &self.document.front_matter;
        if !front_matter.is_read {
            return;
        }
        let span = Span::new(front_matter.span.start, front_matter.span.start);
        let missing = |name: &str, is_there: bool| (!is_there).then(|| name.to_owned());
        let id = missing("id", front_matter.id.is_some() || self.is_reported(Code::ID));
        let title = missing("title", front_matter.title.is_some() || self.is_reported(Code::TITLE));
        let summary = missing("summary", front_matter.summary.is_some() || self.is_reported(Code::SUMMARY));
        let drafts = if self.strictness == Strictness::Loose { Severity::Warning } else { Severity::Error };
        for (name, severity) in [(id, Severity::Error), (title, drafts), (summary, drafts)] {
            let Some(name) = name else { continue };
            self.diagnostics
                .report(severity, Code::MISSING_FIELD, span, format!("the front matter has no `{name}`"))
                .help(format!("write `{name}: …` between the lines `---`"));
        }
        self.spelling();
        self.size_hints(span);
    }

    fn is_reported(&self, code: Code) -> bool {
        self.document.diagnostics.iter().any(|it| it.code == code)
    }

    fn spelling(&mut self) {
        let Some(loading) = &self.document.front_matter.loading else { return };
        let written = self.document.text(loading.span).trim_matches(['"', '\'']);
        let name = loading.value.name();
        if self.strictness == Strictness::Strict && written != name {
            let message = format!("`{written}` is written `{name}`");
            self.diagnostics.warning(Code::LOADING, loading.span, message).replace(
                format!("write `{name}`"),
                loading.span,
                name,
            );
        }
    }

    fn size_hints(&mut self, span: Span) {
        let missing = self.document.front_matter.size_hints.len() < Level::ALL.len();
        if self.strictness == Strictness::Strict && missing {
            let message = "the front matter does not say how many tokens the document has at each level";
            self.diagnostics.report(Severity::Info, Code::MISSING_SIZE_HINTS, span, message);
        }
    }
}
