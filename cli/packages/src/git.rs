//! Packages in git repositories, fetched with the program `git`.
//!
//! A repository may be hostile. Its files are never checked out: `git archive` writes them as a tar, which is read as
//! any other archive. No hook, filter or submodule of it runs, its attributes do not count, and neither do the settings
//! of the user, so that the same commit gives the same archive everywhere.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ailang::Code;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::archive::{ArchiveFile, ArchiveLimits, unpack};
use crate::error::PackageError;

/// The time of one run of git.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The interval at which a running git is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// The maximum size of what is fetched, in bytes.
const LARGEST_REPOSITORY: u64 = 512 << 20;

/// The protocols that git may speak. `git://` and `http://` are neither encrypted nor checked.
const PROTOCOLS: [&str; 3] = ["https", "ssh", "file"];

/// Attributes over those of the repository: no file is left out, filled in or converted.
const ATTRIBUTES: &str = "* -export-ignore -export-subst -text -eol -filter -ident -working-tree-encoding\n";

/// A package at a commit.
#[derive(Debug)]
pub(crate) struct Checkout {
    pub(crate) commit: String,
    pub(crate) files: Vec<ArchiveFile>,
}

/// Fetches a commit, a branch, a tag, or what the repository has as its default.
///
/// # Errors
/// There is no git, the repository does not answer, has no such commit, or has files that no archive may have.
pub(crate) fn fetch(
    url: &str,
    reference: Option<&str>,
    token: Option<&str>,
) -> Result<Checkout, PackageError> {
    check(url, reference)?;
    let folder = tempfile::tempdir().map_err(|error| failed(url, &error.to_string()))?;
    let git = Git { folder: folder.path(), url, token };
    git.run(&["init", "--quiet", "--bare", "--template="])?;
    fs::write(folder.path().join("info-attributes"), ATTRIBUTES)
        .map_err(|error| failed(url, &error.to_string()))?;
    fs::create_dir_all(folder.path().join("info"))
        .and_then(|()| {
            fs::rename(folder.path().join("info-attributes"), folder.path().join("info/attributes"))
        })
        .map_err(|error| failed(url, &error.to_string()))?;
    let commit = git.fetch(reference)?;
    let tar = git.run(&["archive", "--format=tar", "--prefix=package/", &commit])?;
    let files = unpack(&tar, &ArchiveLimits::default()).map_err(|error| error.about(&shown(url)))?;
    Ok(Checkout { commit, files })
}

/// Refuses URLs and references that git would read as something else.
fn check(url: &str, reference: Option<&str>) -> Result<(), PackageError> {
    let scheme = url.split("://").next().unwrap_or_default();
    if !PROTOCOLS.contains(&scheme) {
        let message = format!("`{scheme}` is not used for git; {} are", PROTOCOLS.join(", "));
        return Err(failed(url, &message));
    }
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._/-+@".contains(char);
    let is_reference =
        |it: &str| !it.is_empty() && !it.starts_with('-') && !it.contains("..") && it.chars().all(is_plain);
    if reference.is_some_and(|it| !is_reference(it)) {
        return Err(failed(url, "what follows `#` is no branch, tag or commit"));
    }
    Ok(())
}

/// A repository of our own, into which is fetched.
struct Git<'g> {
    folder: &'g Path,
    url: &'g str,
    /// A secret for the origin of the URL.
    token: Option<&'g str>,
}

impl Git<'_> {
    /// Fetches, and returns the id of the commit.
    fn fetch(&self, reference: Option<&str>) -> Result<String, PackageError> {
        let wanted = reference.unwrap_or("HEAD");
        let one =
            ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", self.url, wanted];
        let found = match self.run(&one) {
            Ok(_) => "FETCH_HEAD",
            // Servers may refuse to give a commit by its id; then it is among all that they have.
            Err(_) if is_commit(wanted) => {
                let all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
                self.run(&["fetch", "--quiet", "--no-recurse-submodules", "--", self.url, all[0], all[1]])?;
                wanted
            }
            Err(error) => return Err(error),
        };
        let commit = self.run(&["rev-parse", "--verify", "--quiet", &format!("{found}^{{commit}}")])?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        if is_commit(&commit) { Ok(commit) } else { Err(failed(self.url, "it has no such commit")) }
    }

    /// Runs git, and returns what it prints.
    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>, PackageError> {
        let mut child = self.command(arguments).spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed(self.url, "the program `git` is not installed"),
            _ => failed(self.url, &error.to_string()),
        })?;
        let output = reader(child.stdout.take(), ArchiveLimits::default().unpacked);
        let errors = reader(child.stderr.take(), 64 << 10);
        let ended = self.wait(&mut child);
        let [output, errors] = [output, errors].map(|it| it.join().unwrap_or_default());
        if ended? {
            return Ok(output);
        }
        let errors = String::from_utf8_lossy(&errors);
        let first = errors.lines().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        Err(failed(self.url, first.unwrap_or("git failed without a reason")))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.env_clear();
        for name in ["PATH", "HOME", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "https_proxy", "no_proxy", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            // The server of one protocol leads nobody to another.
            .env("GIT_ALLOW_PROTOCOL", self.url.split("://").next().unwrap_or_default())
            .env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
            .env("LC_ALL", "C");
        for setting in [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.attributesFile=/dev/null",
            "core.autocrlf=false",
            "fetch.fsckObjects=true",
            "gc.auto=0",
            "maintenance.auto=false",
            "protocol.file.allow=always",
        ] {
            command.args(["-c", setting]);
        }
        for (index, (key, value)) in self.credentials().into_iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{index}"), key)
                .env(format!("GIT_CONFIG_VALUE_{index}"), value);
            command.env("GIT_CONFIG_COUNT", (index + 1).to_string());
        }
        command.arg("-C").arg(self.folder).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Returns the settings that send the token, which others would see among the arguments: to the origin alone, and
    /// not to where it redirects.
    fn credentials(&self) -> Vec<(String, String)> {
        let Some((token, url)) = self.token.zip(url::Url::parse(self.url).ok()) else { return Vec::new() };
        if url.scheme() != "https" {
            return Vec::new();
        }
        // Services take a token as the password of any user.
        let header = format!("Authorization: Basic {}", STANDARD.encode(format!("x-access-token:{token}")));
        let origin = url.origin().ascii_serialization();
        vec![
            (format!("http.{origin}/.extraHeader"), header),
            ("http.followRedirects".to_owned(), "false".to_owned()),
        ]
    }

    /// Waits for the end of git; kills it when it takes too long or fetches too much. Returns whether it succeeded.
    fn wait(&self, child: &mut Child) -> Result<bool, PackageError> {
        let began = Instant::now();
        let mut measured = began;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status.success()),
                Ok(None) => {}
                Err(error) => return Err(self.kill(child, &error.to_string())),
            }
            if began.elapsed() > TIMEOUT {
                return Err(self.kill(child, "it takes too long"));
            }
            if measured.elapsed() > Duration::from_secs(1) {
                measured = Instant::now();
                if size(self.folder) > LARGEST_REPOSITORY {
                    return Err(self.kill(child, "it is too large"));
                }
            }
            std::thread::sleep(INTERVAL);
        }
    }

    fn kill(&self, child: &mut Child, problem: &str) -> PackageError {
        let _ended = child.kill().and_then(|()| child.wait());
        failed(self.url, problem)
    }
}

/// Reads a pipe to its end, and keeps at most `most` bytes.
fn reader<R: io::Read + Send + 'static>(pipe: Option<R>, most: u64) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _cut = pipe.by_ref().take(most).read_to_end(&mut bytes);
            let _dropped = io::copy(&mut pipe, &mut io::sink());
        }
        bytes
    })
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the size of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => entry.metadata().map_or(0, |it| it.len()),
    });
    sizes.sum()
}

fn failed(url: &str, problem: &str) -> PackageError {
    let problem = ailang::visible_line(problem, ailang::LONGEST_SUMMARY);
    PackageError::new(Code::PACKAGE_ABSENT, format!("{}: {problem}", shown(url)))
}

fn shown(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| ailang::visible_line(url, 200), |url| crate::http::shown(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_origin_and_no_argument() {
        let git = |url| Git { folder: Path::new("/"), url, token: Some("s3cret") };
        let command = git("https://git.example:8443/a/b").command(&["fetch"]);
        let arguments: Vec<_> = command.get_args().map(|it| it.to_string_lossy().into_owned()).collect();
        assert!(!arguments.join(" ").contains("czNjcmV0"), "{arguments:?}");
        let variables: Vec<_> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?))).collect();
        for expected in [
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "http.https://git.example:8443/.extraHeader"),
            ("GIT_CONFIG_VALUE_0", "Authorization: Basic eC1hY2Nlc3MtdG9rZW46czNjcmV0"),
            ("GIT_CONFIG_KEY_1", "http.followRedirects"),
        ] {
            assert!(variables.contains(&expected), "{expected:?} in {variables:?}");
        }
        for url in ["file:///a/b", "ssh://git@git.example/a"] {
            assert_eq!(git(url).credentials(), [], "{url}");
        }
    }
}
