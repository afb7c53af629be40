//! The printer of programs: syntax trees as text, with the brackets that their operators need, or as JSON.

mod json;

use source_text::Span;

pub(crate) use self::json::{json, quoted_fields};
use crate::ast::{Argument, Call, Element, Expression, ExpressionKind, LambdaParameter, Spelled};
use crate::lex::is_name_part;
use crate::parse::parse;
use crate::quote::{is_plain_key, print_quoted, print_text};
use crate::{Limits, tightness};

/// Returns the program of an expression, if it reads as that expression again.
pub(crate) fn program(expression: &Expression) -> Option<String> {
    let mut wanted = expression.clone();
    let text = text(&mut wanted);
    let (again, failures) = parse(&text, &Limits::default());
    let mut again = again?;
    again.forget_places();
    wanted.forget_places();
    (failures.is_empty() && again == wanted).then_some(text)
}

/// Prints a program in text form, and gives each of its expressions its place in that text. Bindings of the whole
/// program stand on lines of their own; comments are no part of a tree.
pub(crate) fn text(program: &mut Expression) -> String {
    let mut printer = Printer::default();
    printer.program(program);
    printer.out
}

#[derive(Default)]
struct Printer {
    out: String,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Returns the span from `start` to the end of what is printed.
    fn since(&self, start: usize) -> Span {
        Span::new(start, self.out.len())
    }

    fn separated<T>(&mut self, items: impl IntoIterator<Item = T>, print: impl Fn(&mut Self, T)) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.push(", ");
            }
            print(self, item);
        }
    }

    fn program(&mut self, program: &mut Expression) {
        let ExpressionKind::Let { bindings, result } = &mut program.kind else {
            return self.at(program, tightness::LAMBDA);
        };
        for (name, value) in bindings {
            self.spelled(name);
            self.push(" = ");
            self.at(value, tightness::LAMBDA);
            self.push("\n");
        }
        if starts_with_sign(result) {
            // It would continue the line before.
            self.out.truncate(self.out.trim_end().len());
            self.push(";\n");
        }
        self.at(result, tightness::LAMBDA);
        program.span = self.since(0);
        program.depth = depth_of(&program.kind);
    }

    /// Prints an expression, in brackets if it is looser than `least`.
    fn at(&mut self, expression: &mut Expression, least: usize) {
        let brackets = tightness_of(&expression.kind) < least;
        self.maybe_enclosed(expression, brackets);
    }

    fn maybe_enclosed(&mut self, expression: &mut Expression, brackets: bool) {
        let start = self.out.len();
        self.push(if brackets { "(" } else { "" });
        self.bare(&mut expression.kind);
        self.push(if brackets { ")" } else { "" });
        expression.span = self.since(start);
        expression.depth = depth_of(&expression.kind);
    }

    fn bare(&mut self, kind: &mut ExpressionKind) {
        match kind {
            ExpressionKind::Null => self.push("null"),
            ExpressionKind::Bool(bool) => self.push(if *bool { "true" } else { "false" }),
            ExpressionKind::Number(number) => self.push(&number.to_string()),
            // A value is one line, whoever gave the name that is in it.
            ExpressionKind::Text(text) if text.contains('\n') => print_quoted(&mut self.out, text),
            ExpressionKind::Text(text) => print_text(&mut self.out, text),
            ExpressionKind::List(elements) => {
                self.push("[");
                self.separated(elements, Self::element);
                self.push("]");
            }
            ExpressionKind::Object(fields) => {
                self.push("{");
                self.separated(fields, Self::field);
                self.push("}");
            }
            ExpressionKind::Call(call) => self.call(call),
            ExpressionKind::Apply { function, arguments } => {
                self.at(function, tightness::WHOLE);
                self.arguments(arguments);
            }
            ExpressionKind::Name(name) => self.out.push_str(name),
            ExpressionKind::Lambda { parameters, body } => self.lambda(parameters, body),
            ExpressionKind::Member { of, name, or_null } => self.member(of, name, *or_null),
            ExpressionKind::Index { of, index } => {
                self.receiver(of);
                self.push("[");
                self.at(index, tightness::LAMBDA);
                self.push("]");
            }
            ExpressionKind::Unary { operator, of } => {
                self.push(operator);
                let brackets = tightness_of(&of.kind) < tightness::UNARY || starts_with_sign(of);
                self.maybe_enclosed(of, brackets);
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (least_left, least_right) = tightness::of_operands(operator);
                self.at(left, least_left);
                self.push(" ");
                self.push(operator);
                self.push(" ");
                self.at(right, least_right);
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.at(condition, tightness::OPERATORS);
                self.push(" ? ");
                self.at(then, tightness::OPERATORS);
                self.push(" : ");
                self.at(otherwise, tightness::LAMBDA);
            }
            // Bindings inside of an expression are calls of `let`; the others are only in documents.
            ExpressionKind::Let { .. }
            | ExpressionKind::Template(_)
            | ExpressionKind::Pattern { .. }
            | ExpressionKind::Block
            | ExpressionKind::Spread(_)
            | ExpressionKind::Broken => self.push("…"),
        }
    }

    fn spelled(&mut self, name: &mut Spelled) {
        let start = self.out.len();
        self.push(&name.text);
        name.span = self.since(start);
    }

    fn quoted(&mut self, name: &mut Spelled) {
        let start = self.out.len();
        print_quoted(&mut self.out, &name.text);
        name.span = self.since(start);
    }

    fn element(&mut self, element: &mut Element) {
        self.push(if element.spread { "..." } else { "" });
        self.at(&mut element.value, tightness::LAMBDA);
    }

    fn field(&mut self, (key, value): &mut (Spelled, Expression)) {
        if is_plain_key(&key.text) {
            self.spelled(key);
        } else {
            self.quoted(key);
        }
        self.push(": ");
        self.at(value, tightness::LAMBDA);
    }

    fn call(&mut self, call: &mut Call) {
        if let Some(receiver) = &mut call.receiver {
            self.receiver(receiver);
            self.push(if call.or_null { "?." } else { "." });
        }
        self.spelled(&mut call.name);
        let start = self.out.len();
        self.arguments(&mut call.arguments);
        call.enclosed = self.since(start);
    }

    fn arguments(&mut self, arguments: &mut [Argument]) {
        self.push("(");
        self.separated(arguments, |printer, argument| {
            if let Some(name) = &mut argument.name {
                printer.spelled(name);
                printer.push("=");
            }
            printer.at(&mut argument.value, tightness::LAMBDA);
        });
        self.push(")");
    }

    fn lambda(&mut self, parameters: &mut [LambdaParameter], body: &mut Expression) {
        match parameters {
            [one] => self.spelled(&mut one.name),
            several => {
                self.push("(");
                self.separated(several, |printer, it| printer.spelled(&mut it.name));
                self.push(")");
            }
        }
        self.push(" => ");
        self.at(body, tightness::LAMBDA);
    }

    /// Prints a member. One that a name cannot spell is an element of the object.
    fn member(&mut self, of: &mut Expression, name: &mut Spelled, or_null: bool) {
        self.receiver(of);
        if is_name(&name.text) {
            self.push(if or_null { "?." } else { "." });
            return self.spelled(name);
        }
        self.push(if or_null { "?.[" } else { "[" });
        self.quoted(name);
        self.push("]");
    }

    /// Prints what a member is taken of. The dot of a number would be part of it.
    fn receiver(&mut self, of: &mut Expression) {
        let is_number = matches!(of.kind, ExpressionKind::Number(_));
        let brackets = is_number || tightness_of(&of.kind) < tightness::MEMBER;
        self.maybe_enclosed(of, brackets);
    }
}

/// Returns the tightness of an expression.
fn tightness_of(kind: &ExpressionKind) -> usize {
    match kind {
        ExpressionKind::Lambda { .. } => tightness::LAMBDA,
        ExpressionKind::Conditional { .. } => tightness::CONDITIONAL,
        ExpressionKind::Binary { operator, .. } => tightness::of_operator(operator),
        ExpressionKind::Unary { .. } => tightness::UNARY,
        ExpressionKind::Number(number) => tightness::of_number(number),
        ExpressionKind::Member { .. } | ExpressionKind::Index { .. } => tightness::MEMBER,
        _ => tightness::WHOLE,
    }
}

/// Returns `true` if the text of an expression without brackets starts with `-`.
fn starts_with_sign(expression: &Expression) -> bool {
    let first = |of: &Expression, least: usize| tightness_of(&of.kind) >= least && starts_with_sign(of);
    match &expression.kind {
        ExpressionKind::Unary { operator, .. } => *operator == "-",
        ExpressionKind::Number(number) => number.to_string().starts_with('-'),
        ExpressionKind::Binary { operator, left, .. } => first(left, tightness::of_operands(operator).0),
        ExpressionKind::Conditional { condition, .. } => first(condition, tightness::OPERATORS),
        _ => false,
    }
}

fn depth_of(kind: &ExpressionKind) -> usize {
    let mut depth = 0;
    kind.each_child(&mut |child| depth = depth.max(child.depth + 1));
    depth
}

fn is_name(text: &str) -> bool {
    text.chars().all(is_name_part) && !text.starts_with(char::is_numeric) && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_program_reads_as_its_tree_with_all_of_its_places() {
        for program in [
            "search(`src`, pattern=`TODO`, f=[1, ...xs])",
            "x = 1\ny = {a: x, \"b c\": -3};\n-(x + y) * 2",
            "xs.filter(it => it.size > 3 ? true : it?.a?.b(1)).map((x, i) => (x + i).m(\"a\\nb\"))",
            "((a ?? b) && !c)[0] - (-4).abs(-(-x)) - (2).m()",
            "a == (b == c) ? (d ? e : f) : g ? h : x?.[\"a b\"]",
        ] {
            let (mut tree, failures) = parse(program, &Limits::default());
            assert!(failures.is_empty(), "{program}: {failures:?}");
            let read = tree.clone();
            let tree = tree.as_mut().expect("it was read");
            tree.forget_places();
            assert_eq!(text(tree), program);
            assert_eq!(Some(&*tree), read.as_ref(), "{program}");
        }
    }
}
