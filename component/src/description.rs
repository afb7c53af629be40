//! What an agent reads about the tool before it calls it.

/// Says first what the tool replaces: agents leave optional tools unused.
pub(crate) fn description() -> String {
    INTRODUCTION.to_owned()
}

const INTRODUCTION: &str = "\
Use this instead of grep, find and reading whole files: it answers questions about the code of this workspace \
from the IDE's own index.
";
