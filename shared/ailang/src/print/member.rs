//! Members and parameters as text: on one line, or on a line each if comments are printed.

use super::literal::{key, quoted};
use super::types::mark;
use super::{Comments, Printer};
use crate::syntax::{Documentation, Member, MemberKind, Parameter, Parameters};

impl Printer<'_> {
    /// Prints members: `{ a: string, b?: int }`.
    pub(super) fn members(&self, members: &[Member]) -> String {
        if members.is_empty() {
            return "{}".to_owned();
        }
        let items = members.iter().map(|it| (&it.documentation, self.member(it)));
        self.listed("{", " ", items.collect(), "}")
    }

    pub(super) fn member(&self, member: &Member) -> String {
        let name = field(&member.name.text);
        match &member.kind {
            MemberKind::Field { optional, ty } => format!("{name}{}: {}", mark(*optional), self.ty(ty)),
            MemberKind::Method { parameters, returns } => {
                let returns = returns.as_ref().map_or_else(String::new, |ty| format!(" -> {}", self.ty(ty)));
                format!("{name}{}{returns}", self.parameters(parameters))
            }
        }
    }

    /// Prints parameters: `(name: string, first?: int)`.
    pub(super) fn parameters(&self, parameters: &Parameters) -> String {
        if parameters.elided {
            return "(...)".to_owned();
        }
        let items = parameters.list.iter().map(|it| (&it.documentation, self.parameter(it)));
        self.listed("(", "", items.collect(), ")")
    }

    fn parameter(&self, parameter: &Parameter) -> String {
        let ty = parameter.ty.as_ref().map_or_else(String::new, |ty| format!(": {}", self.ty(ty)));
        format!("{}{}{ty}", parameter.name.text, mark(parameter.optional))
    }

    /// Prints a list between brackets; items with comments get lines of their own.
    pub(super) fn listed(
        &self,
        open: &str,
        blank: &str,
        items: Vec<(&Documentation, String)>,
        close: &str,
    ) -> String {
        let has_comments = self.comments >= Comments::Most
            && items.iter().any(|(documentation, _)| !documentation.is_empty());
        if !has_comments {
            let items: Vec<String> = items.into_iter().map(|(_, item)| item).collect();
            return format!("{open}{blank}{}{blank}{close}", items.join(", "));
        }
        let mut lines = Vec::new();
        let last = items.len() - 1;
        for (index, (documentation, item)) in items.into_iter().enumerate() {
            lines.extend(documentation.text.lines().map(|line| format!("// {line}")));
            lines.extend(documentation.tags.iter().map(|tag| format!("// @{} {}", tag.name, tag.text)));
            lines.push(item + if index == last { "" } else { "," });
        }
        let lines: Vec<String> = lines
            .iter()
            .flat_map(|it| it.lines())
            .map(|it| format!("  {it}").trim_end().to_owned())
            .collect();
        format!("{open}\n{}\n{close}", lines.join("\n"))
    }
}

/// Prints the name of a field. A capital at its start is a mistake without quotes.
fn field(name: &str) -> String {
    if name.starts_with(|char: char| char.is_ascii_uppercase()) { quoted(name) } else { key(name) }
}
