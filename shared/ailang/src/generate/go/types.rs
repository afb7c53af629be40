//! Types as structs and defined types, each with a function that reads it.

use dialect::{Literal, Parameter, Type};

use super::read::{print, reader};
use super::{File, names, quoted};
use crate::generate::hoisted::{literals, variants};
use crate::generate::identifiers::pascal;
use crate::generate::model::NamedType;
use crate::generate::writer::Writer;

/// Prints all types, and the function that checks values of them.
pub(super) fn types(file: &File<'_>, out: &mut Writer) {
    if !file.options.types {
        return;
    }
    let types: Vec<&NamedType> =
        file.model.types.iter().filter(|it| !file.model.has_function(&it.ty)).collect();
    for it in &types {
        out.gap();
        declare(file, it, out);
    }
    if !file.options.validators {
        return;
    }
    let tools =
        file.model.tools.iter().filter(|it| !file.model.takes_function(it) && it.parameters.is_some());
    let tools = tools.map(|it| (format!("{}.input", it.name), file.names.tool(&it.name).1));
    out.gap();
    file.comment(
        "Check checks a value of the type with that name, or of `tool.input`, the parameters of a tool.",
        out,
    );
    out.block("func Check(name string, value any) error {", "}", |out| {
        out.line("switch name {");
        for (name, ty) in types.iter().map(|it| (it.name.clone(), file.names.ty(&it.name))).chain(tools) {
            out.block(format!("case {}:", quoted(&name)), "", |out| {
                out.line(format!("return reads(read{ty})(value)"));
            });
        }
        out.line("}");
        out.line("return expected(\"the name of a type\")");
    });
}

fn declare(file: &File<'_>, it: &NamedType, out: &mut Writer) {
    let name = file.names.ty(&it.name);
    if let Type::Fields(fields) = &it.ty {
        let docs = |field: &str| it.parts.get(field).cloned().unwrap_or_default();
        file.comment(&it.docs, out);
        return structure(file, name, fields, &docs, out);
    }
    if let Some(literals) = literals(&it.ty) {
        return enumeration(file, it, name, &literals, out);
    }
    if let Some(variants) = variants(&it.ty) {
        return tagged(file, it, name, &variants, out);
    }
    file.comment(&it.docs, out);
    if let Type::Union(members) = &it.ty {
        out.line(format!("type {name} = any"));
        let each: Vec<String> = members.iter().map(|it| format!("reads({})", reader(file, it))).collect();
        return function(name, &format!("firstOf(value, {})", each.join(", ")), out);
    }
    let (printed, read) = (print(file, &it.ty), reader(file, &it.ty));
    let is_defined = ["string", "float64", "int64", "bool"].contains(&printed.as_str());
    out.line(format!("type {name} {}{printed}", if is_defined { "" } else { "= " }));
    if is_defined {
        converted(name, &read, out);
        unmarshal(name, out);
    } else {
        function(name, &format!("{read}(value)"), out);
    }
}

/// Prints the function that reads a type.
fn function(name: &str, result: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func read{name}(value any) ({name}, error) {{"), "}", |out| {
        out.line(format!("return {result}"));
    });
}

/// Prints the function that reads a type which is defined by another.
fn converted(name: &str, read: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func read{name}(value any) ({name}, error) {{"), "}", |out| {
        out.line(format!("it, err := {read}(value)"));
        out.line(format!("return {name}(it), err"));
    });
}

/// Prints the method with which a type reads JSON.
fn unmarshal(name: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func (it *{name}) UnmarshalJSON(data []byte) error {{"), "}", |out| {
        out.line("value, err := parse(data)");
        out.block("if err == nil {", "}", |out| out.line(format!("*it, err = read{name}(value)")));
        out.line("return err");
    });
}

/// Prints a struct.
pub(super) fn structure(
    file: &File<'_>,
    name: &str,
    fields: &[Parameter],
    docs: &dyn Fn(&str) -> String,
    out: &mut Writer,
) {
    let names = names::fields(fields.iter().map(|it| it.name.as_str()));
    if fields.is_empty() {
        out.line(format!("type {name} struct{{}}"));
    } else {
        out.block(format!("type {name} struct {{"), "}", |out| {
            for (at, (field, name)) in fields.iter().zip(&names).enumerate() {
                if at > 0 {
                    out.gap();
                }
                file.comment(&docs(&field.name), out);
                let is_absent = field.optional && field.default.is_none();
                let (pointer, omitted) = if is_absent { ("*", ",omitempty") } else { ("", "") };
                out.line(format!(
                    "{name} {pointer}{} `json:\"{}{omitted}\"`",
                    print(file, &field.ty),
                    field.name
                ));
            }
        });
    }
    out.gap();
    out.block(format!("func read{name}(value any) (it {name}, err error) {{"), "}", |out| {
        let known: String = fields.iter().map(|it| format!(", {}", quoted(&it.name))).collect();
        let used = if fields.is_empty() { "_" } else { "fields" };
        let assign = if fields.is_empty() { "=" } else { ":=" };
        out.line(format!("{used}, err {assign} fieldsOf(value{known})"));
        out.block("if err != nil {", "}", |out| out.line("return it, err"));
        let each = fields.iter().zip(&names).map(|(field, name)| {
            let (key, read) = (quoted(&field.name), reader(file, &field.ty));
            match (&field.default, field.optional) {
                (Some(default), _) => {
                    format!("defaulted(fields, {key}, {}, {read}, &it.{name})", quoted(&default.to_string()))
                }
                (None, true) => format!("optional(fields, {key}, {read}, &it.{name})"),
                (None, false) => format!("required(fields, {key}, {read}, &it.{name})"),
            }
        });
        let each: Vec<String> = each.collect();
        match &each[..] {
            [] => out.line("return it, nil"),
            each => {
                out.block("err = firstError(", ")", |out| {
                    each.iter().for_each(|it| out.line(format!("{it},")));
                });
                out.line("return it, err");
            }
        }
    });
    unmarshal(name, out);
}

fn enumeration(file: &File<'_>, it: &NamedType, name: &str, literals: &[&Literal], out: &mut Writer) {
    let value = |literal: &Literal| match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Number(number) => format!("float64({number})"),
        Literal::Text(text) => quoted(text),
    };
    let values: Vec<String> = literals.iter().map(|it| value(it)).collect();
    file.comment(&it.docs, out);
    if !literals.iter().all(|it| matches!(it, Literal::Text(_))) {
        out.line(format!("type {name} = any"));
        return function(name, &format!("oneOf(value, {})", values.join(", ")), out);
    }
    out.line(format!("type {name} string"));
    let spelled = (0..literals.len()).map(|at| match it.variants.get(at) {
        Some((variant, _)) => format!("{name}{}", pascal(variant)),
        None => format!("{name}Value{}", at + 1),
    });
    for (constant, value) in spelled.zip(&values) {
        out.gap();
        out.line(format!("const {constant} {name} = {value}"));
    }
    converted(name, &format!("checked(readText, \"a variant\", isOneOf({}))", values.join(", ")), out);
    unmarshal(name, out);
}

/// Prints a struct with a pointer for each variant, one of which is set.
fn tagged(file: &File<'_>, it: &NamedType, name: &str, variants: &[(&str, &[Parameter])], out: &mut Writer) {
    let fields = names::fields(variants.iter().map(|(tag, _)| *tag));
    for ((_, payload), field) in variants.iter().zip(&fields) {
        structure(file, &format!("{name}_{field}"), payload, &|_| String::new(), out);
        out.gap();
    }
    file.comment(&it.docs, out);
    out.block(format!("type {name} struct {{"), "}", |out| {
        for (at, ((tag, _), field)) in variants.iter().zip(&fields).enumerate() {
            if at > 0 {
                out.gap();
            }
            out.line(format!("{field} *{name}_{field} `json:\"{tag},omitempty\"`"));
        }
    });
    out.gap();
    out.block(format!("func read{name}(value any) (it {name}, err error) {{"), "}", |out| {
        out.line("tag, payload, err := variantOf(value)");
        out.block("if err != nil {", "}", |out| out.line("return it, err"));
        out.line("switch tag {");
        for ((tag, _), field) in variants.iter().zip(&fields) {
            out.block(format!("case {}:", quoted(tag)), "", |out| {
                out.line(format!("read, err := read{name}_{field}(payload)"));
                out.line(format!("it.{field} = &read"));
                out.line("return it, inside(err, tag)");
            });
        }
        out.line("}");
        out.line("return it, expected(\"the name of a variant\")");
    });
    unmarshal(name, out);
}
