//! Values against a type that is spelled in the scope of a document.

use serde_json::Value;
use source_text::Severity;

use super::Problem;
use crate::Document;
use crate::documents::Documents;
use crate::lower::Lowering;
use crate::names::SymbolTable;
use crate::validate::{Strictness, validate};

/// The name under which the type is added to the document.
const SUBJECT: &str = "CheckedValue";

impl Documents {
    /// Checks a value against a type, as a document at `path` spells it: `Address`, `List<Address>`.
    ///
    /// # Errors
    /// The reason why the type cannot be read. The inner result has the mismatches.
    pub fn check_value(
        &self,
        path: &str,
        ty: &str,
        value: &Value,
    ) -> Result<Result<(), Vec<Problem>>, String> {
        let document = self.get(path).ok_or_else(|| format!("there is no document {path}"))?;
        if ty.contains(['\n', '\r', '`', '~']) {
            return Err("a type stands on one line, without fences".to_owned());
        }
        let start = document.source.len();
        let source = format!("{}\n\n<define>\ntype {SUBJECT} = {ty}\n</define>\n", document.source);
        let mut documents = self.clone();
        documents.insert(path, Document::parse(source));
        let found = validate(&documents, path, Strictness::Normal).unwrap_or_default();
        let mistake = found.iter().find(|it| it.severity == Severity::Error && it.span.start >= start);
        if let Some(mistake) = mistake {
            return Err(format!("`{ty}` is no type here: {}", mistake.message));
        }
        let home = documents.index_of(path).unwrap_or_default();
        let table = SymbolTable::new(&documents);
        let mut lowering = Lowering::new(&table);
        let mut types = Vec::new();
        for (home, (_, document)) in documents.iter().enumerate() {
            types.extend(document.definitions().filter_map(|it| lowering.record(it, home)));
        }
        let last = documents.get(path).and_then(|it| it.definitions().last());
        let Some(subject) = last.filter(|it| it.name.text == SUBJECT) else {
            return Err(format!("`{ty}` is no type"));
        };
        let ty = lowering.defined_type(subject, home);
        let aliases = lowering.aliases();
        Ok(super::Values::new(&types, &aliases).check(&ty, value))
    }
}
