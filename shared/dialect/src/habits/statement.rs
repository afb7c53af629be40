//! Statements of other languages, where this one has expressions.

use super::lambda::{FUNCTIONS, body, is_type, taken_apart};
use super::node::{Kind, Node};
use super::rewrite::{Rewriter, items, position};
use super::sure::CHANGES;

/// Words before the name of what is declared.
const DECLARES: [&str; 10] = ["let", "const", "var", "val", "auto", "my", "local", "final", "mut", "static"];

/// Stages of shells' pipes, with what is written here instead: `$` is the value, `#` a number, `@` a text or a word.
const STAGES: [(&str, &str); 9] = [
    ("wc - l", "count($)"),
    ("head - #", "take($, #)"),
    ("head - n #", "take($, #)"),
    ("tail - #", "take($, -#)"),
    ("tail - n #", "take($, -#)"),
    ("sort - u", "sort(unique($))"),
    ("sort - r", "sort($, true)"),
    ("grep @", "filter($, x => contains(toText(x), @))"),
    ("grep - v @", "filter($, x => !contains(toText(x), @))"),
];

/// Shells' commands, which take lines apart or compare neighbours.
const SHELL: [&str; 5] = ["wc", "head", "tail", "grep", "uniq"];

impl Rewriter {
    /// Writes all lines. Only the last has a value.
    pub(super) fn program(&mut self, nodes: &[Node]) -> Option<String> {
        let lines = lines(nodes);
        let mut out = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if let Some(bindings) = self.bindings(line)? {
                out.extend(bindings.into_iter().map(|(name, value)| format!("{name} = {value}")));
            } else if at + 1 == lines.len() {
                out.push(self.result(line)?);
                return Some(out.join("\n"));
            } else if !line[0].is_word(&["import", "from", "use", "using"]) || !line.get(1)?.is_name() {
                return None;
            }
        }
        None
    }

    /// Writes the names and values that a line binds, if it does.
    fn bindings(&mut self, line: &[Node]) -> Option<Option<Vec<(String, String)>>> {
        let start = line.iter().take_while(|it| it.is_word(&DECLARES)).count();
        let [first, second, ..] = line else { return Some(None) };
        if first.is_word(&FUNCTIONS) && second.is_name() || first.is_word(&["def"]) && second.is_name() {
            let value = self.named_function(&line[1..])?;
            return Some(Some(vec![(second.text.clone(), value)]));
        }
        // `x += 1`, `x++`
        let changed = match line {
            [_, _] if second.is("--") => Some(("-", "1".to_owned())),
            [_, one, other] if one.is("+") && other.is("+") && other.is_tight => Some(("+", "1".to_owned())),
            [_, operator, equals, value @ ..] if equals.is("=") && equals.is_tight => {
                let operator = ["+", "-", "*"].into_iter().find(|it| operator.is(it));
                operator.zip(self.expression(value))
            }
            _ => None,
        };
        if let Some((operator, value)) = changed.filter(|_| first.is_name()) {
            return Some(Some(vec![(first.text.clone(), format!("{} {operator} ({value})", first.text))]));
        }
        let line = &line[start..];
        // `int x = 5`
        let is_typed =
            start == 0 && first.is_name() && second.is_name() && line.get(2).is_some_and(|it| it.is("="));
        self.traits.is_compiled |= is_typed;
        let line = if is_typed { &line[1..] } else { line };
        let Some(at) = position(line, &["="]) else { return if start > 0 { None } else { Some(None) } };
        let value = &line[at + 1..];
        match &line[..at] {
            [name] if name.is_name() => {}
            [name, colon] if name.is_name() && colon.is(":") => self.traits.is_compiled = true,
            [name, colon, ty @ ..] if name.is_name() && colon.is(":") && ty.iter().all(is_type) => {}
            [pattern] if start > 0 && !pattern.inside.is_empty() => {
                let [of] = value else { return None };
                let parts = taken_apart(pattern, &of.text).filter(|_| of.is_name())?;
                return Some(Some(parts.into_iter().collect()));
            }
            _ => return None,
        }
        let value = self.expression(value)?;
        Some(Some(vec![(line[0].text.clone(), value)]))
    }

    /// Writes `f(x): return x + 1`, `f(x) { return x + 1 }`.
    fn named_function(&mut self, nodes: &[Node]) -> Option<String> {
        let parameters = nodes.get(1).filter(|it| it.is_group("("))?;
        let rest = &nodes[2..];
        let body = match position(rest, &["return"]) {
            Some(at) if rest[at - 1..at].iter().any(|it| it.is(":")) => &rest[at + 1..],
            _ => body(rest)?,
        };
        self.lambda((items(&parameters.inside), body))
    }

    /// Writes what a program prints at its end, or its last value.
    fn result(&mut self, line: &[Node]) -> Option<String> {
        match line {
            [word, rest @ ..] if word.is_word(&["return"]) => self.expression(rest),
            [word, rest @ ..] if word.is_word(&["for", "foreach"]) => self.loop_over(rest),
            [printer, printed] if printer.is_word(&["print", "println", "puts"]) => self.printed(printed),
            [console, _, log, printed] if console.is_word(&["console"]) && log.is_word(&["log", "info"]) => {
                self.printed(printed)
            }
            line => match line.iter().skip(1).position(|it| it.is("|")) {
                Some(at) => self.piped(line, at + 1),
                None => self.expression(line),
            },
        }
    }

    fn printed(&mut self, printed: &Node) -> Option<String> {
        let is_one = printed.is_group("(") && items(&printed.inside).len() == 1;
        if is_one { self.expression(&printed.inside) } else { None }
    }

    /// Writes `xs | count`, `xs |> map(f)`, whose first bar is at an index.
    fn piped(&mut self, line: &[Node], bar: usize) -> Option<String> {
        let mut value = self.expression(&line[..bar])?;
        for stage in line[bar + 1..].split(|it| it.is("|")) {
            let stage = if stage.first()?.is(">") { &stage[1..] } else { stage };
            value = match stage {
                [name] if name.is_name() && !SHELL.contains(&name.text.as_str()) => {
                    format!("{}({value})", name.text)
                }
                [name, group] if name.is_name() && group.is_group("(") && group.is_tight => {
                    let arguments = self.expression(stage)?;
                    let rest = arguments.strip_prefix(&format!("{}(", name.text))?.to_owned();
                    let comma = if rest == ")" { "" } else { ", " };
                    format!("{}({value}{comma}{rest}", name.text)
                }
                stage => staged(stage, &value)?,
            };
        }
        Some(value)
    }

    /// Writes `(const x of xs) { f(x) }`, `x in xs: f(x)`.
    fn loop_over(&mut self, nodes: &[Node]) -> Option<String> {
        let (head, body) = match nodes {
            [head, body] if head.is_group("(") => (head.inside.as_slice(), std::slice::from_ref(body)),
            nodes => match position(nodes, &[":"]) {
                Some(colon) => (&nodes[..colon], &nodes[colon + 1..]),
                None => (&nodes[..nodes.len() - 1], &nodes[nodes.len() - 1..]),
            },
        };
        let declares = head.first()?.is_word(&["const", "let", "var"]);
        let head = &head[usize::from(declares)..];
        // `in` is about indexes in C's family.
        let of = position(head, if declares { &["of"] } else { &["in", "of"] })?;
        let changes = body.iter().chain(body.iter().flat_map(|it| &it.inside)).any(|it| it.is_word(&CHANGES));
        let leaves = body.first()?.is_word(&["return", "yield", "if"]);
        if changes || leaves {
            return None;
        }
        let body = match body {
            [word, printed] if word.is_word(&["print"]) && items(&printed.inside).len() == 1 => {
                &printed.inside
            }
            body => body,
        };
        let all = self.expression(&head[of + 1..])?;
        Some(format!("({all}).map({})", self.over(&head[..of], body)?))
    }

    /// Writes `(c) { a } else { b }`, `c: a else: b`, `c then a else b`, behind `if`.
    pub(super) fn conditional_statement(&mut self, nodes: &[Node]) -> Option<String> {
        let (condition, then, rest) = condition_and_branch(nodes)?;
        let (condition, then) = (self.operators(condition)?, self.branch(then)?);
        let otherwise = self.other_branch(rest)?.unwrap_or_else(|| "null".to_owned());
        Some(format!("({condition} ? {then} : {otherwise})"))
    }

    fn other_branch(&mut self, rest: &[Node]) -> Option<Option<String>> {
        match rest {
            [] => Some(None),
            [word, rest @ ..] if word.is_word(&["elif", "elsif"]) => {
                self.conditional_statement(rest).map(Some)
            }
            [word, next, rest @ ..] if word.is_word(&["else"]) && next.is_word(&["if"]) => {
                self.conditional_statement(rest).map(Some)
            }
            [word, rest @ ..] if word.is_word(&["else"]) => {
                let rest = if rest.first()?.is(":") { &rest[1..] } else { rest };
                let rest = if rest.last()?.is_word(&["end"]) { &rest[..rest.len() - 1] } else { rest };
                self.branch(rest).map(Some)
            }
            _ => None,
        }
    }

    fn branch(&mut self, nodes: &[Node]) -> Option<String> {
        match nodes {
            [block] if block.is_group("{") => self.block(&block.inside),
            [word, rest @ ..] if word.is_word(&["return"]) => self.expression(rest),
            nodes => self.expression(nodes),
        }
    }

    /// Writes `const y = x + 1; return y`.
    pub(super) fn block(&mut self, inside: &[Node]) -> Option<String> {
        let lines = lines(inside);
        self.lines_of_block(&lines)
    }

    fn lines_of_block(&mut self, lines: &[&[Node]]) -> Option<String> {
        let [line, rest @ ..] = lines else { return None };
        if let [word, nodes @ ..] = line
            && word.is_word(&["if"])
        {
            let (condition, then, other) = condition_and_branch(nodes)?;
            if rest.is_empty() && other.first().is_none_or(|it| it.is_word(&["else"])) {
                return self.conditional_statement(nodes);
            }
            let inner = if then.first()?.is_group("{") { &then[0].inside } else { then };
            if !inner.first()?.is_word(&["return"]) || other.first().is_some_and(|it| it.is_word(&["else"])) {
                return None;
            }
            let (condition, then) = (self.operators(condition)?, self.branch(then)?);
            let rest: Vec<&[Node]> = self::lines(other).into_iter().chain(rest.iter().copied()).collect();
            return Some(format!("({condition} ? {then} : {})", self.lines_of_block(&rest)?));
        }
        match self.bindings(line)? {
            Some(bindings) => {
                let result = self.lines_of_block(rest)?;
                let around =
                    |result, (name, value): (String, String)| format!("let({value}, {name} => {result})");
                Some(bindings.into_iter().rev().fold(result, around))
            }
            None if rest.is_empty() => self.result(line),
            None => None,
        }
    }
}

/// Writes a stage of a shell's pipe: `head -3`.
fn staged(stage: &[Node], value: &str) -> Option<String> {
    STAGES.iter().find_map(|(pattern, instead)| {
        let mut written = instead.replace('$', value);
        let parts: Vec<&str> = pattern.split(' ').collect();
        let fits = |(part, node): (&&str, &Node)| match (*part, node.kind) {
            ("#", Kind::Number) => {
                node.text.parse::<u32>().is_ok().then(|| written = written.replace('#', &node.text))
            }
            ("@", Kind::Name | Kind::Text) => {
                let is_plain = |it: char| it.is_alphanumeric() || " _-,;:/@#`\"".contains(it);
                let text = if node.is_name() { format!("`{}`", node.text) } else { node.text.clone() };
                text.chars().all(is_plain).then(|| written = written.replace('@', &text))
            }
            (part, _) => (part == node.text).then_some(()),
        };
        let is_stage = parts.len() == stage.len() && parts.iter().zip(stage).map(fits).all(|it| it.is_some());
        is_stage.then_some(written)
    })
}

/// Splits `(c) { a } …`, `c: a …` or `c then a …` into its condition, its branch and what follows.
fn condition_and_branch(nodes: &[Node]) -> Option<(&[Node], &[Node], &[Node])> {
    let (end, start) = match position(nodes, &[":", "then"]) {
        Some(at) => (at, at + 1),
        None => match nodes.iter().position(|it| it.is_group("{")) {
            Some(at) => (at, at),
            None => (1, 1),
        },
    };
    let rest = &nodes[start..];
    let length = match rest.first()? {
        block if block.is_group("{") => 1,
        _ => position(rest, &["else", "elif", "elsif"]).unwrap_or(rest.len()),
    };
    (end > 0).then(|| (&nodes[..end], &rest[..length], &rest[length..]))
}

/// Splits statements at `;` and where a line begins that does not go on.
fn lines(nodes: &[Node]) -> Vec<&[Node]> {
    const GO_ON: [&str; 4] = [".", "?.", "?", ":"];
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, node) in nodes.iter().enumerate().chain([(nodes.len(), &END)]) {
        let goes_on = at > start
            && (nodes[at - 1].is(":")
                || nodes[at - 1].is("=>")
                || GO_ON.iter().any(|it| node.is(it))
                || node.is_word(&["else", "elif", "elsif"]));
        let ends = node.is(";") || node.starts_line && !goes_on;
        if ends || at == nodes.len() {
            if at > start {
                lines.push(&nodes[start..at]);
            }
            start = if node.is(";") { at + 1 } else { at };
        }
    }
    lines
}

/// The end of all statements.
static END: Node =
    Node { kind: Kind::Mark, text: String::new(), inside: Vec::new(), starts_line: true, is_tight: false };
