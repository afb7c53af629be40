//! Making a value of one type into one of another: by form, by registered conversions, by the few built-in
//! ones, and between one thing and a list of one.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use crate::eval::{AT_A_TIME, Run};
use crate::explain;
use crate::lex::number;
use crate::registry::{Route, Shape};
use crate::shape::{shape, unknown_fields};
use crate::{Choice, Interrupt, List, Object, Question, Record, Type, Value};

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
                (Type::List(inner), Value::List(items)) => self.convert_elements(items, inner).await,
                (Type::List(inner), value) => Ok(vec![self.convert(value, inner).await?].into()),
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
            Some((_, record)) if record.type_name() == &**name => Ok(record),
            Some((_, record)) => self.convert(record, ty).await,
            None => self.convert_otherwise(value, ty).await,
        }
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
        while let Some((index, result)) = results.next().await {
            let value = match result {
                Ok(value) => value,
                // It asks something itself; that comes next.
                Err(Misfit { cause: Cause::Interrupt(Interrupt::Ambiguous(_)), .. }) => items[index].clone(),
                Err(misfit) => return Err(misfit.inside(Step::Element(index))),
            };
            if choices.iter().all(|it| it.value != value) {
                choices.push(Choice { description: self.describe(&items[index]), value });
            }
            if choices.len() > 1 && index >= explain::CANDIDATES {
                break;
            }
        }
        if choices.len() == 1 {
            return Ok(choices.remove(0).value);
        }
        let question = explain::which_element(ty, items.len());
        let question = Question { question, argument: None, choices };
        Err(Misfit::here(Cause::Interrupt(Interrupt::Ambiguous(question))))
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
        _ => None,
    }
}
