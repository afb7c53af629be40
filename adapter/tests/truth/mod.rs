//! Answers at the worst moment, of every installed server. [`freshness`] asks at once after an edit, [`sibling`]
//! after one outside of the project. [`early`] asks while the server still loads, and [`wrong`] asks about many files
//! that take long to check. The projects are made up ([`project`], as each of [`languages`] writes it), so that the
//! right answers are known ([`verdict`]).
//!
//! In a run of all tests there are a few rounds of each; TESTING.md says how to run the full length.

mod early;
mod freshness;
mod languages;
mod project;
mod sibling;
mod verdict;
mod ways;
mod wrong;

use languages::{LANGUAGES, Language};
use libtest_mimic::{Failed, Trial};
pub(crate) use project::Dice;
use tokio::runtime::Runtime;

use crate::world;

pub(crate) fn servers() -> impl Iterator<Item = world::Server> {
    LANGUAGES.iter().flat_map(|it| it.servers.iter().map(|server| (it.id, *server)))
}

pub(crate) fn trials() -> Vec<Trial> {
    // C++ is read by the server of C.
    let languages = LANGUAGES.iter().filter(|it| literate::is_long("truth") || it.name != "c++");
    let servers = languages.flat_map(|it| it.servers.iter().map(move |server| (it, *server)));
    servers.flat_map(|(language, server)| of_server(language, server)).collect()
}

/// Tests a server in so many rounds.
type Test = fn(&Runtime, &'static Language, &str, usize) -> Result<(), Failed>;

const BESIDE: &str = "an edit beside the project is seen";
const WRONG: &str = "all that is wrong is told";

/// The tests: a name, the function, the environment variable for the number of rounds, and the usual number.
const TESTS: [(&str, Test, &str, usize); 5] = [
    ("an edit is seen by the next question", freshness::edit_and_ask, "DIALECT_EDITS", 6),
    ("an edit is seen in whatever way it is made", freshness::edit_in_every_way, "DIALECT_EDITS", 7),
    ("a question that comes too early is not misled", early::start_and_ask, "DIALECT_STARTS", 1),
    (BESIDE, sibling::edit_beside, "DIALECT_EDITS", 13),
    (WRONG, wrong::ask_about_all, "DIALECT_EDITS", 2),
];

fn of_server(language: &'static Language, server: &'static str) -> Vec<Trial> {
    let missing = world::missing(language.id, server);
    let is_meant = |what: &str| match what {
        WRONG => wrong::is_known(language),
        BESIDE => sibling::is_known(language, server),
        _ => true,
    };
    let trials = TESTS.into_iter().filter(|it| is_meant(it.0)).map(|(what, test, variable, rounds)| {
        let rounds = std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(rounds);
        let what = format!("{}, {server}: {what}", language.name);
        world::trial(what, &missing, move |runtime| test(runtime, language, server, rounds))
    });
    trials.collect()
}
