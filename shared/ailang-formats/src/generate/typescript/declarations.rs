//! TypeScript declarations of everything that a registry's programs can call.
//!
//! Each library is a namespace with its types and its functions. A parameter takes everything that converts to its
//! type. A function takes its arguments in order, or one object with their names, and returns a promise; its `outcome`
//! never rejects. Rows that were lowered from a document have its comments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use dialect::{Function, Parameter, RecordType, Registry, Signature, Type};

use super::comment::comment;
use super::style::Style;
use super::types::{TypePrinter, tight};

/// A name in TypeScript: the namespace, and the name there.
pub type QualifiedName<'r> = (&'r str, &'r str);

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
";

/// Returns declarations of all functions of `registry` that take data: those of a module `dialect`, and its namespaces
/// as global variables. `name` returns the namespace and the name of a function, from the name of its library and its
/// own.
pub fn declarations<'r>(
    registry: &'r Registry,
    name: impl Fn(&'r str, &'r str) -> QualifiedName<'r>,
) -> String {
    let types = Types::of(registry);
    let mut namespaces: BTreeMap<&str, String> = BTreeMap::new();
    let declared = registry.functions().filter(|(_, signature, _)| takes_data(signature));
    for (library, signature, row) in declared {
        let (namespace, name) = name(library, &signature.name);
        // Methods of classes have no name that a constant can have.
        if name.contains('.') {
            continue;
        }
        types.function(namespaces.entry(namespace).or_default(), name, signature, row);
    }
    let mut text = format!("declare module \"dialect\" {{\n{PREAMBLE}");
    for (signature, row) in registry.record_types() {
        types.record(&mut text, signature, row);
    }
    for (namespace, functions) in &namespaces {
        let _ = write!(text, "namespace {namespace} {{\n{functions}}}\n");
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
    format!("{}({}): {}", signature.name, types.parameters(signature, ", "), result(&signature.returns))
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

    fn record(&self, text: &mut String, signature: &Signature, row: &RecordType) {
        comment(text, "", &row.description, &[]);
        let name = type_name(&signature.name);
        let _ = writeln!(text, "interface {name} {{");
        let about = items(&row.docs);
        for field in &signature.parameters {
            let remark = about.get(field.name.as_str()).copied().unwrap_or_default();
            comment(text, "  ", remark, &[]);
            let _ = writeln!(text, "  {};", printer().field(field));
        }
        text.push_str("}\n");
        if let Some(from) = self.convertible.get(signature.name.as_str()) {
            let also: Vec<String> = from.iter().map(|it| result(it)).collect();
            let _ = writeln!(text, "type {name}Like = {name} | {};", also.join(" | "));
        }
    }

    fn function(&self, text: &mut String, name: &str, signature: &Signature, row: &Function) {
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
        comment(text, "  ", &row.summary, &tags);
        let open = if signature.is_open { ", ...args: unknown[]" } else { "" };
        let positional = format!("{}{open}", self.parameters(signature, ", "));
        let positional = positional.trim_start_matches(", ");
        let named = format!("{{ {} }}", self.parameters(signature, "; "));
        let result = result(&signature.returns);
        let name = if is_reserved(name) { format!("{name}_") } else { name.to_owned() };
        let _ = writeln!(text, "  const {name}: Operation<[{positional}], {named}, {result}>;");
    }

    fn parameters(&self, signature: &Signature, separator: &str) -> String {
        let each = signature.named_parameters().iter().map(|it| {
            let mark = if it.optional { "?" } else { "" };
            format!("{}{mark}: {}", it.name, self.argument(&it.ty))
        });
        each.collect::<Vec<_>>().join(separator)
    }

    /// Returns the type of a value that is given: whatever converts to it.
    fn argument(&self, ty: &Type) -> String {
        match ty {
            Type::Named(name) if self.convertible.contains_key(&**name) => format!("{}Like", type_name(name)),
            Type::List(inner) => {
                // A single value stands for a list of it.
                let inner = self.argument(inner);
                format!("{}[] | {inner}", tight(&inner))
            }
            Type::Optional(inner) => format!("{} | null", self.argument(inner)),
            Type::Union(members) => {
                members.iter().map(|it| self.argument(it)).collect::<Vec<_>>().join(" | ")
            }
            Type::Refined(inner, _) => self.argument(inner),
            Type::Any => "unknown".to_owned(),
            ty => result(ty),
        }
    }
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
    printer().print(ty)
}

fn printer() -> TypePrinter<'static> {
    let name = Box::new(type_name);
    TypePrinter { any: "any", absent: "", name, style: Style::PLAIN, callbacks: false }
}
