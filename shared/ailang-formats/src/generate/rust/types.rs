//! Types as structs, enums and newtypes.

use dialect::{Literal, Parameter, Type};

use super::decode::Decoder;
use super::file::{File, json, quoted};
use super::names;
use crate::generate::hoisted::{constant, literals, variants};
use crate::generate::model::NamedType;
use crate::generate::writer::Writer;

/// Prints all types.
pub(super) fn types(file: &File<'_>, out: &mut Writer) {
    if !file.options.types {
        return;
    }
    let mut declared: Vec<&str> = Vec::new();
    for it in file.model.types.iter().filter(|it| !file.model.has_function(&it.ty)) {
        let decoder = Decoder { file, declared: &declared };
        if !it.methods.is_empty() {
            interface(file, it, out);
            continue;
        }
        declare(&decoder, it, out);
        declared.push(&it.name);
    }
}

/// Prints a function that checks values of all types, by name.
pub(super) fn checks(file: &File<'_>, out: &mut Writer) {
    // Types check themselves where they are deserialized.
    let is_wanted = !file.model.tools.is_empty() || file.options.by_name;
    if !file.options.types || !file.options.validators || !is_wanted {
        return;
    }
    let model = file.model;
    let types = model.types.iter().filter(|it| !model.has_function(&it.ty));
    let types = types.map(|it| {
        let name = file.names.ty(&it.name);
        let read =
            if it.methods.is_empty() { format!("{name}::from_json(value)") } else { "any(value)".to_owned() };
        (it.name.clone(), read)
    });
    let tools = model.tools.iter().filter(|it| !model.takes_function(it));
    let all = file.all_types();
    let decoder = Decoder { file, declared: &all };
    let tools = tools.flat_map(|it| {
        let params = file.names.tool(&it.name).1;
        let input = if it.parameters.is_some() {
            format!("{params}::from_json(value)")
        } else {
            "object(value)".to_owned()
        };
        let output = decoder.result("value", &it.returns);
        [(format!("{}.input", it.name), input), (format!("{}.output", it.name), output)]
    });
    out.gap();
    file.comment(
        "Checks a value of the type with that name, or of `tool.input` or `tool.output`, the parameters and the result of a tool.",
        out,
    );
    out.block("pub fn check(name: &str, value: &Value) -> Result<(), Problem> {", "}", |out| {
        out.block("match name {", "}", |out| {
            for (name, read) in types.chain(tools) {
                out.line(format!("{} => {read}.map(drop),", quoted(&name)));
            }
            out.line("_ => Err(Problem::expected(\"the name of a type\")),");
        });
    });
}

/// Prints the trait of an interface. Its values are no data, so types that contain one have JSON there.
fn interface(file: &File<'_>, it: &NamedType, out: &mut Writer) {
    let all = file.all_types();
    let decoder = Decoder { file, declared: &all };
    let optional = |it: &Parameter| match it.optional {
        true => format!("Option<{}>", decoder.print(&it.ty)),
        false => decoder.print(&it.ty),
    };
    out.gap();
    file.comment(&it.docs, out);
    out.block(format!("pub trait {} {{", file.names.ty(&it.name)), "}", |out| {
        out.line("type Error;");
        let fields = it.fields.iter().map(|it| (it.name.as_str(), "", optional(it), String::new()));
        let methods = it.methods.iter().map(|method| {
            let names = names::fields(method.parameters.iter().map(|it| it.name.as_str()));
            let each =
                method.parameters.iter().zip(names).map(|(it, name)| format!(", {name}: {}", optional(it)));
            let returns = format!("Result<{}, Self::Error>", decoder.print(&method.returns));
            (method.name.as_str(), "async ", returns, each.collect())
        });
        let all: Vec<(&str, &str, String, String)> = fields.chain(methods).collect();
        let names = names::fields(all.iter().map(|(name, ..)| *name));
        for ((member, asynchronous, returns, parameters), name) in all.iter().zip(names) {
            let docs = it.methods.iter().find(|it| it.name == *member).map(|it| it.docs.as_str());
            file.comment(docs.or_else(|| it.parts.get(*member).map(String::as_str)).unwrap_or_default(), out);
            out.line(format!("{asynchronous}fn {name}(&self{parameters}) -> {returns};"));
        }
    });
}

fn declare(decoder: &Decoder<'_>, it: &NamedType, out: &mut Writer) {
    let file = decoder.file;
    let name = file.names.ty(&it.name);
    out.gap();
    file.comment(&it.docs, out);
    match &it.ty {
        Type::Fields(fields) => {
            let docs = |field: &str| it.parts.get(field).cloned().unwrap_or_default();
            structure(decoder, name, fields, &docs, out);
        }
        ty if literals(ty).is_some() => enumeration(file, it, name, &literals(ty).unwrap_or_default(), out),
        ty => match (variants(ty), ty) {
            (Some(variants), _) => tagged(decoder, name, &variants, out),
            (None, Type::Union(members)) => untagged(decoder, name, members, out),
            (None, Type::Refined(..)) if file.options.validators => newtype(decoder, name, ty, out),
            (None, ty) => alias(decoder, name, ty, out),
        },
    }
}

/// Prints another name of a type that has rules of its own only, as a newtype too, so that it can be read.
fn alias(decoder: &Decoder<'_>, name: &str, ty: &Type, out: &mut Writer) {
    match ty {
        Type::Named(_) if decoder.print(ty).starts_with("Box<") => newtype(decoder, name, ty, out),
        Type::Named(_) => out.line(format!("pub type {name} = {};", decoder.print(ty))),
        ty => newtype(decoder, name, ty, out),
    }
}

/// Prints a newtype whose values have all been checked.
fn newtype(decoder: &Decoder<'_>, name: &str, ty: &Type, out: &mut Writer) {
    let inner = decoder.print(ty);
    out.line("#[derive(Clone, Debug, PartialEq, Serialize)]\n#[serde(transparent)]");
    out.line(format!("pub struct {name}({inner});\n"));
    out.block(format!("impl {name} {{"), "}\n", |out| {
        out.line("/// Returns the value.");
        out.block(format!("pub fn get(&self) -> &{inner} {{"), "}\n", |out| out.line("&self.0"));
        out.line("/// Returns the value.");
        out.block(format!("pub fn into_inner(self) -> {inner} {{"), "}", |out| out.line("self.0"));
    });
    out.block(format!("impl TryFrom<{inner}> for {name} {{"), "}\n", |out| {
        out.line("type Error = Problem;\n");
        out.block(format!("fn try_from(value: {inner}) -> Result<Self, Problem> {{"), "}", |out| {
            out.line("Self::from_json(&json!(value))");
        });
    });
    from_json(name, out, |out| out.line(format!("({})(value).map(Self)", decoder.reader(ty))));
}

/// Prints the code that reads a type from JSON.
fn from_json(name: &str, out: &mut Writer, body: impl FnOnce(&mut Writer)) {
    out.block(format!("impl FromJson for {name} {{"), "}", |out| {
        out.block("fn from_json(value: &Value) -> Result<Self, Problem> {", "}", body);
    });
}

/// Prints a struct.
pub(super) fn structure(
    decoder: &Decoder<'_>,
    name: &str,
    fields: &[Parameter],
    docs: &dyn Fn(&str) -> String,
    out: &mut Writer,
) {
    out.line("#[derive(Clone, Debug, PartialEq, Serialize)]");
    if fields.is_empty() {
        out.line(format!("pub struct {name} {{}}\n"));
    } else {
        out.block(format!("pub struct {name} {{"), "}\n", |out| {
            declare_fields(decoder, fields, docs, "pub ", out);
        });
    }
    from_json(name, out, |out| read_object(decoder, fields, "value", "Self", out));
}

fn declare_fields(
    decoder: &Decoder<'_>,
    fields: &[Parameter],
    docs: &dyn Fn(&str) -> String,
    visibility: &str,
    out: &mut Writer,
) {
    for (field, name) in fields.iter().zip(names::fields(fields.iter().map(|it| it.name.as_str()))) {
        decoder.file.comment(&docs(&field.name), out);
        let ty = decoder.print(&field.ty);
        if name != field.name {
            out.line(format!("#[serde(rename = {})]", quoted(&field.name)));
        }
        if field.optional && field.default.is_none() {
            out.line("#[serde(skip_serializing_if = \"Option::is_none\")]");
            out.line(format!("{visibility}{name}: Option<{ty}>,"));
        } else {
            out.line(format!("{visibility}{name}: {ty},"));
        }
    }
}

/// Returns expressions that read the fields of an object from `fields`.
fn read_fields(decoder: &Decoder<'_>, fields: &[Parameter]) -> Vec<String> {
    let names = names::fields(fields.iter().map(|it| it.name.as_str()));
    let read = fields.iter().zip(names).map(|(field, name)| {
        let (key, read) = (quoted(&field.name), decoder.reader(&field.ty));
        match (&field.default, field.optional) {
            (Some(default), _) => format!("{name}: fields.or({key}, json!({}), {read})?", json(default)),
            (None, true) => format!("{name}: fields.optional({key}, {read})?"),
            (None, false) => format!("{name}: fields.required({key}, {read})?"),
        }
    });
    read.collect()
}

/// Prints the code that reads an object.
fn read_object(decoder: &Decoder<'_>, fields: &[Parameter], from: &str, into: &str, out: &mut Writer) {
    let known: Vec<String> = fields.iter().map(|it| quoted(&it.name)).collect();
    let used = if fields.is_empty() { "" } else { "let fields = " };
    out.line(format!("{used}Fields::of({from}, &[{}])?;", known.join(", ")));
    let each = read_fields(decoder, fields);
    let short = format!("Ok({into} {{ {} }})", each.join(", "));
    if each.is_empty() {
        out.line(format!("Ok({into} {{}})"));
    } else if short.len() <= LONGEST {
        out.line(short);
    } else {
        out.block(format!("Ok({into} {{"), "})", |out| each.iter().for_each(|it| out.line(format!("{it},"))));
    }
}

/// The longest list of fields on one line.
const LONGEST: usize = 80;

/// Prints an enum with a variant for each literal.
fn enumeration(file: &File<'_>, it: &NamedType, name: &str, literals: &[&Literal], out: &mut Writer) {
    let value = |literal: &Literal| match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Number(number) => json(&number.clone().into()),
        Literal::Text(text) => quoted(text),
    };
    let spelled = |(at, literal): (usize, &&Literal)| match it.variants.get(at) {
        Some((variant, _)) if it.variants.len() == literals.len() => variant.clone(),
        _ => constant(literal, at),
    };
    let spelled: Vec<String> = literals.iter().enumerate().map(spelled).collect();
    let variants = names::variants(spelled.iter().map(String::as_str));
    let wanted: Vec<String> = literals.iter().map(|it| it.to_string()).collect();
    let wanted = quoted(&format!("one of {}", wanted.join(", ")));
    let texts: Option<Vec<&str>> = literals
        .iter()
        .map(|it| match it {
            Literal::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let serialize = if texts.is_some() { ", Serialize" } else { "" };
    out.line(format!("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash{serialize})]"));
    out.block(format!("pub enum {name} {{"), "}\n", |out| {
        for (at, variant) in variants.iter().enumerate() {
            let docs = it.variants.get(at).and_then(|(variant, _)| it.parts.get(variant));
            file.comment(docs.map_or("", String::as_str), out);
            if let Some(text) = texts.as_ref().map(|all| all[at]).filter(|text| *text != variant.as_str()) {
                out.line(format!("#[serde(rename = {})]", quoted(text)));
            }
            out.line(format!("{variant},"));
        }
    });
    if let Some(texts) = texts {
        return from_json(name, out, |out| {
            out.block("match value.as_str() {", "}", |out| {
                for (text, variant) in texts.iter().zip(&variants) {
                    out.line(format!("Some({}) => Ok(Self::{variant}),", quoted(text)));
                }
                out.line(format!("_ => Err(Problem::expected({wanted})),"));
            });
        });
    }
    out.block(format!("impl {name} {{"), "}\n", |out| {
        out.line("/// Returns the JSON.");
        out.block("pub fn to_json(self) -> Value {", "}", |out| {
            out.block("match self {", "}", |out| {
                for (variant, literal) in variants.iter().zip(literals) {
                    out.line(format!("Self::{variant} => json!({}),", value(literal)));
                }
            });
        });
    });
    out.block(format!("impl Serialize for {name} {{"), "}\n", |out| {
        let head = "fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {";
        out.block(head, "}", |out| out.line("self.to_json().serialize(serializer)"));
    });
    from_json(name, out, |out| {
        let all: Vec<String> = variants.iter().map(|it| format!("Self::{it}")).collect();
        out.line(format!(
            "let found = [{}].into_iter().find(|it| same(&it.to_json(), value));",
            all.join(", ")
        ));
        out.line(format!("found.ok_or_else(|| Problem::expected({wanted}))"));
    });
}

fn tagged(decoder: &Decoder<'_>, name: &str, variants: &[(&str, &[Parameter])], out: &mut Writer) {
    let names = names::variants(variants.iter().map(|(tag, _)| *tag));
    out.line("#[derive(Clone, Debug, PartialEq, Serialize)]");
    out.block(format!("pub enum {name} {{"), "}\n", |out| {
        for ((tag, payload), name) in variants.iter().zip(&names) {
            if *name != **tag {
                out.line(format!("#[serde(rename = {})]", quoted(tag)));
            }
            let mut fields = Writer::new("");
            declare_fields(decoder, payload, &|_| String::new(), "", &mut fields);
            let fields = fields.finish();
            let short = fields.trim().trim_end_matches(',').replace('\n', " ");
            if payload.is_empty() {
                out.line(format!("{name} {{}},"));
            } else if short.len() <= LONGEST && !short.contains('#') {
                out.line(format!("{name} {{ {short} }},"));
            } else {
                out.block(format!("{name} {{"), "},", |out| out.line(fields.trim()));
            }
        }
    });
    from_json(name, out, |out| {
        let tags: Vec<String> = variants.iter().map(|(tag, _)| quoted(tag)).collect();
        let open = format!("variant(value, &[{}], |tag, payload| match tag {{", tags.join(", "));
        out.block(open, "})", |out| {
            for (at, ((tag, payload), name)) in variants.iter().zip(&names).enumerate() {
                let is_last = at + 1 == variants.len();
                let tag = if is_last { "_".to_owned() } else { quoted(tag) };
                out.block(format!("{tag} => {{"), "}", |out| {
                    read_object(decoder, payload, "payload", &format!("Self::{name}"), out);
                });
            }
        });
    });
}

fn untagged(decoder: &Decoder<'_>, name: &str, members: &[Type], out: &mut Writer) {
    let spelled = members.iter().enumerate().map(|(at, member)| match member {
        Type::Named(name) => name.to_string(),
        Type::Text => "Text".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Bool => "Bool".to_owned(),
        Type::Null => "Null".to_owned(),
        Type::List(_) => "List".to_owned(),
        _ => format!("Option{}", at + 1),
    });
    let spelled: Vec<String> = spelled.collect();
    let variants = names::variants(spelled.iter().map(String::as_str));
    out.line("#[derive(Clone, Debug, PartialEq, Serialize)]\n#[serde(untagged)]");
    out.block(format!("pub enum {name} {{"), "}\n", |out| {
        for (member, variant) in members.iter().zip(&variants) {
            out.line(format!("{variant}({}),", decoder.print(member)));
        }
    });
    from_json(name, out, |out| {
        for (member, variant) in members.iter().zip(&variants) {
            out.block(format!("if let Ok(it) = ({})(value) {{", decoder.reader(member)), "}", |out| {
                out.line(format!("return Ok(Self::{variant}(it));"));
            });
        }
        let wanted = quoted(&format!("one of {}", spelled.join(", ")));
        out.line(format!("Err(Problem::expected({wanted}))"));
    });
}
