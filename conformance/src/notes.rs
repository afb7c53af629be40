//! A library that really writes: notes in a folder. No library that is built in does, so scenarios about permission
//! bring this one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use component::permission::{Capability, Kind, Scope};
use component::{Extension, State};
use dialect::{Effect, Failure, Function, Interrupt, Invocation, Library, Requirement, Value};
use futures::FutureExt;

/// Names the folder to a process of ours.
pub const VARIABLE: &str = "DIALECT_TEST_NOTES";

/// The variable for the time that such a process waits for the user, in milliseconds.
pub const PATIENCE: &str = "DIALECT_TEST_PATIENCE";

/// The library over that folder.
pub fn extension(folder: PathBuf) -> Extension {
    let folder: Arc<Path> = folder.into();
    let row = |signature: &str, run: fn(&Path, &Invocation) -> Result<Value, Interrupt>| {
        let folder = Arc::clone(&folder);
        let code = move |invocation: Invocation| {
            let folder = Arc::clone(&folder);
            async move { run(&folder, &invocation) }.boxed()
        };
        Function::new(signature, "For tests.", code)
    };
    let below = |capability: &str| Requirement::new(capability).restricted("paths", ["notes/**"]);
    let functions = vec![
        row("writeNote(name: string, text: string) -> string", write).requires(below("notes/Write")),
        row("removeNote(name: string) -> string", remove).requires(Requirement::new("notes/Remove")),
        row("publishNote(name: string) -> string", read).requires(Requirement::new("notes/Publish")),
        row("readNote(name: string) -> string", read).effect(Effect::Reads),
        row("shout(text: string) -> string", shout),
    ];
    let capabilities = vec![
        Capability::new("notes/Write", "Write notes into your workspace").kind(Kind::Edit),
        Capability::new("notes/Remove", "Remove\u{202e} notes\nfor ever")
            .kind(Kind::Delete)
            .scopes([Scope::Once]),
        Capability::new("notes/Upload", "Send notes to a server").kind(Kind::Fetch),
        Capability::composed("notes/Publish", vec![below("notes/Write"), Requirement::new("notes/Upload")]),
    ];
    Extension {
        library: Library { name: "notes".to_owned(), functions, ..Library::default() },
        origin: Some("note-tools".to_owned()),
        capabilities,
    }
}

/// The component's configuration with the library, as the environment says: for real processes.
///
/// # Errors
/// When there is no folder, or the library does not fit.
pub fn from_environment(config: &mut component::Config) -> anyhow::Result<()> {
    let folder = std::env::var_os(VARIABLE).ok_or_else(|| anyhow::anyhow!("{VARIABLE} is not set"))?;
    let patience = std::env::var(PATIENCE).ok().map(|it| it.parse()).transpose()?;
    set_up(config, folder.into(), patience, State::of_user())
}

/// The same, as the arguments say.
///
/// # Errors
/// When the library does not fit.
pub fn set_up(
    config: &mut component::Config,
    folder: PathBuf,
    patience: Option<u64>,
    state: Option<State>,
) -> anyhow::Result<()> {
    if let Some(patience) = patience {
        let patience = std::time::Duration::from_millis(patience);
        (config.patience, config.deadline) = (patience, patience);
    }
    config.state = state;
    Ok(config.extend(extension(folder))?)
}

fn path(folder: &Path, invocation: &Invocation) -> Result<PathBuf, Failure> {
    Ok(folder.join(invocation.arguments.text("name")?))
}

fn failed(error: &std::io::Error) -> Interrupt {
    Failure::raised("notWritten", error.to_string()).into()
}

fn write(folder: &Path, invocation: &Invocation) -> Result<Value, Interrupt> {
    let text = invocation.arguments.text("text")?;
    let path = path(folder, invocation)?;
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map(|()| format!("wrote {} bytes", text.len()).into()).map_err(|error| failed(&error))
}

fn remove(folder: &Path, invocation: &Invocation) -> Result<Value, Interrupt> {
    std::fs::remove_file(path(folder, invocation)?).map(|()| "removed".into()).map_err(|error| failed(&error))
}

fn read(folder: &Path, invocation: &Invocation) -> Result<Value, Interrupt> {
    std::fs::read_to_string(path(folder, invocation)?).map(Into::into).map_err(|error| failed(&error))
}

fn shout(_: &Path, invocation: &Invocation) -> Result<Value, Interrupt> {
    Ok(invocation.arguments.text("text")?.to_uppercase().into())
}
