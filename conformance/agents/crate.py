"""The small Rust crate that agents ask about, written afresh for each run."""

from pathlib import Path

FILES = {
    "Cargo.toml": '[package]\nname = "depot"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n',
    "src/lib.rs": """\
//! A depot of parts.

pub mod inner;
pub mod outer;

/// Knows every part by its name.
#[derive(Default)]
pub struct Registry {
    names: Vec<String>,
}

impl Registry {
    /// Adds a part.
    pub fn add(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }
}

/// A registry with one part in it.
pub fn filled() -> Registry {
    let mut registry = Registry::default();
    registry.add("bolt");
    registry
}
""",
    # `Widget` stands in two modules, so that one name means two things.
    "src/inner.rs": "//! Inside.\n\n/// A small widget.\npub struct Widget;\n",
    "src/outer.rs": """\
//! Outside.

/// A large widget.
pub struct Widget;

/// Makes one of each.
pub fn both() -> (Widget, crate::inner::Widget) {
    (Widget, crate::inner::Widget)
}
""",
}


def write(folder):
    for name, text in FILES.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Path(folder).resolve()
