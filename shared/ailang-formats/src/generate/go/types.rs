//! Types as structs and defined types, each with a function that reads it.

use dialect::{Literal, Parameter, Type};

use super::layout::{self, Row, function};
use super::read::{OBJECT, print, read, reader};
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
    // Types check themselves where they are unmarshalled.
    if !file.options.validators || file.model.tools.is_empty() && !file.options.by_name {
        return;
    }
    let types =
        types.iter().map(|it| (it.name.clone(), read(file, &Type::Named(it.name.as_str().into())), false));
    let tools = file.model.tools.iter().filter(|it| !file.model.takes_function(it));
    let tools = tools.flat_map(|it| {
        let params = file.names.tool(&it.name).1;
        let input = if it.parameters.is_some() { format!("read{params}") } else { OBJECT.to_owned() };
        [
            (format!("{}.input", it.name), format!("{input}(d, value)"), false),
            (format!("{}.output", it.name), read(file, &it.returns), true),
        ]
    });
    out.gap();
    file.comment(
        "Check checks a value of the type with that name, or of `tool.input` or `tool.output`, the parameters and the result of a tool.",
        out,
    );
    out.block("func Check(name string, value any) error {", "}", |out| {
        out.line("d := &decoder{}\nswitch name {");
        for (name, read, ignores_unknown) in types.chain(tools) {
            out.block(format!("case {}:", quoted(&name)), "", |out| {
                if ignores_unknown {
                    out.line("d.ignoresUnknown = true");
                }
                out.line(read);
            });
        }
        out.block("default:", "}", |out| out.line("d.expect(false, \"the name of a type\")"));
        out.line("return d.err");
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
        let each = members.iter().map(|it| format!(", member({})", reader(file, it)));
        return reading(name, &format!("oneOf(d, value{})", each.collect::<String>()), out);
    }
    let (printed, read) = (print(file, &it.ty), read(file, &it.ty));
    // An alias cannot contain itself.
    let is_defined = ["string", "float64", "int64", "bool"].contains(&printed.as_str())
        || file.model.is_recursive(&it.name) && printed != "any";
    out.line(format!("type {name} {}{printed}", if is_defined { "" } else { "= " }));
    if is_defined {
        if !printed.starts_with('*') {
            unmarshal(name, out);
        }
        reading(name, &format!("{name}({read})"), out);
    } else {
        reading(name, &read, out);
    }
}

/// Prints the function that reads a type.
fn reading(name: &str, result: &str, out: &mut Writer) {
    out.gap();
    function(&format!("func read{name}(d *decoder, value any) {name}"), &format!("return {result}"), out);
}

/// Prints the method with which a type reads JSON.
fn unmarshal(name: &str, out: &mut Writer) {
    out.gap();
    function(
        &format!("func (it *{name}) UnmarshalJSON(data []byte) error"),
        &format!("return decode(data, read{name}, it)"),
        out,
    );
}

/// Prints a struct that checks its JSON.
pub(super) fn structure(
    file: &File<'_>,
    name: &str,
    fields: &[Parameter],
    docs: &dyn Fn(&str) -> String,
    out: &mut Writer,
) {
    members(file, name, fields, docs, true, out);
}

/// Prints a struct, and the function that reads it. It checks its JSON by itself if it `reads_alone`.
fn members(
    file: &File<'_>,
    name: &str,
    fields: &[Parameter],
    docs: &dyn Fn(&str) -> String,
    reads_alone: bool,
    out: &mut Writer,
) {
    let names = names::fields(fields.iter().map(|it| it.name.as_str()));
    if fields.is_empty() {
        out.line(format!("type {name} struct{{}}"));
    } else {
        let rows = fields.iter().zip(&names).map(|(field, name)| {
            let pointer = if is_absent(field) { "*" } else { "" };
            let ty = format!("{pointer}{}", print(file, &field.ty));
            let cells = vec![name.clone(), ty, tag(&field.name, is_absent(field))];
            Row { comment: file.comment_lines(&docs(&field.name)), cells }
        });
        let rows: Vec<Row> = rows.collect();
        out.block(format!("type {name} struct {{"), "}", |out| layout::rows(&rows, true, out));
    }
    if reads_alone {
        unmarshal(name, out);
    }
    if fields.iter().any(|it| !is_tag(&it.name)) {
        marshal(
            name,
            fields.iter().zip(&names).map(|(field, name)| (field.name.as_str(), name, is_absent(field))),
            out,
        );
    }
    out.gap();
    out.block(format!("func read{name}(d *decoder, value any) (it {name}) {{"), "}", |out| {
        let known: String = fields.iter().map(|it| format!(", {}", quoted(&it.name))).collect();
        let from = if fields.is_empty() { "" } else { "from := " };
        out.line(format!("{from}object(d, value{known})"));
        for (field, name) in fields.iter().zip(&names) {
            let (key, read) = (quoted(&field.name), reader(file, &field.ty));
            out.line(match (&field.default, field.optional) {
                (Some(default), _) => {
                    let default = quoted(&default.to_string());
                    format!("it.{name} = defaulted(d, from, {key}, {default}, {read})")
                }
                (None, true) => format!("it.{name} = optional(d, from, {key}, {read})"),
                (None, false) => format!("it.{name} = required(d, from, {key}, {read})"),
            });
        }
        out.line("return it");
    });
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

/// Prints a type with a constant for each literal. Literals of several kinds are any values.
fn enumeration(file: &File<'_>, it: &NamedType, name: &str, literals: &[&Literal], out: &mut Writer) {
    file.comment(&it.docs, out);
    let value = |literal: &Literal| match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => quoted(text),
    };
    let (base, read) = match literals[0] {
        Literal::Text(_) => ("string", reader(file, &Type::Text)),
        Literal::Number(_) => ("float64", reader(file, &Type::Number)),
        Literal::Bool(_) => ("bool", reader(file, &Type::Bool)),
    };
    let is_alike = |it: &&Literal| std::mem::discriminant(*it) == std::mem::discriminant(literals[0]);
    if !literals.iter().all(is_alike) {
        out.line(format!("type {name} = any"));
        let each = literals.iter().map(|it| match it {
            Literal::Number(number) => format!(", float64({number})"),
            it => format!(", {}", value(it)),
        });
        return reading(name, &format!("literal(d, value{})", each.collect::<String>()), out);
    }
    out.line(format!("type {name} {base}"));
    out.gap();
    let constants = file.names.variants(&it.name);
    let rows = constants.iter().zip(literals).enumerate().map(|(at, (constant, literal))| {
        let docs = it.variants.get(at).and_then(|(variant, _)| it.parts.get(variant));
        let comment = file.comment_lines(docs.map_or("", String::as_str));
        Row { comment, cells: vec![constant.clone(), name.to_owned(), format!("= {}", value(literal))] }
    });
    let rows: Vec<Row> = rows.collect();
    out.block("const (", ")", |out| layout::rows(&rows, false, out));
    out.gap();
    file.comment("Valid returns whether it is one of the constants.", out);
    let head = format!("func (it {name}) Valid() bool");
    let each: Vec<String> = constants.iter().map(|constant| format!("it == {constant}")).collect();
    let short = format!("return {}", each.join(" || "));
    if layout::is_short(&head, &short) {
        function(&head, &short, out);
    } else {
        out.block(format!("{head} {{"), "}", |out| {
            out.line("switch it {");
            out.block(format!("case {}:", constants.join(", ")), "}", |out| out.line("return true"));
            out.line("return false");
        });
    }
    unmarshal(name, out);
    let wanted: Vec<String> = literals.iter().map(|it| value(it)).collect();
    out.gap();
    out.block(format!("func read{name}(d *decoder, value any) {name} {{"), "}", |out| {
        out.line(format!("it := {name}({read}(d, value))"));
        out.line(format!("d.expect(it.Valid(), {})", quoted(&format!("one of {}", wanted.join(", ")))));
        out.line("return it");
    });
}

/// Prints a struct with a pointer for each variant, one of which is set.
fn tagged(file: &File<'_>, it: &NamedType, name: &str, variants: &[(&str, &[Parameter])], out: &mut Writer) {
    let fields = names::fields(variants.iter().map(|(tag, _)| *tag));
    let payloads = file.names.variants(&it.name);
    file.comment(&it.docs, out);
    let rows = variants.iter().zip(fields.iter().zip(payloads)).map(|((key, _), (field, payload))| Row {
        comment: Vec::new(),
        cells: vec![field.clone(), format!("*{payload}"), tag(key, true)],
    });
    let rows: Vec<Row> = rows.collect();
    out.block(format!("type {name} struct {{"), "}", |out| layout::rows(&rows, true, out));
    unmarshal(name, out);
    if variants.iter().any(|(key, _)| !is_tag(key)) {
        marshal(name, variants.iter().zip(&fields).map(|((key, _), field)| (*key, field, true)), out);
    }
    out.gap();
    out.block(format!("func read{name}(d *decoder, value any) (it {name}) {{"), "}", |out| {
        let each = variants.iter().zip(fields.iter().zip(payloads));
        let each = each.map(|((tag, _), (field, payload))| (quoted(tag), field, payload));
        if file.is_lenient() {
            out.block("variant(d, value,", ")", |out| {
                each.for_each(|(tag, field, payload)| {
                    out.line(format!("into({tag}, &it.{field}, read{payload}),"));
                });
            });
        } else {
            let tags: String = variants.iter().map(|(tag, _)| format!(", {}", quoted(tag))).collect();
            out.line(format!("from := variant(d, value{tags})"));
            each.for_each(|(tag, field, payload)| {
                out.line(format!("it.{field} = optional(d, from, {tag}, read{payload})"));
            });
        }
        out.line("return it");
    });
    for ((_, payload), name) in variants.iter().zip(payloads) {
        out.gap();
        members(file, name, payload, &|_| String::new(), false, out);
    }
}
