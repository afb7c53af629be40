//! Folders that belong to the operating system, and to programs that are installed beside it.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::Bounds;

/// The files that connections need: name servers and certificates.
pub(crate) const NETWORK: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/host.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/run/systemd/resolve",
    "/usr/share/ca-certificates",
];

/// Programs, libraries and settings that every process needs, and nothing of a user. Of `/proc` only files about
/// the machine are here: the rest shows other processes and their environments.
#[cfg(not(target_os = "macos"))]
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system/sw",
    "/snap",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/os-release",
    "/etc/java",
    "/etc/ssl/openssl.cnf",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/loadavg",
    "/proc/filesystems",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/max_map_count",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/threads-max",
    "/proc/sys/fs/pipe-max-size",
    "/sys/devices/system",
    "/sys/kernel/mm/transparent_hugepage",
    "/sys/fs/cgroup",
];

#[cfg(target_os = "macos")]
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Developer",
    "/Library/Java",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
    "/opt/homebrew",
    "/opt/local",
    "/nix/store",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/private/etc/localtime",
    "/private/etc/ssl/openssl.cnf",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
];

/// Returns the folders and files of the operating system that are there.
pub(crate) fn system() -> Vec<PathBuf> {
    SYSTEM.iter().map(PathBuf::from).filter(|it| it.exists()).collect()
}

/// The owner of a program, who decides whether the files around it are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user installed it: it was found in the user's search path.
    Installed,
    /// The program came with other files, as plugins and programs of a workspace do. These widen nothing.
    Brought,
}

/// Names of folders of programs.
const BINS: &[&str] = &["bin", "sbin", "shims"];

/// The folders beside `bin` from which programs load code.
const LIBRARIES: &[&str] = &["lib", "lib32", "lib64", "libexec", "share/python-wheels"];

/// The other files and folders at the top of an installation from which its programs load files.
const PARTS: &[&str] = &[
    "Cellar",
    "VERSION",
    "conf",
    "config_linux",
    "config_mac",
    "config_ss_linux",
    "config_ss_mac",
    "debugger.lua",
    "etc",
    "extensions",
    "features",
    "gems",
    "go.env",
    "include",
    "jmods",
    "locale",
    "main.lua",
    "meta",
    "pkg",
    "plugins",
    "release",
    "releases",
    "script",
    "share",
    "specifications",
    "version",
    "versions",
];

/// Folders of installations that programs do not load from.
const OTHER_PARTS: &[&str] = &["doc", "docs", "legal", "license", "licenses", "man", "opt", "var"];

/// The most entries of a folder that are looked at.
const ENTRIES: usize = 4096;

/// Returns the files and folders that a program needs to run, canonical and within the bounds; blocking. They
/// are the program's own and those of the installation or package that it is in. A script also needs those of
/// the interpreter that its first line names, which is looked up in `path`.
pub fn installation(program: &Path, path: &[PathBuf], bounds: &Bounds, origin: Origin) -> Vec<PathBuf> {
    let mut all = Opened { bounds, path, all: Vec::new() };
    match origin {
        Origin::Installed => all.add_installed(program, 0),
        Origin::Brought => all.add_brought(program),
    }
    all.all.sort();
    all.all.dedup();
    all.all
}

/// Returns what the programs in a folder of the search path need, canonical; blocking: the folder, and for `…/bin` the
/// folders beside it that hold libraries and settings. Other folders beside it may be projects.
pub fn tools(folder: &Path, bounds: &Bounds) -> Vec<PathBuf> {
    let mut all = Opened { bounds, path: &[], all: Vec::new() };
    all.add_programs(folder);
    all.all
}

/// The paths that are opened for one program.
struct Opened<'a> {
    bounds: &'a Bounds,
    /// The user's search path.
    path: &'a [PathBuf],
    all: Vec<PathBuf>,
}

impl Opened<'_> {
    /// Adds a file or folder if it is within the bounds.
    fn add(&mut self, path: &Path) {
        self.all.extend(self.bounds.admitted(path));
    }

    fn add_installed(&mut self, program: &Path, depth: usize) {
        const DEPTH: usize = 4; // scripts started by scripts
        if self.bounds.is_of_workspace(program) {
            return;
        }
        let Some(admitted) = self.bounds.admitted(program) else {
            // The search path names a private folder: of that the program alone is opened.
            self.all.extend(program.canonicalize().ok().filter(|it| depth == 0 && it.is_file()));
            return;
        };
        self.all.push(admitted);
        let canonical = program.canonicalize();
        // Both count: the interpreter of a virtual environment is a link, and finds its libraries beside the link.
        for name in [program].into_iter().chain(canonical.as_deref().ok()) {
            let Some(folder) = name.parent() else { continue };
            self.add_programs(folder);
            self.add_base_of_environment(folder);
            package(name).iter().for_each(|it| self.add(it));
        }
        if depth < DEPTH
            && let Some(interpreter) = interpreter(program).and_then(|it| it.find_in(self.path))
        {
            self.add_installed(&interpreter, depth + 1);
        }
    }

    /// Adds the file, its folder and its package. Of what it names outside, only programs of the user's search path count.
    fn add_brought(&mut self, program: &Path) {
        let Ok(program) = program.canonicalize() else { return };
        self.all.push(program.clone());
        if let Some(folder) =
            program.parent().filter(|it| !self.bounds.is_of_workspace(it) && !holds_projects(it))
        {
            self.add(folder);
            package(&program).iter().for_each(|it| self.add(it));
        }
        let Some(interpreter) = interpreter(&program) else { return };
        let Interpreter::At(at) = &interpreter else {
            interpreter.find_in(self.path).iter().for_each(|it| self.add_installed(it, 0));
            return;
        };
        // A virtual environment beside a plugin belongs to it, and may have been made of the user's interpreter.
        let is_beside = program.parent().is_some_and(|it| at.starts_with(it));
        let folder = at.parent().filter(|_| is_beside).and_then(|it| it.canonicalize().ok());
        folder
            .filter(|it| program.parent().is_some_and(|beside| it.starts_with(beside)))
            .iter()
            .for_each(|it| self.add_programs(it));
        let canonical = at.canonicalize();
        let names = [Some(at.as_path()), canonical.as_deref().ok()].into_iter().flatten();
        for name in names.filter_map(Path::file_name) {
            let found = Interpreter::Named(name.to_owned()).find_in(self.path);
            found.iter().for_each(|it| self.add_installed(it, 0));
        }
    }

    /// Adds a folder of programs, and of the installation around it the parts that programs load.
    fn add_programs(&mut self, folder: &Path) {
        let Some(folder) = self.bounds.admitted(folder).filter(|it| !is_system(it)) else { return };
        let is_bin = folder.file_name().is_some_and(|it| BINS.iter().any(|name| it == *name));
        if is_bin {
            folder.parent().iter().for_each(|it| self.add_parts(it));
            self.all.push(folder);
        } else if is_installation(&folder) {
            self.all.push(folder);
        } else {
            self.add_parts(&folder); // programs beside projects: only their own files are opened
        }
    }

    fn add_parts(&mut self, prefix: &Path) {
        // The home folder and its parts hold several installations, and secrets.
        let is_whole = self.bounds.admitted(prefix).is_some() && is_installation(prefix);
        let libraries =
            LIBRARIES.iter().map(|it| prefix.join(it)).filter(|it| is_whole || holds_libraries(it));
        let parts = PARTS.iter().filter(|_| is_whole).map(|it| prefix.join(it));
        let runtime =
            entries(prefix).filter(|it| is_whole && it.starts_with("erts-")).map(|it| prefix.join(it));
        let go = ["lib", "pkg", "src", "VERSION", "go.env"]
            .iter()
            .filter(|_| is_go(prefix))
            .map(|it| prefix.join(it));
        let environment = Some(prefix.join("pyvenv.cfg")).filter(|it| it.is_file() && !it.is_symlink());
        for part in
            libraries.chain(parts).chain(environment).chain(runtime).chain(go).filter(|it| it.exists())
        {
            self.add(&part);
        }
    }

    /// Adds the interpreter that a virtual environment was made from. The environment has to be the user's.
    fn add_base_of_environment(&mut self, folder: &Path) {
        let Some(file) = folder.parent().map(|it| it.join("pyvenv.cfg")).filter(|it| it.is_file()) else {
            return;
        };
        if self.bounds.is_of_workspace(&file) {
            return;
        }
        let config = fs::read_to_string(file).unwrap_or_default();
        let base = config.lines().find_map(|it| it.strip_prefix("home")?.trim_start().strip_prefix('='));
        let Some(base) = base.map(|it| PathBuf::from(it.trim())).filter(|it| it != folder) else { return };
        let has_interpreter =
            |it: &PathBuf| entries(it).any(|it| it.starts_with("python") || it.starts_with("pypy"));
        self.bounds.admitted(&base).filter(has_interpreter).iter().for_each(|it| self.add_programs(it));
    }
}

/// Returns whether a folder belongs to the operating system, which every wall opens.
fn is_system(folder: &Path) -> bool {
    SYSTEM.iter().any(|it| folder.starts_with(it))
}

/// Returns whether a folder is one installation: it has no folder that installations do not have, and is no repository.
fn is_installation(folder: &Path) -> bool {
    let is_known = |name: &str| {
        let all = BINS.iter().chain(LIBRARIES).chain(PARTS).chain(OTHER_PARTS);
        all.into_iter().any(|it| *it == name) || name.starts_with("erts-") || name == ".opam-switch"
    };
    let names: Vec<String> = entries(folder).collect();
    let hides = |name: &str| {
        name.starts_with('.') && name != ".opam-switch" && name != ".gitignore" && name != ".lock"
    };
    names.len() < ENTRIES && names.iter().all(|it| is_known(it) || !hides(it) && !folder.join(it).is_dir())
}

/// Returns whether a folder has a project in it: a visible folder with hidden files, such as `.git` or `.env`.
fn holds_projects(folder: &Path) -> bool {
    let visible = entries(folder).filter(|it| !it.starts_with('.')).map(|it| folder.join(it));
    visible.filter(|it| it.is_dir()).any(|it| entries(&it).any(|it| it.starts_with('.')))
}

/// Returns whether a folder is a Go toolchain, which compiles its sources.
fn is_go(prefix: &Path) -> bool {
    ["pkg/tool", "src/runtime", "VERSION"].iter().all(|it| prefix.join(it).exists())
}

/// Returns whether a folder of that name holds libraries, and not a project.
fn holds_libraries(folder: &Path) -> bool {
    const NAMES: &[&str] =
        &["node_modules", "python", "pypy", "clang", "ruby", "perl5", "pkgconfig", "jvm", "rustlib"];
    const SUFFIXES: &[&str] = &[".so", ".dylib", ".a", ".jar", ".whl"];
    entries(folder).any(|it| {
        NAMES.iter().any(|name| it.starts_with(name))
            || SUFFIXES.iter().any(|suffix| it.ends_with(suffix))
            || it.contains(".so.")
    })
}

/// Returns the names in a folder; none if it cannot be read.
fn entries(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES);
    entries.map(|it| it.file_name().to_string_lossy().into_owned())
}

/// Returns the topmost `node_modules` above a program.
fn package(program: &Path) -> Option<PathBuf> {
    let packages = program.ancestors().filter(|it| it.file_name().is_some_and(|it| it == "node_modules"));
    packages.last().map(Path::to_owned)
}

/// The interpreter of a script.
enum Interpreter {
    At(PathBuf),
    Named(OsString),
}

impl Interpreter {
    /// Returns the path of the program.
    fn find_in(self, path: &[PathBuf]) -> Option<PathBuf> {
        match self {
            Self::At(program) => Some(program),
            Self::Named(name) => path.iter().map(|it| it.join(&name)).find(|it| it.is_file()),
        }
    }
}

/// Returns the interpreter that a script's first line names.
fn interpreter(script: &Path) -> Option<Interpreter> {
    const LINE: usize = 256;
    let mut start = [0; LINE];
    let length = fs::File::open(script).ok()?.read(&mut start).ok()?;
    let text =
        std::str::from_utf8(start[..length].strip_prefix(b"#!")?.split(|it| *it == b'\n').next()?).ok()?;
    let mut words = text.split_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name()? != "env" {
        return Some(Interpreter::At(first));
    }
    let name = words.find(|it| !it.starts_with('-') && !it.contains('='))?;
    Some(Interpreter::Named(name.into()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A user's machine. Each line is a file, with a text after `:`, or a link.
    const MACHINE: &str = "
        me/tools/node/bin/node
        me/tools/node/lib/node_modules/npm/cli.js
        me/tools/node/share/man
        me/.npm-global/lib/node_modules/server/cli.js: #!/usr/bin/env node
        me/.npm-global/bin/server -> ../lib/node_modules/server/cli.js
        me/.local/bin/x
        me/.local/lib/x.so
        me/.local/share/keyrings/secret
        me/bin/y
        me/.ssh/id_rsa
        me/.config/dialect/plugins/own
        me/.config/gh/hosts.yml
        me/dev/bin/ty
        me/dev/bin/linked -> ../../uv/tools/ty/bin/ty
        me/dev/ty
        me/dev/lib/private.rb
        me/dev/share/secret
        me/dev/otherproject/.env
        me/cargo/bin/ra
        me/cargo/credentials.toml
        me/cargo/registry/src/a.rs
        me/uv/python3/bin/python3
        me/uv/python3/lib/python3.12/os.py
        me/uv/tools/ty/bin/ty
        me/uv/tools/ty/lib/python3.12/site-packages/ty.py
        me/uv/tools/ty/pyvenv.cfg: home = @/me/uv/python3/bin
        me/clone/plugin.py: #!@/me/clone/.venv/bin/python3
        me/clone/kit.py
        me/clone/.venv/bin/python3 -> ../../../uv/python3/bin/python3
        me/clone/.venv/lib/python3.12/site-packages/kit.py
        me/clone/.venv/pyvenv.cfg: home = @/me/uv/python3/bin
        me/evil/bin/plugin: #!@/me/.ssh/id_rsa
        me/evil/pyvenv.cfg: home = @/me/.ssh
        me/dev/plugin
        me/dev/repo/.git/HEAD
        me/dev/repo/x/bin/tsc: #!@/me/.config/gh/hosts.yml
        me/dev/repo/x/pyvenv.cfg: home = ../../../../.ssh
        me/dev/repo/node_modules/.bin/tsc -> ../../x/bin/tsc
        me/dev/repo/.venv/bin/ty: #!@/me/dev/repo/.venv/bin/python
        me/dev/repo/.venv/pyvenv.cfg: home = @/me
        me/dev/repo/.venv/bin/python -> @/me/uv/python3/bin/python3
    ";

    #[test]
    fn a_program_opens_its_installation_and_nothing_that_its_files_name() {
        use Origin::{Brought, Installed};
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for line in MACHINE.lines().map(str::trim).filter(|it| !it.is_empty()) {
            let line = line.replace('@', &root.display().to_string());
            let (file, text) = line.split_once(": ").unwrap_or((&line, ""));
            let (file, target) = file.split_once(" -> ").map_or((file, None), |it| (it.0, Some(it.1)));
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            match target {
                Some(target) => symlink(target, root.join(file)).unwrap(),
                None => fs::write(root.join(file), format!("{text}\n")).unwrap(),
            }
        }
        let me = root.join("me");
        let bounds = Bounds::new(Some(&me), [me.join("dev/repo")]);
        let path = ["tools/node/bin", "uv/python3/bin", "dev/repo/.venv/bin"].map(|it| me.join(it));
        for (program, origin, wanted) in [
            (
                ".npm-global/bin/server",
                Installed,
                ".npm-global/bin .npm-global/lib .npm-global/lib/node_modules/server tools/node/bin \
                 tools/node/bin/node tools/node/lib tools/node/share",
            ),
            (".local/bin/x", Installed, ".local/bin .local/lib"),
            ("bin/y", Installed, "bin"),
            ("dev/bin/ty", Installed, "dev/bin"),
            (
                "dev/bin/linked",
                Installed,
                "dev/bin uv/python3/bin uv/python3/lib uv/tools/ty/bin uv/tools/ty/lib uv/tools/ty/pyvenv.cfg",
            ),
            ("dev/ty", Installed, "dev/ty"),
            ("cargo/bin/ra", Installed, "cargo/bin"),
            (".config/dialect/plugins/own", Brought, ".config/dialect/plugins"),
            ("clone/plugin.py", Brought, "clone uv/python3/bin uv/python3/lib"),
            ("evil/bin/plugin", Brought, "evil/bin"),
            ("dev/plugin", Brought, "dev/plugin"),
            ("dev/repo/node_modules/.bin/tsc", Brought, "dev/repo/x/bin/tsc"),
            ("dev/repo/node_modules/.bin/tsc", Installed, ""),
            ("dev/repo/.venv/bin/ty", Installed, ""),
            ("dev/repo/.venv/bin/ty", Brought, "dev/repo/.venv/bin/ty uv/python3/bin uv/python3/lib"),
        ] {
            let found = installation(&me.join(program), &path, &bounds, origin);
            let found = crate::Wall::default().reading(found).tidied().read;
            let below = |it: &PathBuf| it.strip_prefix(&me).unwrap_or(it).display().to_string();
            let found: BTreeSet<String> = found.iter().map(below).collect();
            let wanted = Vec::from_iter(wanted.split_whitespace().map(|it| me.join(it)));
            let wanted = crate::Wall::default().reading(wanted).tidied().read;
            assert_eq!(found, wanted.iter().map(below).collect::<BTreeSet<_>>(), "{program}, {origin:?}");
        }
    }

    #[test]
    fn a_folder_of_the_search_path_opens_libraries_and_no_project_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["jdk/bin", "jdk/conf", "jdk/lib", "dev/bin", "dev/etc", "dev/project", "repo/bin"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let bounds = Bounds::new(Some(&root), [root.join("repo")]);
        for (folder, wanted) in [
            ("jdk/bin", "jdk/bin jdk/conf jdk/lib"),
            ("dev/bin", "dev/bin"),
            ("dev", ""),
            ("repo/bin", ""),
            ("", ""),
        ] {
            let found: BTreeSet<_> = tools(&root.join(folder), &bounds).into_iter().collect();
            assert_eq!(found, wanted.split_whitespace().map(|it| root.join(it)).collect(), "{folder}");
        }
    }
}
