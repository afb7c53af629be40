//! A document as a skill: its functions and capabilities.

use std::collections::HashSet;
use std::path::PathBuf;

use ailang::syntax::{Definition, DefinitionKind};
use ailang::{Document, Documents, Interface, Loading, standard_library};
use component::skills::FoundSkill;
use packages::loader::Digest;

/// The most tools of one skill.
const MOST_TOOLS: usize = 64;

/// The most characters of a problem.
const LONGEST_PROBLEM: usize = 500;

/// Makes a skill of a document with everything that it imports. What is left out of it is a problem.
///
/// # Errors
/// The reason why it is none.
pub(super) fn skill(
    document: &Document,
    digest: &Digest,
    imports: &Documents,
    (path, hash): (PathBuf, String),
    problems: &mut Vec<String>,
) -> Result<FoundSkill, String> {
    let name = digest.id.clone().ok_or("it has no `id` in its front matter")?;
    let interface = Interface::load(imports).map_err(|invalid| {
        let text = invalid.to_string();
        let first: Vec<&str> = text.lines().take(2).map(str::trim).collect();
        let first = ailang::visible_line(&first.join(" "), LONGEST_PROBLEM);
        format!("{first}; `ailang validate` has all errors")
    })?;
    let library = library_name(&name);
    let mut tools: Vec<&Definition> = document.definitions().filter(|it| tool(it).is_some()).collect();
    let is_conversion = |it: &&Definition| it.documentation.tag("conversion").is_some();
    for left_out in tools.iter().filter(|it| is_conversion(it)) {
        problems.push(format!("`{}` of {name} is left out: skills add no conversions", left_out.name.text));
    }
    tools.retain(|it| !is_conversion(it));
    if tools.len() > MOST_TOOLS {
        problems.push(format!("{name} has more than {MOST_TOOLS} tools; the rest is left out"));
        tools.truncate(MOST_TOOLS);
    }
    let names = |of: &[&Definition]| of.iter().map(|it| it.name.text.clone()).collect::<Vec<_>>();
    let is_bodiless = |it: &&Definition| tool(it).is_some_and(has_no_code);
    let bodiless: Vec<&Definition> = tools.iter().copied().filter(is_bodiless).collect();
    let standard = standard_ids();
    let document_of =
        |id: &str| id.rsplit_once('/').map_or(String::new(), |(document, _)| document.to_owned());
    let declared = interface.capabilities().iter().filter(|it| !standard.contains(&document_of(&it.id)));
    let (capabilities, imported) = declared.cloned().partition(|it| document_of(&it.id) == name);
    Ok(FoundSkill {
        path,
        summary: digest.summary.clone().or_else(|| digest.title.clone()).unwrap_or_default(),
        consent: (digest.loading() == Loading::Manual).then_some(hash),
        library: interface.below(&library, &names(&tools)),
        bodiless: names(&bodiless),
        capabilities,
        imported,
        is_eager: digest.loading() == Loading::Eager,
        name,
    })
}

fn tool(definition: &Definition) -> Option<&ailang::syntax::Tool> {
    match &definition.kind {
        DefinitionKind::Tool(tool) => Some(tool),
        _ => None,
    }
}

fn has_no_code(tool: &ailang::syntax::Tool) -> bool {
    tool.body.as_ref().is_none_or(|body| body.items.is_empty())
}

/// Returns the ids of the documents of the standard library.
fn standard_ids() -> HashSet<String> {
    let ids = standard_library().filter_map(|(_, it)| Some(it.front_matter.id.as_ref()?.value.clone()));
    ids.collect()
}

/// Returns the name of a skill's library in programs.
pub(super) fn library_name(id: &str) -> String {
    let plain = |it: char| if it.is_alphanumeric() || it == '_' { it } else { '_' };
    let name: String = id.chars().map(plain).collect();
    if name.starts_with(|it: char| it.is_ascii_digit()) { format!("_{name}") } else { name }
}
