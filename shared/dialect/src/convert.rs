//! Making a value of one type into one of another: by form, by registered conversions, by the few built-in
//! ones, and between one thing and a list of one.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use crate::eval::{AT_A_TIME, Run};
use crate::explain;
use crate::lex::number;
use crate::name::fold;
use crate::registry::{Route, Shape};
use crate::shape::{default, exact, field, is_literal, misspelled_field, shape, stray_field, unknown_fields};
use crate::types::Literal;
use crate::{Choice, Interrupt, List, Object, Parameter, Question, Record, Refinement, Type, Value};

/// Why a value is not made into another type, and which part of it is to blame.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// From the whole value to that part, outermost step first.
    pub(crate) path: Vec<Step>,
    pub(crate) cause: Cause,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `[0]`
    Element(usize),
    /// `.path`
    Field(String),
}

/// Why.
#[derive(Debug)]
pub(crate) enum Cause {
    /// There is no way from what it is to what is wanted.
    NoWay {
        /// What it is.
        found: Value,
        /// What is wanted.
        expected: Type,
    },
    /// It has the form that is wanted, but is not all that is wanted.
    Broken {
        /// What it is.
        found: Value,
        /// What does not hold of it.
        refinement: Refinement,
    },
    /// One is wanted, and the list is empty.
    Nothing(Type),
    /// A conversion failed, or asks.
    Interrupt(Interrupt),
}

impl Misfit {
    fn here(cause: Cause) -> Self {
        Self { path: Vec::new(), cause }
    }

    fn inside(mut self, step: Step) -> Self {
        self.path.insert(0, step);
        self
    }
}

impl Run {
    /// The value as one of type `ty`.
    pub(crate) fn convert<'a>(&'a self, value: Value, ty: &'a Type) -> BoxFuture<'a, Result<Value, Misfit>> {
        async move {
            match (ty, value) {
                (Type::Optional(_), Value::Null) => Ok(Value::Null),
                (Type::Optional(inner), value) => self.convert(value, inner).await,
                (Type::List(inner), Value::List(items)) if **inner == Type::Any => Ok(Value::List(items)),
                (Type::List(inner), Value::List(items)) => self.convert_elements(items, inner).await,
                // Anything would be a list of one: that of a text is not its characters, that of null is not empty.
                (Type::List(inner), found) if **inner == Type::Any => {
                    Err(Misfit::here(Cause::NoWay { found, expected: ty.clone() }))
                }
                (Type::List(inner), value) => Ok(vec![self.convert(value, inner).await?].into()),
                (Type::Union(members), value) => self.convert_union(value, members, ty).await,
                (Type::Refined(inner, _), Value::List(items)) if !takes_list(inner) => {
                    self.convert_only_element(items, ty).await
                }
                (Type::Refined(inner, refinements), value) => {
                    let value = self.convert(value, inner).await?;
                    match refinements.iter().find(|it| !it.holds(&value)) {
                        None => Ok(value),
                        Some(broken) => {
                            Err(Misfit::here(Cause::Broken { found: value, refinement: broken.clone() }))
                        }
                    }
                }
                (Type::Map(inner), Value::Object(fields) | Value::Record(Record { fields, .. })) => {
                    self.convert_fields(fields, |_| Some(inner)).await.map(Value::Object)
                }
                (Type::Fields(declared), Value::Object(fields)) => {
                    if stray_field(declared, &fields).is_some() {
                        return Err(Misfit::here(Cause::NoWay {
                            found: fields.into(),
                            expected: ty.clone(),
                        }));
                    }
                    self.convert_declared(fields, declared, ty).await
                }
                (Type::Fields(declared), Value::Record(record)) => {
                    self.convert_declared(record.fields, declared, ty).await
                }
                (Type::Named(name), Value::Object(fields)) => self.convert_object(fields, name, ty).await,
                (Type::Function { returns, .. }, Value::Function(closure)) => {
                    Ok(Value::Function(closure.returning(returns)))
                }
                (ty, value) => match shape(&self.registry, &value, ty) {
                    Some(value) => Ok(value),
                    None => self.convert_otherwise(value, ty).await,
                },
            }
        }
        .boxed()
    }

    async fn convert_elements(&self, items: List, ty: &Type) -> Result<Value, Misfit> {
        let each: Vec<_> = items.into_iter().map(|item| self.convert(item, ty)).collect();
        let mut results = stream::iter(each).buffered(AT_A_TIME).enumerate();
        let mut converted = Vec::new();
        while let Some((index, item)) = results.next().await {
            converted.push(item.map_err(|misfit| misfit.inside(Step::Element(index)))?);
        }
        Ok(converted.into())
    }

    /// The object with each field that has a type converted to it.
    async fn convert_fields<'a>(
        &'a self,
        fields: Object,
        ty: impl Fn(&str) -> Option<&'a Type>,
    ) -> Result<Object, Misfit> {
        let mut converted = Object::new();
        for (key, value) in fields {
            let value = match ty(&key) {
                Some(ty) => {
                    let converted = self.convert(value, ty).await;
                    converted.map_err(|misfit| misfit.inside(Step::Field(key.clone())))?
                }
                None => value,
            };
            converted.insert(key, value);
        }
        Ok(converted)
    }

    /// The object with the fields that are declared; others stay as they are.
    async fn convert_declared(
        &self,
        mut fields: Object,
        declared: &[Parameter],
        ty: &Type,
    ) -> Result<Value, Misfit> {
        for parameter in declared {
            let given =
                field(&fields, &parameter.name).filter(|it| !parameter.optional || **it != Value::Null);
            match given.cloned().or_else(|| default(&self.registry, parameter)) {
                Some(value) => {
                    fields.insert(parameter.name.clone(), value);
                }
                None if parameter.optional => {
                    fields.shift_remove(&parameter.name);
                }
                None => {
                    let found = Value::Object(fields);
                    return Err(Misfit::here(Cause::NoWay { found, expected: ty.clone() }));
                }
            }
        }
        let type_of = |key: &str| declared.iter().find(|it| it.name == key).map(|it| &it.ty);
        self.convert_fields(fields, type_of).await.map(Value::Object)
    }

    /// The value as it is, where that is one of the types; else made into one of them, and where it can be made
    /// into several that differ, the question which. Into a list, or the element of one, only where nothing else
    /// is possible.
    async fn convert_union(&self, value: Value, members: &[Type], ty: &Type) -> Result<Value, Misfit> {
        if let (Value::Function(_), Some(member)) = (&value, members.iter().find(|it| takes_function(it))) {
            return self.convert(value, member).await;
        }
        let exact = exact(&self.registry, &value, members);
        if !exact.is_empty() {
            return self.only(exact, ty);
        }
        let is_list = matches!(value, Value::List(_));
        let (likely, others): (Vec<&Type>, Vec<&Type>) =
            members.iter().partition(|it| takes_list(it) == is_list);
        let unlikely = match self.any_of(&value, &likely, ty).await {
            Ok(value) => return Ok(value),
            Err(Some(stopped @ Misfit { cause: Cause::Interrupt(_), .. })) => return Err(stopped),
            Err(reason) => reason,
        };
        let reason = match &value {
            Value::List(items) if !others.is_empty() => {
                return self.convert_only_element(items.clone(), ty).await;
            }
            Value::List(_) => None,
            value => match self.any_of(value, &others, ty).await {
                Ok(value) => return Ok(value),
                Err(reason) => reason,
            },
        };
        let no_way = || Misfit::here(Cause::NoWay { found: value, expected: ty.clone() });
        Err(unlikely.or(reason).unwrap_or_else(no_way))
    }

    /// The value made into one of these types. Where that is not possible, the reason that says the most.
    async fn any_of(&self, value: &Value, members: &[&Type], ty: &Type) -> Result<Value, Option<Misfit>> {
        let mut values: Vec<Value> = Vec::new();
        let mut reasons = Vec::new();
        for member in members {
            match self.convert(value.clone(), member).await {
                Ok(value) if values.contains(&value) => {}
                Ok(value) => values.push(value),
                Err(misfit) => reasons.push(misfit),
            }
        }
        if !values.is_empty() {
            return self.only(values, ty).map_err(Some);
        }
        let rank = |misfit: &Misfit| match misfit.cause {
            Cause::Interrupt(_) => 0,
            Cause::Broken { .. } | Cause::Nothing(_) => 1,
            Cause::NoWay { .. } => 2,
        };
        reasons.sort_by_key(rank);
        Err(reasons.into_iter().find(|it| rank(it) < 2))
    }

    /// The one reading of a value, or the question which of several is meant.
    fn only(&self, mut values: Vec<Value>, ty: &Type) -> Result<Value, Misfit> {
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        let question = explain::which_reading(ty, values.len());
        let choice = |value: Value| Choice { description: self.describe(&value), value };
        let choices = values.into_iter().map(choice).collect();
        let question = Question { question, argument: None, choices };
        Err(Misfit::here(Cause::Interrupt(Interrupt::Ambiguous(question))))
    }

    /// A plain object is read as the type that knows the most of its fields: the one that is wanted, or one
    /// that converts to it. So a printed definition stands for itself and not for its mere name.
    async fn convert_object(&self, fields: Object, name: &Arc<str>, ty: &Type) -> Result<Value, Misfit> {
        let wanted = self.registry.shape(name);
        let sources = self.registry.conversions().iter().filter(|it| it.signature.returns == *ty);
        let sources = sources.filter_map(|it| it.signature.parameters[0].ty.named());
        let shapes = wanted.into_iter().chain(sources.filter_map(|name| self.registry.shape(name)));
        let value = Value::Object(fields.clone());
        let reading = |it: &Arc<Shape>| {
            let record = shape(&self.registry, &value, &Type::Named(it.name.clone()))?;
            Some((unknown_fields(it, &fields), record))
        };
        match shapes.filter_map(reading).min_by_key(|(unknown, _)| *unknown) {
            Some((1.., record)) if record.type_name() == &**name && self.is_misspelled(&fields, name) => {
                Err(Misfit::here(Cause::NoWay { found: value, expected: ty.clone() }))
            }
            Some((_, record)) if record.type_name() == &**name => Ok(record),
            Some((_, record)) => self.convert(record, ty).await,
            None => self.convert_otherwise(value, ty).await,
        }
    }

    /// Whether a field would be passed over that is like one that is absent.
    fn is_misspelled(&self, fields: &Object, name: &Arc<str>) -> bool {
        let declared = self.registry.shape(name).map(|it| &*it.signature.parameters);
        declared.is_some_and(|it| misspelled_field(it, fields).is_some())
    }

    async fn convert_otherwise(&self, value: Value, ty: &Type) -> Result<Value, Misfit> {
        let paths = self.paths(&type_of(&value), ty);
        if !paths.is_empty() {
            return self.along(paths, value, ty).await;
        }
        if let Some(value) = built_in(&value, ty) {
            return Ok(value);
        }
        match value {
            Value::List(items) => self.convert_only_element(items, ty).await,
            found => Err(Misfit::here(Cause::NoWay { found, expected: ty.clone() })),
        }
    }

    /// One is wanted where there is a list: the sole element, or a question which of them.
    async fn convert_only_element(&self, mut items: List, ty: &Type) -> Result<Value, Misfit> {
        match items.len() {
            0 => Err(Misfit::here(Cause::Nothing(ty.clone()))),
            1 => {
                let only = self.convert(items.remove(0), ty).await;
                only.map_err(|misfit| misfit.inside(Step::Element(0)))
            }
            _ => self.which(items, ty).await,
        }
    }

    /// Elements that come to the same are one; of several, the question is which. Only as many are looked at
    /// as will be told, since a conversion may have to ask the outside.
    async fn which(&self, items: List, ty: &Type) -> Result<Value, Misfit> {
        let each: Vec<_> = items.iter().map(|item| self.convert(item.clone(), ty)).collect();
        let mut results = stream::iter(each).buffered(AT_A_TIME).enumerate();
        let mut choices: Vec<Choice> = Vec::new();
        let mut misfit = None;
        while let Some((index, result)) = results.next().await {
            let value = match result {
                Ok(value) => self.shortest(value, ty),
                // It asks something itself; that comes next.
                Err(Misfit { cause: Cause::Interrupt(Interrupt::Ambiguous(_)), .. }) => items[index].clone(),
                // What cannot be meant is not offered.
                Err(other) => {
                    misfit = misfit.or(Some(other.inside(Step::Element(index))));
                    continue;
                }
            };
            if choices.iter().all(|it| it.value != value) {
                choices.push(Choice { description: self.describe(&items[index]), value });
            }
            if choices.len() > 1 && index >= explain::CANDIDATES {
                break;
            }
        }
        match misfit {
            Some(misfit) if choices.len() < 2 => return Err(misfit),
            None if choices.len() == 1 => return Ok(choices.remove(0).value),
            _ => {}
        }
        let question = explain::which_element(ty, items.len());
        let question = Question { question, argument: None, choices };
        Err(Misfit::here(Cause::Interrupt(Interrupt::Ambiguous(question))))
    }

    /// The value, or what stands for it where one of several types is wanted and that is one of them.
    fn shortest(&self, value: Value, ty: &Type) -> Value {
        let Value::Record(Record { type_name, fields }) = &value else { return value };
        let stand_in = self.registry.shape(type_name).and_then(|shape| shape.stand_in(fields));
        let is_wanted = |it: &Value| ty.alternatives().contains(&&type_of(it));
        stand_in.filter(is_wanted).unwrap_or(value)
    }

    /// What a reader is told of a value among several.
    pub(crate) fn describe(&self, value: &Value) -> String {
        let label = match value {
            Value::Record(Record { type_name, fields }) => {
                self.registry.shape(type_name).and_then(|shape| shape.label(fields))
            }
            _ => None,
        };
        label.unwrap_or_else(|| crate::print::print(&self.registry, value))
    }

    /// All shortest ways through registered conversions; empty when there is none.
    fn paths(&self, from: &Type, to: &Type) -> Vec<Vec<Arc<Route>>> {
        let mut ends: Vec<(Type, Vec<Arc<Route>>)> = vec![(from.clone(), Vec::new())];
        let mut seen = vec![from.clone()];
        while !ends.is_empty() {
            let mut next = Vec::new();
            for (end, path) in &ends {
                for route in self.registry.conversions() {
                    let returns = &route.signature.returns;
                    if route.signature.parameters[0].ty == *end && !seen.contains(returns) {
                        let path: Vec<_> = path.iter().chain([route]).cloned().collect();
                        next.push((returns.clone(), path));
                    }
                }
            }
            let found: Vec<_> =
                next.iter().filter(|(end, _)| end == to).map(|(_, path)| path.clone()).collect();
            if !found.is_empty() {
                return found;
            }
            seen.extend(next.iter().map(|(end, _)| end.clone()));
            ends = next;
        }
        Vec::new()
    }

    /// The value at the end of the paths; where they lead to different ones, the question which.
    async fn along(&self, paths: Vec<Vec<Arc<Route>>>, value: Value, ty: &Type) -> Result<Value, Misfit> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut stopped = None;
        for path in paths {
            match self.walk(&path, value.clone()).await {
                Ok(value) if choices.iter().any(|it| it.value == value) => {}
                Ok(value) => choices.push(Choice { description: self.describe(&value), value }),
                Err(interrupt) => stopped = stopped.or(Some(interrupt)),
            }
        }
        let question = match (choices.len(), stopped) {
            (1, _) => return Ok(choices.remove(0).value),
            (0, stopped) => stopped.expect("no path led to a value, so one was stopped"),
            (count, _) => Interrupt::Ambiguous(Question {
                question: explain::which_reading(ty, count),
                argument: None,
                choices,
            }),
        };
        Err(Misfit::here(Cause::Interrupt(question)))
    }

    async fn walk(&self, path: &[Arc<Route>], mut value: Value) -> Result<Value, Interrupt> {
        for route in path {
            value = self.run_conversion(route, value).await?;
        }
        Ok(value)
    }
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Number(_) => Type::Number,
        Value::Text(_) => Type::Text,
        Value::List(_) => Type::List(Box::new(Type::Any)),
        Value::Object(_) => Type::Object,
        Value::Record(record) => Type::Named(record.type_name.clone()),
        Value::Function(_) => Type::Function { parameters: Vec::new(), returns: Box::new(Type::Any) },
    }
}

/// The conversions that the language itself has; none of them loses anything.
fn built_in(value: &Value, ty: &Type) -> Option<Value> {
    match (value, ty) {
        (Value::Text(text), Type::Number) => number::parse(text).map(Value::Number),
        (Value::Number(number), Type::Text) => Some(number.to_string().into()),
        (Value::Bool(bool), Type::Number) => Some(Value::from(u32::from(*bool))),
        (Value::Number(number), Type::Bool) if number.as_f64() == Some(0.0) => Some(false.into()),
        (Value::Number(number), Type::Bool) if number.as_f64() == Some(1.0) => Some(true.into()),
        (value, Type::Literal(literal)) => as_literal(value, literal),
        _ => None,
    }
}

/// The literal, where it is written with other capitals or underscores, or as another type of value.
fn as_literal(value: &Value, literal: &Literal) -> Option<Value> {
    let (ty, itself) = match literal {
        Literal::Bool(bool) => (Type::Bool, Value::from(*bool)),
        Literal::Number(number) => (Type::Number, Value::Number(number.clone())),
        Literal::Text(text) => (Type::Text, text.as_str().into()),
    };
    let is_meant = match (value.as_text(), literal) {
        (Some(given), Literal::Text(text)) => fold(given) == fold(text),
        _ => built_in(value, &ty).is_some_and(|it| is_literal(&it, literal)),
    };
    is_meant.then_some(itself)
}

fn takes_list(ty: &Type) -> bool {
    ty.alternatives().into_iter().any(|it| matches!(it, Type::List(_) | Type::Any))
}

pub(crate) fn takes_function(ty: &Type) -> bool {
    ty.alternatives().into_iter().any(|it| matches!(it, Type::Function { .. }))
}
