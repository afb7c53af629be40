//! Files outside of an untrusted workspace stay unread: no text of theirs reaches the agent. Neither a spelling of a
//! path, nor a symbolic link, nor a language server's answer leads there, whoever is asked.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use adapter::fallback::{Caller, Config, Fallback};
use anyhow::{Result, anyhow, ensure};
use conformance::workspace::Workspace;
use ide_protocol::{IdeError, Operation};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        no_spelling_of_a_path_and_no_answer_leads_to_a_text_outside,
        in_a_trusted_workspace_what_an_answer_named_is_read,
        a_link_that_takes_the_place_of_a_file_is_not_followed,
        files_of_git_in_a_workspace_lead_to_no_text_outside,
    ]
}

/// The text of the files that nobody may read.
const SECRET: &str = "hunter2";

/// A text whose every line holds the secret.
const TEXT: &str = "fn entry() { hunter2() } // hunter2\nuse hunter2; // hunter2\n";

/// The number of requests for a file while a link takes its place and goes.
const RACES: usize = 400;

/// The least number of times that the file itself is read, which shows that it could be read.
const LEAST_READ: usize = 20;

/// The operations that take a path or a place.
const OPERATIONS: [&str; 27] = [
    "lines",
    "search",
    "matches",
    "files",
    "outline",
    "fileDefinitions",
    "members",
    "exports",
    "imports",
    "importers",
    "symbols",
    "diagnostics",
    "definitions",
    "definitionsNear",
    "references",
    "declarations",
    "typeDefinitions",
    "implementations",
    "callers",
    "callees",
    "supertypes",
    "subtypes",
    "description",
    "rename",
    "codeActions",
    "format",
    "organizeImports",
];

/// A workspace with links out of it, the files that they lead to, and a fallback whose server answers as it is told.
struct World {
    workspace: Workspace,
    outside: TempDir,
    fallback: Fallback,
}

impl World {
    fn new(answers: impl Fn(&Path, &Path) -> Value, trust: bool) -> Result<Self> {
        let outside = TempDir::with_prefix("secrets-")?;
        let folder = outside.path().canonicalize()?;
        fs::create_dir_all(folder.join("deep"))?;
        for name in ["secret.rs", "deep/secret.rs", "secret", "other.rs"] {
            fs::write(folder.join(name), TEXT)?;
        }
        let workspace = Workspace::new([
            ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", "pub fn one() {}\n\npub fn two() {\n    one();\n}\n"),
        ])?;
        let root = workspace.root();
        symlink(folder.join("secret.rs"), root.join("link.rs"))?;
        symlink(folder.join("secret.rs"), root.join("src/link.rs"))?;
        symlink("link.rs", root.join("twice.rs"))?;
        symlink(&folder, root.join("folder"))?;
        symlink("/", root.join("root"))?;
        symlink("/proc/self/root", root.join("proc"))?;
        let programs = crate::programs()?;
        let mut config = Config::new(programs.path("dialect-under-test"));
        config.level = trust.then_some(adapter::fallback::Level::Trusted);
        let plan = json!({ "answers": answers(root, &folder) });
        let command: Vec<OsString> =
            vec![programs.path("fake-language-server").into(), "--plan".into(), plan.to_string().into()];
        config.servers.insert("rust".into(), command);
        let fallback = Fallback::new(config);
        fallback.open_session("s", vec![root.to_owned()]);
        Ok(Self { workspace, outside, fallback })
    }

    fn secret(&self) -> PathBuf {
        self.outside.path().canonicalize().expect("it is there").join("secret.rs")
    }

    /// Asks with a path; the whole answer, or the whole error.
    async fn ask(&self, operation: &str, path: &str) -> String {
        // Where `one` and `entry` stand.
        let column = if path.ends_with("lib.rs") { 8 } else { 4 };
        let at = json!({ "path": path, "line": 1, "column": column });
        let (place, near) = (json!({ "at": at }), json!({ "name": "entry", "at": at }));
        let about = |target: &Value| json!({ "target": target, "depth": 1, "includeDeclaration": true });
        let here = || json!({ "path": path });
        let params = match operation {
            "lines" => json!({ "path": path, "first": 1, "last": 9 }),
            "search" => json!({ "path": path, "pattern": "." }),
            "matches" => json!({ "path": path, "pattern": "fn $F() { $$$B }", "language": "rust" }),
            "files" => json!({ "glob": path }),
            "symbols" => json!({ "path": path, "query": "hunter" }),
            "definitionsNear" => about(&near),
            "rename" => json!({ "target": place, "newName": "other" }),
            "outline" | "fileDefinitions" | "exports" | "imports" | "importers" | "diagnostics"
            | "codeActions" | "format" | "organizeImports" => here(),
            _ => about(&place),
        };
        let name = operation.trim_end_matches("Near");
        let operation = Operation::from_name(name).expect("the list has names of operations");
        told(self.fallback.answer(operation, request(params), Caller::default()).await)
    }

    /// Asks everything about everything. How many answers there were, and those that hold the secret.
    async fn ask_all(&self, paths: &[String]) -> (usize, Vec<String>) {
        let (mut count, mut leaks) = (0, Vec::new());
        for path in paths {
            for operation in OPERATIONS {
                let answer = self.ask(operation, path).await;
                // Errors repeat what was asked, which names no secret.
                count += 1;
                if answer.contains(SECRET) {
                    leaks.push(format!("{operation} {path:?}: {answer}"));
                }
            }
        }
        (count, leaks)
    }
}

fn request(mut fields: Value) -> Value {
    fields["sessionId"] = "s".into();
    // A machine may be busy, and it is the server that leads outside.
    fields["deadlineMs"] = 600_000.into();
    fields["waitMs"] = 600_000.into();
    fields
}

fn told(answer: Result<Value, IdeError>) -> String {
    match answer {
        Ok(answer) => answer.to_string(),
        Err(error) => format!("error: {error:?}"),
    }
}

/// The spellings of files outside.
fn spellings(root: &Path, secret: &Path) -> Vec<String> {
    let (absolute, folder) = (secret.display().to_string(), secret.parent().unwrap_or(secret).display());
    let name = folder.to_string().rsplit('/').next().unwrap_or_default().to_owned();
    let up = "../".repeat(root.components().count() - 1);
    let bare = absolute.trim_start_matches('/');
    let pid = std::process::id();
    let encoded: String = absolute.bytes().map(|it| format!("%{it:02x}")).collect();
    let mut all = vec![
        absolute.clone(),
        format!("{up}{bare}"),
        format!("../{name}/secret.rs"),
        format!("./../{name}/secret.rs"),
        format!("src/../../{name}/secret.rs"),
        format!("src/./.././../{name}/./secret.rs"),
        format!("..//{name}//secret.rs"),
        format!("//{bare}"),
        format!("///{bare}"),
        format!("/./{bare}"),
        format!("/../{bare}"),
        format!("{}/../{name}/secret.rs", root.display()),
        format!("{folder}/deep/../secret.rs"),
        format!("{folder}/deep/secret.rs"),
        format!("{folder}/secret"),
        format!("{folder}"),
        format!("/proc/self/root{absolute}"),
        format!("/proc/self/cwd/{up}{bare}"),
        format!("/proc/{pid}/root{absolute}"),
        format!("/proc/thread-self/root{absolute}"),
        format!("file://{absolute}"),
        format!("file://localhost{absolute}"),
        format!("file:{absolute}"),
        format!("FILE://{absolute}"),
        format!("file://{encoded}"),
        encoded,
        format!("..%2f{name}%2fsecret.rs"),
        format!("%2e%2e/{name}/secret.rs"),
        format!("..\\{name}\\secret.rs"),
        format!("{absolute}\0.rs"),
        format!("src/lib.rs\0/../../../{name}/secret.rs"),
        format!("{absolute}/"),
        format!("{absolute}/."),
        format!("{absolute}."),
        format!("{absolute} "),
        format!("\u{2024}\u{2024}/{name}/secret.rs"),
        format!("..\u{2215}{name}\u{2215}secret.rs"),
        format!("\u{ff0e}\u{ff0e}\u{ff0f}{name}\u{ff0f}secret.rs"),
        format!("~/../{bare}"),
        "link.rs".to_owned(),
        "./link.rs".to_owned(),
        "src/link.rs".to_owned(),
        "twice.rs".to_owned(),
        "folder".to_owned(),
        "folder/secret.rs".to_owned(),
        "folder/deep/../secret.rs".to_owned(),
        format!("root/{bare}"),
        format!("proc/{bare}"),
        format!("root/proc/self/root{absolute}"),
        "/dev/fd/0".to_owned(),
        "/etc/passwd".to_owned(),
    ];
    all.sort();
    all.dedup();
    all
}

/// Answers of a server that lead to the secret in every way that the protocol has.
fn hostile(root: &Path, folder: &Path) -> Value {
    let range = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 8 } });
    let uris = [
        format!("file://{}/secret.rs", folder.display()),
        format!("file://{}/link.rs", root.display()),
        format!("file://{}/folder/other.rs", root.display()),
        format!("file://{}/src/../root{}/deep/secret.rs", root.display(), folder.display()),
        format!("file:///proc/self/root{}/secret", folder.display()),
        format!("file://{}/%73ecret.rs", folder.display()),
        "file:///etc/passwd".to_owned(),
    ];
    let locations: Vec<_> = uris.iter().map(|uri| json!({ "uri": uri, "range": range })).collect();
    let link =
        |uri: &String| json!({ "targetUri": uri, "targetRange": range, "targetSelectionRange": range });
    let links: Vec<_> = uris.iter().map(link).collect();
    let item = |uri: &String| json!({ "name": "entry", "kind": 12, "uri": uri, "range": range, "selectionRange": range });
    let items: Vec<_> = uris.iter().map(item).collect();
    let calls = |side: &str| -> Vec<_> {
        items.iter().map(|it| json!({ side: it, "fromRanges": [range] })).collect()
    };
    let symbols: Vec<_> =
        locations.iter().map(|it| json!({ "name": "entry", "kind": 12, "location": it })).collect();
    let changes: serde_json::Map<_, _> =
        uris.iter().map(|it| (it.clone(), json!([{ "range": range, "newText": "x" }]))).collect();
    let edit = json!({ "changes": changes });
    json!({
        "textDocument/definition": links,
        "textDocument/declaration": locations,
        "textDocument/typeDefinition": links,
        "textDocument/implementation": locations,
        "textDocument/references": locations,
        "workspace/symbol": symbols,
        "textDocument/prepareCallHierarchy": items,
        "textDocument/prepareTypeHierarchy": items,
        "callHierarchy/incomingCalls": calls("from"),
        "callHierarchy/outgoingCalls": calls("to"),
        "typeHierarchy/supertypes": items,
        "typeHierarchy/subtypes": items,
        "textDocument/rename": edit,
        "textDocument/codeAction": [{ "title": "all", "kind": "quickfix", "edit": edit }],
        "textDocument/hover": { "contents": "```rust\nfn entry()\n```" },
        "textDocument/documentSymbol": [],
        "textDocument/formatting": [],
    })
}

fn no_spelling_of_a_path_and_no_answer_leads_to_a_text_outside() -> Result<()> {
    run(ask_in_every_way)
}

/// Runs a test where all operations have room on the stack, which debug builds lay out side by side.
fn run<F: Future<Output = Result<()>>>(test: impl FnOnce() -> F + Send + 'static) -> Result<()> {
    let thread = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
    let tested = thread.spawn(|| tokio::runtime::Runtime::new()?.block_on(test()))?.join();
    tested.unwrap_or_else(|_| Err(anyhow!("it panicked")))
}

async fn ask_in_every_way() -> Result<()> {
    let world = World::new(hostile, false)?;
    let outside = spellings(world.workspace.root(), &world.secret());
    ensure!(outside.len() >= 34, "{} spellings", outside.len());
    let (count, leaks) = world.ask_all(&outside).await;
    ensure!(leaks.is_empty(), "{} of {count} before they were named: {leaks:#?}", leaks.len());
    // Now answers name them: asked about our own code, the server leads outside.
    let (named, leaks) = world.ask_all(&["src/lib.rs".to_owned(), ".".to_owned()]).await;
    ensure!(leaks.is_empty(), "{} of {named} that lead outside: {leaks:#?}", leaks.len());
    let led = world.ask("definitions", "src/lib.rs").await;
    let secret = world.secret().display().to_string();
    ensure!(led.contains(&secret) && led.contains("not read"), "places are named, and it is said: {led}");
    let refused = world.ask("lines", &secret).await;
    ensure!(refused.contains("it is not read") && refused.contains("--trust"), "{refused}");
    let (count, leaks) = world.ask_all(&outside).await;
    ensure!(leaks.is_empty(), "{} of {count} after they were named: {leaks:#?}", leaks.len());
    world.fallback.shutdown().await;
    Ok(())
}

/// The same answers in a trusted workspace: what they name may be read, so that what is refused above is there.
fn in_a_trusted_workspace_what_an_answer_named_is_read() -> Result<()> {
    run(ask_in_a_trusted_workspace)
}

async fn ask_in_a_trusted_workspace() -> Result<()> {
    let world = World::new(hostile, true)?;
    let secret = world.secret().display().to_string();
    ensure!(!world.ask("lines", &secret).await.contains(SECRET), "nothing has named it yet");
    let led = world.ask("definitions", "src/lib.rs").await;
    ensure!(led.contains(SECRET), "{led}");
    ensure!(world.ask("lines", &secret).await.contains(SECRET));
    let passwords = world.ask("lines", "/etc/passwd").await;
    ensure!(passwords.starts_with("error"), "nobody reads the system's files: {passwords}");
    world.fallback.shutdown().await;
    Ok(())
}

fn a_link_that_takes_the_place_of_a_file_is_not_followed() -> Result<()> {
    run(ask_while_links_come)
}

async fn ask_while_links_come() -> Result<()> {
    let world = World::new(|_, _| json!({}), false)?;
    let (file, secret) = (world.workspace.root().join("src/swapped.rs"), world.secret());
    let (plain, link) = (world.workspace.root().join("plain"), world.workspace.root().join("other"));
    fs::write(&file, "fn mine() {}\n")?;
    let (is_over, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut leaks, mut n_read, mut round) = (Vec::new(), 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mine = world.workspace.root().join("mine");
            let _ = fs::write(&mine, "fn mine() {}\n");
            while !is_over.load(Ordering::Relaxed) {
                // Renamed over the file, each takes its place at once.
                let _ = fs::hard_link(&mine, &plain).and_then(|()| fs::rename(&plain, &file));
                std::thread::yield_now();
                let _ = symlink(&secret, &link).and_then(|()| fs::rename(&link, &file));
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let asking = async {
            while (round < RACES || n_read < LEAST_READ) && round < RACES * 100 {
                round += 1;
                let operation = ["lines", "search", "matches", "outline"][round % 4];
                let answer = world.ask(operation, "src/swapped.rs").await;
                n_read += usize::from(answer.contains("mine"));
                if answer.contains(SECRET) {
                    leaks.push(format!("{operation}: {answer}"));
                }
            }
            is_over.store(true, Ordering::Relaxed);
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(asking));
    });
    let swaps = swaps.into_inner();
    ensure!(leaks.is_empty(), "{} of {round} while {swaps} links came: {leaks:#?}", leaks.len());
    ensure!(n_read >= LEAST_READ && swaps > RACES / 4, "nothing was tried: {n_read} read, {swaps} links");
    eprintln!("{n_read} of {round} read the file itself while {swaps} links came");
    world.fallback.shutdown().await;
    Ok(())
}

/// Writes a file for git, and the folders that it stands in.
fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, text)?;
    Ok(())
}

/// A way in which a workspace claims that the folder with the secret is a work tree of its repository.
type Claim = fn(root: &Path, users: &Path, folder: &Path) -> Result<()>;

/// The claims. The repository of the user has the folder with the secret as a linked work tree.
const CLAIMS: &[(&str, Claim)] = &[
    ("an entry of the workspace names the folder", |root, _, folder| {
        write(&root.join(".git/worktrees/x/gitdir"), &folder.join(".git").display().to_string())?;
        write(&root.join(".git/worktrees/x/commondir"), "../..")
    }),
    ("an entry is a link to the user's", |root, users, _| {
        fs::create_dir_all(root.join(".git/worktrees"))?;
        Ok(symlink(users.join(".git/worktrees/secrets"), root.join(".git/worktrees/secrets"))?)
    }),
    ("all entries are the user's", |root, users, _| {
        fs::create_dir_all(root.join(".git"))?;
        Ok(symlink(users.join(".git/worktrees"), root.join(".git/worktrees"))?)
    }),
    ("`.git` is a link to the user's", |root, users, _| Ok(symlink(users.join(".git"), root.join(".git"))?)),
    ("`.git` is a link to that of the folder", |root, _, folder| {
        Ok(symlink(folder.join(".git"), root.join(".git"))?)
    }),
    ("`.git` names the user's repository", |root, users, _| {
        write(&root.join(".git"), &format!("gitdir: {}/.git\n", users.display()))
    }),
    ("`.git` names the user's entry", |root, users, _| {
        write(&root.join(".git"), &format!("gitdir: {}/.git/worktrees/secrets\n", users.display()))
    }),
    ("a submodule names the user's entry", |root, users, _| {
        fs::create_dir_all(root.join(".git"))?;
        write(&root.join("sub/.git"), &format!("gitdir: {}/.git/worktrees/secrets\n", users.display()))
    }),
    ("an entry of its own shares with the user's repository", |root, users, _| {
        write(&root.join(".git"), "gitdir: fake/worktrees/x\n")?;
        write(&root.join("fake/worktrees/x/gitdir"), &root.join(".git").display().to_string())?;
        write(&root.join("fake/worktrees/x/commondir"), &users.join(".git").display().to_string())
    }),
    ("the configuration names the folder", |root, users, folder| {
        write(&root.join(".git/commondir"), &users.join(".git").display().to_string())?;
        write(&root.join(".git/config"), &format!("[core]\n\tworktree = {}\n", folder.display()))
    }),
    ("a module's configuration names the folder", |root, _, folder| {
        write(&root.join(".git"), "gitdir: module\n")?;
        write(&root.join("module/config"), &format!("[core]\n\tworktree = {}\n", folder.display()))
    }),
];

fn files_of_git_in_a_workspace_lead_to_no_text_outside() -> Result<()> {
    run(claim_in_every_way)
}

async fn claim_in_every_way() -> Result<()> {
    for (name, claim) in CLAIMS {
        let world = World::new(hostile, false)?;
        let users = TempDir::with_prefix("users-")?;
        let (users, secret) = (users.path().canonicalize()?, world.secret());
        let folder = secret.parent().unwrap_or(&secret);
        write(&users.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        write(&users.join(".git/worktrees/secrets/gitdir"), &folder.join(".git").display().to_string())?;
        write(&users.join(".git/worktrees/secrets/commondir"), "../..\n")?;
        write(&folder.join(".git"), &format!("gitdir: {}/.git/worktrees/secrets\n", users.display()))?;
        write(&users.join("main.rs"), TEXT)?;
        claim(world.workspace.root(), &users, folder)?;
        let file = |path: &Path| path.display().to_string();
        let paths =
            [&secret, &folder.join("deep/secret.rs"), &users.join("main.rs"), folder, &users].map(file);
        let linked = ["folder/secret.rs", "folder", "link.rs", "."].map(str::to_owned);
        let (count, leaks) = world.ask_all(&[&paths[..], &linked[..]].concat()).await;
        ensure!(leaks.is_empty(), "{name}: {} of {count}: {leaks:#?}", leaks.len());
        let draft = json!({"title": "T", "files": [{"path": file(&folder.join("new.rs")), "after": "x"}]});
        let drafted = world.fallback.answer(Operation::Draft, request(draft), Caller::default()).await;
        ensure!(drafted.is_err(), "{name}: {drafted:?}");
        world.fallback.shutdown().await;
    }
    // If the folder says it too, it is a work tree, so that the claims above lack only its word.
    let world = World::new(hostile, false)?;
    let (root, secret) = (world.workspace.root(), world.secret());
    let folder = secret.parent().unwrap_or(&secret);
    CLAIMS[0].1(root, root, folder)?;
    write(&folder.join(".git"), &format!("gitdir: {}/.git/worktrees/x\n", root.display()))?;
    let read = world.ask("lines", &secret.display().to_string()).await;
    ensure!(read.contains(SECRET), "{read}");
    world.fallback.shutdown().await;
    Ok(())
}
