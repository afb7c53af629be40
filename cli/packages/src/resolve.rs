//! The choice of versions: one for each package, the highest that suits all that depend on it.

use std::collections::BTreeMap;

use ailang::{Code, DependencySource};
use semver::Version;

use crate::error::PackageError;
use crate::limits::MOST_PACKAGES;

/// The maximum number of choices that are tried, against packages that contradict each other on purpose.
const MOST_STEPS: usize = 10_000;

/// A chosen package.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) version: Version,
    /// The place from which it comes; `None` for the registry.
    pub(crate) place: Option<DependencySource>,
    pub(crate) dependencies: Dependencies,
}

/// The dependencies of a package, by name.
pub(crate) type Dependencies = BTreeMap<String, DependencySource>;

/// A source of facts about packages.
pub(crate) trait Packages {
    /// Returns the published versions of a package, the preferred first.
    fn versions(&mut self, name: &str) -> Result<Vec<Version>, PackageError>;

    /// Returns a published version with its dependencies.
    fn published(&mut self, name: &str, version: &Version) -> Result<Chosen, PackageError>;

    /// Returns the package at a place with its dependencies.
    fn placed(&mut self, name: &str, place: &DependencySource, from: &str) -> Result<Chosen, PackageError>;
}

/// A package that another one depends on.
#[derive(Clone, Debug)]
struct Demand {
    from: String,
    name: String,
    source: DependencySource,
}

/// Chooses the packages that a package with these dependencies needs.
///
/// # Errors
/// No choice suits all; or a package is not there, or cannot be asked for.
pub(crate) fn resolve(
    packages: &mut impl Packages,
    root: &str,
    dependencies: &Dependencies,
) -> Result<BTreeMap<String, Chosen>, PackageError> {
    let mut resolver = Resolver { packages, steps: 0, conflict: None };
    let demands = demands(root, dependencies);
    match resolver.choose(BTreeMap::new(), demands)? {
        Some(chosen) => Ok(chosen),
        None => Err(resolver.conflict.unwrap_or_else(|| {
            PackageError::new(Code::NO_VERSION, "no choice of versions suits all packages")
        })),
    }
}

fn demands(from: &str, dependencies: &Dependencies) -> Vec<Demand> {
    let each = dependencies.iter();
    let demand = |(name, source): (&String, &DependencySource)| {
        let (from, name, source) = (from.to_owned(), name.clone(), source.clone());
        Demand { from, name, source }
    };
    each.map(demand).collect()
}

struct Resolver<'r, P> {
    packages: &'r mut P,
    steps: usize,
    /// The first conflict, which is the one that people understand.
    conflict: Option<PackageError>,
}

impl<P: Packages> Resolver<'_, P> {
    /// Chooses a package for each name that is demanded and not chosen yet; `None` if nothing suits.
    fn choose(
        &mut self,
        chosen: BTreeMap<String, Chosen>,
        demands: Vec<Demand>,
    ) -> Result<Option<BTreeMap<String, Chosen>>, PackageError> {
        let Some(name) = next(&chosen, &demands) else { return Ok(Some(chosen)) };
        if chosen.len() >= MOST_PACKAGES {
            let message = format!("more than {MOST_PACKAGES} packages are needed");
            return Err(PackageError::new(Code::NO_VERSION, message));
        }
        let wanted: Vec<&Demand> = demands.iter().filter(|it| it.name == name).collect();
        for candidate in self.candidates(&name, &wanted)? {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                let message =
                    format!("{MOST_STEPS} choices of versions were tried, and none suits all packages");
                return Err(PackageError::new(Code::NO_VERSION, message));
            }
            let candidate = self.load(&name, &candidate, &wanted)?;
            let mut chosen = chosen.clone();
            let new = demands_of(&name, &candidate);
            chosen.insert(name.clone(), candidate);
            if let Some(demand) =
                new.iter().find(|it| chosen.get(&it.name).is_some_and(|that| !suits(it, that)))
            {
                let all: Vec<&Demand> =
                    demands.iter().filter(|it| it.name == demand.name).chain([demand]).collect();
                self.conflicts(&demand.name, &all);
                continue;
            }
            let demands = demands.iter().cloned().chain(new).collect();
            if let Some(found) = self.choose(chosen, demands)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns what may be chosen for a name.
    fn candidates(&mut self, name: &str, wanted: &[&Demand]) -> Result<Vec<Candidate>, PackageError> {
        let placed = wanted.iter().find(|it| !is_range(&it.source));
        if let Some(placed) = placed {
            let place = Candidate::Placed(placed.source.clone(), placed.from.clone());
            let package = self.load(name, &place, wanted)?;
            if wanted.iter().all(|it| suits(it, &package)) {
                return Ok(vec![place]);
            }
            self.conflicts(name, wanted);
            return Ok(Vec::new());
        }
        let versions = self.packages.versions(name)?;
        let fits = |version: &Version| wanted.iter().all(|it| in_range(&it.source, version));
        let fitting: Vec<Candidate> = versions.into_iter().filter(fits).map(Candidate::Published).collect();
        if fitting.is_empty() {
            self.conflicts(name, wanted);
        }
        Ok(fitting)
    }

    fn load(
        &mut self,
        name: &str,
        candidate: &Candidate,
        wanted: &[&Demand],
    ) -> Result<Chosen, PackageError> {
        let loaded = match candidate {
            Candidate::Published(version) => self.packages.published(name, version),
            Candidate::Placed(place, from) => self.packages.placed(name, place, from),
        };
        let from = wanted.first().map_or("", |it| it.from.as_str());
        loaded.map_err(|error| error.about(&format!("`{name}`, which `{from}` needs")))
    }

    fn conflicts(&mut self, name: &str, wanted: &[&Demand]) {
        if self.conflict.is_some() {
            return;
        }
        let each = wanted.iter().map(|it| format!("`{}` wants {}", it.from, it.source));
        let message = format!("no version of `{name}` suits all: {}", each.collect::<Vec<_>>().join(", "));
        self.conflict = Some(PackageError::new(Code::NO_VERSION, message));
    }
}

enum Candidate {
    Published(Version),
    /// The package at a place, and the package that names it.
    Placed(DependencySource, String),
}

/// Returns the next name to choose: those with a place first, since places leave no choice.
fn next(chosen: &BTreeMap<String, Chosen>, demands: &[Demand]) -> Option<String> {
    let mut open = demands.iter().filter(|it| !chosen.contains_key(&it.name));
    let first = open.clone().find(|it| !is_range(&it.source)).or_else(|| open.next())?;
    Some(first.name.clone())
}

fn demands_of(name: &str, package: &Chosen) -> Vec<Demand> {
    demands(&format!("{name} {}", package.version), &package.dependencies)
}

fn is_range(source: &DependencySource) -> bool {
    matches!(source, DependencySource::Version(_))
}

fn in_range(source: &DependencySource, version: &Version) -> bool {
    match source {
        DependencySource::Version(range) => range.matches(version),
        _ => false,
    }
}

/// Returns `true` if a package is what is demanded. A package from a place suits a range that its version is in.
fn suits(demand: &Demand, package: &Chosen) -> bool {
    match &demand.source {
        DependencySource::Version(range) => range.matches(&package.version),
        place => package.place.as_ref() == Some(place),
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
