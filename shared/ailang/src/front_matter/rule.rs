//! Parsing of loading rules.

use dialect::Level;

use super::model::{Field, FrontMatter, Rule, RuleKind};
use super::read::Reader;
use super::yaml::{Node, NodeKind};
use crate::diagnostic::Code;

impl Reader<'_> {
    pub(super) fn rules(&mut self, node: &Node, front_matter: &mut FrontMatter) {
        let NodeKind::List(rules) = &node.kind else {
            self.malformed(node, "the rules are a list");
            return;
        };
        front_matter.rules = rules.iter().filter_map(|rule| self.rule(rule)).collect();
        if rules.is_empty() {
            self.diagnostics.error(Code::MISSING_RULES, node.span, "there is no rule");
        }
    }

    fn malformed(&mut self, node: &Node, message: impl Into<String>) {
        let help = "a rule is written `{ when: keyword, pattern: mail }`; `when` may be `keyword`, `glob`, `language`, \
                    `tool` or `regex`";
        self.diagnostics.error(Code::RULE, node.span, message).help(help);
    }

    fn rule(&mut self, node: &Node) -> Option<Rule> {
        let NodeKind::Map(fields) = &node.kind else {
            self.malformed(node, "a rule has `when` and `pattern`");
            return None;
        };
        let (mut when, mut pattern, mut level) = (None, None, None);
        for (key, value) in fields {
            let text = self.text(value, Code::RULE, "a rule's field").unwrap_or_default();
            match self.text(key, Code::RULE, "the name of a rule's field")? {
                "when" => match RuleKind::parse(text) {
                    None => self.malformed(value, format!("`{text}` is nothing that a rule looks at")),
                    kind => when = kind,
                },
                "pattern" => pattern = Some(Field { value: text.to_owned(), span: value.span }),
                "level" => match Level::parse(text) {
                    None => self.malformed(value, format!("`{text}` is no level")),
                    found => level = found,
                },
                other => self.malformed(key, format!("a rule has no `{other}`")),
            }
        }
        self.finish(node, when, pattern, level, fields)
    }

    fn finish(
        &mut self,
        node: &Node,
        when: Option<RuleKind>,
        pattern: Option<Field<String>>,
        level: Option<Level>,
        fields: &[(Node, Node)],
    ) -> Option<Rule> {
        let has = |name: &str| fields.iter().any(|(key, _)| key.kind == NodeKind::Text(name.to_owned()));
        if !has("when") || !has("pattern") {
            self.malformed(node, "a rule has `when` and `pattern`");
        }
        let pattern = pattern?;
        if pattern.value.is_empty() {
            self.malformed(node, "the pattern is blank");
            return None;
        }
        let when = when?;
        if when == RuleKind::Regex
            && let Err(error) = regex::Regex::new(&pattern.value)
        {
            self.malformed(node, format!("the pattern is no regex: {error}"));
            return None;
        }
        Some(Rule { when, pattern, level })
    }
}
