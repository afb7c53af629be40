//! `ailang init`: creates a package to start from.

use std::path::Path;

use super::outcome::{ExitResult, UNREADABLE};
use crate::output::{complain, say};

/// The files of a new package with their contents. `NAME` stands for the folder's name.
const FILES: &[(&str, &str)] = &[
    (
        "ailang.json",
        r#"{
  "name": "NAME",
  "version": "0.1.0",
  "description": "What these tools are for.",
  "author": "",
  "license": "MIT",
  "keywords": [],
  "main": "main.md",
  "dependencies": {}
}
"#,
    ),
    ("README.md", "# NAME\n\nWhat these tools are for.\n"),
    (
        "main.md",
        r#"---
id: NAME
title: NAME
summary: What these tools are for.
loading: on_demand
keywords: []
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
  // Whom.
  name: types.PersonName
) -> string
  throws UnknownNameError
```

</define>

<example id="greeting" tool="greet">

```typescript
print(greet("Ada"))
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
---

<define>

```typescript
// The name of a person.
type PersonName = string.nonEmpty().maxLength(80)
```

</define>
",
    ),
    ("examples/.gitkeep", ""),
];

/// Writes the files, and overwrites none.
pub(super) fn run(folder: &Path) -> ExitResult {
    if let Some((taken, _)) = FILES.iter().find(|(path, _)| folder.join(path).exists()) {
        complain(&format!("{} already exists, so nothing was written", folder.join(taken).display()));
        return Ok(UNREADABLE);
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
    let name = name(folder);
    for (path, text) in FILES {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&path, text.replace("NAME", &name)))
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
    if id.starts_with(|char: char| char.is_ascii_lowercase()) {
        id
    } else {
        format!("tools-{id}").trim_end_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use ailang::{Strictness, validate};

    use super::super::documents::package;
    use super::*;

    #[test]
    fn a_new_package_is_valid() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("My 2 Tools");
        assert_eq!(run(&folder).unwrap(), 0);
        let package = package(&folder.join("main.md")).unwrap();
        assert_eq!(package.path, "main.md");
        let found = validate(&package.documents, "main.md", Strictness::Normal).unwrap();
        assert_eq!(found, []);
        let id = &package.documents.get("main.md").unwrap().front_matter.id;
        assert_eq!(id.as_ref().unwrap().value, "my-2-tools");
        assert_eq!(run(&folder).unwrap(), UNREADABLE, "nothing is written over");
    }
}
