//! Checks of a tool's body against its declared errors and capabilities.

use source_text::{Severity, Span};

use super::Walker;
use super::flow::{Called, Flow, Origin, is_result, may_write};
use crate::diagnostic::Code;
use crate::names::{Scope, Symbol};
use crate::syntax::{Catch, Definition, DefinitionKind, Path, Tool};

impl<'w, 'a> Walker<'w, '_, 'a> {
    fn flow(&mut self) -> &mut Flow<'a> {
        self.flows.last_mut().expect("the one of all statements is always there")
    }

    /// Records code with unknown errors.
    pub(super) fn runs_unknown(&mut self) {
        self.flow().is_open = true;
    }

    /// Records the call of a tool.
    pub(super) fn runs(
        &mut self,
        definition: &'a Definition,
        tool: &'a Tool,
        scope: Scope<'w, 'a>,
        span: Span,
    ) {
        let name = definition.name.text.as_str();
        let writes = may_write(&definition.documentation);
        let called = Called { name, tool, writes, scope, span };
        self.called.entry(std::ptr::from_ref(definition)).or_insert(called);
        let is_sketch = tool.parameters.elided || tool.parameters.list.iter().any(|it| it.ty.is_none());
        let opens = tool.returns.as_ref().is_some_and(is_result);
        let flow = self.flow();
        flow.is_calling = true;
        flow.is_open |= is_sketch || opens;
        for path in &tool.throws {
            match error(path, scope) {
                Some(error) => self.flow().add(Origin { error, span, tool: Some(name) }),
                None => self.runs_unknown(),
            }
        }
    }

    /// Records a `throw`.
    pub(super) fn throws(&mut self, symbol: Option<Symbol<'a>>, span: Span) {
        match symbol {
            Some(Symbol::Definition(error, _)) if matches!(error.kind, DefinitionKind::Error(_)) => {
                self.flow().add(Origin { error, span, tool: None });
            }
            _ => self.runs_unknown(),
        }
    }

    /// Starts a `try`, whose errors may be caught.
    pub(super) fn may_fail(&mut self) {
        self.flows.push(Flow::default());
    }

    /// Ends a `try`: removes the caught errors, and reports those that nothing throws.
    pub(super) fn caught_by(&mut self, catches: &'a [Catch]) {
        let Some(mut flow) = self.flows.pop() else { return };
        for catch in catches {
            let Some(path) = catch.error.as_ref().filter(|path| path.text() != "Error") else {
                flow = Flow::default();
                break;
            };
            if let Some(Symbol::Definition(definition, home)) = self.scope.find_path(path)
                && matches!(definition.kind, DefinitionKind::Error(_))
            {
                let is_thrown = flow.errors.shift_remove(&std::ptr::from_ref(definition)).is_some();
                let is_everywhere = flow.is_calling && home == self.scope.table.prelude_home();
                if !is_thrown && !is_everywhere && !flow.is_open {
                    self.never_thrown(path);
                }
            }
        }
        self.flow().join(flow);
    }

    fn never_thrown(&mut self, path: &Path) {
        let message = format!("nothing in the `try` throws `{}`, so it is never caught here", path.text());
        self.checker
            .diagnostics
            .warning(Code::NEVER_THROWN, path.span(), message)
            .help("what a tool may fail with stands behind its `throws`");
    }

    /// Reports errors, effects and capabilities of a body that its tool does not declare.
    pub(in crate::validate) fn check_declarations(&mut self, definition: &'a Definition, tool: &'a Tool) {
        let name = &definition.name.text;
        let Some(flow) = self.flows.pop() else { return };
        self.uncaught(tool, name, &flow);
        if !may_write(&definition.documentation) {
            self.writes_more(name);
        }
        self.requires_more(tool, name);
    }

    fn writes_more(&mut self, name: &str) {
        for called in self.called.values().filter(|it| it.writes) {
            let message = format!("`{name}` only reads, and `{}` does not say so of itself", called.name);
            self.checker.diagnostics.warning(Code::WRITES_MORE, called.span, message).help(format!(
                "write `@readOnly` above `{}` if it changes nothing, or take it from `{name}`",
                called.name
            ));
        }
    }

    fn uncaught(&mut self, tool: &'a Tool, name: &str, flow: &Flow<'a>) {
        let severity = self.checker.by_strictness(None, Some(Severity::Warning), Severity::Error);
        let listed: Vec<_> = tool.throws.iter().map(|path| (path, error(path, self.scope))).collect();
        let Some(severity) = severity else { return };
        for Origin { error, span, tool: from } in flow.errors.values() {
            let failure = &error.name.text;
            let is_listed = |(path, listed): &(&Path, Option<&Definition>)| {
                listed.map_or(path.name.text == *failure, |listed| std::ptr::eq(listed, *error))
            };
            if listed.iter().any(is_listed) {
                continue;
            }
            let message = match from {
                Some(from) => {
                    format!("`{from}` may fail with `{failure}`, which `{name}` neither catches nor lists")
                }
                None => format!("`{name}` throws `{failure}`, and does not list it"),
            };
            self.checker
                .diagnostics
                .report(severity, Code::UNCAUGHT, *span, message)
                .help(format!("write `throws {failure}` behind the tool, or catch it"));
        }
    }

    fn requires_more(&mut self, tool: &'a Tool, name: &str) {
        let Some(severity) = self.checker.by_strictness(None, Some(Severity::Info), Severity::Info) else {
            return;
        };
        let Some(own) = self.checker.atoms_of(&tool.requires, self.scope) else { return };
        for called in std::mem::take(&mut self.called).into_values() {
            let needed = self.checker.atoms_of(&called.tool.requires, called.scope).unwrap_or_default();
            let more = needed.into_iter().filter(|it| !own.iter().any(|own| std::ptr::eq(*own, *it)));
            let more: Vec<String> = more.map(|it| format!("`{}`", it.name.text)).collect();
            if more.is_empty() {
                continue;
            }
            let message =
                format!("`{}` requires {}, which `{name}` does not", called.name, more.join(" and "));
            self.checker
                .diagnostics
                .report(severity, Code::REQUIRES_MORE, called.span, message)
                .help("list it behind `requires`: whoever calls the tool is asked for all of it at once");
        }
    }
}

/// Resolves a path to an error.
fn error<'a>(path: &Path, scope: Scope<'_, 'a>) -> Option<&'a Definition> {
    match scope.find_path(path)? {
        Symbol::Definition(definition, _) if matches!(definition.kind, DefinitionKind::Error(_)) => {
            Some(definition)
        }
        _ => None,
    }
}
