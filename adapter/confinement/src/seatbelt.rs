//! The wall on macOS: a Seatbelt profile, enforced by `sandbox-exec`.

use std::fmt::Write;
use std::path::Path;

use crate::Wall;

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Returns the profile of a wall in the language of Seatbelt. It denies everything that it does not list.
pub(crate) fn profile(wall: &Wall) -> String {
    let mut text = String::from(
        "(version 1)\n(deny default)\n(allow process-fork)\n(allow process-exec)\n(allow signal (target same-sandbox))\n\
         (allow sysctl-read)\n(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))\n\
         (allow file-read-metadata)\n(allow file-read* file-write-data (literal \"/dev/null\"))\n\
         (allow file-read* (literal \"/\"))\n",
    );
    for path in &wall.read {
        let _ = writeln!(text, "(allow file-read* (subpath {}))", quoted(path));
    }
    for path in &wall.write {
        let _ = writeln!(text, "(allow file-read* file-write* (subpath {}))", quoted(path));
    }
    if wall.network {
        text.push_str(
            "(allow system-socket)\n(allow network-outbound (remote ip))\n\
             (allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n",
        );
    }
    text
}

fn quoted(path: &Path) -> String {
    let canonical = path.canonicalize();
    let path = canonical.as_deref().unwrap_or(path).display().to_string();
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(target_os = "macos")]
pub(crate) fn stands() -> Result<crate::Standing, crate::Absent> {
    let tried =
        std::process::Command::new(PROGRAM).args(["-p", &profile(&Wall::system()), "/usr/bin/true"]).status();
    match tried {
        Ok(status) if status.success() => Ok(crate::Standing { mechanisms: "Seatbelt".into() }),
        Ok(status) => Err(crate::Absent(format!("`{PROGRAM}` failed ({status})"))),
        Err(error) => Err(crate::Absent(format!("`{PROGRAM}` does not start ({error})"))),
    }
}

#[cfg(target_os = "macos")]
pub(crate) fn spawn(command: &std::process::Command, wall: &Wall) -> std::io::Result<std::process::Child> {
    let mut confined = std::process::Command::new(PROGRAM);
    confined.arg("-p").arg(profile(wall)).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => confined.env(name, value),
            None => confined.env_remove(name),
        };
    }
    confined.spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_denied_but_what_is_listed() {
        let wall = Wall::default().reading(["/no/such \"one\"".into()]).writing(["/no/such/cache".into()]);
        let profile = profile(&wall);
        assert!(profile.starts_with("(version 1)\n(deny default)\n"), "{profile}");
        assert!(profile.contains("(allow file-read* (subpath \"/no/such \\\"one\\\"\"))\n"), "{profile}");
        assert!(
            profile.ends_with("(allow file-read* file-write* (subpath \"/no/such/cache\"))\n"),
            "{profile}"
        );
        assert!(!profile.contains("network"), "{profile}");
        let open = super::profile(&wall.with_network());
        assert!(open.contains("(allow network-outbound (remote ip))\n"), "{open}");
        let _ = PROGRAM;
    }
}
