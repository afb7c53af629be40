use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::fallback::trust::ownership::is_inside;

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_toolchain_is_known_by_its_folder() {
    let program = Path::new("/home/u/.rustup/toolchains/stable-x86_64/bin/rust-analyzer");
    let toolchain = Toolchain::of(program).unwrap();
    assert_eq!(toolchain.name, "stable-x86_64");
    let environment = Environment::pinned(Some(&toolchain), &[]);
    assert!(environment.set.contains(&("RUSTUP_TOOLCHAIN".into(), "stable-x86_64".into())));
    assert_eq!(Toolchain::of(Path::new("/usr/bin/rust-analyzer")), None);
}

#[tokio::test]
async fn a_probe_says_why_it_failed() {
    let dir = tempfile::tempdir().unwrap();
    let environment = Environment::default();
    let fails = script(dir.path(), "fails", "echo first >&2; echo last words >&2; exit 3");
    let cause = probe(&fails, &[], &environment).await.unwrap_err();
    assert_eq!(cause, "failed (exit status: 3: last words)");
    let silent = script(dir.path(), "silent", "exit 0");
    let cause = probe(&silent, &[], &environment).await.unwrap_err();
    assert_eq!(cause, "failed (exit status: 0: it says nothing)");
    let cause = probe(Path::new("/no/such"), &[], &environment).await.unwrap_err();
    assert!(cause.starts_with("does not start"), "{cause}");
}

#[tokio::test]
async fn what_lies_in_the_workspace_is_never_run() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().canonicalize().unwrap();
    let inside = script(&workspace.join("bin"), "rustup", "echo /bin/sh");
    assert!(is_inside(&inside, std::slice::from_ref(&workspace)));
    let rustup = tempfile::tempdir().unwrap();
    let outside = script(rustup.path(), "rustup", &format!("echo {}", inside.display()));
    let cause = rustup_which(&outside, &[], "rust-analyzer", &[workspace]).await.unwrap_err();
    assert!(cause.contains("lies in the workspace"), "{cause}");
}

#[test]
fn the_error_names_what_was_tried() {
    let error = NotFound {
        server: "rust-analyzer",
        tried: vec!["`rustup which rust-analyzer` failed (1)".into(), "no `rust-analyzer` is there".into()],
        remedy: InstallHint::Install("rustup component add rust-analyzer"),
    };
    assert_eq!(
        error.to_string(),
        "rust-analyzer is not installed or does not start: `rustup which rust-analyzer` failed (1); \
         no `rust-analyzer` is there"
    );
}

#[tokio::test]
async fn a_probe_that_hangs_ends_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let hangs = script(dir.path(), "hangs", &format!("sleep 600 & echo $! > {}; wait", pid.display()));
    let environment = Environment::default();
    let cause =
        run(std::process::Command::new(hangs), &environment, Duration::from_secs(3)).await.unwrap_err();
    assert_eq!(cause, "did not answer within 3 seconds");
    let child = fs::read_to_string(pid).unwrap();
    let environment = || fs::read(format!("/proc/{}/environ", child.trim())).unwrap_or_default();
    let end = std::time::Instant::now() + Duration::from_secs(600);
    while !environment().is_empty() {
        assert!(std::time::Instant::now() < end, "the child is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
