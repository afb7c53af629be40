//! Types as structs and defined types, each with a function that reads it.

use dialect::{Literal, Parameter, Type};

use super::read::{print, reader};
use super::{File, names, quoted};
use crate::generate::hoisted::{literals, variants};
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
    let types = types
        .iter()
        .map(|it| (it.name.clone(), reader(file, &Type::Named(it.name.as_str().into())), "refused"));
    let tools = file.model.tools.iter().filter(|it| !file.model.takes_function(it));
    let tools = tools.flat_map(|it| {
        let params = file.names.tool(&it.name).1;
        let input = if it.parameters.is_some() { format!("read{params}") } else { "asObject".to_owned() };
        [
            (format!("{}.input", it.name), input, "refused"),
            (format!("{}.output", it.name), reader(file, &it.returns), "ignored"),
        ]
    });
    out.gap();
    file.comment(
        "Check checks a value of the type with that name, or of `tool.input` or `tool.output`, the parameters and the result of a tool.",
        out,
    );
    out.block("func Check(name string, value any) error {", "}", |out| {
        out.line("switch name {");
        for (name, read, unknown) in types.chain(tools) {
            out.block(format!("case {}:", quoted(&name)), "", |out| {
                out.line(format!("return reads({read})(value, {unknown})"));
            });
        }
        out.line("}");
        out.line("return expected(\"the name of a type\")");
    });
}

/// Prints an interface. Its values are no data, so structs that contain one have anything there.
fn interface(file: &File<'_>, it: &NamedType, out: &mut Writer) {
    let optional = |it: &Parameter| format!("{}{}", if it.optional { "*" } else { "" }, print(file, &it.ty));
    let fields = it.fields.iter().map(|field| {
        let docs = it.parts.get(&field.name).map_or("", String::as_str);
        (field.name.as_str(), docs, format!("() {}", optional(field)))
    });
    let methods = it.methods.iter().map(|method| {
        let each = method.parameters.iter().enumerate().map(|(at, it)| {
            let name = if is_word(&it.name) { it.name.clone() } else { format!("p{at}") };
            format!(", {name} {}", optional(it))
        });
        let returns = if method.returns == Type::Null {
            "error".to_owned()
        } else {
            format!("({}, error)", print(file, &method.returns))
        };
        (
            method.name.as_str(),
            method.docs.as_str(),
            format!("(ctx context.Context{}) {returns}", each.collect::<String>()),
        )
    });
    let all: Vec<(&str, &str, String)> = fields.chain(methods).collect();
    let names = names::fields(all.iter().map(|(name, ..)| *name));
    file.comment(&it.docs, out);
    out.block(format!("type {} interface {{", file.names.ty(&it.name)), "}", |out| {
        for (at, ((_, docs, signature), name)) in all.iter().zip(names).enumerate() {
            if at > 0 && !docs.is_empty() && file.options.documentation {
                out.gap();
            }
            file.comment(docs, out);
            out.line(format!("{name}{signature}"));
        }
    });
}

/// Returns `true` for a name that a parameter of Go can have beside `ctx`.
fn is_word(name: &str) -> bool {
    name != "ctx" && !names::KEYWORDS.contains(&name) && name.chars().all(|it| it.is_ascii_alphanumeric())
}

fn declare(file: &File<'_>, it: &NamedType, out: &mut Writer) {
    let name = file.names.ty(&it.name);
    if !it.methods.is_empty() {
        return interface(file, it, out);
    }
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
        return function(name, &format!("firstOf(value, unknown, {})", each.join(", ")), out);
    }
    let (printed, read) = (print(file, &it.ty), reader(file, &it.ty));
    let is_defined = ["string", "float64", "int64", "bool"].contains(&printed.as_str());
    out.line(format!("type {name} {}{printed}", if is_defined { "" } else { "= " }));
    if is_defined {
        converted(name, &read, out);
        unmarshal(name, out);
    } else {
        function(name, &format!("{read}(value, unknown)"), out);
    }
}

/// Prints the function that reads a type.
fn function(name: &str, result: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func read{name}(value any, unknown unknownFields) ({name}, error) {{"), "}", |out| {
        out.line(format!("return {result}"));
    });
}

/// Prints the function that reads a type which is defined by another.
fn converted(name: &str, read: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func read{name}(value any, unknown unknownFields) ({name}, error) {{"), "}", |out| {
        out.line(format!("it, err := {read}(value, unknown)"));
        out.line(format!("return {name}(it), err"));
    });
}

/// Prints the method with which a type reads JSON.
fn unmarshal(name: &str, out: &mut Writer) {
    out.gap();
    out.block(format!("func (it *{name}) UnmarshalJSON(data []byte) error {{"), "}", |out| {
        out.line("value, err := parse(data)");
        out.block("if err == nil {", "}", |out| out.line(format!("*it, err = read{name}(value, refused)")));
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
                let pointer = if is_absent(field) { "*" } else { "" };
                let (ty, tag) = (print(file, &field.ty), tag(&field.name, is_absent(field)));
                out.line(format!("{name} {pointer}{ty} {tag}"));
            }
        });
    }
    out.gap();
    out.block(
        format!("func read{name}(value any, unknown unknownFields) (it {name}, err error) {{"),
        "}",
        |out| {
            let known: String = fields.iter().map(|it| format!(", {}", quoted(&it.name))).collect();
            let used = if fields.is_empty() { "_" } else { "fields" };
            let assign = if fields.is_empty() { "=" } else { ":=" };
            out.line(format!("{used}, err {assign} fieldsOf(value, unknown{known})"));
            out.block("if err != nil {", "}", |out| out.line("return it, err"));
            let each = fields.iter().zip(&names).map(|(field, name)| {
                let (key, read) = (quoted(&field.name), reader(file, &field.ty));
                match (&field.default, field.optional) {
                    (Some(default), _) => {
                        format!(
                            "defaulted(fields, {key}, {}, {read}, &it.{name})",
                            quoted(&default.to_string())
                        )
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
        },
    );
    unmarshal(name, out);
    if fields.iter().any(|it| !is_tag(&it.name)) {
        marshal(
            name,
            fields.iter().zip(&names).map(|(field, name)| (field.name.as_str(), name, is_absent(field))),
            out,
        );
    }
}

/// Returns `true` if a field can be absent.
fn is_absent(field: &Parameter) -> bool {
    field.optional && field.default.is_none()
}

/// Returns `true` if a tag can have that key. Others need a method that writes them.
fn is_tag(key: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(char);
    !key.is_empty() && key != "-" && key.chars().all(is_part)
}

/// Prints the tag of a field.
fn tag(key: &str, is_absent: bool) -> String {
    let key = if is_tag(key) { key } else { "-" };
    format!("`json:\"{key}{}\"`", if is_absent && key != "-" { ",omitempty" } else { "" })
}

/// Prints the method with which a type writes JSON whose keys no tag can have.
fn marshal<'f>(name: &str, fields: impl Iterator<Item = (&'f str, &'f String, bool)>, out: &mut Writer) {
    out.gap();
    out.block(format!("func (it {name}) MarshalJSON() ([]byte, error) {{"), "}", |out| {
        out.line("fields := map[string]any{}");
        for (key, field, is_absent) in fields {
            let set = format!("fields[{}] = it.{field}", quoted(key));
            match is_absent {
                true => out.block(format!("if it.{field} != nil {{"), "}", |out| out.line(set)),
                false => out.line(set),
            }
        }
        out.line("return json.Marshal(fields)");
    });
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
    for (constant, value) in file.names.variants(&it.name).iter().zip(&values) {
        out.gap();
        out.line(format!("const {constant} {name} = {value}"));
    }
    converted(name, &format!("checked(asText, \"a variant\", isOneOf({}))", values.join(", ")), out);
    unmarshal(name, out);
}

/// Prints a struct with a pointer for each variant, one of which is set.
fn tagged(file: &File<'_>, it: &NamedType, name: &str, variants: &[(&str, &[Parameter])], out: &mut Writer) {
    let fields = names::fields(variants.iter().map(|(tag, _)| *tag));
    let payloads = file.names.variants(&it.name);
    for ((_, payload), name) in variants.iter().zip(payloads) {
        structure(file, name, payload, &|_| String::new(), out);
        out.gap();
    }
    file.comment(&it.docs, out);
    out.block(format!("type {name} struct {{"), "}", |out| {
        for (at, ((tag, _), (field, payload))) in variants.iter().zip(fields.iter().zip(payloads)).enumerate()
        {
            if at > 0 {
                out.gap();
            }
            out.line(format!("{field} *{payload} `json:\"{tag},omitempty\"`"));
        }
    });
    out.gap();
    out.block(
        format!("func read{name}(value any, unknown unknownFields) (it {name}, err error) {{"),
        "}",
        |out| {
            let tags: String = variants.iter().map(|(tag, _)| format!(", {}", quoted(tag))).collect();
            out.line(format!("tag, payload, err := variantOf(value, unknown{tags})"));
            out.block("if err != nil {", "}", |out| out.line("return it, err"));
            out.line("switch tag {");
            for ((tag, _), (field, payload)) in variants.iter().zip(fields.iter().zip(payloads)) {
                out.block(format!("case {}:", quoted(tag)), "", |out| {
                    out.line(format!("read, err := read{payload}(payload, unknown)"));
                    out.line(format!("it.{field} = &read"));
                    out.line("return it, inside(err, tag)");
                });
            }
            out.line("}");
            out.line("return it, expected(\"the name of a variant\")");
        },
    );
    unmarshal(name, out);
}
