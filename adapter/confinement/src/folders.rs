//! Folders that belong to the operating system, and to programs that are installed beside it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

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

/// The folders beside `bin` from which the programs of an installation load files.
const PARTS: &[&str] = &["lib", "lib64", "libexec", "include", "share/python-wheels"];

/// The folders in a home folder that hold several installations; of these only the parts count.
const MIXED: &[&str] = &[".local", ".cargo", "go", ".dotnet", ".config", ".cache"];

/// Returns the folders that a program needs to run: its own, and for `…/bin/x` those around it. Adds those of its
/// package, and of the interpreter that its first line names, which is looked up in `path`.
///
/// Neither the home folder nor a folder above it is ever among them.
pub fn installation(program: &Path, path: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let mut all = Vec::new();
    add(program, path, home, &mut all, 0);
    all.sort();
    all.dedup();
    all
}

/// Returns what the programs in a folder of the search path need: the folder, and for `…/bin` the folders beside it
/// that hold libraries and settings. Other folders beside it may be projects.
pub fn tools(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    const BESIDE: &[&str] = &["share", "conf", "jmods", "pkg", "etc"];
    if home.is_some_and(|home| home.starts_with(folder)) {
        return Vec::new();
    }
    let mut all = vec![folder.to_owned()];
    let is_bin = folder.file_name().is_some_and(|it| it == "bin" || it == "shims" || it == "sbin");
    if let Some(prefix) = folder.parent().filter(|it| is_bin && it.parent().is_some()) {
        // In a home folder, all programs share `share` and `etc`, and some keep secrets there.
        let is_mixed = home
            .is_some_and(|home| home.starts_with(prefix) || MIXED.iter().any(|it| prefix == home.join(it)));
        let beside = BESIDE.iter().filter(|_| !is_mixed);
        all.extend(PARTS.iter().chain(beside).map(|it| prefix.join(it)).filter(|it| it.is_dir()));
    }
    all
}

fn add(program: &Path, path: &[PathBuf], home: Option<&Path>, all: &mut Vec<PathBuf>, depth: usize) {
    const DEPTH: usize = 4; // scripts started by scripts
    let canonical = program.canonicalize();
    let mut names: Vec<&Path> = vec![program];
    names.extend(canonical.as_deref().ok());
    for name in names {
        let Some(folder) = name.parent() else { continue };
        all.push(name.to_owned());
        add_around(folder, home, all);
        add_package(name, all);
    }
    if depth == DEPTH {
        return;
    }
    if let Some(interpreter) = interpreter(program, path) {
        add(&interpreter, path, home, all, depth + 1);
    }
}

/// Adds what lies around a folder of programs.
fn add_around(folder: &Path, home: Option<&Path>, all: &mut Vec<PathBuf>) {
    let holds_home = |it: &Path| home.is_some_and(|home| home.starts_with(it));
    if holds_home(folder) {
        return; // for a program directly in the home folder, only its file is added
    }
    all.push(folder.to_owned());
    let is_bin = folder.file_name().is_some_and(|it| it == "bin" || it == "shims" || it == "sbin");
    let Some(prefix) = folder.parent().filter(|_| is_bin) else { return };
    let is_mixed = holds_home(prefix)
        || home.is_some_and(|home| MIXED.iter().any(|it| prefix == home.join(it)))
        || prefix.parent().is_none();
    if is_mixed {
        all.extend(PARTS.iter().map(|it| prefix.join(it)).filter(|it| it.is_dir()));
        return;
    }
    all.push(prefix.to_owned());
    // A Python virtual environment names the interpreter that it was made from.
    let config = fs::read_to_string(prefix.join("pyvenv.cfg")).unwrap_or_default();
    let base = config.lines().find_map(|it| it.strip_prefix("home")?.trim_start().strip_prefix('='));
    if let Some(base) = base.map(|it| PathBuf::from(it.trim())).filter(|it| it != folder) {
        add_around(&base, home, all);
    }
}

/// Adds the topmost `node_modules` above a program.
fn add_package(program: &Path, all: &mut Vec<PathBuf>) {
    let packages = program.ancestors().filter(|it| it.file_name().is_some_and(|it| it == "node_modules"));
    all.extend(packages.last().map(Path::to_owned));
}

/// Returns the program that a script's first line names.
fn interpreter(script: &Path, path: &[PathBuf]) -> Option<PathBuf> {
    const LINE: usize = 256;
    let mut start = [0; LINE];
    let length = fs::File::open(script).ok()?.read(&mut start).ok()?;
    let text =
        std::str::from_utf8(start[..length].strip_prefix(b"#!")?.split(|it| *it == b'\n').next()?).ok()?;
    let mut words = text.split_whitespace();
    let first = PathBuf::from(words.next()?);
    if first.file_name()? != "env" {
        return Some(first);
    }
    let name = words.find(|it| !it.starts_with('-') && !it.contains('='))?;
    path.iter().map(|it| it.join(name)).find(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns the paths relative to `root`.
    fn below(root: &Path, all: &[PathBuf]) -> Vec<String> {
        all.iter().filter_map(|it| Some(it.strip_prefix(root).ok()?.display().to_string())).collect()
    }

    #[test]
    fn a_program_brings_its_installation_and_never_the_home_folder() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let file = |path: &str, text: &str| {
            fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
            fs::write(home.join(path), text).unwrap();
        };
        file("tools/node/bin/node", "");
        file(".npm-global/lib/node_modules/server/cli.js", "#!/usr/bin/env node\n");
        fs::create_dir_all(home.join(".npm-global/bin")).unwrap();
        symlink("../lib/node_modules/server/cli.js", home.join(".npm-global/bin/server")).unwrap();
        let path = [home.join("tools/node/bin")];
        let found = installation(&home.join(".npm-global/bin/server"), &path, Some(&home));
        let found = below(&home, &found);
        for wanted in [".npm-global", ".npm-global/lib/node_modules", "tools/node"] {
            assert!(found.contains(&wanted.to_owned()), "{wanted} in {found:?}");
        }
        assert!(!found.contains(&String::new()), "{found:?}");

        // `~/.local` and `~/bin` hold more than one program's own.
        file(".local/bin/x", "");
        file(".local/lib/x.so", "");
        file(".local/share/keyrings/secret", "");
        file("bin/y", "");
        let local = below(&home, &installation(&home.join(".local/bin/x"), &[], Some(&home)));
        assert_eq!(local, [".local/bin", ".local/bin/x", ".local/lib"]);
        let own = below(&home, &installation(&home.join("bin/y"), &[], Some(&home)));
        assert_eq!(own, ["bin", "bin/y"]);
    }

    #[test]
    fn a_virtual_environment_brings_its_interpreter() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("venv/bin")).unwrap();
        fs::create_dir_all(root.join("python3/bin")).unwrap();
        fs::write(root.join("venv/bin/ty"), "").unwrap();
        let config = format!("home = {}\nversion = 3\n", root.join("python3/bin").display());
        fs::write(root.join("venv/pyvenv.cfg"), config).unwrap();
        let found = below(&root, &installation(&root.join("venv/bin/ty"), &[], None));
        assert_eq!(found, ["python3", "python3/bin", "venv", "venv/bin", "venv/bin/ty"]);
    }
}
