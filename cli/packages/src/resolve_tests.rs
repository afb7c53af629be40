//! Tests of the choice of versions, against all possible choices.

use proptest::prelude::*;

use super::*;

/// Published packages: name → version → dependencies.
#[derive(Clone, Debug, Default)]
struct Universe(BTreeMap<String, BTreeMap<Version, Dependencies>>);

impl Packages for Universe {
    fn versions(&mut self, name: &str) -> Result<Vec<Version>, PackageError> {
        let versions = self.0.get(name).ok_or_else(|| PackageError::new(Code::PACKAGE_ABSENT, name))?;
        Ok(versions.keys().rev().cloned().collect())
    }

    fn published(&mut self, name: &str, version: &Version) -> Result<Chosen, PackageError> {
        let dependencies = self.0[name][version].clone();
        Ok(Chosen { version: version.clone(), place: None, dependencies })
    }

    fn placed(&mut self, name: &str, place: &DependencySource, _: &str) -> Result<Chosen, PackageError> {
        let (version, dependencies) = self.0[name].first_key_value().unwrap();
        Ok(Chosen {
            version: version.clone(),
            place: Some(place.clone()),
            dependencies: dependencies.clone(),
        })
    }
}

fn dependencies(text: &str) -> Dependencies {
    let each = text.split_terminator(", ").map(|it| it.split_once(' ').unwrap());
    each.map(|(name, source)| (name.to_owned(), DependencySource::parse(source).unwrap())).collect()
}

/// Reads lines `name version: name range, …`.
fn universe(text: &str) -> Universe {
    let mut universe = Universe::default();
    for line in text.lines() {
        let (package, needs) = line.trim().split_once(':').unwrap();
        let (name, version) = package.split_once(' ').unwrap();
        let versions = universe.0.entry(name.to_owned()).or_default();
        versions.insert(version.parse().unwrap(), dependencies(needs.trim()));
    }
    universe
}

fn chosen(packages: &str, root: &str) -> String {
    match resolve(&mut universe(packages), "app", &dependencies(root)) {
        Ok(chosen) => {
            chosen.iter().map(|(name, it)| format!("{name} {}", it.version)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_highest_versions_that_suit_all_are_chosen() {
    let packages = "a 1.0.0:\na 1.2.0:\na 2.0.0-rc.1:\na 2.0.0: c ^2\nb 1.0.0: a ^1.0.0\nc 1.0.0:\nc 2.0.0: c-types *\nc-types 0.1.0:";
    assert_eq!(chosen(packages, "a *"), "a 2.0.0, c 2.0.0, c-types 0.1.0");
    assert_eq!(chosen(packages, "a *, b *"), "a 1.2.0, b 1.0.0", "it goes back");
    assert_eq!(chosen(packages, "a *, c ^1"), "a 1.2.0, c 1.0.0");
    assert_eq!(chosen(packages, "a >=2.0.0-0"), "a 2.0.0, c 2.0.0, c-types 0.1.0");
    assert_eq!(chosen(packages, ""), "");
    assert_eq!(
        chosen(packages, "a ^2, b *"),
        "AL4013: no version of `a` suits all: `app` wants ^2, `b 1.0.0` wants ^1.0.0"
    );
    assert_eq!(chosen(packages, "a ^3"), "AL4013: no version of `a` suits all: `app` wants ^3");
    assert_eq!(chosen(packages, "d *"), "AL4012: d");
}

#[test]
fn packages_may_need_each_other() {
    assert_eq!(chosen("a 1.0.0: b *\nb 1.0.0: a *", "a *"), "a 1.0.0, b 1.0.0");
}

#[test]
fn a_place_decides_and_suits_ranges() {
    let packages = "a 1.0.0:\nb 1.0.0: a ^1.0.0\nc 1.0.0: a ^2.0.0";
    assert_eq!(chosen(packages, "a ./a, b *"), "a 1.0.0, b 1.0.0");
    assert!(chosen(packages, "a ./a, c *").starts_with("AL4013"));
    assert!(chosen("a 1.0.0:\nb 1.0.0: a git+https://x.org/a", "a ./a, b *").starts_with("AL4013"));
}

#[test]
fn long_chains_and_hostile_contradictions_end() {
    let chain: Vec<String> = (0..480).map(|it| format!("p{it} 1.0.0: p{} *", it + 1)).collect();
    let chain = chain.join("\n") + "\np480 1.0.0:";
    assert_eq!(resolve(&mut universe(&chain), "app", &dependencies("p0 *")).unwrap().len(), 481);
    let mut hostile = String::new();
    for package in 0..12 {
        for version in 0..10 {
            hostile += &format!("p{package} 1.{version}.0: p{} *, z =1.{version}.{package}\n", package + 1);
        }
    }
    hostile += "p12 1.0.0: z ^3\nz 2.0.0:\nz 1.0.0:";
    assert!(chosen(&hostile, "p0 *").starts_with("AL4013"));
}

/// Returns whether a choice holds: all that is needed is there, once, and in range.
fn holds(universe: &Universe, root: &Dependencies, choice: &BTreeMap<String, Version>) -> bool {
    let all = choice.iter().flat_map(|(name, version)| &universe.0[name][version]);
    root.iter()
        .chain(all)
        .all(|(name, range)| choice.get(name).is_some_and(|version| in_range(range, version)))
}

/// Returns whether any choice holds, by trying all.
fn is_possible(universe: &Universe, root: &Dependencies) -> bool {
    let mut choices = vec![BTreeMap::new()];
    for (name, versions) in &universe.0 {
        let with = |choice: &BTreeMap<String, Version>, version: &Version| {
            let mut choice = choice.clone();
            choice.insert(name.clone(), version.clone());
            choice
        };
        let more: Vec<_> =
            choices.iter().flat_map(|it| versions.keys().map(|version| with(it, version))).collect();
        choices.extend(more);
    }
    choices.iter().any(|choice| holds(universe, root, choice))
}

fn random_dependencies() -> impl Strategy<Value = Dependencies> {
    let range = prop::sample::select(vec!["*", "^1.0.0", "1.0.0", ">=1.1.0", "<2.0.0", "^2.0.0", "~1.1.0"]);
    let range = range.prop_map(|it| DependencySource::parse(it).unwrap());
    prop::collection::btree_map(
        prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned),
        range,
        0..3,
    )
}

fn random_universe() -> impl Strategy<Value = Universe> {
    let version = prop::sample::select(vec!["1.0.0", "1.1.0", "2.0.0"]).prop_map(|it| it.parse().unwrap());
    let versions = prop::collection::btree_map(version, random_dependencies(), 1..4);
    prop::collection::vec(versions, 4).prop_map(|all| {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        Universe(names.into_iter().zip(all).collect())
    })
}

proptest! {
    #[test]
    fn a_choice_is_found_where_there_is_one_and_it_holds(universe in random_universe(), root in random_dependencies()) {
        match resolve(&mut universe.clone(), "app", &root) {
            Ok(chosen) => {
                let choice: BTreeMap<_, _> = chosen.iter().map(|(name, it)| (name.clone(), it.version.clone())).collect();
                prop_assert!(holds(&universe, &root, &choice), "{choice:?}");
                // What was chosen, asked for exactly, is chosen again.
                let exact = choice.iter().map(|(name, it)| (name.clone(), DependencySource::parse(&it.to_string()).unwrap()));
                prop_assert_eq!(resolve(&mut universe.clone(), "app", &exact.collect()).unwrap(), chosen);
            }
            Err(error) => {
                prop_assert_eq!(error.code, Code::NO_VERSION);
                prop_assert!(!is_possible(&universe, &root), "{}", error);
            }
        }
    }
}
