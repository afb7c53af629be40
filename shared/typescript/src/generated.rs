//! Syntax of TypeScript that makes code: enumerations, and parameters that declare fields. What the engine needs besides
//! is inserted, so that everything that was there keeps its line.

use oxc_ast::ast::*;
use oxc_span::GetSpan;
use oxc_syntax::keyword::is_reserved_keyword;

use crate::scan::next;
use crate::visit::{Eraser, range};

impl Eraser<'_> {
    /// Makes an object of an enumeration: `enum E { A, B = 5 }` becomes
    /// `var E = ((E) => { const A = E["A"] = 0; const B = E["B"] = 5; … return E })(E ?? {})`.
    pub(crate) fn enumeration(&mut self, it: &TSEnumDeclaration<'_>) {
        let name = it.id.name.as_str();
        self.text.erase(it.span.start as usize..it.id.span.start as usize);
        self.text.insert(it.span.start as usize, "var ".to_owned());
        self.text.insert(it.id.span.end as usize, format!(" = (({name}) =>"));
        let mut previous = None;
        for member in &it.body.members {
            let key = self.key(&member.id);
            let id = range(member.id.span());
            let before = match &member.initializer {
                Some(_) => String::new(),
                None => previous.map_or(" = 0".to_owned(), |key| format!(" = {name}[{key}] + 1")),
            };
            self.text.erase(id.clone());
            self.text.insert(id.start, format!("{}{name}[{key}]{before}", local(&member.id)));
            let end = member.span.end as usize;
            match next(self.text.source, end).filter(|at| self.text.source[*at..].starts_with(',')) {
                Some(comma) => self.text.put(comma, b';'),
                None => self.text.insert(end, ";".to_owned()),
            }
            previous = Some(key);
        }
        let end = it.span.end as usize;
        // Names of numbers, the other way round.
        let names = format!(
            " for (const key of Object.keys({name})) if (typeof {name}[key] === \"number\") {name}[{name}[key]] = key; \
             return {name} "
        );
        self.text.insert(end - 1, names);
        self.text.insert(end, format!(")({name} ?? {{}});"));
    }

    /// Returns the name of a member as an expression.
    fn key(&self, name: &TSEnumMemberName<'_>) -> String {
        match name {
            TSEnumMemberName::Identifier(it) => format!("\"{}\"", it.name),
            TSEnumMemberName::String(it) | TSEnumMemberName::ComputedString(it) => {
                self.text.source[range(it.span)].to_owned()
            }
            TSEnumMemberName::ComputedTemplateString(it) => self.text.source[range(it.span)].to_owned(),
        }
    }

    /// Assigns to the fields that parameters of a constructor declare, at its start or after the call of `super`.
    pub(crate) fn fields_of_parameters(&mut self, constructor: &Function<'_>) {
        let declares = |it: &&FormalParameter<'_>| it.accessibility.is_some() || it.readonly || it.r#override;
        let declared = constructor.params.items.iter().filter(declares);
        let names = declared.filter_map(|it| it.pattern.get_identifier_name());
        let assigned: String = names.map(|it| format!(" this.{it} = {it};")).collect();
        let Some(body) = constructor.body.as_ref().filter(|_| !assigned.is_empty()) else { return };
        let calls_super = |it: &&Statement<'_>| match it {
            Statement::ExpressionStatement(it) => match &it.expression {
                Expression::CallExpression(it) => matches!(it.callee, Expression::Super(_)),
                _ => false,
            },
            _ => false,
        };
        match body.statements.iter().find(calls_super) {
            Some(call) => self.text.insert(call.span().end as usize, format!(";{assigned}")),
            None => self.text.insert(body.span.start as usize + 1, assigned),
        }
    }
}

/// Returns the start of a constant with the name of a member, which initializers of others may use; nothing for a name
/// that no constant has.
fn local(name: &TSEnumMemberName<'_>) -> String {
    match name {
        TSEnumMemberName::Identifier(it) if !is_reserved_keyword(&it.name) => format!("const {} = ", it.name),
        _ => String::new(),
    }
}
