//! Writes the result of the handshake, for plugins.

use serde::Serialize;

use crate::envelope::{Payload, payload};
use crate::methods::{PROTOCOL, TRANSPORT};
use crate::schema::{Class, Constant, Description, Effect, Function, Property};
use crate::signature::{Origin, Parameter};
use crate::value::ValueError;

#[derive(Serialize)]
struct Written<'a> {
    protocol: &'static str,
    transport: &'static str,
    library: WrittenLibrary<'a>,
    capabilities: &'a [String],
    schema: WrittenSchema<'a>,
}

#[derive(Serialize)]
struct WrittenLibrary<'a> {
    name: &'a str,
    version: &'a str,
    description: &'a str,
}

/// The schema. Its three arrays are always there.
#[derive(Serialize)]
struct WrittenSchema<'a> {
    functions: Vec<WrittenFunction<'a>>,
    classes: Vec<WrittenClass<'a>>,
    constants: Vec<WrittenConstant<'a>>,
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a [Parameter]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<Effect>,
}

#[derive(Serialize)]
struct WrittenClass<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    constructor: WrittenFunction<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    methods: Vec<WrittenFunction<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<WrittenProperty<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct WrittenProperty<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    settable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<&'a str>,
}

#[derive(Serialize)]
struct WrittenConstant<'a> {
    name: &'a str,
    value: Payload,
}

impl Description {
    /// Writes the result of the handshake.
    pub fn write(&self) -> Result<Payload, ValueError> {
        let Self { library, capabilities, functions, classes, constants, .. } = self;
        let constants = constants.iter().map(constant).collect::<Result<_, _>>()?;
        let written = Written {
            protocol: PROTOCOL,
            transport: TRANSPORT,
            library: WrittenLibrary {
                name: &library.name,
                version: &library.version,
                description: &library.description,
            },
            capabilities,
            schema: WrittenSchema {
                functions: functions.iter().map(function).collect(),
                classes: classes.iter().map(class).collect(),
                constants,
            },
        };
        Ok(payload(serde_json::to_string(&written).expect("raw JSON and strings are JSON")))
    }
}

/// Returns the wire form of a function. Signatures that were read from elsewhere are not repeated.
fn function(function: &Function) -> WrittenFunction<'_> {
    let declared = function.signature.as_ref().filter(|it| it.origin == Origin::Declared);
    WrittenFunction {
        name: &function.name,
        description: function.description.as_deref(),
        source: function.source.as_deref(),
        params: declared.map(|it| it.parameters.as_slice()),
        returns: declared.and_then(|it| it.returns.as_deref()),
        effect: function.effect,
    }
}

fn class(class: &Class) -> WrittenClass<'_> {
    WrittenClass {
        name: &class.name,
        description: class.description.as_deref(),
        constructor: function(&class.constructor),
        methods: class.methods.iter().map(function).collect(),
        properties: class.properties.iter().map(property).collect(),
        source: class.source.as_deref(),
    }
}

fn property(property: &Property) -> WrittenProperty<'_> {
    let Property { name, description, settable, returns } = property;
    WrittenProperty {
        name,
        description: description.as_deref(),
        settable: *settable,
        returns: returns.as_deref(),
    }
}

fn constant(constant: &Constant) -> Result<WrittenConstant<'_>, ValueError> {
    let value = constant.value.write(&format!("constant {}", constant.name))?;
    Ok(WrittenConstant { name: &constant.name, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Library;
    use crate::{Signature, Value};

    #[test]
    fn a_description_comes_back_as_it_was_sent() {
        let parameter =
            Parameter { name: "who".to_owned(), kind: Some("text".to_owned()), ..Parameter::default() };
        let signature = Signature {
            parameters: vec![
                parameter.clone(),
                Parameter { name: "times".to_owned(), optional: true, ..parameter },
            ],
            returns: Some("text".to_owned()),
            origin: Origin::Declared,
        };
        let greet = Function {
            name: "greet".to_owned(),
            signature: Some(signature),
            effect: Some(Effect::Reads),
            ..Function::default()
        };
        let value = Property { name: "value".to_owned(), settable: true, ..Property::default() };
        let description = Description {
            library: Library { name: "hello".to_owned(), ..Library::default() },
            capabilities: vec!["remote_objects".to_owned()],
            classes: vec![Class {
                name: "Counter".to_owned(),
                constructor: Function { name: "Counter".to_owned(), ..greet.clone() },
                methods: vec![greet.clone()],
                properties: vec![value],
                ..Class::default()
            }],
            functions: vec![greet],
            constants: vec![Constant { name: "limit".to_owned(), value: Value::Float(3.0) }],
            warnings: Vec::new(),
        };
        let written = description.write().unwrap();
        assert_eq!(Description::read(Some(&written)), Ok(description));
    }
}
