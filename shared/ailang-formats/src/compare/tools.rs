//! Changes of tools.

use std::collections::BTreeSet;

use ailang::syntax::{DocTag, Documentation};
use dialect::{Parameter, Requirement};

use super::side::SideTool;
use super::{Comparer, Direction, Impact};

impl Comparer<'_, '_> {
    pub(super) fn tools(&mut self) {
        let (old, new) = (self.old, self.new);
        for (name, tool) in &old.tools {
            match new.tools.get(name) {
                Some(other) => self.tool(name, tool, other),
                None => self.removed_tool(name, tool),
            }
        }
        for (name, tool) in new.tools.iter().filter(|(name, _)| !old.tools.contains_key(*name)) {
            let span = tool.definition.name.span;
            self.changed(Impact::Minor, "toolAdded", name, format!("the tool `{name}` is new"), span);
        }
    }

    fn removed_tool(&mut self, name: &str, tool: &SideTool<'_>) {
        let span = tool.definition.name.span;
        let has_alias = |it: &&SideTool<'_>| {
            tags(&it.definition.documentation, "alias")
                .iter()
                .any(|alias| alias.split_whitespace().any(|word| word == name))
        };
        if let Some(other) = self.new.tools.values().find(has_alias) {
            let new = &other.definition.name.text;
            let message = format!("`{name}` is called `{new}` now; the old name is an alias");
            self.removed(Impact::Minor, "toolRenamed", name, message, span);
            return;
        }
        let is_same = |(new, it): &(&&str, &SideTool<'_>)| {
            !self.old.tools.contains_key(**new)
                && it.parameters == tool.parameters
                && it.result == tool.result
        };
        match self.new.tools.iter().find(is_same) {
            Some((new, _)) => {
                let message =
                    format!("`{name}` is called `{new}` now; add `@alias {name}` to keep calls working");
                self.removed(Impact::Major, "toolRenamed", name, message, span);
            }
            None => {
                self.removed(Impact::Major, "toolRemoved", name, format!("the tool `{name}` is gone"), span);
            }
        }
    }

    fn tool(&mut self, name: &str, old: &SideTool<'_>, new: &SideTool<'_>) {
        self.parameters(name, old, new);
        let returns = new.tool.returns.as_ref().map_or(new.definition.name.span, |it| it.span);
        let (subject, rules) = (format!("{name} ->"), ("resultWidened", "resultNarrowed"));
        self.typed(Direction::Received, &subject, (&old.result, &new.result), returns, rules);
        self.requirements(name, &old.requires, &new.requires, new.definition.name.span);
        self.throws(name, old, new);
        self.tags(name, &old.definition.documentation, &new.definition.documentation, new);
    }

    fn parameters(&mut self, name: &str, old: &SideTool<'_>, new: &SideTool<'_>) {
        for (index, parameter) in old.parameters.iter().enumerate() {
            let subject = format!("{name}.{}", parameter.name);
            let place = new.parameters.iter().position(|it| it.name == parameter.name);
            let Some(place) = place else {
                let span = old.tool.parameters.list[index].span;
                let message = format!("the parameter `{}` is gone", parameter.name);
                self.removed(Impact::Major, "parameterRemoved", &subject, message, span);
                continue;
            };
            let span = new.tool.parameters.list[place].span;
            let other = &new.parameters[place];
            let before = |list: &[Parameter], end: usize| {
                list[..end].iter().map(|it| it.name.clone()).collect::<BTreeSet<_>>()
            };
            if before(&old.parameters, index) != before(&new.parameters, place) {
                let message = format!(
                    "it was number {}, is number {}, so positional arguments mean something else",
                    index + 1,
                    place + 1
                );
                self.changed(Impact::Major, "parameterMoved", &subject, message, span);
            }
            let (types, rules) = ((&parameter.ty, &other.ty), ("parameterNarrowed", "parameterWidened"));
            self.typed(Direction::Given, &subject, types, span, rules);
            self.presence(&subject, parameter, other, span);
        }
        for (parameter, node) in new.parameters.iter().zip(&new.tool.parameters.list) {
            if old.parameters.iter().any(|it| it.name == parameter.name) {
                continue;
            }
            let (impact, rule, kind) = match parameter.optional {
                true => (Impact::Minor, "optionalParameterAdded", "optional"),
                false => (Impact::Major, "requiredParameterAdded", "required"),
            };
            let message = format!("the {kind} parameter `{}` is new", parameter.name);
            self.changed(impact, rule, &format!("{name}.{}", parameter.name), message, node.span);
        }
    }

    fn presence(&mut self, subject: &str, old: &Parameter, new: &Parameter, span: source_text::Span) {
        match (old.optional, new.optional) {
            (true, false) => {
                let message = "it was optional, and is required".to_owned();
                self.changed(Impact::Major, "parameterRequired", subject, message, span);
            }
            (false, true) => {
                let message = "it was required, and is optional".to_owned();
                self.changed(Impact::Minor, "parameterOptional", subject, message, span);
            }
            _ if old.default != new.default => {
                let shown = |it: &Option<serde_json::Value>| {
                    it.as_ref().map_or("none".to_owned(), |it| format!("`{it}`"))
                };
                let message =
                    format!("the default was {}, and is {}", shown(&old.default), shown(&new.default));
                self.changed(Impact::Major, "defaultChanged", subject, message, span);
            }
            _ => {}
        }
    }

    /// Compares the capabilities that a tool or a composed capability requires.
    pub(super) fn requirements(
        &mut self,
        subject: &str,
        old: &[Requirement],
        new: &[Requirement],
        span: source_text::Span,
    ) {
        let name = |it: &Requirement| it.capability.rsplit('/').next().unwrap_or_default().to_owned();
        let limits = |all: &[Requirement], wanted: &str| {
            let limits = all
                .iter()
                .filter(|it| name(it) == wanted)
                .map(|it| format!("{:?}", Requirement { capability: String::new(), ..it.clone() }));
            limits.collect::<BTreeSet<_>>()
        };
        let names = |all: &[Requirement]| all.iter().map(&name).collect::<BTreeSet<_>>();
        let (before, after) = (names(old), names(new));
        for it in after.difference(&before) {
            self.changed(Impact::Major, "capabilityAdded", subject, format!("it requires `{it}` too"), span);
        }
        for it in before.difference(&after) {
            self.changed(
                Impact::Minor,
                "capabilityDropped",
                subject,
                format!("it no longer requires `{it}`"),
                span,
            );
        }
        for it in before.intersection(&after).filter(|it| limits(old, it) != limits(new, it)) {
            let message =
                format!("it requires `{it}` with other limits, so that earlier grants may not cover it");
            self.changed(Impact::Major, "capabilityLimits", subject, message, span);
        }
    }

    fn throws(&mut self, name: &str, old: &SideTool<'_>, new: &SideTool<'_>) {
        let names =
            |it: &SideTool<'_>| it.tool.throws.iter().map(|it| it.name.text.clone()).collect::<BTreeSet<_>>();
        let (before, after) = (names(old), names(new));
        for path in new.tool.throws.iter().filter(|it| !before.contains(&it.name.text)) {
            self.changed(
                Impact::Major,
                "errorAdded",
                name,
                format!("it may throw `{}` too", path.name.text),
                path.span(),
            );
        }
        for error in before.difference(&after) {
            let span = new.definition.name.span;
            self.changed(Impact::Minor, "errorDropped", name, format!("it no longer throws `{error}`"), span);
        }
    }

    fn tags(&mut self, name: &str, old: &Documentation, new: &Documentation, tool: &SideTool<'_>) {
        let span = tool.definition.name.span;
        let all: BTreeSet<&str> = old.tags.iter().chain(&new.tags).map(|it| it.name.as_str()).collect();
        for tag in all {
            let (before, after) = (tags(old, tag), tags(new, tag));
            if before == after {
                continue;
            }
            let is_gone = after.is_empty() || tag == "alias" && !before.is_subset(&after);
            let impact = match (tag, is_gone) {
                ("readOnly" | "pure" | "idempotent" | "alias" | "conversion", true) => Impact::Major,
                ("destructive" | "hidden", false) => Impact::Major,
                ("example" | "preferWhen" | "since", _) => Impact::Patch,
                _ => Impact::Minor,
            };
            let rule = if is_gone { "tagRemoved" } else { "tagAdded" };
            let verb = if is_gone { "is no longer" } else { "is" };
            self.changed(
                impact,
                rule,
                name,
                format!("it {verb} `@{tag}{}`", words(if is_gone { &before } else { &after })),
                span,
            );
        }
    }
}

fn tags(documentation: &Documentation, name: &str) -> BTreeSet<String> {
    let tags = documentation.tags.iter().filter(|tag: &&DocTag| tag.name == name);
    tags.map(|tag| tag.text.clone()).collect()
}

fn words(texts: &BTreeSet<String>) -> String {
    let words = texts.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if words.is_empty() { words } else { format!(" {words}") }
}
