//! Exports of documents, judged by the tools of their formats.

use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{Exported, Foreign, export};
use libtest_mimic::{Failed, Trial};

use super::tools::{run, tool, trial};
use super::{folder, write};

const OPENAPI: &[&[&str]] = &[&["python3", "-c", "import openapi_spec_validator"]];
const MCP: &[&[&str]] = &[&["node", "-e", "require('@modelcontextprotocol/sdk/types.js')"]];
const SKILLS: &[&[&str]] = &[&["skills-ref", "--version"]];

/// Checks a file that `process.argv` names against the result of `tools/list`, without fields that the SDK ignores.
const CHECK_TOOLS: &str = "const { ListToolsResultSchema } = require('@modelcontextprotocol/sdk/types.js');\
    const text = require('fs').readFileSync(process.argv[1], 'utf8');\
    const list = JSON.parse(text), read = ListToolsResultSchema.parse(list);\
    require('assert').deepStrictEqual(JSON.parse(JSON.stringify(read)), list);";

const CHECK_OPENAPI: &str = "import json, sys\nfrom openapi_spec_validator import validate\n\
    for path in sys.argv[1:]: validate(json.load(open(path)))";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("openapi", "the validator of the specification", OPENAPI, openapi),
        trial("mcp", "the TypeScript SDK", MCP, mcp),
        trial("skills", "the reference library", SKILLS, skills),
    ]
}

/// The folder of documents that all formats are tried with.
const SKILLS_OF_CORPUS: &str = "../ailang/corpus/skills";

/// Returns the exports of the examples, and of the documents in folders.
fn exported(format: Foreign, folders: &[&str]) -> Result<Vec<Exported>, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let examples = ["email", "etl", "github", "publishing", "social-media"];
    let mut files: Vec<_> =
        examples.map(|it| root.join(format!("../../examples/skills/{it}/{it}.md"))).into();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder))? {
            files.push(entry?.path());
        }
    }
    files.retain(|it| it.extension().is_some_and(|it| it == "md"));
    let each = files.iter().map(|path| {
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(std::fs::read_to_string(path)?));
        Ok(export(&documents, "a.md", format).ok_or("it was added")?)
    });
    each.collect()
}

fn openapi() -> Result<(), Failed> {
    let folder = folder("openapi");
    let mut check = tool("python3");
    check.args(["-c", CHECK_OPENAPI]);
    let folders = [SKILLS_OF_CORPUS, "../ailang/corpus/valid", "../ide-library/interface"];
    let all = exported(Foreign::OpenApi, &folders)?;
    assert!(all.len() > 30, "{}", all.len());
    for (index, file) in all.iter().flat_map(|it| &it.files).enumerate() {
        // Documents of several folders have the same id.
        let path = folder.join(format!("{index}-{}", file.path));
        write(&path, &file.text)?;
        check.arg(path);
    }
    run(&mut check).map(drop)
}

fn mcp() -> Result<(), Failed> {
    let folder = folder("mcp");
    for file in exported(Foreign::Mcp, &[SKILLS_OF_CORPUS])?.iter().flat_map(|it| &it.files) {
        write(&folder.join(&file.path), &file.text)?;
        run(tool("node").args(["-e", CHECK_TOOLS]).arg(folder.join(&file.path)))?;
    }
    Ok(())
}

fn skills() -> Result<(), Failed> {
    let folder = folder("skills");
    for exported in exported(Foreign::Skill, &[SKILLS_OF_CORPUS])? {
        for file in &exported.files {
            write(&folder.join(&file.path), &file.text)?;
        }
        let (name, _) = exported.files[0].path.split_once('/').ok_or("a skill is a folder")?;
        run(tool("skills-ref").arg("validate").arg(folder.join(name)))?;
    }
    Ok(())
}
