//! TypeScript declarations of everything that a registry's programs can call.
//!
//! Each library is a namespace with its types and its functions. A parameter takes everything that converts to its
//! type. A function takes its arguments in order, or one object with their names, and returns a promise; its `outcome`
//! never rejects. Rows that were lowered from a document have its comments. Methods of a type are members of its values,
//! and functions of an object with the type's name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use dialect::{Function, Parameter, RecordType, Registry, Signature, Type};

use super::comment::comment;
use super::style::Style;
use super::types::{Callbacks, TypePrinter, tight};

/// A function as programs find it.
#[derive(Clone, Copy, Debug)]
pub struct FoundFunction<'r> {
    /// Its namespace.
    pub namespace: &'r str,
    /// Its name there; with a dot for one in an object there.
    pub name: &'r str,
    /// `true` if it can be given functions.
    pub takes_functions: bool,
    /// The type that it is a member of, and that is the type of its first parameter.
    pub of: Option<&'r str>,
    /// `true` for a property of that type.
    pub is_property: bool,
}

/// The functions of a namespace, and those of the objects in it.
#[derive(Default)]
struct Namespace<'r> {
    functions: String,
    objects: BTreeMap<&'r str, String>,
}

/// A function, and the place of its declaration.
struct Declared<'d, 'r> {
    found: &'d FoundFunction<'r>,
    indent: &'static str,
    signature: &'r Signature,
    row: &'r Function,
    callbacks: Callbacks,
}

/// The declarations that all namespaces share.
const PREAMBLE: &str = "\
/** What became of a call that never rejects. */
type Outcome<T> =
  | { outcome: \"success\"; value: T; notes: string[] }
  | { outcome: \"ambiguity\"; candidates: Candidate[]; error: AmbiguousError }
  | { outcome: \"failure\"; error: OperationError };

/** One reading of a call that has several; `choose` makes the call with this one. */
interface Candidate { description: string; program: string; choose(): Promise<any> }

/** A call that has no value. */
class OperationError extends Error {
  operation: string;
  kind: \"failure\" | \"ambiguous\" | \"denied\" | \"invalid\" | \"limit\" | \"cancelled\";
}

/** A call that has several readings. */
class AmbiguousError extends OperationError { candidates: Candidate[] }

/** A function: its arguments in order, or by name. */
interface Operation<A extends unknown[], N, R> {
  (...args: A): Promise<R>;
  (args: N): Promise<R>;
  outcome(...args: A): Promise<Outcome<R>>;
  outcome(args: N): Promise<Outcome<R>>;
}

/** A property of an object: `await x.name`, or `await x.name()`. */
interface Property<R> extends PromiseLike<R> {
  (): Promise<R>;
  outcome(): Promise<Outcome<R>>;
}
";

/// Returns declarations of all functions of `registry` whose arguments can be given: those of a module `dialect`, and its
/// namespaces as global variables. `found` returns the way in which programs find a function, from the name of its library
/// and its signature.
pub fn declarations<'r>(
    registry: &'r Registry,
    found: impl Fn(&'r str, &'r Signature) -> FoundFunction<'r>,
) -> String {
    let types = Types::of(registry);
    let mut namespaces: BTreeMap<&str, Namespace<'_>> = BTreeMap::new();
    let mut members: BTreeMap<&str, String> = BTreeMap::new();
    for (library, signature, row) in registry.functions() {
        let found = found(library, signature);
        if !found.takes_functions && !takes_data(signature) {
            continue;
        }
        let callbacks = if found.takes_functions { Callbacks::Values } else { Callbacks::None };
        let declared = |indent| Declared { found: &found, indent, signature, row, callbacks };
        let namespace = namespaces.entry(found.namespace).or_default();
        match found.name.rsplit_once('.') {
            None => types.function(&mut namespace.functions, found.name, &declared("  ")),
            Some((object, name)) if !object.contains('.') => {
                let functions = namespace.objects.entry(object).or_default();
                types.function(functions, name, &declared("    "));
            }
            Some(_) => {} // there is no such name in a library's namespace
        }
        if let Some(of) = found.of {
            types.member(members.entry(of).or_default(), &declared("  "));
        }
    }
    let mut text = format!("declare module \"dialect\" {{\n{PREAMBLE}");
    for (signature, row) in registry.record_types() {
        let members = members.get(signature.name.as_str()).map(String::as_str).unwrap_or_default();
        types.record(&mut text, signature, row, members);
    }
    for alias in registry.type_aliases() {
        comment(&mut text, "", &alias.description, &[]);
        let _ = writeln!(text, "type {} = {};", type_name(&alias.name), result(&alias.ty));
    }
    for (name, Namespace { functions, objects }) in &namespaces {
        let _ = write!(text, "namespace {name} {{\n{functions}");
        for (object, functions) in objects {
            let _ = write!(text, "  namespace {object} {{\n{functions}  }}\n");
        }
        text.push_str("}\n");
    }
    text.push_str("}\n");
    for namespace in namespaces.keys() {
        let _ = writeln!(text, "declare const {namespace}: typeof import(\"dialect\").{namespace};");
    }
    text
}

/// Returns the signature of a function in one line: `findReferences(symbol: SymbolLike): FileRange[]`.
pub fn signature(registry: &Registry, signature: &Signature) -> String {
    let types = Types::of(registry);
    let parameters = types.parameters(signature.named_parameters(), ", ", Callbacks::None);
    format!("{}({parameters}): {}", signature.name, result(&signature.returns))
}

/// Returns whether every argument can be data: functions of another language cannot be given.
fn takes_data(signature: &Signature) -> bool {
    let needs_function = |it: &Parameter| !it.optional && matches!(it.ty, Type::Function { .. });
    !signature.parameters.iter().any(needs_function)
}

/// The types of a registry, each with those that convert to it.
struct Types<'r> {
    convertible: BTreeMap<&'r str, Vec<&'r Type>>,
}

impl<'r> Types<'r> {
    fn of(registry: &'r Registry) -> Self {
        let mut convertible: BTreeMap<&str, Vec<&Type>> = BTreeMap::new();
        for conversion in registry.conversion_signatures() {
            if let (Type::Named(to), Some(parameter)) = (&conversion.returns, conversion.parameters.first()) {
                let all = convertible.entry(to).or_default();
                if !all.contains(&&parameter.ty) {
                    all.push(&parameter.ty);
                }
            }
        }
        Self { convertible }
    }

    fn record(&self, text: &mut String, signature: &Signature, row: &RecordType, members: &str) {
        comment(text, "", &row.description, &[]);
        let name = type_name(&signature.name);
        let _ = writeln!(text, "interface {name} {{");
        let about = items(&row.docs);
        for field in &signature.parameters {
            let remark = about.get(field.name.as_str()).copied().unwrap_or_default();
            comment(text, "  ", remark, &[]);
            let _ = writeln!(text, "  {};", printer(Callbacks::None).field(field));
        }
        text.push_str(members);
        text.push_str("}\n");
        if let Some(from) = self.convertible.get(signature.name.as_str()) {
            let also: Vec<String> = from.iter().map(|it| result(it)).collect();
            let _ = writeln!(text, "type {name}Like = {name} | {};", also.join(" | "));
        }
    }

    fn function(&self, text: &mut String, name: &str, declared: &Declared<'_, '_>) {
        comment_of(text, declared);
        let operation = self.operation(declared.signature.named_parameters(), declared);
        let name = if is_reserved(name) { format!("{name}_") } else { name.to_owned() };
        let _ = writeln!(text, "{}const {name}: {operation};", declared.indent);
    }

    /// Declares a method or a property of a type; its object is not one of its parameters.
    fn member(&self, text: &mut String, declared: &Declared<'_, '_>) {
        comment_of(text, declared);
        let name = declared.found.name.rsplit('.').next().unwrap_or(declared.found.name);
        let name = Style::PLAIN.key(name);
        let member = match declared.found.is_property {
            true => format!("readonly {name}: Property<{}>", result(&declared.signature.returns)),
            false => {
                let parameters = declared.signature.named_parameters().get(1..).unwrap_or_default();
                format!("{name}: {}", self.operation(parameters, declared))
            }
        };
        let _ = writeln!(text, "{}{member};", declared.indent);
    }

    fn operation(&self, parameters: &[Parameter], declared: &Declared<'_, '_>) -> String {
        let Declared { signature, callbacks, .. } = *declared;
        let open = if signature.is_open { ", ...args: unknown[]" } else { "" };
        let positional = format!("{}{open}", self.parameters(parameters, ", ", callbacks));
        let positional = positional.trim_start_matches(", ");
        let named = format!("{{ {} }}", self.parameters(parameters, "; ", callbacks));
        format!("Operation<[{positional}], {named}, {}>", result(&signature.returns))
    }

    fn parameters(&self, parameters: &[Parameter], separator: &str, callbacks: Callbacks) -> String {
        let each = parameters.iter().map(|it| {
            let mark = if it.optional { "?" } else { "" };
            format!("{}{mark}: {}", it.name, self.argument(&it.ty, callbacks))
        });
        each.collect::<Vec<_>>().join(separator)
    }

    /// Returns the type of a value that is given: whatever converts to it.
    fn argument(&self, ty: &Type, callbacks: Callbacks) -> String {
        match ty {
            Type::Named(name) if self.convertible.contains_key(&**name) => format!("{}Like", type_name(name)),
            Type::List(inner) => {
                // A single value stands for a list of it.
                let inner = self.argument(inner, callbacks);
                format!("{}[] | {inner}", tight(&inner))
            }
            Type::Optional(inner) => format!("{} | null", self.argument(inner, callbacks)),
            Type::Union(members) => {
                members.iter().map(|it| self.argument(it, callbacks)).collect::<Vec<_>>().join(" | ")
            }
            Type::Refined(inner, _) => self.argument(inner, callbacks),
            Type::Any => "unknown".to_owned(),
            ty => printer(callbacks).print(ty),
        }
    }
}

/// Writes the comment of a function.
fn comment_of(text: &mut String, Declared { indent, signature, row, .. }: &Declared<'_, '_>) {
    let about = items(&row.docs);
    let parameter_remarks = signature.named_parameters().iter().filter_map(|it| {
        let remark = about.get(it.name.as_str())?;
        Some(format!("@param {} {remark}", it.name))
    });
    let failures: BTreeSet<&str> = row.fails.iter().map(|it| it.name.as_str()).collect();
    let throws = (!failures.is_empty())
        .then(|| format!("@throws {}", failures.into_iter().collect::<Vec<_>>().join(", ")));
    let requires: Vec<&str> = row.requires.iter().map(|it| it.capability.as_str()).collect();
    let requires = (!requires.is_empty()).then(|| format!("@requires {}", requires.join(", ")));
    let tags: Vec<String> = parameter_remarks.chain(throws).chain(requires).collect();
    comment(text, indent, &row.summary, &tags);
}

/// Returns the name of a type: `plugin_Counter` for `plugin.Counter`.
fn type_name(name: &str) -> String {
    name.replace('.', "_")
}

/// Words that no constant may be called. Others, such as `any`, keep the name that programs know.
fn is_reserved(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "case", "class", "default", "delete", "export", "function", "import", "in", "new", "switch", "var",
        "with",
    ];
    WORDS.contains(&name)
}

/// Returns the remarks on fields or parameters, from items such as "- `name`: Remark."
fn items(docs: &str) -> BTreeMap<&str, &str> {
    docs.lines().filter_map(|it| it.strip_prefix("- `")?.split_once("`: ")).collect()
}

/// Returns the type of a value that comes back.
fn result(ty: &Type) -> String {
    printer(Callbacks::None).print(ty)
}

fn printer(callbacks: Callbacks) -> TypePrinter<'static> {
    let name = Box::new(type_name);
    let is_recursive = Box::new(|_: &str| true);
    TypePrinter { any: "any", absent: "", name, style: Style::PLAIN, is_recursive, callbacks }
}
