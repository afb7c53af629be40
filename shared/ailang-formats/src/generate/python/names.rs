//! The identifiers of a generated file.

use crate::generate::hoisted::variants;
use crate::generate::identifiers::{Identifiers, Names, is_part, pascal, screaming, snake};
use crate::generate::model::Model;

/// Words that nothing may be called.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The global names that generated code uses.
const GLOBALS: &[&str] = &[
    "AfterValidator",
    "AiLangRuntime",
    "Annotated",
    "Any",
    "Awaitable",
    "BaseModel",
    "BeforeValidator",
    "CAPABILITY_REQUESTS",
    "Callable",
    "Capability",
    "CapabilityRequest",
    "ClassVar",
    "ConfigDict",
    "ERROR_CLASSES",
    "Enum",
    "Exception",
    "Field",
    "Fraction",
    "GetPydanticSchema",
    "Literal",
    "Mapping",
    "Optional",
    "Protocol",
    "Sequence",
    "StrictBool",
    "StrictFloat",
    "StrictInt",
    "StrictStr",
    "ToolError",
    "TypeAdapter",
    "TypeAlias",
    "TypeAliasType",
    "Union",
    "ValueError",
    "abs",
    "all",
    "annotations",
    "bool",
    "dataclass",
    "dict",
    "field",
    "float",
    "int",
    "isinstance",
    "json",
    "len",
    "list",
    "map",
    "math",
    "max",
    "object",
    "re",
    "replace",
    "round",
    "runtime",
    "set",
    "sorted",
    "str",
    "super",
    "time",
    "tuple",
    "type",
    "any",
    "ArithmeticError",
    "VALIDATORS",
    "TOOL_RULES",
    "ToolRules",
];

/// The members of models, which no field may be called.
const MEMBERS: &[&str] = &[
    "construct",
    "copy",
    "dict",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "validate",
];

/// The global names in types and in their rules. A class or function whose member has one of them would mean that.
const IN_TYPES: &[&str] = &[
    "AfterValidator",
    "Annotated",
    "Any",
    "Awaitable",
    "BeforeValidator",
    "Callable",
    "Field",
    "Literal",
    "Optional",
    "StrictBool",
    "StrictFloat",
    "StrictInt",
    "StrictStr",
    "TypeAdapter",
    "Union",
    "abs",
    "bool",
    "dict",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "math",
    "re",
    "str",
    "super",
];

/// The names inside of functions of tools.
const LOCALS: &[&str] =
    &["runtime", "params", "params_", "adapter", "result", "error", "self", "name", "value"];

/// Returns the identifiers of a document.
pub(super) fn named(model: &Model) -> Names {
    let mut scope = Identifiers::new(KEYWORDS.iter().chain(GLOBALS).copied());
    let mut take = |name: String| scope.take(name);
    let types = model.types.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let errors = model.errors.iter().map(|it| (it.name.clone(), take(it.name.clone()))).collect();
    let tools = model
        .tools
        .iter()
        .map(|it| (it.name.clone(), (take(snake(&it.name)), take(format!("{}Params", pascal(&it.name))))))
        .collect();
    // A model for the payload and one for the tag.
    let both = |name: &str, tag: &str, take: &mut dyn FnMut(String) -> String| {
        let class = format!("{name}_{}", pascal(tag));
        [take(class.clone()), take(format!("{class}Tag"))]
    };
    let variants = model.types.iter().map(|it| {
        let tags = variants(&it.ty).unwrap_or_default().into_iter();
        (it.name.clone(), tags.flat_map(|(tag, _)| both(&it.name, tag, &mut take)).collect())
    });
    let variants = variants.collect();
    let mut members = Identifiers::new(["mro", "name", "value"]);
    let capability = |id: &str| members.take(screaming(id.rsplit('/').next().unwrap_or_default()));
    let ids = model.capabilities.iter().map(|it| it.id.as_str());
    let capabilities =
        ids.map(str::to_owned).zip(model.capabilities.iter().map(|it| it.id.as_str()).map(capability));
    Names { any: "Any", capabilities: capabilities.collect(), types, errors, tools, variants }
}

/// Returns the names of the members of an enum.
pub(super) fn members<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scope = Identifiers::new(["mro", "name", "value"]);
    names.map(|it| scope.take(screaming(it))).collect()
}

/// Returns the identifiers of fields. None has the name of a type, which its class could not mention.
pub(super) fn fields<'n>(file: &Names, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scope =
        Identifiers::new(KEYWORDS.iter().chain(MEMBERS).chain(IN_TYPES).copied().chain(file.all_types()));
    names.map(|it| scope.take(attribute(it))).collect()
}

/// Returns the identifiers of parameters. None has the name of a type, which the function could not mention.
pub(super) fn parameters<'n>(file: &Names, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut scope =
        Identifiers::new(KEYWORDS.iter().chain(LOCALS).chain(IN_TYPES).copied().chain(file.all_types()));
    names.map(|it| scope.take(plain(it))).collect()
}

/// Returns an identifier that pydantic takes for a field.
fn attribute(name: &str) -> String {
    let plain = plain(name);
    let plain = plain.trim_start_matches('_');
    match plain.chars().next() {
        None | Some('0'..='9') => format!("field_{plain}"),
        _ if plain.starts_with("model_") => format!("{plain}_"),
        _ => plain.to_owned(),
    }
}

fn plain(name: &str) -> String {
    let is_plain = name.chars().all(|it| is_part(it) || it == '_')
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && !name.is_empty();
    if is_plain { name.to_owned() } else { snake(name) }
}
