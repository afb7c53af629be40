//! The bounds of every wall: the one decision on which files and folders may be opened that nobody but a file, a link, a
//! variable or the search path names. The user's own settings and the workspace itself do not pass here.

use std::path::{Component, Path, PathBuf};

/// Folders of the system that hold secrets, or show other processes and devices.
const NEVER: &[&str] = &["/etc", "/private/etc", "/proc", "/sys", "/dev", "/run", "/boot", "/lost+found"];

/// Folders with too many things of too many owners.
const WIDE: &[&str] = &[
    "/usr",
    "/usr/local",
    "/opt",
    "/lib",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/tmp",
    "/var/cache",
    "/tmp",
    "/private/tmp",
    "/private/var",
    "/home",
    "/Users",
    "/Volumes",
    "/mnt",
    "/media",
];

/// The parents of home folders, and the home folders of the administrator.
const HOMES: &[&str] = &["/home", "/Users"];
const ROOTS: &[&str] = &["/root", "/var/root", "/private/var/root"];

/// The folders in a home folder into which tools install programs, libraries and downloads. All else in its dot folders
/// is private.
const TOOLS: &[&str] = &[
    ".asdf",
    ".bun/install",
    ".cabal/packages",
    ".cabal/store",
    ".cargo/git",
    ".cargo/registry",
    ".composer/vendor",
    ".config/composer/vendor",
    ".config/dialect/plugins",
    ".deno",
    ".dotnet/sdk",
    ".dotnet/shared",
    ".dotnet/tools",
    ".elan",
    ".elm",
    ".gem/ruby",
    ".ghcup",
    ".gitlibs/libs",
    ".goenv",
    ".gradle/caches",
    ".hex/packages",
    ".ivy2/cache",
    ".jenv",
    ".julia/packages",
    ".juliaup",
    ".linuxbrew",
    ".local/include",
    ".local/share/coursier",
    ".local/share/fnm",
    ".local/share/gem/ruby",
    ".local/share/mise",
    ".local/share/nvim/mason",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/python-wheels",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".local/share/virtualenvs",
    ".luarocks/share",
    ".m2/repository",
    ".nodenv",
    ".nuget/packages",
    ".nvm",
    ".opam",
    ".pub-cache/git",
    ".pub-cache/hosted",
    ".pyenv",
    ".rbenv",
    ".rustup/toolchains",
    ".sdkman/candidates",
    ".stack/programs",
    ".swiftly",
    ".virtualenvs",
    ".volta",
    "Library/Android/sdk",
    "Library/Caches",
    "Library/Developer",
    "Library/Java",
    "Library/Python",
    "Library/pnpm",
];

/// Names of folders that hold programs and libraries in any dot folder: `~/.npm-global/bin`.
const SHAPES: &[&str] = &["bin", "sbin", "shims", "lib", "lib64", "libexec", "node_modules"];

/// The user's home folder and the folders of a workspace, which decide what walls may open. All are canonical.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    home: Option<PathBuf>,
    workspace: Vec<PathBuf>,
}

impl Bounds {
    /// Creates the bounds of a user with this home folder and of a workspace with these folders, repositories among
    /// them; blocking.
    pub fn new(home: Option<&Path>, workspace: impl IntoIterator<Item = PathBuf>) -> Self {
        let canonical = |it: PathBuf| it.canonicalize().unwrap_or(it);
        Self {
            home: home.map(|it| canonical(it.to_owned())),
            workspace: workspace.into_iter().map(canonical).collect(),
        }
    }

    /// Returns the canonical path of a file or folder that a wall may open; `None` for one that it may not.
    /// Blocking.
    ///
    /// A wall may not open folders around the workspace, nor what is private or wide. The workspace is opened
    /// as such, so what lies in it, as written or after links are resolved, is not admitted here.
    pub fn admitted(&self, path: &Path) -> Option<PathBuf> {
        if !path.is_absolute() || self.is_of_workspace(path) {
            return None;
        }
        let canonical = path.canonicalize().ok()?;
        let holds_workspace = self.workspace.iter().any(|it| it.starts_with(&canonical));
        let is_at_top = canonical.components().count() <= 2;
        (!holds_workspace && !is_at_top && !self.is_private(&canonical) && !self.is_of_system(&canonical))
            .then_some(canonical)
    }

    /// Returns whether a path lies in the workspace, as written or after links are resolved; blocking.
    pub fn is_of_workspace(&self, path: &Path) -> bool {
        let lies_in = |path: &Path| self.workspace.iter().any(|it| path.starts_with(it));
        // The parent's links count apart from the file's own: `repository/bin/tool` may lead out.
        let parent = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        lies_in(path)
            || path.canonicalize().is_ok_and(|it| lies_in(&it))
            || parent().is_some_and(|it| lies_in(&it))
    }

    /// Returns whether a canonical path is the user's home folder or a folder above, and so holds everything of the user.
    pub fn holds_home(&self, path: &Path) -> bool {
        self.home.as_ref().is_some_and(|home| home.starts_with(path)) || path.parent().is_none()
    }

    /// Returns whether a canonical path is the home folder of another user.
    pub fn is_home_of_another(&self, path: &Path) -> bool {
        self.below_home(path).is_some_and(|it| it.as_os_str().is_empty()) && !self.holds_home(path)
    }

    /// Returns whether a canonical path is private: a home folder and the folders above, the dot folders in it other than
    /// those of tools, and the system's settings, processes and devices.
    pub fn is_private(&self, path: &Path) -> bool {
        if self.holds_home(path) {
            return true;
        }
        match self.below_home(path) {
            Some(below) => is_private_below(&below),
            None => NEVER.iter().any(|it| path.starts_with(it)),
        }
    }

    /// Returns whether a canonical folder is too wide for one project or toolchain, or one of the system's own.
    pub fn is_of_system(&self, path: &Path) -> bool {
        let is_wide = || WIDE.iter().any(|it| Path::new(it) == path);
        let is_never = || self.below_home(path).is_none() && NEVER.iter().any(|it| path.starts_with(it));
        self.holds_home(path) || is_wide() || is_never()
    }

    /// Returns the part of a path below the home folder of this user or another.
    fn below_home(&self, path: &Path) -> Option<PathBuf> {
        if let Some(below) = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            return Some(below.to_owned());
        }
        if let Some(below) = ROOTS.iter().find_map(|it| path.strip_prefix(it).ok()) {
            return Some(below.to_owned());
        }
        let mut names = HOMES.iter().find_map(|it| path.strip_prefix(it).ok())?.iter();
        names.next().map(|_| names.collect())
    }
}

fn is_private_below(below: &Path) -> bool {
    let mut names = below.components().filter_map(|it| match it {
        Component::Normal(name) => name.to_str().or(Some("")),
        _ => None,
    });
    let is_hidden = names.next().is_none_or(|it| it.starts_with('.') || it == "Library" || it == "snap");
    let is_of_tools = TOOLS.iter().any(|it| below.starts_with(it)) || names.any(|it| SHAPES.contains(&it));
    is_hidden && !is_of_tools
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Paths that no evidence opens, relative to a user's home folder with a repository in `dev/repo`, where the session is
    /// about `dev/repo/sub`.
    const HOSTILE: &[&str] = &[
        "",
        ".",
        "..",
        "../..",
        "/",
        "/tmp",
        "/home",
        "/usr",
        "/usr/local",
        "/etc",
        "/etc/shadow",
        "/etc/ssl",
        "/proc",
        "/proc/self",
        "/sys/kernel",
        "/dev/shm",
        "/run",
        "/boot",
        "/home/another",
        "/home/another/.ssh",
        "/Users/another",
        ".ssh",
        ".ssh/id_rsa",
        ".config",
        ".config/gh",
        ".aws",
        ".gnupg",
        ".local",
        ".local/share",
        ".local/share/keyrings",
        ".local/state",
        ".cache",
        ".cargo",
        ".cargo/credentials.toml",
        ".rustup",
        ".netrc",
        ".bash_history",
        ".docker",
        ".dotnet",
        ".pub-cache/credentials.json",
        ".local/share/uv/credentials",
        "dev",
        "dev/repo",
        "dev/repo/sub",
        "dev/repo/.venv/bin",
        "dev/repo/link-to-ssh",
        "dev/repo/link-to-home",
        "dev/repo/sub/link-to-tools",
        "tools/../.ssh",
        "tools/../../",
        "tools/link-to-home",
        "tools/link-to-repo",
        "tools/link-to-ssh",
        "missing",
    ];

    /// Paths that programs need.
    const TOOLS: &[&str] = &[
        "tools",
        "tools/bin",
        ".cargo/bin",
        ".cargo/registry",
        ".npm-global/bin",
        ".nvm/versions/node",
        ".pyenv/versions",
        ".local/bin",
        ".local/share/uv/python",
        "dev/other/.venv/bin",
        "tools/link-to-pyenv",
    ];

    #[test]
    fn nothing_private_wide_or_of_a_workspace_is_admitted_however_it_is_spelled() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let home = root.join("users/me");
        for folder in HOSTILE.iter().chain(TOOLS).filter(|it| !it.starts_with('/') && !it.contains("link")) {
            if !folder.contains("..") && *folder != "missing" {
                fs::create_dir_all(home.join(folder)).unwrap();
            }
        }
        for (at, target) in [
            ("dev/repo/link-to-ssh", ".ssh"),
            ("dev/repo/link-to-home", ""),
            ("dev/repo/sub/link-to-tools", "tools"),
            ("tools/link-to-home", ""),
            ("tools/link-to-repo", "dev/repo"),
            ("tools/link-to-ssh", ".ssh"),
            ("tools/link-to-pyenv", ".pyenv/versions"),
        ] {
            symlink(home.join(target), home.join(at)).unwrap();
        }
        symlink(&home, root.join("spelled")).unwrap();
        // The home folder as written, and through a link.
        for home in [&home, &root.join("spelled")] {
            let bounds = Bounds::new(Some(home), [home.join("dev/repo"), home.join("dev/repo/sub")]);
            for hostile in HOSTILE {
                assert_eq!(bounds.admitted(&home.join(hostile)), None, "{hostile}");
                assert_eq!(
                    bounds.admitted(Path::new(hostile.trim_start_matches('/'))),
                    None,
                    "relative {hostile}"
                );
            }
            for tool in TOOLS {
                let canonical = home.join(tool).canonicalize().unwrap();
                assert_eq!(bounds.admitted(&home.join(tool)), Some(canonical), "{tool}");
            }
        }
    }

    #[test]
    fn another_users_home_is_private_when_no_home_is_known() {
        for path in ["/home/me", "/home/me/.ssh", "/root", "/root/.ssh/id", "/Users/me/Library/Keychains"] {
            assert!(Bounds::default().is_private(Path::new(path)), "{path}");
        }
        for path in [
            "/home/me/dev/it",
            "/home/me/.cargo/bin",
            "/opt/tools/bin",
            "/nix/store/x/bin",
            "/root/.pyenv/versions/3",
        ] {
            assert!(!Bounds::default().is_private(Path::new(path)), "{path}");
        }
    }
}
