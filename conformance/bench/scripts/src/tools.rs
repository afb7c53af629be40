//! The functions of programs as tools of MCP: a name, a description and a JSON Schema each.

use std::sync::Arc;

use ailang::Values;
use dialect::{Function, Parameter, Registry, Signature, Type};
use ide_library::{Answer, Host};
use ide_protocol::Operation;
use serde_json::{Map, Value, json};

pub(crate) fn main() {
    let host: Arc<dyn Host> = Arc::new(Nobody);
    let registry =
        Registry::new([ide_library::library(host), core_library::library()]).expect("both fit together");
    let types: Vec<_> = registry.record_types().map(|it| it.1.clone()).collect();
    let values = Values::new(&types, registry.type_aliases()).ignoring_unknown_fields();
    let tools = registry.functions().filter_map(|(library, signature, row)| {
        let mut tool = json!({"name": signature.name, "description": row.summary});
        tool["inputSchema"] = input(&values, signature, row)?;
        Some(json!({"library": library, "tool": tool}))
    });
    println!("{}", Value::Array(tools.collect()));
}

/// Returns the schema of the arguments; `None` if one is a function.
fn input(values: &Values, signature: &Signature, row: &Function) -> Option<Value> {
    let mut parameters = signature.named_parameters().to_vec();
    parameters.retain(|it| !(it.optional && is_function(it)));
    let mut schema = values.schema(&Type::Fields(parameters)).ok()?;
    let fields = schema.as_object_mut()?;
    fields.remove("$schema");
    let remarks: Map<String, Value> = row
        .docs
        .lines()
        .filter_map(|it| it.strip_prefix("- `")?.split_once("`: "))
        .map(|(name, remark)| (name.to_owned(), remark.into()))
        .collect();
    for (name, property) in fields.get_mut("properties").and_then(Value::as_object_mut)? {
        if let Some(remark) = remarks.get(name) {
            property["description"] = remark.clone();
        }
    }
    Some(schema)
}

fn is_function(parameter: &Parameter) -> bool {
    matches!(parameter.ty, Type::Function { .. })
}

/// Never answers.
struct Nobody;

impl Host for Nobody {
    fn send(&self, _: Operation, _: Value) -> Answer<'_, Value> {
        Box::pin(std::future::pending())
    }
}
