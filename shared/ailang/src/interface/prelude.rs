//! The capabilities that need no import.

use crate::Document;
use crate::capability::Capability;
use crate::documents::Documents;
use crate::lower::Lowering;
use crate::names::{PRELUDE, SymbolTable};

impl Capability {
    /// Returns the capabilities that every document knows: `prelude/NetworkAccess`.
    pub fn prelude() -> Vec<Self> {
        let documents = Documents::new();
        let table = SymbolTable::new(&documents);
        let lowering = Lowering::new(&table);
        let prelude: &Document = &PRELUDE;
        let home = table.prelude_home();
        prelude.definitions().filter_map(|definition| lowering.capability(definition, home)).collect()
    }
}
