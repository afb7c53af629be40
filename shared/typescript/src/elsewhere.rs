//! Uses of what other runtimes have and this one does not, found before a program runs.

use std::collections::HashSet;

use oxc_ast::ast::{
    AssignmentTarget, CallExpression, Expression, IdentifierReference, ImportExpression, ImportMeta,
    NumericLiteral, Program, StaticMemberExpression, UnaryExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;
use oxc_syntax::operator::UnaryOperator;

use crate::meaning::Meanings;
use crate::problem::Problem;
use crate::surroundings::{instead_of_global, instead_of_intl, instead_of_module, module};
use crate::visit::range;

/// Returns the uses of globals and modules that are not here, each name once, and numbers that lose digits.
pub(crate) fn problems(program: &Program<'_>, meanings: &Meanings<'_>) -> Vec<Problem> {
    let mut guarded = Guarded::default();
    guarded.visit_program(program);
    let mut uses = Uses { meanings, guarded: guarded.0, reported: HashSet::new(), problems: Vec::new() };
    uses.visit_program(program);
    uses.problems
}

/// The names that a program asks for with `typeof` before it uses them.
#[derive(Default)]
struct Guarded(HashSet<String>);

impl<'a> Visit<'a> for Guarded {
    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if let (UnaryOperator::Typeof, Expression::Identifier(name)) = (it.operator, &it.argument) {
            self.0.insert(name.name.to_string());
        }
        walk::walk_unary_expression(self, it);
    }
}

struct Uses<'m, 's> {
    meanings: &'m Meanings<'s>,
    guarded: HashSet<String>,
    reported: HashSet<String>,
    problems: Vec<Problem>,
}

impl Uses<'_, '_> {
    fn report(&mut self, span: Span, message: String, help: impl Into<String>) {
        if self.reported.insert(message.clone()) {
            self.problems.push(Problem { span: range(span), message, help: Some(help.into()) });
        }
    }

    fn is_global(&self, it: &IdentifierReference<'_>) -> bool {
        self.meanings.symbol(it).is_none() && !self.guarded.contains(it.name.as_str())
    }

    /// Reports a global that is not here; returns whether it did.
    fn global(&mut self, it: &IdentifierReference<'_>, member: Option<&str>) -> bool {
        let help = instead_of_global(&it.name, member).filter(|_| self.is_global(it));
        let Some(help) = help else { return false };
        let name = member.filter(|_| it.name != "require");
        let name = name.map_or_else(|| it.name.to_string(), |member| format!("{}.{member}", it.name));
        self.report(it.span, format!("there is no `{name}` here"), help);
        true
    }

    fn module(&mut self, name: &str, span: Span, import: &str) {
        match module(name, false) {
            Some(_) => {
                let help = format!("Write `{import}` at the start of the program.");
                self.report(span, "a module is imported at the start of a program".to_owned(), help);
            }
            None => {
                self.report(span, format!("there is no module `{name}` here"), instead_of_module(name));
            }
        }
    }
}

impl<'a> Visit<'a> for Uses<'_, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.global(it, None);
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if let Expression::Identifier(object) = &it.object {
            let member = it.property.name.as_str();
            if object.name == "Intl" && self.is_global(object) {
                if let Some(help) = instead_of_intl(member) {
                    self.report(it.property.span, format!("there is no `Intl.{member}` here"), help);
                }
                return;
            }
            if self.global(object, Some(member)) {
                return;
            }
        }
        walk::walk_static_member_expression(self, it);
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = it
            && let Expression::Identifier(object) = &member.object
            && object.name == "exports"
            && self.is_global(object)
        {
            let help = "Write `export`, or `return` the value.";
            self.report(object.span, "a program has no `exports`".to_owned(), help);
        }
        walk::walk_assignment_target(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Expression::Identifier(callee) = &it.callee
            && callee.name == "require"
            && self.is_global(callee)
            && let Some(Expression::StringLiteral(name)) =
                it.arguments.first().and_then(|it| it.as_expression())
        {
            let local = name.value.rsplit(['/', ':']).next().unwrap_or_default();
            return self.module(&name.value, it.span, &format!("import {local} from \"{}\"", name.value));
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        match &it.source {
            Expression::StringLiteral(name) => {
                let local = name.value.rsplit(['/', ':']).next().unwrap_or_default();
                self.module(&name.value, it.span, &format!("import {local} from \"{}\"", name.value));
            }
            _ => self.report(
                it.span,
                "a program loads no others".to_owned(),
                "Write the code here; `await fs.read(path)` has the text of a file.",
            ),
        }
    }

    fn visit_import_meta(&mut self, it: &ImportMeta) {
        let help = "A program is no file, and is always the main one: leave it out. Paths are relative to the \
                    workspace.";
        self.report(it.span, "there is no `import.meta` here".to_owned(), help);
    }

    fn visit_numeric_literal(&mut self, it: &NumericLiteral<'a>) {
        let Some(raw) = it.raw.as_ref().map(|it| it.replace('_', "").to_lowercase()) else { return };
        let digits = [("0x", 16), ("0o", 8), ("0b", 2)]
            .into_iter()
            .find_map(|(prefix, radix)| raw.strip_prefix(prefix).map(|it| u128::from_str_radix(it, radix)));
        let Ok(exact) = digits.unwrap_or_else(|| raw.parse::<u128>()) else { return };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is a whole number, and saturates"
        )]
        let value = it.value as u128;
        if value != exact {
            let message = format!("`{raw}` is {value} as a number, which has 53 bits");
            self.report(it.span, message, format!("Write `{raw}n`, a BigInt."));
        }
    }
}
