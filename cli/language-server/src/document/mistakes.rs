//! Diagnostics, with their corrections.

use ailang::{Analysis, Diagnostic, Strictness};

use crate::answers::{Fix, Location, Mistake, TextEdit};
use crate::workspace::DocumentView;

/// Returns the mistakes in a document; none in Markdown that is no interface document.
pub(crate) fn mistakes(view: &DocumentView) -> Vec<Mistake> {
    if !view.is_interface() {
        return Vec::new();
    }
    mistakes_of(&Analysis::new(view.package.documents()), &view.path)
}

fn mistakes_of(analysis: &Analysis<'_>, path: &str) -> Vec<Mistake> {
    let found = analysis.diagnostics(path, Strictness::Normal);
    found.into_iter().map(|diagnostic| mistake(path, diagnostic)).collect()
}

/// Returns the mistakes of some documents and of those that import them, directly or not.
pub(crate) fn affected(view: &DocumentView, changed: &[String]) -> Vec<(String, Vec<Mistake>)> {
    let documents = view.package.documents();
    let analysis = Analysis::new(documents);
    let importers = changed.iter().flat_map(|path| analysis.importers(path)).map(str::to_owned);
    let mut paths: Vec<String> = changed.iter().cloned().chain(importers).collect();
    paths.sort();
    paths.dedup();
    let found = paths.into_iter().map(|path| {
        let is_interface = view.package.is_interface(&path);
        let mistakes = if is_interface { mistakes_of(&analysis, &path) } else { Vec::new() };
        (path, mistakes)
    });
    found.collect()
}

fn mistake(path: &str, diagnostic: Diagnostic) -> Mistake {
    let Diagnostic { code, severity, span, message, help, fixes, related } = diagnostic;
    let message = match help {
        Some(help) => format!("{message}\n{help}"),
        None => message,
    };
    let fixes = fixes
        .into_iter()
        .map(|fix| Fix { title: fix.title, edit: TextEdit { span: fix.span, text: fix.replacement } });
    let related = related.into_iter().map(|it| {
        let path = it.path.unwrap_or_else(|| path.to_owned());
        (Location { path, span: it.span }, it.message)
    });
    Mistake {
        span,
        severity,
        code: code.to_string(),
        message,
        fixes: fixes.collect(),
        related: related.collect(),
    }
}
