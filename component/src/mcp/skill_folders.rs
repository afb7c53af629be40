//! Skills as clients read them (`io.modelcontextprotocol/skills`): folders of pages, each of which is a resource.

use std::sync::Arc;

use ailang::Document;
use ailang::front_matter::{FieldValue, values};
use ailang::split::Part;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, GetSkillResult, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource,
    ResourceContents, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use serde_json::{Value, json};
use url::Url;

use crate::skills::SkillFile;
use crate::skills::session::SessionSkills;

const MARKDOWN: &str = "text/markdown";

/// The time that clients may keep the manual, in milliseconds. It changes with the program alone.
const TTL_MS: u64 = 60 * 60 * 1000;

/// The folder of a skill, which is valid.
pub(super) struct SkillFolder {
    uri: Url,
    /// The front matter of the first page.
    front_matter: SkillFrontmatter,
    /// The pages, the first of which is `SKILL.md`.
    pub(super) pages: Vec<Page>,
}

/// A page that clients read.
pub(super) struct Page {
    /// The path in the folder of the skill.
    pub(super) path: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) text: String,
}

impl SkillFolder {
    /// Makes a folder of pages, the first of which has the front matter.
    ///
    /// # Errors
    /// They are no skill.
    pub(super) fn new(front_matter: SkillFrontmatter, pages: Vec<Page>) -> Result<Self, String> {
        let uri = Url::parse(&format!("skill://{}", front_matter.name)).map_err(|error| error.to_string())?;
        let folder = Self { uri, front_matter, pages };
        folder.skill().validate().map_err(|error| error.to_string())?;
        Ok(folder)
    }

    /// Reads the files of a skill.
    ///
    /// # Errors
    /// They are no skill.
    fn read(files: &[SkillFile]) -> Result<Self, String> {
        let start = files.first().ok_or("it has no files")?;
        let front_matter = front_matter(&start.text).ok_or("it has no front matter")?;
        let own = format!("{}/", front_matter.name);
        let page = |file: &SkillFile| {
            let path = file.path.strip_prefix(&own)?.to_owned();
            let title = if path == "SKILL.md" { front_matter.name.clone() } else { path.clone() };
            Some(Page { path, title, description: front_matter.description.clone(), text: file.text.clone() })
        };
        let pages = files.iter().filter_map(page).collect();
        Self::new(front_matter, pages)
    }

    fn uri(&self, page: &Page) -> String {
        let mut uri = self.uri.clone();
        if let Ok(mut segments) = uri.path_segments_mut() {
            segments.extend(page.path.split('/'));
        }
        uri.into()
    }

    fn resource(&self, page: &Page) -> Resource {
        let size = u64::try_from(page.text.len()).unwrap_or(u64::MAX);
        let name = format!("{}/{}", self.front_matter.name, page.path);
        let named = Resource::new(self.uri(page), name).with_title(&*page.title);
        named.with_description(&*page.description).with_mime_type(MARKDOWN).with_size(size)
    }

    /// Returns the address of the skill, which is that of its first page.
    fn start(&self) -> String {
        self.pages.first().map(|it| self.uri(it)).unwrap_or_default()
    }

    fn skill(&self) -> Skill {
        let files =
            self.pages.iter().map(|it| SkillResource::from_bytes(self.uri(it), it.text.as_bytes())).collect();
        Skill::new(self.start(), self.front_matter.clone(), SkillResources::Files(files))
    }
}

/// Reads the front matter of a `SKILL.md`.
fn front_matter(text: &str) -> Option<SkillFrontmatter> {
    let document = Document::parse(text);
    let yaml = document.parts.iter().find_map(Part::front_matter)?;
    let mut front_matter = SkillFrontmatter::new("", "");
    for (key, value) in values(text, yaml).ok()?.fields {
        match (key.value.as_str(), value.value) {
            ("name", FieldValue::Text(name)) => front_matter.name = name,
            ("description", FieldValue::Text(description)) => front_matter.description = description,
            (_, FieldValue::Text(text)) => front_matter = front_matter.with_field(key.value, text),
            (_, FieldValue::List(items)) => front_matter = front_matter.with_field(key.value, items),
            (_, FieldValue::Map(fields)) => {
                let fields: serde_json::Map<String, Value> =
                    fields.into_iter().map(|(name, text)| (name, text.into())).collect();
                front_matter = front_matter.with_field(key.value, fields);
            }
            (_, FieldValue::Other) => {}
        }
    }
    Some(front_matter)
}

/// The skills that a client may read: the manual, and then those of the user.
pub(super) struct SkillFolders(Vec<Arc<SkillFolder>>);

impl SkillFolders {
    /// Reads the skills of a session, which come behind the manual. One whose name is taken is left out.
    pub(super) fn new(manual: Arc<SkillFolder>, session: Option<&SessionSkills>) -> Self {
        let mut folders = vec![manual];
        for files in session.into_iter().flat_map(SessionSkills::files) {
            match SkillFolder::read(files) {
                Ok(folder) if folders.iter().all(|it| it.uri != folder.uri) => folders.push(Arc::new(folder)),
                Ok(folder) => tracing::debug!("another skill has the address {}", folder.uri),
                Err(error) => tracing::debug!("clients cannot read a skill: {error}"),
            }
        }
        Self(folders)
    }

    /// Returns how long clients may keep the lists, and for whom: what is the user's own changes with its files.
    fn caching(&self) -> (u64, CacheScope) {
        if self.0.len() == 1 { (TTL_MS, CacheScope::Public) } else { (0, CacheScope::Private) }
    }

    /// Returns all pages as resources.
    pub(super) fn resources(&self) -> ListResourcesResult {
        let all = self.0.iter().flat_map(|it| it.pages.iter().map(|page| it.resource(page))).collect();
        let (ttl, scope) = self.caching();
        ListResourcesResult::with_all_items(all).with_ttl_ms(ttl).with_cache_scope(scope)
    }

    /// Returns the text of a page.
    ///
    /// # Errors
    /// There is no such page.
    pub(super) fn read(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        let pages = self.0.iter().flat_map(|it| it.pages.iter().map(move |page| (it.uri(page), page)));
        let (uri, page) = pages.into_iter().find(|it| it.0 == uri).ok_or_else(|| missing(uri))?;
        let contents = ResourceContents::text(&page.text, uri).with_mime_type(MARKDOWN);
        let mut result = ReadResourceResult::new(vec![contents]);
        let (ttl, scope) = self.caching();
        (result.ttl_ms, result.cache_scope) = (Some(ttl), Some(scope));
        Ok(result)
    }

    /// Returns the skills.
    pub(super) fn skills(&self) -> ListSkillsResult {
        let (ttl, scope) = self.caching();
        let skills = self.0.iter().map(|it| it.skill()).collect();
        ListSkillsResult::with_all_items(skills).with_ttl_ms(ttl).with_cache_scope(scope)
    }

    /// Returns the skill of that URI.
    ///
    /// # Errors
    /// There is no such skill.
    pub(super) fn get_skill(&self, uri: &str) -> Result<GetSkillResult, ErrorData> {
        let folder = self.0.iter().find(|it| it.start() == uri).ok_or_else(|| missing(uri))?;
        let (ttl, scope) = self.caching();
        Ok(GetSkillResult::new(folder.skill()).with_ttl_ms(ttl).with_cache_scope(scope))
    }
}

fn missing(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(json!({ "uri": uri })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::manual;

    fn file(path: &str, text: &str) -> SkillFile {
        SkillFile { path: path.to_owned(), text: text.to_owned() }
    }

    const START: &str =
        "---\nname: mail\ndescription: \"Sends mail: all of it.\"\nmetadata:\n  id: \"Mail\"\n---\n# Mail\n";

    #[test]
    fn skills_are_valid_and_each_of_their_files_can_be_read() {
        let mail = [file("mail/SKILL.md", START), file("mail/a folder/tÿpes.md", "types")];
        let own = SkillFolder::read(&mail).unwrap();
        assert_eq!(own.front_matter.extra["metadata"], json!({"id": "Mail"}));
        let folders = SkillFolders(vec![manual::folder(), Arc::new(own)]);
        let skills = folders.skills().skills;
        rmcp::model::validate_skills(&skills).unwrap();
        let files = |it: &Skill| {
            let SkillResources::Files(files) = &it.resources else { panic!("it has files") };
            files.clone()
        };
        let files: Vec<SkillResource> = skills.iter().flat_map(files).collect();
        assert_eq!(files.len(), folders.resources().resources.len());
        for file in files {
            let result = folders.read(&file.uri).unwrap();
            let [ResourceContents::TextResourceContents { text, .. }] = &result.contents[..] else {
                panic!("{result:?}")
            };
            file.verify(text.as_bytes()).unwrap();
        }
        for skill in skills {
            assert_eq!(folders.get_skill(&skill.uri).unwrap().skill, skill);
        }
        assert!(folders.get_skill("skill://other/SKILL.md").is_err());
        assert!(folders.read("skill://dialect/../secret").is_err());
    }

    #[test]
    fn what_is_no_skill_is_left_out() {
        let named = START.replace("mail", "Mail");
        for files in [vec![], vec![file("mail/SKILL.md", "# Mail")], vec![file("Mail/SKILL.md", &named)]] {
            assert!(SkillFolder::read(&files).is_err(), "{files:?}");
        }
    }
}
