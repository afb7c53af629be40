//! Made-up projects as each language writes them, and the servers that read them.

use std::fmt::Write;

use super::project::{Function, Module, Project};
use crate::world::{self, World};

/// One language.
pub(crate) struct Language {
    /// As tests are named.
    pub(crate) name: &'static str,
    /// As settings know it.
    pub(crate) id: &'static str,
    pub(crate) servers: &'static [&'static str],
    /// Files that stay as they are.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// The files that change.
    pub(crate) write: fn(&Project) -> Vec<(String, String)>,
    /// The start of a line that defines or declares `NAME`.
    pub(crate) declaring: &'static str,
    /// The suffix of files that define, where others only declare.
    pub(crate) defining: Option<&'static str>,
}

impl Language {
    /// An empty world in which that server answers.
    pub(crate) fn world(&self, server: &str) -> World {
        let world = World::confined(&[], &world::settings(self.id, server));
        // No project needs the standard library.
        if self.id == "rust" { world.without_std() } else { world }
    }
}

/// All of them.
pub(crate) static LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        id: "rust",
        servers: &["rust-analyzer"],
        fixed: &[("Cargo.toml", "[package]\nname = \"made_up\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")],
        write: rust,
        declaring: "pub fn NAME(",
        defining: None,
    },
    Language {
        name: "python",
        id: "python",
        servers: &["ty", "basedpyright", "pyright"],
        fixed: &[
            ("pyproject.toml", "[project]\nname = \"made-up\"\nversion = \"0.1.0\"\n"),
            ("made/__init__.py", ""),
        ],
        write: python,
        declaring: "def NAME(",
        defining: None,
    },
    Language {
        name: "typescript",
        id: "typescript",
        servers: &["tsc", "vtsls", "typescript-language-server"],
        fixed: &[
            ("package.json", "{ \"name\": \"made-up\", \"version\": \"0.1.0\" }\n"),
            ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true }, \"include\": [\"src\"] }\n"),
        ],
        write: typescript,
        declaring: "export function NAME(",
        defining: None,
    },
    Language {
        name: "c",
        id: "c",
        servers: &["clangd"],
        fixed: &[("compile_flags.txt", "-Iinclude\n")],
        write: c,
        declaring: "int NAME(",
        defining: Some(".c"),
    },
    // There nothing means anything before the header that declares it was read, whereas in C it may be called.
    Language {
        name: "c++",
        id: "c",
        servers: &["clangd"],
        fixed: &[("compile_flags.txt", "-Iinclude\n")],
        write: cpp,
        declaring: "int NAME(",
        defining: Some(".cpp"),
    },
    Language {
        name: "go",
        id: "go",
        servers: &["gopls"],
        fixed: &[("go.mod", "module example.org/made\n\ngo 1.22\n")],
        write: go,
        declaring: "func NAME(",
        defining: None,
    },
    Language {
        name: "shell",
        id: "shell",
        servers: &["bash-language-server"],
        fixed: &[],
        write: shell,
        declaring: "NAME() {",
        defining: None,
    },
];

/// The parts of a function, in order: comments, the first line, a line for each call, the end.
fn functions(
    module: &Module,
    comment: &str,
    first: impl Fn(&str) -> String,
    call: impl Fn(&str) -> String,
    end: &str,
) -> String {
    let mut text = String::new();
    for Function { name, n_comments, calls } in &module.functions {
        text += &format!("{comment} é😀\n").repeat(*n_comments);
        text += &first(name);
        calls.iter().for_each(|it| text += &call(it));
        text += end;
    }
    text
}

fn rust(project: &Project) -> Vec<(String, String)> {
    let mut root = String::new();
    let mut files = Vec::new();
    for (name, module) in project.modules() {
        let _ = writeln!(root, "pub mod {name};");
        let first = |it: &str| format!("pub fn {it}(n: usize) -> usize {{\n");
        let call = |it: &str| format!("    crate::{}::{it}(n);\n", project.home(it));
        files.push((format!("src/{name}.rs"), functions(module, "//", first, call, "    n\n}\n")));
    }
    files.push(("src/lib.rs".to_owned(), root));
    files
}

fn python(project: &Project) -> Vec<(String, String)> {
    let file = |(name, module): (&str, &Module)| {
        let imports = project.called_by(name).into_iter().map(|it| format!("from made import {it}\n"));
        let first = |it: &str| format!("def {it}(n: int) -> int:\n");
        let call = |it: &str| format!("    {}{it}(n)\n", qualified(project, name, it));
        let text = functions(module, "#", first, call, "    return n\n\n\n");
        (format!("made/{name}.py"), imports.collect::<String>() + &text)
    };
    project.modules().map(file).collect()
}

fn typescript(project: &Project) -> Vec<(String, String)> {
    let file = |(name, module): (&str, &Module)| {
        let imports =
            project.called_by(name).into_iter().map(|it| format!("import * as {it} from \"./{it}\";\n"));
        let first = |it: &str| format!("export function {it}(n: number): number {{\n");
        let call = |it: &str| format!("  {}{it}(n);\n", qualified(project, name, it));
        let text = functions(module, "//", first, call, "  return n;\n}\n");
        (format!("src/{name}.ts"), imports.collect::<String>() + &text + "export {};\n")
    };
    project.modules().map(file).collect()
}

/// Returns the text before a name of another module.
fn qualified(project: &Project, module: &str, name: &str) -> String {
    let home = project.home(name);
    if home == module { String::new() } else { format!("{home}.") }
}

fn c(project: &Project) -> Vec<(String, String)> {
    let files = project.modules().flat_map(|(name, module)| {
        let declared = module.functions.iter().map(|it| format!("int {}(int n);\n", it.name));
        let header = format!("#pragma once\n{}", declared.collect::<String>());
        let included = project.called_by(name).into_iter().chain([name]);
        let included = included.map(|it| format!("#include \"{it}.h\"\n")).collect::<String>();
        let first = |it: &str| format!("int {it}(int n) {{\n");
        let call = |it: &str| format!("    {it}(n);\n");
        let text = functions(module, "//", first, call, "    return n;\n}\n");
        [(format!("include/{name}.h"), header), (format!("src/{name}.c"), included + &text)]
    });
    files.collect()
}

fn cpp(project: &Project) -> Vec<(String, String)> {
    let files = project.modules().flat_map(|(name, module)| {
        let declared = module.functions.iter().map(|it| format!("int {}(int n);\n", it.name));
        let header = format!("#pragma once\nnamespace {name} {{\n{}}}\n", declared.collect::<String>());
        let included = project.called_by(name).into_iter().chain([name]);
        let included = included.map(|it| format!("#include \"{it}.hpp\"\n")).collect::<String>();
        let first = |it: &str| format!("int {it}(int n) {{\n");
        let call = |it: &str| format!("    {}::{it}(n);\n", project.home(it));
        let text = functions(module, "//", first, call, "    return n;\n}\n");
        let text = format!("{included}namespace {name} {{\n{text}}}\n");
        [(format!("include/{name}.hpp"), header), (format!("src/{name}.cpp"), text)]
    });
    files.collect()
}

fn go(project: &Project) -> Vec<(String, String)> {
    let file = |(name, module): (&str, &Module)| {
        let first = |it: &str| format!("func {it}(n int) int {{\n");
        let call = |it: &str| format!("\t{it}(n)\n");
        let text = functions(module, "//", first, call, "\treturn n\n}\n");
        (format!("{name}.go"), format!("package made\n\n{text}"))
    };
    project.modules().map(file).collect()
}

fn shell(project: &Project) -> Vec<(String, String)> {
    let file = |(name, module): (&str, &Module)| {
        let sources = project.called_by(name).into_iter().map(|it| format!("source ./{it}.sh\n"));
        let first = |it: &str| format!("{it}() {{\n");
        let call = |it: &str| format!("  {it} \"$1\"\n");
        let text = functions(module, "#", first, call, "  true\n}\n");
        (format!("{name}.sh"), format!("#!/bin/bash\n{}{text}", sources.collect::<String>()))
    };
    project.modules().map(file).collect()
}
