//! Conversion of values to the types of parameters: by form, by registered and built-in conversions, and
//! between one value and a list of one.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use crate::eval::{MAX_CONCURRENT, Run};
use crate::lex::number;
use crate::name::is_same_name;
use crate::registry::{RegisteredConversion, RegisteredType};
use crate::shape::{default, exact, field, is_literal, misspelled_field, shape, stray_field, unknown_fields};
use crate::types::Literal;
use crate::{
    Choice, Interrupt, List, Object, Parameter, Question, Record, Refinement, Signature, Type, Value, explain,
};

/// The elements of a list whose conversions are prepared at a time. Each takes memory before it starts.
const PREPARED: usize = 64;

/// The most bytes of a value that describes itself to a reader.
const DESCRIBED: usize = 1 << 14;

/// The reason why a value was not converted, and the part of it to blame.
#[derive(Debug)]
pub(crate) struct ConversionError {
    /// From the whole value to that part, outermost step first.
    pub(crate) path: Vec<PathStep>,
    pub(crate) cause: Cause,
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathStep {
    /// `[0]`
    Element(usize),
    /// `.path`
    Field(String),
}

/// The reasons for which a part is not converted.
#[derive(Debug)]
pub(crate) enum Cause {
    /// There is no conversion.
    NoWay {
        /// The value as it was given, before any conversion.
        found: Value,
        /// The type to which it should convert.
        expected: Type,
    },
    /// The value has the right form, but breaks a rule.
    Broken {
        /// The value as it was given, before any conversion.
        found: Value,
        /// The rule that does not hold.
        refinement: Refinement,
    },
    /// One value is wanted, and the list is empty.
    Nothing(Type),
    /// A conversion failed, or asks a question.
    Interrupt(Interrupt),
}

impl ConversionError {
    fn here(cause: Cause) -> Self {
        Self { path: Vec::new(), cause }
    }

    fn inside(mut self, step: PathStep) -> Self {
        self.path.insert(0, step);
        self
    }
}

/// The conversion of values, on behalf of the function that takes them.
#[derive(Clone, Copy)]
pub(crate) struct Converter<'a> {
    run: &'a Run,
    /// The signature of that function; `None` where values are only described.
    consumer: Option<&'a Arc<Signature>>,
}

impl<'a> Converter<'a> {
    /// Returns the conversion of arguments of a function.
    pub(crate) fn new(run: &'a Run, consumer: &'a Arc<Signature>) -> Self {
        Self { run, consumer: Some(consumer) }
    }

    /// Converts the value to type `ty`.
    pub(crate) fn convert(self, value: Value, ty: &'a Type) -> BoxFuture<'a, Result<Value, ConversionError>> {
        async move {
            self.run
                .count_conversion(&value)
                .map_err(|failure| ConversionError::here(Cause::Interrupt(failure.into())))?;
            match (ty, value) {
                (Type::Optional(_), Value::Null) => Ok(Value::Null),
                (Type::Optional(inner), value) => self.convert(value, inner).await,
                (Type::List(inner), Value::List(items)) if **inner == Type::Any => Ok(Value::List(items)),
                (Type::List(inner), Value::List(items)) => self.convert_elements(items, inner).await,
                // Any value would become a list of one, which is seldom meant: a text is no list of characters.
                (Type::List(inner), found) if **inner == Type::Any => {
                    Err(ConversionError::here(Cause::NoWay { found, expected: ty.clone() }))
                }
                (Type::List(inner), value) => Ok(vec![self.convert(value, inner).await?].into()),
                (Type::Union(members), value) => self.convert_union(value, members, ty).await,
                (Type::Named(name), value) if self.run.registry.types().alias(name).is_some() => {
                    self.convert_to_alias(value, ty).await
                }
                (Type::Refined(inner, _), Value::List(items)) if !self.run.takes_list(inner) => {
                    self.convert_only_element(items, ty).await
                }
                (Type::Refined(inner, refinements), value) => {
                    let value = self.convert(value, inner).await?;
                    match refinements.iter().find(|it| !it.holds(&value)) {
                        None => Ok(value),
                        Some(broken) => Err(ConversionError::here(Cause::Broken {
                            found: value,
                            refinement: broken.clone(),
                        })),
                    }
                }
                (Type::Map(inner), Value::Object(fields) | Value::Record(Record { fields, .. })) => {
                    self.convert_fields(fields, |_| Some(inner)).await.map(Value::Object)
                }
                (Type::Fields(declared), Value::Object(fields)) => {
                    if stray_field(declared, &fields).is_some() {
                        return Err(ConversionError::here(Cause::NoWay {
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
                (ty, value) => match shape(self.run.registry.types(), &value, ty) {
                    Some(value) => Ok(value),
                    None => self.convert_otherwise(value, ty).await,
                },
            }
        }
        .boxed()
    }

    /// Converts to the type behind an alias, unless there are conversions to the alias itself.
    async fn convert_to_alias(self, value: Value, ty: &Type) -> Result<Value, ConversionError> {
        let types = self.run.registry.types();
        let behind = types.resolved(ty);
        let paths = self.run.paths(&type_of(&value), ty);
        if paths.is_empty() || shape(types, &value, behind).is_some() {
            return self.convert(value, behind).await;
        }
        self.along(paths, value, ty).await
    }

    async fn convert_elements(self, items: List, ty: &Type) -> Result<Value, ConversionError> {
        let mut converted = Vec::with_capacity(items.len());
        for some in items.chunks(PREPARED) {
            let each: Vec<_> = some.iter().map(|item| self.convert(item.clone(), ty)).collect();
            let mut results = stream::iter(each).buffered(MAX_CONCURRENT);
            while let Some(item) = results.next().await {
                let index = converted.len();
                converted.push(item.map_err(|error| error.inside(PathStep::Element(index)))?);
            }
        }
        Ok(converted.into())
    }

    /// Converts each field that has a type.
    async fn convert_fields(
        self,
        fields: Object,
        ty: impl Fn(&str) -> Option<&'a Type>,
    ) -> Result<Object, ConversionError> {
        let mut converted = Object::new();
        for (key, value) in fields {
            let value = match ty(&key) {
                Some(ty) => {
                    let converted = self.convert(value, ty).await;
                    converted.map_err(|error| error.inside(PathStep::Field(key.clone())))?
                }
                None => value,
            };
            converted.insert(key, value);
        }
        Ok(converted)
    }

    /// Converts the declared fields of an object, and keeps the others.
    async fn convert_declared(
        self,
        mut fields: Object,
        declared: &[Parameter],
        ty: &Type,
    ) -> Result<Value, ConversionError> {
        for parameter in declared {
            let given =
                field(&fields, &parameter.name).filter(|it| !parameter.optional || **it != Value::Null);
            match given.cloned().or_else(|| default(self.run.registry.types(), parameter)) {
                Some(value) => {
                    fields.insert(parameter.name.clone(), value);
                }
                None if parameter.optional => {
                    fields.shift_remove(&parameter.name);
                }
                None => {
                    let found = Value::Object(fields);
                    return Err(ConversionError::here(Cause::NoWay { found, expected: ty.clone() }));
                }
            }
        }
        let type_of = |key: &str| declared.iter().find(|it| it.name == key).map(|it| &it.ty);
        self.convert_fields(fields, type_of).await.map(Value::Object)
    }

    /// Converts the value to one of the types. A value that has one of them already is kept. If several
    /// conversions give different values, asks which is meant. Conversion to a list, or to the element of
    /// one, is the last resort.
    async fn convert_union(
        self,
        value: Value,
        members: &[Type],
        ty: &Type,
    ) -> Result<Value, ConversionError> {
        if let (Value::Function(_), Some(member)) = (&value, members.iter().find(|it| it.takes_function())) {
            return self.convert(value, member).await;
        }
        let exact = exact(self.run.registry.types(), &value, members);
        if !exact.is_empty() {
            return self.only(exact, ty);
        }
        let is_list = matches!(value, Value::List(_));
        let (likely, others): (Vec<&Type>, Vec<&Type>) =
            members.iter().partition(|it| self.run.takes_list(it) == is_list);
        let unlikely = match self.any_of(&value, &likely, ty).await {
            Ok(value) => return Ok(value),
            Err(Some(stopped @ ConversionError { cause: Cause::Interrupt(_), .. })) => return Err(stopped),
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
        let no_way = || ConversionError::here(Cause::NoWay { found: value, expected: ty.clone() });
        Err(unlikely.or(reason).unwrap_or_else(no_way))
    }

    /// Converts the value to one of these types, or returns the most specific reason why it cannot.
    async fn any_of(
        self,
        value: &Value,
        members: &[&Type],
        ty: &Type,
    ) -> Result<Value, Option<ConversionError>> {
        let mut values: Vec<Value> = Vec::new();
        let mut reasons = Vec::new();
        for member in members {
            match self.convert(value.clone(), member).await {
                Ok(value) if values.contains(&value) => {}
                Ok(value) => values.push(value),
                Err(error) => reasons.push(error),
            }
        }
        if !values.is_empty() {
            return self.only(values, ty).map_err(Some);
        }
        let rank = |error: &ConversionError| match error.cause {
            Cause::Interrupt(_) => 0,
            Cause::Broken { .. } | Cause::Nothing(_) => 1,
            Cause::NoWay { .. } => 2,
        };
        reasons.sort_by_key(rank);
        Err(reasons.into_iter().find(|it| rank(it) < 2))
    }

    /// Returns the only reading of a value, or asks which of several is meant.
    fn only(self, mut values: Vec<Value>, ty: &Type) -> Result<Value, ConversionError> {
        if values.len() == 1 {
            return Ok(values.remove(0));
        }
        let question = explain::which_reading(ty, values.len());
        let choice = |value: Value| Choice { description: self.run.describe(&value), value };
        let choices = values.into_iter().map(choice).collect();
        let question = Question { question, argument: None, choices };
        Err(ConversionError::here(Cause::Interrupt(Interrupt::Ambiguous(question))))
    }

    /// Reads a plain object as the type that declares the most of its fields: the wanted one, or one that
    /// converts to it. So a printed definition keeps its place, and is not looked up again by its name.
    async fn convert_object(
        self,
        fields: Object,
        name: &Arc<str>,
        ty: &Type,
    ) -> Result<Value, ConversionError> {
        let wanted = self.run.registry.registered_type(name);
        let sources = self.run.registry.conversions().iter().filter(|it| it.signature.returns == *ty);
        let sources = sources.filter_map(|it| it.signature.parameters[0].ty.named());
        let shapes =
            wanted.into_iter().chain(sources.filter_map(|name| self.run.registry.registered_type(name)));
        let value = Value::Object(fields.clone());
        let reading = |it: &Arc<RegisteredType>| {
            let record = shape(self.run.registry.types(), &value, &Type::Named(it.name.clone()))?;
            Some((unknown_fields(it, &fields), record))
        };
        match shapes.filter_map(reading).min_by_key(|(unknown, _)| *unknown) {
            Some((1.., record)) if record.type_name() == &**name && self.run.is_misspelled(&fields, name) => {
                Err(ConversionError::here(Cause::NoWay { found: value, expected: ty.clone() }))
            }
            Some((_, record)) if record.type_name() == &**name => Ok(record),
            Some((_, record)) => self.convert(record, ty).await,
            None => self.convert_otherwise(value, ty).await,
        }
    }

    async fn convert_otherwise(self, value: Value, ty: &Type) -> Result<Value, ConversionError> {
        let paths = self.run.paths(&type_of(&value), ty);
        if !paths.is_empty() {
            return self.along(paths, value, ty).await;
        }
        if let Some(value) = built_in(&value, ty) {
            return Ok(value);
        }
        match value {
            Value::List(items) => self.convert_only_element(items, ty).await,
            found => Err(ConversionError::here(Cause::NoWay { found, expected: ty.clone() })),
        }
    }

    /// Converts a list to one value: its only element, or a question about which element is meant.
    async fn convert_only_element(self, mut items: List, ty: &Type) -> Result<Value, ConversionError> {
        match items.len() {
            0 => Err(ConversionError::here(Cause::Nothing(ty.clone()))),
            1 => {
                let only = self.convert(items.remove(0), ty).await;
                only.map_err(|error| error.inside(PathStep::Element(0)))
            }
            _ => self.which(items, ty).await,
        }
    }

    /// Asks which element of a list is meant, unless all convert to the same value. Looks only at as many
    /// elements as will be shown, because conversions can be expensive.
    async fn which(self, items: List, ty: &Type) -> Result<Value, ConversionError> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut error = None;
        let shown = Self { consumer: None, ..self };
        'all: for (piece, some) in items.chunks(PREPARED).enumerate() {
            let each: Vec<_> = some.iter().map(|item| shown.convert(item.clone(), ty)).collect();
            let mut results = stream::iter(each).buffered(MAX_CONCURRENT).enumerate();
            while let Some((index, result)) = results.next().await {
                let value = match result {
                    Ok(value) => self.run.shortest(value, ty),
                    // The element is ambiguous itself, which is asked next.
                    Err(ConversionError { cause: Cause::Interrupt(Interrupt::Ambiguous(_)), .. }) => {
                        some[index].clone()
                    }
                    // An element that does not convert is not offered.
                    Err(other) => {
                        error = error.or(Some(other.inside(PathStep::Element(piece * PREPARED + index))));
                        continue;
                    }
                };
                if choices.iter().all(|it| it.value != value) {
                    choices.push(Choice { description: self.run.describe(&some[index]), value });
                }
                if choices.len() > 1 && piece * PREPARED + index >= explain::CANDIDATES {
                    break 'all;
                }
            }
        }
        match error {
            Some(error) if choices.len() < 2 => return Err(error),
            None if choices.len() == 1 => return Ok(choices.remove(0).value),
            _ => {}
        }
        let question = explain::which_element(ty, items.len());
        let question = Question { question, argument: None, choices };
        Err(ConversionError::here(Cause::Interrupt(Interrupt::Ambiguous(question))))
    }

    /// Converts the value along each path, or asks if the results differ.
    async fn along(
        self,
        paths: Vec<Vec<Arc<RegisteredConversion>>>,
        value: Value,
        ty: &Type,
    ) -> Result<Value, ConversionError> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut stopped = None;
        for path in paths {
            match self.walk(&path, value.clone()).await {
                Ok(value) if choices.iter().any(|it| it.value == value) => {}
                Ok(value) => choices.push(Choice { description: self.run.describe(&value), value }),
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
        Err(ConversionError::here(Cause::Interrupt(question)))
    }

    async fn walk(self, path: &[Arc<RegisteredConversion>], mut value: Value) -> Result<Value, Interrupt> {
        for route in path {
            value = self.run.run_conversion(route, value, self.consumer).await?;
        }
        Ok(value)
    }
}

impl Run {
    fn takes_list(&self, ty: &Type) -> bool {
        self.registry.types().takes_list(ty)
    }

    /// Returns `true` if an unknown field resembles an absent one, and would be ignored.
    fn is_misspelled(&self, fields: &Object, name: &Arc<str>) -> bool {
        let declared = self.registry.registered_type(name).map(|it| &*it.signature.parameters);
        declared.is_some_and(|it| misspelled_field(it, fields).is_some())
    }

    /// Returns the value, or its stand-in if that has one of the wanted types.
    fn shortest(&self, value: Value, ty: &Type) -> Value {
        let Value::Record(Record { type_name, fields }) = &value else { return value };
        let stand_in = self.registry.registered_type(type_name).and_then(|shape| shape.stand_in(fields));
        let is_wanted = |it: &Value| ty.alternatives().contains(&&type_of(it));
        stand_in.filter(is_wanted).unwrap_or(value)
    }

    /// Describes a value to a reader who chooses among several.
    pub(crate) fn describe(&self, value: &Value) -> String {
        let label = match value {
            Value::Record(Record { type_name, fields }) => {
                self.registry.registered_type(type_name).and_then(|shape| shape.label(fields))
            }
            _ => None,
        };
        label.unwrap_or_else(|| match value.bytes() {
            ..=DESCRIBED => crate::print::print(&self.registry, value),
            _ => "…".to_owned(),
        })
    }

    /// Returns all shortest paths of registered conversions; empty if there is none.
    fn paths(&self, from: &Type, to: &Type) -> Vec<Vec<Arc<RegisteredConversion>>> {
        let mut ends: Vec<(Type, Vec<Arc<RegisteredConversion>>)> = vec![(from.clone(), Vec::new())];
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

/// Applies a built-in conversion; none of them loses information.
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

/// Returns the literal, if the value spells it with other case or underscores, or as a value of another type.
fn as_literal(value: &Value, literal: &Literal) -> Option<Value> {
    let (ty, itself) = match literal {
        Literal::Bool(bool) => (Type::Bool, Value::from(*bool)),
        Literal::Number(number) => (Type::Number, Value::Number(number.clone())),
        Literal::Text(text) => (Type::Text, text.as_str().into()),
    };
    let is_meant = match (value.as_text(), literal) {
        (Some(given), Literal::Text(text)) => is_same_name(given, text),
        _ => built_in(value, &ty).is_some_and(|it| is_literal(&it, literal)),
    };
    is_meant.then_some(itself)
}
