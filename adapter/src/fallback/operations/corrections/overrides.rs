//! What overrides a method or is overridden by it: the servers of TypeScript and of C++ list the uses of all of them as
//! those of one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use futures::future::try_join_all;
use ide_protocol::Point;

use crate::fallback::operations::lookup::format_places::places;
use crate::fallback::operations::lookup::mentions::{declared, extents};
use crate::fallback::session::query_context::{Problem, QueryContext};
use crate::fallback::source::outline;
use crate::fallback::source::outline::Extent;
use crate::fallback::syntactic::candidate::plain;
use crate::fallback::workspace::session_folders::Roots;

/// How many uses are asked where they lead.
const ASKED: usize = 1000;

/// How many of them at the same time.
const AT_ONCE: usize = 8;

/// How many places are named.
const NAMED: usize = 5;

/// The other members that a server takes for one, by where their names stand.
pub(crate) struct Relatives(BTreeMap<(PathBuf, Point), String>);

/// The uses of relatives.
#[derive(Debug, Default)]
pub(crate) struct Apart {
    pub(crate) uses: BTreeSet<(PathBuf, Extent)>,
    names: BTreeSet<String>,
    /// Relatives among whose uses not all could be asked where they lead.
    mixed: BTreeSet<String>,
}

impl Relatives {
    /// Of the member whose name stands there.
    pub(crate) async fn of(asking: &QueryContext, path: &Path, point: Point) -> Result<Self, Problem> {
        let mut relatives = BTreeMap::new();
        let language = asking.server.setup.language;
        if language.id != "typescript" && !language.declares_apart {
            return Ok(Self(relatives));
        }
        let Some((own, own_name)) = owner(asking, path, point).await? else { return Ok(Self(relatives)) };
        for (other, extent) in declarations(asking, path, point).await? {
            let Some((owner, name)) = owner(asking, &other, extent.start).await? else { continue };
            // A method that is defined outside of its class is not in it.
            let is_own = match language.declares_apart {
                true => name == own_name,
                false => (other.as_path(), owner) == (path, own),
            };
            if !is_own {
                relatives.insert((other, extent.start), name);
            }
        }
        // An interface may be written in several pieces.
        for place in asking.places(path, point).await? {
            relatives.remove(&place);
        }
        Ok(Self(relatives))
    }

    /// Which of these uses lead to relatives alone.
    pub(crate) async fn apart(
        &self,
        asking: &QueryContext,
        uses: impl IntoIterator<Item = &(PathBuf, Extent)>,
    ) -> Result<Apart, Problem> {
        let mut apart = Apart::default();
        if self.0.is_empty() {
            return Ok(apart);
        }
        let uses: Vec<_> = uses.into_iter().filter(|(path, it)| !self.has(path, it.start)).collect();
        if uses.len() > ASKED {
            apart.mixed = self.0.values().cloned().collect();
            return Ok(apart);
        }
        for some in uses.chunks(AT_ONCE) {
            let led = try_join_all(some.iter().map(|(path, it)| self.led(asking, path, it.start))).await?;
            for (place, names) in some.iter().zip(led).filter(|(_, names)| !names.is_empty()) {
                apart.uses.insert((*place).clone());
                apart.names.extend(names);
            }
        }
        Ok(apart)
    }

    /// Whether the name of one stands there.
    pub(crate) fn has(&self, path: &Path, point: Point) -> bool {
        self.0.contains_key(&(path.to_owned(), point))
    }

    /// The relatives to which the name there leads, where it leads to nothing else.
    async fn led(&self, asking: &QueryContext, path: &Path, point: Point) -> Result<Vec<String>, Problem> {
        let mut names = Vec::new();
        for target in asking.definition(path, point).await?.iter() {
            let extent = asking.extent(&target.name).await.ok_or(Problem::FilesChanged)?;
            match self.0.get(&(target.name.path.clone(), extent.start)) {
                Some(name) => names.push(name.clone()),
                None => return Ok(Vec::new()),
            }
        }
        Ok(names)
    }
}

impl Apart {
    pub(crate) fn add(&mut self, other: Self) {
        self.uses.extend(other.uses);
        self.names.extend(other.names);
        self.mixed.extend(other.mixed);
    }

    /// Says where they are in an answer.
    pub(crate) fn told(&self, asking: &QueryContext, roots: &Roots, where_they_are: &str) -> Vec<String> {
        let spelled = |names: &BTreeSet<String>| {
            names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
        };
        let server = asking.server.name();
        let (names, at) = (spelled(&self.names), places(roots, &self.uses, NAMED));
        let apart = || format!("{server} lists uses of {names} {where_they_are}: {at}");
        let mixed = || format!("{server} lists uses of {} among these", spelled(&self.mixed));
        let notes = [(!self.names.is_empty()).then(apart), (!self.mixed.is_empty()).then(mixed)];
        notes.into_iter().flatten().collect()
    }
}

/// Where the server lists what it takes for declarations of the symbol there; some servers list them as uses.
async fn declarations(
    asking: &QueryContext,
    path: &Path,
    point: Point,
) -> Result<BTreeSet<(PathBuf, Extent)>, Problem> {
    if !asking.server.setup.language.declares_apart {
        return declared(asking, path, point).await;
    }
    let all = asking.references(path, point, true).await?.unwrap_or_default();
    extents(asking, &all).await
}

/// The type whose member has its name there, by where that one's name stands, and the member's own name in full.
async fn owner(asking: &QueryContext, path: &Path, point: Point) -> Result<Option<(Point, String)>, Problem> {
    let nodes = asking.outline(path).await?;
    let Some(member) = outline::named_at(&nodes, point) else { return Ok(None) };
    let owner = member.around.last().filter(|it| matches!(it.kind, "class" | "interface" | "struct"));
    let separator = asking.server.setup.language.separator;
    let named = |owner: &str| format!("{owner}{separator}{}", plain(&member.node.name));
    let apart = member.node.owner.as_deref().map(|it| it.rsplit(separator).next().unwrap_or(it));
    let apart = apart.map(|it| (member.node.name_at.start, named(it)));
    Ok(owner.map(|it| (it.name_at.start, named(&it.name))).or(apart))
}
