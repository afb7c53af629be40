//! The skills that a user offers to agents: where they are, what is bound to their tools, and how much of them is loaded.

mod found;
mod list;
mod search;
mod settings;
mod shelf;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use component::skills::{SkillFinder, SkillSettings};

use crate::arguments::SkillFolders;
use crate::failure::Failure;

pub(crate) use list::{List, run};
use settings::SkillConfig;
use shelf::Shelf;

/// Returns the skills of the command line and of the user's settings; `None` if there are none.
///
/// # Errors
/// The settings cannot be read, or bind a tool to nothing.
pub(crate) fn offered(folders: &SkillFolders, supervisor: &Path) -> Result<Option<SkillSettings>, Failure> {
    let config = SkillConfig::read()?;
    let (bindings, servers) = (config.bindings()?, config.servers(supervisor));
    let (folders, tokens) = (config.folders(folders), config.tokens(folders));
    if folders.is_empty() {
        return Ok(None);
    }
    let finder = SkillFinder::new(move |roots: &[PathBuf]| {
        let files = roots.first().cloned().unwrap_or_default();
        Arc::new(Shelf::open(&folders, tokens, files)) as _
    });
    Ok(Some(SkillSettings::new(finder, bindings, servers)))
}
