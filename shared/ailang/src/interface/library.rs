//! Rows with code: documents combined with implementations.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use dialect::{ErrorTemplate, Handler, Library, Signature};

use super::tables::Interface;
use super::thrown::DeclaredErrors;
use crate::values::Values;

/// The code of a tool.
#[derive(Clone)]
pub struct Implementation {
    code: Arc<dyn Handler>,
    /// The call with its parameters, read when it is compared: programs are bound to implementations for each run.
    call: Option<&'static str>,
}

impl Implementation {
    /// Wraps code without a list of parameters, so that none is checked.
    pub fn new(code: impl Handler + 'static) -> Self {
        Self::from(Arc::new(code) as Arc<dyn Handler>)
    }

    /// Returns the name, and the code with its parameters, for a call such as `count(list, f?)`. A `?` marks
    /// optional ones.
    pub fn of(call: &'static str, code: impl Handler + 'static) -> (String, Self) {
        let (name, _) = parts(call);
        (name.to_owned(), Self { call: Some(call), ..Self::new(code) })
    }

    /// Returns the code.
    pub fn into_code(self) -> Arc<dyn Handler> {
        self.code
    }

    fn differs(&self, signature: &str) -> Option<String> {
        let takes = parameters(parts(self.call?).1);
        let declared: Vec<(String, bool)> = Signature::parse(signature)
            .map(|it| it.parameters.into_iter().map(|it| (it.name, it.optional)).collect())
            .unwrap_or_default();
        (declared != takes).then(|| spelled(&takes))
    }
}

impl From<Arc<dyn Handler>> for Implementation {
    fn from(code: Arc<dyn Handler>) -> Self {
        Self { code, call: None }
    }
}

impl fmt::Debug for Implementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Implementation").field("call", &self.call).finish_non_exhaustive()
    }
}

/// Splits a call into its name and what stands in its parentheses.
fn parts(call: &str) -> (&str, &str) {
    let (name, rest) = call.split_once('(').unwrap_or((call, ")"));
    (name, rest.trim_end_matches(')'))
}

/// Reads parameters: their names in order, each with `true` if it is optional.
fn parameters(list: &str) -> Vec<(String, bool)> {
    let parameters = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    parameters.map(|it| (it.trim_end_matches('?').to_owned(), it.ends_with('?'))).collect()
}

/// Prints parameters as `(name, first?)`.
fn spelled(parameters: &[(String, bool)]) -> String {
    let each =
        parameters.iter().map(|(name, optional)| format!("{name}{}", if *optional { "?" } else { "" }));
    format!("({})", each.collect::<Vec<_>>().join(", "))
}

/// The differences between documents and code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// The name of the library.
    pub library: String,
    /// The implemented names that no document declares.
    pub undocumented: Vec<String>,
    /// The declared names without an implementation.
    pub unimplemented: Vec<String>,
    /// The declared signatures whose implementation takes other parameters, each with these.
    pub different: Vec<(String, String)>,
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the documents of `{}` and its code differ", self.library)?;
        for name in &self.undocumented {
            write!(f, "\n`{name}` is implemented, and no document declares it")?;
        }
        for name in &self.unimplemented {
            write!(f, "\n`{name}` is declared, and nothing implements it")?;
        }
        for (declared, takes) in &self.different {
            write!(f, "\n`{declared}` is declared, and the implementation takes `{takes}`")?;
        }
        Ok(())
    }
}

impl Interface {
    /// Creates a library: every row with the code that `code` has for its name.
    ///
    /// The caller adds what documents cannot express, such as labels of types. Code fails with
    /// [`Failure::thrown`](dialect::Failure::thrown), and the declaration of the error provides its text. An
    /// error that the document does not declare is reported as a bug of the library.
    ///
    /// # Errors
    /// When a row has no code, code has no row, or their parameters differ.
    pub fn library(
        &self,
        name: impl Into<String>,
        code: impl IntoIterator<Item = (impl Into<String>, impl Into<Implementation>)>,
    ) -> Result<Library, Mismatch> {
        let mut code: BTreeMap<String, Implementation> =
            code.into_iter().map(|(name, code)| (name.into(), code.into())).collect();
        let mut mismatch = Mismatch { library: name.into(), ..Mismatch::default() };
        let mut library = Library {
            name: mismatch.library.clone(),
            types: self.types.clone(),
            aliases: self.aliases.clone(),
            functions: self.functions.clone(),
            conversions: self.conversions.clone(),
            foreign_idioms: Vec::new(),
        };
        let values = Arc::new(self.values());
        for row in &mut library.functions {
            row.error_template = Some(self.error_template(name_of(&row.signature), &values));
            mismatch.implement(&row.signature, &mut row.code, &mut code);
        }
        for row in &mut library.conversions {
            row.error_template = Some(self.error_template(name_of(&row.signature), &values));
            mismatch.implement(&row.signature, &mut row.code, &mut code);
        }
        mismatch.undocumented.extend(code.into_keys());
        if mismatch.is_empty() { Ok(library) } else { Err(mismatch) }
    }

    /// Returns the template that renders the failures of a callable.
    fn error_template(&self, callable: &str, values: &Arc<Values>) -> ErrorTemplate {
        let throwables = self.throws.get(callable).cloned().unwrap_or_default();
        let (callable, values) = (callable.to_owned(), Arc::clone(values));
        DeclaredErrors { callable, throwables, values, clock: self.clock.clone() }.into_error_template()
    }
}

impl Mismatch {
    fn implement(
        &mut self,
        signature: &str,
        slot: &mut Arc<dyn Handler>,
        code: &mut BTreeMap<String, Implementation>,
    ) {
        let name = name_of(signature);
        let Some(implementation) = code.remove(name) else {
            self.unimplemented.push(name.to_owned());
            return;
        };
        if let Some(takes) = implementation.differs(signature) {
            self.different.push((signature.to_owned(), takes));
        }
        *slot = implementation.code;
    }

    fn is_empty(&self) -> bool {
        self.undocumented.is_empty() && self.unimplemented.is_empty() && self.different.is_empty()
    }
}

fn name_of(signature: &str) -> &str {
    signature.split('(').next().unwrap_or(signature)
}
