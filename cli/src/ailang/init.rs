//! `ailang init`: creates a package to start from.

use std::path::Path;
use std::process::{Command, Stdio};

use ailang::is_built_in;
use ailang::syntax::ModuleReference;
use source_text::Span;

use super::outcome::{ExitResult, UNREADABLE};
use crate::output::{complain, say};

/// The files of a new package with their contents. `NAME` stands for the folder's name, and `AUTHOR` for the user's.
const FILES: &[(&str, &str)] = &[
    (
        "ailang.json",
        r#"{
  "name": "NAME",
  "version": "0.1.0",
  "description": "What these tools are for.",
  "author": "AUTHOR",
  "license": "MIT",
  "keywords": ["NAME"],
  "main": "main.md",
  "dependencies": {}
}
"#,
    ),
    (
        "README.md",
        r"# NAME

What these tools are for.

- `ailang validate . --strictness strict` checks the documents
- `ailang run main.md` runs their examples
- `ailang publish --dry-run` lists what would be published
",
    ),
    (
        "main.md",
        r#"---
id: NAME
title: NAME
summary: What these tools are for.
loading: on_demand
keywords: [NAME]
version: 0.1.0
---

# NAME

When to use them, and when not.

<define>

```typescript
import types from "./lib/types.md"

error UnknownNameError(name: string) {
  message = "Nobody is called ${name}."
  recovery = "Ask how the name is spelt."
  retryable = false
}

// Says hello to somebody.
// @readOnly
tool greet(
  // The person to greet.
  name: types.PersonName
) -> string
  throws UnknownNameError {
    if (name == "Nobody") {
      throw UnknownNameError(name)
    }
    return "Hello, ${name}!"
  }
```

</define>

<example id="greeting" tool="greet">

```typescript
print(greet("Ada"))

try {
  greet("Nobody")
} catch UnknownNameError(name) {
  print("${name} is unknown")
}
```

```output
Hello, Ada!
Nobody is unknown
```

</example>
"#,
    ),
    (
        "lib/types.md",
        r"---
id: types
title: Types of NAME
summary: What the tools of NAME take and give.
loading: on_demand
keywords: [NAME, types]
version: 0.1.0
---

# Types of NAME

<define>

```typescript
// The name of a person.
type PersonName = string.nonEmpty().maxLength(80)
```

</define>
",
    ),
    (
        "examples/usage.md",
        r#"---
id: usage
title: How to use NAME
summary: Shows what the tools of NAME do together.
loading: on_demand
keywords: [NAME, example]
version: 0.1.0
---

# How to use NAME

<example id="several">

```typescript
from "../main.md" import greet

for (name in ["Ada", "Grace"]) {
  print(greet(name))
}
```

```output
Hello, Ada!
Hello, Grace!
```

</example>
"#,
    ),
];

/// Writes the files, and overwrites none.
pub(super) fn run(folder: &Path) -> ExitResult {
    if let Some((taken, _)) = FILES.iter().find(|(path, _)| folder.join(path).exists()) {
        complain(&format!("{} already exists, so nothing was written", folder.join(taken).display()));
        return Ok(UNREADABLE);
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    let (name, author) = (name(folder), author());
    for (path, text) in FILES {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&path, text.replace("NAME", &name).replace("AUTHOR", &author)))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    say(&format!("{} is a package; see {}", folder.display(), folder.join("main.md").display()))?;
    Ok(0)
}

/// Returns the folder's name as an id: lowercase letters and digits, `-` between words, a letter first.
fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let text = whole.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("-");
    if is_built_in(&ModuleReference { text: id.clone(), quoted: true, span: Span::default() }) {
        return format!("{id}-tools"); // no import could mean the name of a built-in module
    }
    if id.starts_with(|char: char| char.is_ascii_lowercase()) {
        id
    } else {
        format!("tools-{id}").trim_end_matches('-').to_owned()
    }
}

/// Returns the user's name as git knows it, or the name of the user's account, as JSON has it between quotes.
fn author() -> String {
    let git = Command::new("git").args(["config", "--get", "user.name"]).stdin(Stdio::null()).output();
    let git = git.ok().map(|it| String::from_utf8_lossy(&it.stdout).trim().to_owned());
    let account = || ["USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = git.filter(|it| !it.is_empty()).or_else(account).filter(|it| !it.trim().is_empty());
    let name = name.unwrap_or_else(|| "The authors".to_owned());
    let json = serde_json::Value::String(name).to_string();
    json[1..json.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use ailang::{Severity, Strictness, validate_all};

    use super::super::folder::Folder;
    use super::*;

    #[test]
    fn a_new_package_is_valid() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("My 2 Tools");
        assert_eq!(run(&folder).unwrap(), 0);
        let Folder { manifest, documents, .. } = Folder::read(&folder).unwrap();
        let manifest = manifest.unwrap();
        assert_eq!(manifest.validate(&documents, Strictness::Strict), []);
        for (path, found) in validate_all(&documents, Strictness::Strict) {
            let serious: Vec<_> = found.iter().filter(|it| it.severity != Severity::Info).collect();
            assert!(serious.is_empty(), "{path}: {serious:?}");
        }
        let id = &documents.get("main.md").unwrap().front_matter.id;
        assert_eq!(id.as_ref().unwrap().value, "my-2-tools");
        assert_eq!(run(&folder).unwrap(), UNREADABLE, "nothing is written over");
    }

    #[test]
    fn a_package_has_a_name_that_can_be_imported() {
        for (folder, expected) in
            [("http", "http-tools"), ("2 x", "tools-2-x"), ("é", "tools"), ("A_b", "a-b")]
        {
            assert_eq!(name(Path::new(folder)), expected);
        }
    }
}
