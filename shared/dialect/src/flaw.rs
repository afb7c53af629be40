//! What is wrong with the parts of a value that is not of a type.

use crate::shape::{field, shape};
use crate::{Parameter, Refinement, Registry, Type, Value};

/// So many parts of one value are told at most.
const MOST: usize = 20;

/// So many characters of a part are shown at most.
const SHOWN: usize = 80;

/// A part of a value that is not what it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// Which, as a JSON Pointer: `/items/0/name`; empty for all of it.
    pub pointer: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What is wrong with a part of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrong {
    /// It is something else.
    Type {
        /// What it should be.
        expected: Type,
        /// The type of what it is.
        found: String,
    },
    /// It breaks a rule.
    Rule {
        /// The rule.
        refinement: Refinement,
        /// What it is, as a program writes it.
        value: String,
    },
    /// It is not there.
    Missing {
        /// What it should be.
        expected: Type,
    },
}

/// Everything that keeps the value from being of the type, in the order of the value; up to twenty.
pub(crate) fn flaws(registry: &Registry, value: &Value, ty: &Type) -> Vec<Flaw> {
    let mut found = Search { registry, found: Vec::new(), pointer: String::new() };
    found.look(value, ty);
    found.found
}

struct Search<'a> {
    registry: &'a Registry,
    found: Vec<Flaw>,
    /// Where it is.
    pointer: String,
}

impl Search<'_> {
    fn look(&mut self, value: &Value, ty: &Type) {
        if self.found.len() >= MOST || shape(self.registry, value, ty).is_some() {
            return;
        }
        match (ty, value) {
            (Type::Optional(inner), _) => self.look(value, inner),
            (Type::Refined(inner, rules), _) => match shape(self.registry, value, inner) {
                Some(value) => self.rules(&value, rules),
                None => self.look(value, inner),
            },
            (Type::List(inner), Value::List(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.inside(&at.to_string(), |it| it.look(item, inner));
                }
            }
            (Type::Map(inner), Value::Object(fields)) => {
                for (key, value) in fields {
                    self.inside(key, |it| it.look(value, inner));
                }
            }
            (Type::Fields(declared), _) => self.fields(value, declared, ty),
            (Type::Named(name), Value::Object(_)) => match self.registry.shape(name).cloned() {
                Some(declared) => self.fields(value, &declared.signature.parameters, ty),
                None => self.other(value, ty),
            },
            (Type::Union(members), _) => self.union(value, members, ty),
            _ => self.other(value, ty),
        }
    }

    fn add(&mut self, wrong: Wrong) {
        if self.found.len() < MOST {
            self.found.push(Flaw { pointer: self.pointer.clone(), wrong });
        }
    }

    fn other(&mut self, value: &Value, ty: &Type) {
        self.add(Wrong::Type { expected: ty.clone(), found: value.type_name().to_owned() });
    }

    fn inside(&mut self, step: &str, look: impl FnOnce(&mut Self)) {
        let before = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.pointer.truncate(before);
    }

    fn rules(&mut self, value: &Value, rules: &[Refinement]) {
        let text = crate::print::print(self.registry, value);
        let text = match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        for refinement in rules.iter().filter(|it| !it.holds(value)) {
            self.add(Wrong::Rule { refinement: refinement.clone(), value: text.clone() });
        }
    }

    fn fields(&mut self, value: &Value, declared: &[Parameter], ty: &Type) {
        let Some(given) = value.fields() else { return self.other(value, ty) };
        for parameter in declared {
            let expected = &parameter.ty;
            self.inside(&parameter.name, |it| match field(given, &parameter.name) {
                None | Some(Value::Null) if parameter.optional => {}
                None => it.add(Wrong::Missing { expected: expected.clone() }),
                Some(value) => it.look(value, expected),
            });
        }
    }

    /// What is wrong with it as the member that it looks like; as none of them, where it looks like none or several.
    fn union(&mut self, value: &Value, members: &[Type], ty: &Type) {
        let each = members.iter().map(|member| flaws(self.registry, value, member));
        let is_alike = |it: &Vec<Flaw>| {
            it.iter().all(|it| !it.pointer.is_empty() || matches!(it.wrong, Wrong::Rule { .. }))
        };
        let mut alike: Vec<Vec<Flaw>> = each.filter(is_alike).collect();
        if alike.len() != 1 {
            return self.other(value, ty);
        }
        for Flaw { pointer, wrong } in alike.remove(0) {
            let before = self.pointer.len();
            self.pointer.push_str(&pointer);
            self.add(wrong);
            self.pointer.truncate(before);
        }
    }
}
