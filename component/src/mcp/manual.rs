//! The manual and the interface documents, as the files of one skill.

use std::sync::{Arc, LazyLock};

use rmcp::model::SkillFrontmatter;

use crate::config::DESCRIPTION_TOKENS;
use crate::mcp::skill_folders::{Page, SkillFolder};
use crate::tool::description::{description, manual, vocabulary};

/// The name of the skill, which is that of its folder.
const SKILL: &str = "dialect";

/// The purpose of the tool, for clients that tell their models before they list tools.
pub(super) const INSTRUCTIONS: &str = "Finds the definition, references, usages and callers of a symbol, and renames it, \
with the tool ide_operation. Use it for questions about code, instead of grep and of reading whole files.";

/// The folder of the skill.
static FOLDER: LazyLock<Arc<SkillFolder>> = LazyLock::new(|| {
    let page = |path: &str, title: &str, description: &str, text: &str| Page {
        path: path.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        text: text.to_owned(),
    };
    let pages = vec![
        page(
            "references/functions.md",
            "Functions",
            "All functions, types and conversions of programs",
            &manual(),
        ),
        page("references/grammar.md", "Grammar", "The syntax of programs", dialect::GRAMMAR),
        page(
            "references/ide.md",
            "Interface of questions about code",
            "The interface document that declares them",
            ide_library::DOCUMENT,
        ),
        page(
            "references/core.md",
            "Interface of functions about values",
            "The interface document that declares them",
            core_library::DOCUMENT,
        ),
    ];
    let start = page("SKILL.md", "Dialect", INSTRUCTIONS, &start(&pages));
    let pages = [start].into_iter().chain(pages).collect();
    let front_matter = SkillFrontmatter::new(SKILL, INSTRUCTIONS);
    Arc::new(SkillFolder::new(front_matter, pages).expect("a test reads it"))
});

/// Returns the folder of the skill.
pub(super) fn folder() -> Arc<SkillFolder> {
    Arc::clone(&FOLDER)
}

/// Returns the text of the skill: the description of the tool, and the pages with more.
fn start(pages: &[Page]) -> String {
    let links = pages.iter().map(|it| format!("- [{}]({}): {}\n", it.title, it.path, it.description));
    format!(
        "---\nname: {SKILL}\ndescription: {INSTRUCTIONS}\n---\n\n# Programs for ide_operation\n\n{}\n\n## More\n\n{}",
        description(&vocabulary(), DESCRIPTION_TOKENS).trim_end(),
        links.collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_start_lead_to_pages() {
        let [start, pages @ ..] = &FOLDER.pages[..] else { panic!("it has a start") };
        for page in pages {
            assert!(start.text.contains(&format!("]({})", page.path)), "{}", page.path);
        }
    }
}
