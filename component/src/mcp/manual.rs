//! The pages that clients read: the manual and the interface documents, which are resources, and the files of one skill.

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetSkillResult, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource,
    ResourceContents, Skill, SkillFrontmatter, SkillResource, SkillResources,
};

use crate::config::DESCRIPTION_TOKENS;
use crate::tool::description::{description, manual, vocabulary};

/// The name of the skill, which is that of its folder.
const SKILL: &str = "dialect";

/// The purpose of the tool, for clients that tell their models before they list tools.
pub(super) const INSTRUCTIONS: &str = "Finds the definition, references, usages and callers of a symbol, and renames it, \
with the tool ide_operation. Use it for questions about code, instead of grep and of reading whole files.";

const MARKDOWN: &str = "text/markdown";

/// The time that clients may keep the pages, in milliseconds. They change with the program alone.
const TTL_MS: u64 = 60 * 60 * 1000;

/// A page that clients read.
struct Page {
    /// The path in the folder of the skill.
    path: &'static str,
    title: &'static str,
    description: &'static str,
    text: String,
}

/// The pages. The first one is the start of the skill.
static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let page =
        |path, title, description, text: &str| Page { path, title, description, text: text.to_owned() };
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
    let start = Page { path: "SKILL.md", title: "Dialect", description: INSTRUCTIONS, text: start(&pages) };
    [start].into_iter().chain(pages).collect()
});

/// Returns the text of the skill: the description of the tool, and the pages with more.
fn start(pages: &[Page]) -> String {
    let links = pages.iter().map(|it| format!("- [{}]({}): {}\n", it.title, it.path, it.description));
    format!(
        "---\nname: {SKILL}\ndescription: {INSTRUCTIONS}\n---\n\n# Programs for ide_operation\n\n{}\n\n## More\n\n{}",
        description(&vocabulary(), DESCRIPTION_TOKENS).trim_end(),
        links.collect::<String>(),
    )
}

impl Page {
    fn uri(&self) -> String {
        format!("skill://{SKILL}/{}", self.path)
    }

    fn resource(&self) -> Resource {
        let size = u64::try_from(self.text.len()).unwrap_or(u64::MAX);
        let named = Resource::new(self.uri(), self.path).with_title(self.title);
        named.with_description(self.description).with_mime_type(MARKDOWN).with_size(size)
    }
}

/// Returns all pages as resources.
pub(super) fn resources() -> ListResourcesResult {
    let all = PAGES.iter().map(Page::resource).collect();
    ListResourcesResult::with_all_items(all).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public)
}

/// Returns the text of a page.
///
/// # Errors
/// There is no such page.
pub(super) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let page = PAGES.iter().find(|it| it.uri() == uri).ok_or_else(|| missing(uri))?;
    let contents = ResourceContents::text(&page.text, page.uri()).with_mime_type(MARKDOWN);
    let mut result = ReadResourceResult::new(vec![contents]);
    (result.ttl_ms, result.cache_scope) = (Some(TTL_MS), Some(CacheScope::Public));
    Ok(result)
}

/// Returns the skills: one, of all pages.
pub(super) fn skills() -> ListSkillsResult {
    let skills = ListSkillsResult::with_all_items(vec![skill()]);
    skills.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public)
}

/// Returns the skill of that URI.
///
/// # Errors
/// There is no such skill.
pub(super) fn get_skill(uri: &str) -> Result<GetSkillResult, ErrorData> {
    let skill = skill();
    if skill.uri != uri {
        return Err(missing(uri));
    }
    Ok(GetSkillResult::new(skill).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
}

fn skill() -> Skill {
    let files = PAGES.iter().map(|it| SkillResource::from_bytes(it.uri(), it.text.as_bytes())).collect();
    let front_matter = SkillFrontmatter::new(SKILL, INSTRUCTIONS);
    Skill::new(PAGES[0].uri(), front_matter, SkillResources::Files(files))
}

fn missing(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("there is no resource {uri}"),
        Some(serde_json::json!({ "uri": uri })),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_valid_and_each_of_its_files_can_be_read() {
        let skill = skill();
        skill.validate().unwrap();
        let SkillResources::Files(files) = &skill.resources else { panic!("it has files") };
        assert_eq!(files.len(), resources().resources.len());
        for file in files {
            let result = read(&file.uri).unwrap();
            let [ResourceContents::TextResourceContents { text, .. }] = &result.contents[..] else {
                panic!("{result:?}")
            };
            file.verify(text.as_bytes()).unwrap();
        }
        assert!(get_skill(&skill.uri).is_ok());
        assert!(get_skill("skill://other/SKILL.md").is_err() && read("skill://dialect/../secret").is_err());
    }

    #[test]
    fn links_of_the_start_lead_to_pages() {
        let start = &PAGES[0].text;
        for page in &PAGES[1..] {
            assert!(start.contains(&format!("]({})", page.path)), "{}", page.path);
        }
    }
}
