//! Resolves Python module names by path: `flask.json` is `flask/json/__init__.py`.

use std::path::{Path, PathBuf};

use crate::blocking;
use crate::fallback::operations::lookup::follow;
use crate::fallback::operations::lookup::leads::led_to;
use crate::fallback::session::query_context::{Problem, QueryContext, folders};
use crate::fallback::source::languages::ids;
use crate::fallback::source::names::{Fit, Name};
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::{Candidate, module};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk::{TreesLeftOut, files};

/// Returns the modules that a qualified name means, if no candidate fits it exactly. Returns none if the
/// package imports one of the candidates under that name.
pub(crate) async fn meant(
    asking: &QueryContext,
    roots: &SessionFolders,
    name: &Name,
    found: &[Candidate],
) -> Result<Vec<Candidate>, Problem> {
    let is_other = asking.server.setup.language.id != ids::PYTHON || name.path.is_empty();
    if is_other || found.iter().any(|it| it.fit == Fit::Exact) {
        return Ok(Vec::new());
    }
    let (language, folders) = (asking.server.setup.language, folders(asking, roots).folders);
    let dotted: PathBuf = name.path.iter().chain([&name.last]).collect();
    let looking = blocking::spawn(move || {
        let all = folders.iter().flat_map(|it| files(language, it, it, &TreesLeftOut::default()));
        all.filter(|it| own(it).ends_with(&dotted)).collect::<Vec<_>>()
    });
    let mut modules = Vec::new();
    for path in looking.await {
        let Some(text) = asking.text(&path).await else { continue };
        if brings(asking, roots, &path, name, found).await? {
            return Ok(Vec::new());
        }
        let start = Extent::within(0, 0..0);
        let end = Extent::within(text.line_count(), 0..0).end;
        let whole = Extent { end, ..start };
        let container = Some(name.path.join("."));
        modules.push(Candidate { name: name.last.clone(), container, ..module(&path, whole, start) });
    }
    Ok(modules)
}

/// Returns `true` if the module's package binds the name to one of the candidates.
async fn brings(
    asking: &QueryContext,
    roots: &SessionFolders,
    file: &Path,
    name: &Name,
    found: &[Candidate],
) -> Result<bool, Problem> {
    let package = own(file).parent().map(|it| it.join("__init__.py")).filter(|_| !found.is_empty());
    let Some(package) = package.filter(|it| it.exists()) else { return Ok(false) };
    let lines = asking.text(&package).await.map_or(0, |it| it.line_count());
    for line in 0..lines {
        for extent in follow::named(asking, roots, &package, line, &name.last).await {
            let led_to = led_to(asking, &package, extent.start).await?;
            let is_there = |it: &Candidate| {
                led_to.iter().any(|other| (&other.path, other.name_at) == (&it.path, it.name_at))
            };
            if found.iter().any(is_there) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the path of a module without its extension; for a package, its folder.
fn own(file: &Path) -> PathBuf {
    let plain = file.with_extension("");
    if plain.ends_with("__init__") { plain.parent().unwrap_or(&plain).to_owned() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_its_folder() {
        for (file, expected) in
            [("src/flask/json/__init__.py", "src/flask/json"), ("flask/cli.py", "flask/cli")]
        {
            assert_eq!(own(file.as_ref()), PathBuf::from(expected));
        }
    }
}
