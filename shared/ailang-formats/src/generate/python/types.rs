//! Types as models and aliases.

use dialect::{Literal, Parameter, Refinement, Type};

use super::file::{File, json, quoted};
use super::names;
use super::rules::validator;
use crate::generate::hoisted::{literals, variants};
use crate::generate::model::NamedType;
use crate::generate::writer::Writer;

/// Prints all types.
pub(super) fn types(file: &File<'_>, out: &mut Writer) {
    if file.options.types {
        let mut declared = Vec::new();
        for it in &file.model.types {
            out.gap();
            declare(file, it, &declared, out);
            declared.push(it.name.as_str());
        }
    }
}

/// Prints the table of the validators of all types.
pub(super) fn adapters(file: &File<'_>, out: &mut Writer) {
    if !file.validates() || file.model.types.is_empty() && file.model.tools.is_empty() {
        return;
    }
    out.gap();
    file.comment("What checks the values of each type: `VALIDATORS[\"Name\"].validate_python(value)`.", out);
    out.block("VALIDATORS: dict[str, TypeAdapter[Any]] = {", "}", |out| {
        for it in &file.model.types {
            let ty = Printer { file, declared: None }.print(&Type::Named(it.name.as_str().into()));
            out.line(format!("{}: TypeAdapter({ty}),", quoted(&it.name)));
        }
        for tool in file.model.tools.iter() {
            let (name, params) = (quoted(&format!("{}.input", tool.name)), file.names.tool(&tool.name).1);
            out.line(format!("{name}: TypeAdapter({params}),"));
            let (name, printer) =
                (quoted(&format!("{}.output", tool.name)), Printer { file, declared: None });
            out.line(format!("{name}: TypeAdapter({}),", printer.print(&tool.returns)));
        }
    });
}

fn declare(file: &File<'_>, it: &NamedType, declared: &[&str], out: &mut Writer) {
    let name = file.names.ty(&it.name);
    let texts = literals(&it.ty).filter(|all| all.iter().all(|it| matches!(it, Literal::Text(_))));
    if !it.methods.is_empty() {
        return protocol(file, name, it, out);
    }
    match (&it.ty, texts) {
        (Type::Fields(fields), _) => {
            let docs = |field: &str| it.parts.get(field).cloned().unwrap_or_default();
            model(file, name, &it.docs, fields, &docs, out);
        }
        (_, Some(_)) if !it.variants.is_empty() => enumeration(file, name, it, out),
        (ty, _) => {
            if let Some(variants) = variants(ty) {
                return union(file, name, it, &variants, out);
            }
            if file.model.is_recursive(&it.name) {
                let printed = Printer { file, declared: None }.print(ty);
                out.line(format!("{name} = TypeAliasType({}, {})", quoted(name), quoted(&printed)));
            } else {
                let printed = Printer { file, declared: Some(declared) }.print(ty);
                out.line(format!("{name}: TypeAlias = {printed}"));
            }
            file.docstring(&it.docs, out);
        }
    }
}

/// Prints a model with a field for each field of a struct.
pub(super) fn model(
    file: &File<'_>,
    name: &str,
    docs: &str,
    fields: &[Parameter],
    comment: &dyn Fn(&str) -> String,
    out: &mut Writer,
) {
    let printer = Printer { file, declared: None };
    let attributes = names::fields(file.names, fields.iter().map(|it| it.name.as_str()));
    out.block(format!("class {name}(_Struct):"), "", |out| {
        file.docstring(docs, out);
        for (field, attribute) in fields.iter().zip(attributes) {
            file.comment(&comment(&field.name), out);
            out.line(printer.field(field, &attribute));
        }
        if fields.is_empty() {
            out.line("pass");
        }
    });
    out.gap();
}

/// Prints the protocol of an interface.
fn protocol(file: &File<'_>, name: &str, it: &NamedType, out: &mut Writer) {
    let printer = Printer { file, declared: None };
    out.block(format!("class {name}(Protocol):"), "", |out| {
        file.docstring(&it.docs, out);
        let fields = names::fields(file.names, it.fields.iter().map(|it| it.name.as_str()));
        for (field, attribute) in it.fields.iter().zip(fields) {
            let ty = printer.print(&field.ty);
            let ty = if field.optional { format!("Optional[{ty}]") } else { ty };
            out.line(format!("{attribute}: {ty}"));
        }
        let methods = names::parameters(file.names, it.methods.iter().map(|it| it.name.as_str()));
        for (method, name) in it.methods.iter().zip(methods) {
            let returns = printer.print(&method.returns);
            let parameters =
                names::parameters(file.names, method.parameters.iter().map(|it| it.name.as_str()));
            let each = method.parameters.iter().zip(parameters).map(|(it, name)| {
                let ty = printer.print(&it.ty);
                if it.optional { format!(", {name}: Optional[{ty}]") } else { format!(", {name}: {ty}") }
            });
            file.comment(&method.docs, out);
            out.line(format!("async def {name}(self{}) -> {returns}: ...", each.collect::<String>()));
        }
    });
    out.gap();
}

fn enumeration(file: &File<'_>, name: &str, it: &NamedType, out: &mut Writer) {
    out.block(format!("class {name}(str, Enum):"), "", |out| {
        file.docstring(&it.docs, out);
        let members = names::members(it.variants.iter().map(|(name, _)| name.as_str()));
        for ((variant, value), member) in it.variants.iter().zip(members) {
            file.comment(it.parts.get(variant).map_or("", |it| it), out);
            out.line(format!("{member} = {}", json(value)));
        }
    });
    out.gap();
}

/// Prints two models for each variant: that of its payload, and the object with the tag.
fn union(file: &File<'_>, name: &str, it: &NamedType, variants: &[(&str, &[Parameter])], out: &mut Writer) {
    let mut tags = Vec::new();
    for ((tag, payload), classes) in variants.iter().zip(file.names.variants(&it.name).chunks(2)) {
        let [class, tagged] = classes else { continue };
        let attribute = names::fields(file.names, [*tag].into_iter()).remove(0);
        model(file, class, "", payload, &|_| String::new(), out);
        let alias =
            if attribute == *tag { String::new() } else { format!(" = Field(alias={})", quoted(tag)) };
        out.block(format!("class {tagged}(_Struct):"), "", |out| {
            out.line(format!("{attribute}: {class}{alias}"));
        });
        out.gap();
        tags.push(tagged.as_str());
    }
    out.line(format!("{name}: TypeAlias = Union[{}]", tags.join(", ")));
    file.docstring(&it.docs, out);
}

/// A printer of types.
pub(super) struct Printer<'a> {
    pub(super) file: &'a File<'a>,
    /// The types that code can name that runs here; `None` for annotations, which are read later.
    pub(super) declared: Option<&'a [&'a str]>,
}

impl Printer<'_> {
    /// Returns a field with its default.
    fn field(&self, field: &Parameter, attribute: &str) -> String {
        let ty = self.print(&field.ty);
        let mut arguments = Vec::new();
        let ty = match (&field.default, field.optional) {
            (Some(default), _) => {
                arguments.push(format!("default={}, validate_default=True", json(default)));
                ty
            }
            (None, true) => {
                arguments.push("default=None".to_owned());
                if self.file.validates() && !self.file.model.accepts_null(&field.ty) {
                    format!("Annotated[Optional[{ty}], BeforeValidator(_present)]")
                } else {
                    format!("Optional[{ty}]")
                }
            }
            (None, false) => ty,
        };
        if attribute != field.name {
            arguments.push(format!("alias={}", quoted(&field.name)));
        }
        match &arguments[..] {
            [] => format!("{attribute}: {ty}"),
            [only] if only == "default=None" => format!("{attribute}: {ty} = None"),
            arguments => format!("{attribute}: {ty} = Field({})", arguments.join(", ")),
        }
    }

    /// Returns a type.
    pub(super) fn print(&self, ty: &Type) -> String {
        let validates = self.file.validates();
        let strict = |strict: &str, plain: &str| if validates { strict.to_owned() } else { plain.to_owned() };
        match ty {
            Type::Any | Type::Fields(_) => "Any".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Bool => strict("StrictBool", "bool"),
            Type::Number => strict(
                "Annotated[Union[StrictInt, StrictFloat], AfterValidator(_rule(math.isfinite, \"a number\"))]",
                "float",
            ),
            Type::Text => strict("StrictStr", "str"),
            Type::Object => format!("dict[{}, Any]", strict("StrictStr", "str")),
            Type::List(inner) => format!("list[{}]", self.print(inner)),
            Type::Map(inner) => format!("dict[{}, {}]", strict("StrictStr", "str"), self.print(inner)),
            Type::Optional(inner) => format!("Optional[{}]", self.print(inner)),
            ty if literals(ty).is_some() => self.literals(&literals(ty).unwrap_or_default()),
            Type::Literal(literal) => self.literals(&[literal]),
            Type::Union(members) => {
                let each: Vec<String> = members.iter().map(|it| self.print(it)).collect();
                format!("Union[{}]", each.join(", "))
            }
            Type::Refined(inner, refinements) => self.refined(inner, refinements),
            Type::Named(_) if !self.file.options.types => "Any".to_owned(),
            // pydantic cannot check what is no data.
            Type::Named(name) if self.file.options.types && self.file.model.is_interface(name) => {
                format!("Annotated[{}, _unchecked]", self.file.names.ty(name))
            }
            Type::Named(name) => {
                let is_here = self.declared.is_none_or(|it| it.contains(&&**name));
                let name = self.file.names.ty(name);
                if is_here { name.to_owned() } else { format!("\"{name}\"") }
            }
            Type::Function { parameters, returns } => {
                let each: Vec<String> = parameters.iter().map(|(_, ty)| self.print(ty)).collect();
                format!("Callable[[{}], Awaitable[{}]]", each.join(", "), self.print(returns))
            }
        }
    }

    /// Returns the type of some literals. Python takes 1, 1.0 and True for the same, so these are told apart first.
    fn literals(&self, all: &[&Literal]) -> String {
        let value = |literal: &Literal| match literal {
            Literal::Bool(it) => json(&(*it).into()),
            Literal::Number(it) => it.to_string(),
            Literal::Text(it) => quoted(it),
        };
        let values = all.iter().map(|it| value(it)).collect::<Vec<_>>().join(", ");
        let is_fraction = |it: &&&Literal| matches!(it, Literal::Number(it) if !it.is_i64() && !it.is_u64());
        let ty = if all.iter().any(|it| is_fraction(&it)) {
            "Any".to_owned()
        } else {
            format!("Literal[{values}]")
        };
        if all.iter().all(|it| matches!(it, Literal::Text(_))) || !self.file.validates() {
            return ty;
        }
        format!("Annotated[{ty}, BeforeValidator(_one_of({values}))]")
    }

    fn refined(&self, inner: &Type, refinements: &[Refinement]) -> String {
        let is_integer = *inner == Type::Number && refinements.contains(&Refinement::Integer);
        if !self.file.validates() {
            return if is_integer { "int".to_owned() } else { self.print(inner) };
        }
        let mut parts = if is_integer {
            vec!["int".to_owned(), "BeforeValidator(_integer)".to_owned()]
        } else {
            vec![self.print(inner)]
        };
        let kind = self.file.model.kind(inner);
        let rest = refinements.iter().filter(|it| !(is_integer && **it == Refinement::Integer));
        parts.extend(rest.map(|it| validator(it, kind)));
        format!("Annotated[{}]", parts.join(", "))
    }
}
