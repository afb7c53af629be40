//! Expressions of other languages as text of this one, with brackets where precedence differs: `not x > 2` is `!(x > 2)`.

use std::collections::HashSet;

use super::holes::{inside, joined, unescaped};
use super::lambda::{FRESH, function};
use super::node::{Kind, Node, nodes};
use super::sure::{self, Traits};

/// Words, and what is written here instead.
const WORDS: &[(&str, &str)] = &[
    ("and", "&&"),
    ("AND", "&&"),
    ("or", "||"),
    ("OR", "||"),
    ("True", "true"),
    ("False", "false"),
    ("None", "null"),
    ("nil", "null"),
    ("undefined", "null"),
    ("NULL", "null"),
];

/// Comparisons, and what is written here instead.
const COMPARISONS: &[(&str, &str)] = &[
    ("==", "=="),
    ("===", "=="),
    ("eq", "=="),
    ("=", "="),
    ("!=", "!="),
    ("!==", "!="),
    ("<>", "!="),
    ("ne", "!="),
    ("<", "<"),
    ("<=", "<="),
    (">", ">"),
    (">=", ">="),
    ("is", "is"),
    ("is not", "is not"),
    ("in", "in"),
    ("not in", "not in"),
];

/// The most nested expressions.
const DEPTH: usize = 40;

/// Words that are no names in most languages.
const KEYWORDS: [&str; 35] = [
    "not",
    "and",
    "or",
    "in",
    "is",
    "if",
    "else",
    "elif",
    "for",
    "while",
    "def",
    "class",
    "import",
    "from",
    "return",
    "const",
    "var",
    "yield",
    "throw",
    "switch",
    "case",
    "with",
    "lambda",
    "function",
    "typeof",
    "delete",
    "instanceof",
    "async",
    "try",
    "catch",
    "do",
    "break",
    "continue",
    "void",
    "assert",
];

/// A writer of expressions that notes what the program shows of its language.
pub(super) struct Rewriter {
    pub(super) traits: Traits,
    /// All words of the program, those in texts too.
    pub(super) words: HashSet<String>,
    /// The names outside of texts, and those that are made.
    names: HashSet<String>,
    /// The number of expressions around the one that is written.
    depth: usize,
}

impl Rewriter {
    pub(super) fn new(nodes: &[Node]) -> Self {
        let names = FRESH.map(str::to_owned).into();
        let mut new = Self { traits: Traits::default(), words: HashSet::new(), names, depth: 0 };
        new.look_at(nodes);
        new
    }

    fn look_at(&mut self, nodes: &[Node]) {
        for (at, node) in nodes.iter().enumerate() {
            let follows_operand = !node.starts_line && at > 0 && nodes[at - 1].ends_operand();
            let traits = &mut self.traits;
            match (node.kind, node.text.as_str()) {
                (Kind::Name, "if" | "for") => traits.is_python |= follows_operand,
                (Kind::Name, "not" | "and" | "or" | "lambda" | "elif" | "def" | "None") => {
                    traits.is_python = true;
                }
                (Kind::Name, "const" | "var" | "function") => traits.is_script = true,
                (Kind::Name, "fn" | "func" | "fun" | "mut" | "val" | "auto" | "final") => {
                    traits.is_compiled = true;
                }
                (Kind::Mark, "&&" | "||" | "!" | "===" | "!==" | "?" | ";") => traits.is_script = true,
                (Kind::Mark, "->" | "|") => traits.is_compiled |= at == 0 || !node.is_tight,
                (Kind::Mark, "/") => traits.has_fractions = true,
                (Kind::Number, number) => traits.has_fractions |= number.contains('.'),
                (Kind::Formatted, _) => traits.is_python = true,
                _ => {}
            }
            match node.kind {
                Kind::Name => {
                    self.words.insert(node.text.clone());
                    self.names.insert(node.text.clone());
                }
                Kind::Text | Kind::Formatted => {
                    let words = node.text.split(|it: char| !crate::lex::is_name_part(it));
                    self.words.extend(words.map(str::to_owned));
                }
                _ => {}
            }
            self.look_at(&node.inside);
        }
    }

    /// Writes an expression.
    pub(super) fn expression(&mut self, nodes: &[Node]) -> Option<String> {
        self.nested(|it| it.whole(nodes))
    }

    /// Writes one level deeper.
    fn nested(&mut self, write: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        self.depth += 1;
        let written = if self.depth <= DEPTH { write(self) } else { None };
        self.depth -= 1;
        written
    }

    fn whole(&mut self, nodes: &[Node]) -> Option<String> {
        let [first, rest @ ..] = nodes else { return None };
        if first.is_word(&["async"]) && rest.first().is_some_and(|it| it.is_name() || it.is_group("(")) {
            return self.expression(rest);
        }
        if let Some(function) = function(nodes) {
            self.traits.is_compiled |= first.is("|") || first.is("||");
            return self.lambda(function);
        }
        if first.is_word(&["if"]) {
            return self.conditional_statement(rest);
        }
        if let Some(at) = position(nodes, &["if"]) {
            let otherwise = at + position(&nodes[at..], &["else"])?;
            let then = self.expression(&nodes[..at])?;
            let condition = self.operators(&nodes[at + 1..otherwise])?;
            return Some(format!("({condition} ? {then} : {})", self.expression(&nodes[otherwise + 1..])?));
        }
        let Some(at) = position(nodes, &["?"]) else { return self.operators(nodes) };
        let mut open = 0_usize;
        let colon = nodes[at..].iter().position(|it| {
            open += usize::from(it.is("?"));
            open -= usize::from(it.is(":"));
            open == 0
        })?;
        let condition = self.operators(&nodes[..at])?;
        let then = self.expression(&nodes[at + 1..at + colon])?;
        Some(format!("({condition} ? {then} : {})", self.expression(&nodes[at + colon + 1..])?))
    }

    /// Writes operands between `&&`, `||` and `??`.
    pub(super) fn operators(&mut self, nodes: &[Node]) -> Option<String> {
        let mut out = String::new();
        let mut start = 0;
        for (at, node) in nodes.iter().enumerate() {
            let operator =
                if node.is_name() && !is_member(nodes, at) { word(&node.text) } else { &node.text };
            if matches!(operator, "&&" | "||" | "??") && node.kind != Kind::Text {
                out.push_str(&format!("{} {operator} ", self.comparison(&nodes[start..at])?));
                start = at + 1;
            }
        }
        Some(out + &self.comparison(&nodes[start..])?)
    }

    /// Writes a comparison, or a chain of them: `1 < x < 3`.
    fn comparison(&mut self, nodes: &[Node]) -> Option<String> {
        if nodes.first()?.is_word(&["not", "NOT"]) {
            return Some(format!("!({})", self.nested(|it| it.comparison(&nodes[1..]))?));
        }
        let (mut operands, mut operators) = (Vec::new(), Vec::new());
        let (mut start, mut at) = (0, 0);
        while at < nodes.len() {
            let is_operator = !is_member(nodes, at) && matches!(nodes[at].kind, Kind::Name | Kind::Mark);
            let text = nodes[at].text.to_lowercase();
            let both =
                nodes.get(at + 1).map_or_else(String::new, |it| format!("{text} {}", it.text.to_lowercase()));
            let find = |text: &str| COMPARISONS.iter().find(|it| it.0 == text).map(|it| it.1);
            let found = find(&both).map(|it| (it, 2)).or_else(|| find(&text).map(|it| (it, 1)));
            let Some((operator, length)) = found.filter(|_| is_operator) else {
                at += 1;
                continue;
            };
            operands.push(&nodes[start..at]);
            operators.push(operator);
            at += length;
            start = at;
        }
        operands.push(&nodes[start..]);
        let written = operands.iter().map(|it| self.operand(it)).collect::<Option<Vec<_>>>()?;
        if operators.len() < 2 {
            return match operators.pop() {
                None => written.into_iter().next(),
                Some(operator) => self.compared(operator, operands[0], operands[1], &written),
            };
        }
        let is_chain = [["<", "<="], [">", ">="]]
            .iter()
            .any(|it| operators.iter().all(|operator| it.contains(operator)));
        if !is_chain || self.traits.is_script {
            return None;
        }
        let pairs =
            written.windows(2).zip(operators).map(|(pair, it)| format!("{} {it} {}", pair[0], pair[1]));
        Some(format!("({})", pairs.collect::<Vec<_>>().join(" && ")))
    }

    fn compared(&self, operator: &str, left: &[Node], right: &[Node], written: &[String]) -> Option<String> {
        let [one, other] = written else { return None };
        let is_literal = match right {
            [it] => {
                matches!(it.kind, Kind::Number | Kind::Text)
                    || matches!(other.as_str(), "null" | "true" | "false")
            }
            _ => false,
        };
        match operator {
            // `is` tells only literals apart.
            "is" | "is not" => {
                is_literal.then(|| format!("{one} {} {other}", if operator == "is" { "==" } else { "!=" }))
            }
            "in" | "not in" => {
                // `!x in xs` negates `x` in one language, and everything in another. In C's family `in` asks for an index.
                let is_certain = !left[0].is("!") && (!self.traits.is_script || self.traits.is_python);
                let not = if operator == "in" { "" } else { "!" };
                is_certain.then(|| format!("{not}({other}).contains({one})"))
            }
            "=" => {
                let is_target = left.last()?.is_name() || left.last()?.is_group("[");
                (!is_target).then(|| format!("{one} == {other}"))
            }
            operator => Some(format!("{one} {operator} {other}")),
        }
    }

    /// Writes values with arithmetic between them.
    fn operand(&mut self, nodes: &[Node]) -> Option<String> {
        let mut out = String::new();
        let mut at = 0;
        while at < nodes.len() {
            let (node, next) = (&nodes[at], nodes.get(at + 1));
            let before = at.checked_sub(1).map(|it| &nodes[it]);
            let follows = before.is_some_and(Node::ends_operand)
                && !before.is_some_and(|it| it.is_word(&["new", "await"]));
            let is_call = follows && node.kind == Kind::Group;
            if !(out.is_empty() || node.is_tight || is_call) {
                out.push(' ');
            }
            match node.kind {
                Kind::Group if follows && node.starts_line => return None,
                Kind::Group => match (node.text.as_str(), follows) {
                    ("(", true) => out.push_str(&self.arguments(&node.inside, before)?),
                    ("(", false) if next.is_some_and(|it| it.is_group("(")) => {
                        // A function that is called at once.
                        let (parameters, _) = function(&node.inside)?;
                        let written = self.expression(&node.inside)?;
                        out.push_str(&match (parameters.len(), items(&nodes[at + 1].inside).as_slice()) {
                            (0, []) => format!("({}", written.strip_prefix("(() => ")?),
                            (1, [value]) => format!("let({}, {written})", self.expression(value)?),
                            _ => return None,
                        });
                        at += 1;
                    }
                    ("(", false) => out.push_str(&self.in_brackets(&node.inside)?),
                    ("[", true) => out.push_str(&self.part(&node.inside)?),
                    ("[", false) => out.push_str(&self.list(&node.inside)?),
                    ("{", false) => out.push_str(&self.object(&node.inside)?),
                    _ => self.with_closure(&mut out, &node.inside)?,
                },
                Kind::Formatted => out.push_str(&self.with_holes(&node.text, "{")?),
                Kind::Pattern => match &nodes[at + 1..] {
                    [dot, test, text, ..] if dot.is(".") && test.is_word(&["test"]) && text.is_group("(") => {
                        let pattern = as_text(&node.text, "matches")?;
                        out.push_str(&format!("matches({}, {pattern})", self.expression(&text.inside)?));
                        at += 3;
                    }
                    _ => return None,
                },
                Kind::Name if is_member(nodes, at) => out.push_str(&node.text),
                Kind::Name if node.text == "new" && next.is_some_and(Node::is_name) => {}
                Kind::Name if node.text == "as" && follows => {
                    const ERASED: [&str; 6] = ["number", "string", "boolean", "any", "object", "unknown"];
                    next.filter(|it| it.is_word(&ERASED))?;
                    out.truncate(out.trim_end().len());
                    at += 1;
                }
                Kind::Name if is_keyword(&node.text) => return None,
                Kind::Name => out.push_str(word(&node.text)),
                Kind::Text if node.text.starts_with('`') && node.text.contains("${") => {
                    let raw = node.text.trim_matches('`');
                    out.push_str(&self.with_holes(raw, "${")?);
                }
                Kind::Number | Kind::Text => out.push_str(&node.text),
                Kind::Mark => match node.text.as_str() {
                    "!" if follows && node.is_tight && next.is_some_and(|it| it.is(".")) => {}
                    "?." if next.is_some_and(|it| it.is_group("[")) => {}
                    "->" if node.is_tight => out.push('.'),
                    "." if next.is_some_and(|it| it.kind == Kind::Number && it.is_tight) => {
                        let number = &nodes[at + 1].text;
                        out.push_str(&if follows { format!("[{number}]") } else { format!("0.{number}") });
                        at += 1;
                    }
                    "+" if !follows && next.is_some_and(|it| it.kind == Kind::Number) => {}
                    mark @ ("." | "?." | "!" | "+" | "-" | "*" | "/" | "%") => {
                        let is_twice = next.is_some_and(|it| it.text == mark && it.is_tight);
                        let kinds = [before, next].map(|it| it.map(|it| it.kind));
                        // Python adds no number to a text.
                        let is_mixed = [Kind::Text, Kind::Number].iter().all(|it| kinds.contains(&Some(*it)));
                        if is_twice && mark != "!" || is_mixed && self.traits.is_python {
                            return None;
                        }
                        out.push_str(mark);
                    }
                    _ => return None,
                },
            }
            at += 1;
        }
        Some(out).filter(|it| !it.is_empty())
    }

    /// Writes what is in round brackets: an expression, a tuple, or a generator.
    fn in_brackets(&mut self, inside: &[Node]) -> Option<String> {
        match position(inside, &["for"]) {
            Some(at) => self.comprehension(inside, at),
            None if position(inside, &[","]).is_some() => self.list(inside),
            None => Some(format!("({})", self.expression(inside)?)),
        }
    }

    fn list(&mut self, inside: &[Node]) -> Option<String> {
        if let Some(at) = position(inside, &["for"]) {
            return self.comprehension(inside, at);
        }
        let element = |item: &[Node]| match item {
            [mark, rest @ ..] if mark.is("...") || mark.is("*") => {
                Some(format!("...{}", self.expression(rest)?))
            }
            item => self.expression(item),
        };
        let elements = items(inside).into_iter().map(element).collect::<Option<Vec<_>>>()?;
        Some(format!("[{}]", elements.join(", ")))
    }

    /// Writes `x for x in xs if c`, whose first `for` is at an index.
    fn comprehension(&mut self, nodes: &[Node], at: usize) -> Option<String> {
        self.traits.is_python = true;
        let (made, rest) = (&nodes[..at], &nodes[at + 1..]);
        let of = position(rest, &["in", "of"])?;
        let (names, rest) = (&rest[..of], &rest[of + 1..]);
        let end = position(rest, &["if", "for"]).unwrap_or(rest.len());
        let mut all = format!("({})", self.expression(&rest[..end])?);
        let mut rest = &rest[end..];
        while rest.first().is_some_and(|it| it.is_word(&["if"])) {
            let end = 1 + position(&rest[1..], &["if", "for"]).unwrap_or(rest.len() - 1);
            all = format!("{all}.filter({})", self.over(names, &rest[1..end])?);
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            let inner: Vec<Node> = made.iter().chain(rest).cloned().collect();
            let list = Node { kind: Kind::Group, text: "[".to_owned(), inside: inner, ..rest[0].clone() };
            return Some(format!("flatten({all}.map({}))", self.over(names, &[list])?));
        }
        match (made, names) {
            ([made], [name]) if made.text == name.text => Some(all),
            _ => Some(format!("{all}.map({})", self.over(names, made)?)),
        }
    }

    fn object(&mut self, inside: &[Node]) -> Option<String> {
        let (mut parts, mut fields) = (Vec::new(), Vec::new());
        for item in items(inside) {
            let stars = item.iter().take_while(|it| it.is("*")).count();
            match item {
                [mark, rest @ ..] if mark.is("...") => {
                    parts.extend([Err(std::mem::take(&mut fields)), Ok(self.expression(rest)?)]);
                }
                _ if stars == 2 => {
                    parts.extend([Err(std::mem::take(&mut fields)), Ok(self.expression(&item[2..])?)]);
                }
                [key, mark, value @ ..]
                    if matches!(key.kind, Kind::Name | Kind::Text) && (mark.is(":") || mark.is("=>")) =>
                {
                    fields.push(format!("{}: {}", key.text, self.expression(value)?));
                }
                [name] if name.is_name() => fields.push(format!("{}: {}", name.text, name.text)),
                _ => return None,
            }
        }
        if parts.is_empty() || !fields.is_empty() {
            parts.push(Err(fields));
        }
        let written = parts.into_iter().filter_map(|it| match it {
            Ok(spread) => Some(spread),
            Err(fields) => (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(", "))),
        });
        Some(written.reduce(|all, part| format!("merge({all}, {part})")).unwrap_or_else(|| "{}".to_owned()))
    }

    /// Writes the arguments of a call, with their brackets.
    fn arguments(&mut self, inside: &[Node], called: Option<&Node>) -> Option<String> {
        let mut all = Vec::new();
        let mut is_regex = false;
        for item in items(inside) {
            all.push(match item {
                [name, mark, value @ ..]
                    if matches!(name.kind, Kind::Name | Kind::Text)
                        && (mark.is("=") || mark.is(":") && name.text != "lambda") =>
                {
                    let name = name.text.trim_matches(['`', '"']);
                    format!("{name}={}", self.expression(value)?)
                }
                [pattern] if pattern.kind == Kind::Pattern => {
                    is_regex |= called?.is_word(&["replace", "replaceAll"]) && !is_plain(&pattern.text);
                    as_text(&pattern.text, &called?.text)?
                }
                // The word itself may be meant.
                [word] if word.is_name() && self::word(&word.text) == "null" => word.text.clone(),
                item => match position(item, &["for"]) {
                    Some(at) => self.comprehension(item, at)?,
                    None => self.expression(item)?,
                },
            });
        }
        all.extend(is_regex.then(|| "regex=true".to_owned()));
        Some(format!("({})", all.join(", ")))
    }

    /// Writes `[0]`, or a slice whose bounds are numbers: `[1:3]`, `[1..3]`, `[1..=3]`.
    fn part(&mut self, inside: &[Node]) -> Option<String> {
        let text: String = inside.iter().map(|it| it.text.as_str()).collect();
        let Some((mark, (from, to))) =
            ["..=", "..", ":"].iter().find_map(|mark| Some((*mark, text.split_once(mark)?)))
        else {
            return Some(format!("[{}]", self.expression(inside)?));
        };
        let bound =
            |text: &str| if text.is_empty() { Some(None) } else { text.parse::<i64>().ok().map(Some) };
        let (from, to) = (bound(from)?.unwrap_or(0), bound(to)?);
        let to = match to {
            Some(-1) if mark == "..=" => None,
            Some(to) if mark == "..=" => Some(to + 1),
            to => to,
        };
        let dropped = |count: i64| if count == 0 { String::new() } else { format!(".drop({count})") };
        Some(match to {
            None if from < 0 => format!(".take({from})"),
            None => dropped(from),
            Some(to) if from < 0 && to < 0 && from < to => format!("{}.take({})", dropped(to), from - to),
            Some(_) if from < 0 => return None,
            Some(to) if to < 0 => format!("{}{}", dropped(to), dropped(from)),
            Some(to) => format!("{}.take({})", dropped(from), (to - from).max(0)),
        })
    }

    /// Adds the function in braces behind a call: `xs.map { |x| x + 1 }`, `xs.map { it + 1 }`.
    fn with_closure(&mut self, out: &mut String, inside: &[Node]) -> Option<()> {
        self.traits.is_compiled = true;
        let body = match function(inside) {
            Some(function) => self.lambda(function)?,
            None if inside.first()?.is_word(&["it"]) => format!("(it => {})", self.expression(inside)?),
            None => return None,
        };
        match out.strip_suffix("()") {
            Some(call) => *out = format!("{call}({body})"),
            None => out.push_str(&format!("({body})")),
        }
        Some(())
    }

    /// Writes `uses of {name}` of Python, or `uses of ${name}` of C's family, as a sum.
    fn with_holes(&mut self, text: &str, opener: &str) -> Option<String> {
        let is_python = opener == "{";
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(char) = rest.chars().next() {
            if is_python && (rest.starts_with("{{") || rest.starts_with("}}")) {
                plain.push(char);
                rest = &rest[2..];
            } else if let Some(behind) = rest.strip_prefix(opener) {
                let code = inside(behind)?;
                let hole = nodes(code)?;
                // Where nothing is used, this may be text.
                let is_used = |it: &Node| self.is_used(it);
                if !is_python && !hole.iter().any(is_used) {
                    return None;
                }
                self.look_at(&hole);
                let written = self.expression(&hole)?;
                parts.extend(
                    (!plain.is_empty()).then(|| (true, quoted(&std::mem::take(&mut plain), is_python))),
                );
                parts.push((false, Some(sure::shown(&sure::read(&written)?, &written, is_python)?)));
                rest = &behind[code.len() + 1..];
            } else {
                plain.push(char);
                rest = &rest[char.len_utf8()..];
            }
        }
        self.traits.has_templates = true;
        parts.extend((!plain.is_empty()).then(|| (true, quoted(&plain, is_python))));
        let parts = parts.into_iter().map(|(is_text, part)| Some((is_text, part?)));
        Some(format!("({})", joined(parts.collect::<Option<_>>()?)))
    }

    /// Returns `true` for a call, and for a name that the program has elsewhere.
    fn is_used(&self, node: &Node) -> bool {
        let is_name =
            node.is_name() && self.names.contains(node.text.split(['.', '[']).next().unwrap_or_default());
        is_name || node.is_group("(") || node.inside.iter().any(|it| self.is_used(it))
    }
}

/// Writes the text between two holes.
fn quoted(text: &str, is_python: bool) -> Option<String> {
    let text = if is_python { text.to_owned() } else { unescaped(text)? };
    Some(crate::quote::text(&text))
}

/// Writes a pattern as a text, where the function takes patterns.
fn as_text(pattern: &str, function: &str) -> Option<String> {
    let (inner, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let insensitive = if flags.contains('i') { "(?i)" } else { "" };
    let is_taken = match function {
        "matches" | "search" => matches!(flags, "" | "g" | "i" | "gi" | "ig"),
        "split" => is_plain(pattern) && matches!(flags, "" | "g"),
        // Only the first match is replaced without `g`.
        "replace" | "replaceAll" => matches!(flags, "g" | "gi" | "ig"),
        _ => false,
    };
    is_taken.then(|| crate::quote::text(&format!("{insensitive}{}", inner.replace("\\/", "/"))))
}

/// Returns `true` for a pattern that is the text which it finds.
fn is_plain(pattern: &str) -> bool {
    let is_plain = |it: char| it.is_alphanumeric() || " _-,;:/@#".contains(it);
    pattern.chars().all(is_plain) && !pattern.ends_with('i')
}

pub(super) fn word(text: &str) -> &str {
    WORDS.iter().find(|(word, _)| *word == text).map_or(text, |(_, instead)| instead)
}

fn is_keyword(text: &str) -> bool {
    KEYWORDS.contains(&text)
}

/// Returns `true` for a name behind a dot.
fn is_member(nodes: &[Node], at: usize) -> bool {
    at > 0 && [".", "?.", "->"].iter().any(|it| nodes[at - 1].is(it))
}

/// Returns the index of the first of these words or marks behind the first token, outside of brackets.
pub(super) fn position(nodes: &[Node], texts: &[&str]) -> Option<usize> {
    let is_found = |at: usize| {
        let node = &nodes[at];
        matches!(node.kind, Kind::Name | Kind::Mark)
            && texts.contains(&node.text.as_str())
            && !is_member(nodes, at)
    };
    (0..nodes.len()).find(|at| is_found(*at))
}

/// Returns what stands between commas.
pub(super) fn items(nodes: &[Node]) -> Vec<&[Node]> {
    let mut items: Vec<&[Node]> = nodes.split(|it| it.is(",")).collect();
    if items.last().is_some_and(|it| it.is_empty()) {
        items.pop();
    }
    items
}
