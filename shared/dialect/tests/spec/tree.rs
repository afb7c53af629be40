//! Code of documents as trees, with one expression a line. Its statements are read in the simplest way: each
//! line is an expression.

use std::fmt::Write;

use dialect::ast::{Argument, Expression, ExpressionKind, TemplatePart};
use dialect::code::{Code, TokenKind};
use dialect::{Failure, Limits};
use literate::Actual;
use source_text::{LineIndex, Span};

/// Returns the tree of code, and its mistakes below.
pub(crate) fn of(text: &str, limits: &Limits) -> Actual {
    let reading = Reading::of(text, limits);
    let index = LineIndex::new(text);
    let mut shown = reading.out.trim_end().to_owned();
    let mut all: Vec<&Failure> = reading.failures.iter().collect();
    all.sort_by_key(|failure| failure.span);
    for failure in all {
        write!(shown, "\n\n{}", Code::diagnostic(failure).show(text, &index))
            .expect("a string takes everything");
    }
    for warning in reading.code.warnings() {
        let told = Code::diagnostic(warning).show(text, &index);
        write!(shown, "\n\nwarning: {told}").expect("a string takes everything");
    }
    Actual::new(if reading.failures.is_empty() { "tree" } else { "mistakes" }, shown.trim_start())
}

/// Returns the mistakes of code.
pub(crate) fn failures(text: &str, limits: &Limits) -> Vec<Failure> {
    Reading::of(text, limits).failures
}

struct Reading<'text> {
    code: Code<'text>,
    failures: Vec<Failure>,
    out: String,
}

impl<'text> Reading<'text> {
    fn of(text: &'text str, limits: &Limits) -> Self {
        let code = Code::read(text, Span::new(0, text.len()), limits);
        let failures = code.failures().to_vec();
        let end = code.tokens().len() - 1;
        let mut reading = Self { code, failures, out: String::new() };
        reading.lines(0, end, 0);
        reading
    }

    fn lines(&mut self, first: usize, end: usize, indentation: usize) {
        let mut at = first;
        while at < end {
            if self.code.tokens()[at].is_mark(";") || self.code.tokens()[at].kind == TokenKind::Strange {
                at += 1;
                continue;
            }
            let part = self.code.expression(at);
            let line = format!("{}{}\n", "  ".repeat(indentation), tree(&part.value));
            self.out.push_str(&line);
            for block in blocks(&part.value) {
                self.block(block, indentation + 1);
            }
            let is_whole = part.failures.is_empty();
            self.failures.extend(part.failures);
            let next = &self.code.tokens()[part.next];
            let ends = part.next >= end || next.starts_line || next.is_mark(";");
            if is_whole && !ends {
                writeln!(self.out, "… {}", self.code.text_of(part.next)).expect("a string takes everything");
            }
            at = self.code.end_of_line(at, part.next);
        }
    }

    fn block(&mut self, span: Span, indentation: usize) {
        let first = self.code.tokens().partition_point(|it| it.span.start < span.start);
        let end = self.code.closer(first).expect("a block ends");
        self.lines(first + 1, end, indentation);
    }
}

fn blocks(expression: &Expression) -> Vec<Span> {
    match expression.kind {
        ExpressionKind::Block => vec![expression.span],
        _ => expression.kind.children().into_iter().flat_map(blocks).collect(),
    }
}

/// Writes an expression as `(+ 1 (call f x))`.
fn tree(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Null => "null".to_owned(),
        ExpressionKind::Bool(bool) => bool.to_string(),
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Text(text) => format!("{text:?}"),
        ExpressionKind::Name(name) => name.clone(),
        ExpressionKind::Broken => "…".to_owned(),
        ExpressionKind::Block => "{ }".to_owned(),
        ExpressionKind::Pattern { pattern, flags } => format!("/{pattern}/{flags}"),
        ExpressionKind::List(elements) => {
            let each = elements
                .iter()
                .map(|it| format!("{}{}", if it.spread { "..." } else { "" }, tree(&it.value)));
            format!("[{}]", each.collect::<Vec<_>>().join(" "))
        }
        ExpressionKind::Object(fields) => {
            let each = fields.iter().map(|(key, value)| format!("{}: {}", key.text, tree(value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(", "))
        }
        ExpressionKind::Call(call) => {
            let receiver = call.receiver.iter().map(|it| format!("{} .", tree(it)));
            let name = receiver.chain([call.name.text.clone()]).collect::<String>();
            format!("({name}{})", arguments(&call.arguments))
        }
        ExpressionKind::Apply { function, arguments: given } => {
            format!("(apply {}{})", tree(function), arguments(given))
        }
        ExpressionKind::Lambda { parameters, body } => {
            let each = parameters.iter().map(|it| {
                let ty = it.ty.map(|span| format!(": {} bytes", span.end - span.start)).unwrap_or_default();
                format!("{}{}{ty}", it.name.text, if it.optional { "?" } else { "" })
            });
            format!("(({}) => {})", each.collect::<Vec<_>>().join(", "), tree(body))
        }
        ExpressionKind::Member { of, name, or_null } => {
            format!("{}{}{}", tree(of), if *or_null { "?." } else { "." }, name.text)
        }
        ExpressionKind::Index { of, index } => format!("{}[{}]", tree(of), tree(index)),
        ExpressionKind::Unary { operator, of } => format!("({operator} {})", tree(of)),
        ExpressionKind::Binary { operator, left, right } => {
            format!("({operator} {} {})", tree(left), tree(right))
        }
        ExpressionKind::Conditional { condition, then, otherwise } => {
            format!("({} ? {} : {})", tree(condition), tree(then), tree(otherwise))
        }
        ExpressionKind::Template(parts) => {
            let each = parts.iter().map(|part| match part {
                TemplatePart::Text(text) => format!("{text:?}"),
                TemplatePart::Expression(expression) => tree(expression),
            });
            format!("(text {})", each.collect::<Vec<_>>().join(" "))
        }
        ExpressionKind::Spread(of) => format!("...{}", of.iter().map(|it| tree(it)).collect::<String>()),
        ExpressionKind::Let { .. } => unreachable!("bindings are statements in documents"),
    }
}

fn arguments(arguments: &[Argument]) -> String {
    let each = arguments.iter().map(|it| {
        let name = it.name.iter().map(|name| format!("{}=", name.text)).collect::<String>();
        format!(" {name}{}", tree(&it.value))
    });
    each.collect()
}
