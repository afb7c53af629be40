//! Cases of the plugin protocol that need the whole chain, named after their ids. The others are the data of
//! `shared/plugin-protocol/cases`, and of `examples/plugin-sdk/tests` for the plugin's side.
//!
//! Not built, and why:
//!
//! - V08, V09, V17: programs have no sets, iterators, bytes or other keys than text, and no objects of classes that run in
//!   the host.
//! - S02, S06: the host runs no source. Calls of it fail with that reason.
//! - W02, W03, W04, P37: plugins over HTTP, and fetchers, are optional parts of the protocol.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;

use crate::plugin_chain::{SESSION, User, write_plugin};

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        h13_what_a_plugin_says_at_its_start_costs_nothing,
        h18_a_folder_is_read_in_the_order_of_names,
        h20_a_plugin_that_is_found_twice_starts_once,
        h21_a_plugin_runs_in_the_workspace_without_arguments,
        f02_a_function_that_is_not_declared_is_not_sent,
        o05_an_object_is_released_once,
        o06_an_object_that_nothing_reaches_ends,
        t02_calls_of_one_program_that_may_write_follow_each_other,
    ]
}

/// Writes an executable of the shell.
fn write_script(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Returns a user without plugins.
fn user() -> Result<User> {
    let mut user = User::new()?;
    user.plugins.clear();
    Ok(user)
}

async fn h13_what_a_plugin_says_at_its_start_costs_nothing() -> Result<()> {
    let mut user = user()?;
    let plugin = user.path("chatty");
    write_plugin(&plugin, "chatty", "told", "one")?;
    let text = std::fs::read_to_string(&plugin)?;
    std::fs::write(&plugin, text.replacen('\n', "\necho 'warming up' >&2\n", 1))?;
    user.plugins.push(plugin);
    let (mut chain, _shims) = user.session(&[]).await?;
    assert_eq!(chain.call("chatty.told()").await?.text, r#""one""#);
    chain.end().await
}

async fn h18_a_folder_is_read_in_the_order_of_names() -> Result<()> {
    let user = user()?;
    let folder = user.settings().join("dialect/plugins");
    std::fs::create_dir_all(folder.join("c-folder"))?;
    write_plugin(&folder.join("a-first"), "dup", "told", "first")?;
    write_plugin(&folder.join("b-second"), "dup", "told", "second")?;
    write_plugin(&folder.join(".hidden"), "hidden", "told", "hidden")?;
    std::fs::write(folder.join("d-text"), "no executable")?;
    let elsewhere = user.path("elsewhere");
    write_plugin(&elsewhere, "linked", "told", "linked")?;
    symlink(&elsewhere, folder.join("e-link"))?;
    symlink(user.workspace(), folder.join("f-folder-link"))?;
    symlink(user.path("nothing"), folder.join("g-dangling"))?;
    write_script(&folder.join("h-format"), "this has no first line that names an interpreter\n")?;
    let (code, said) = user.dialect(&["plugins", "list"])?;
    // The first of a name counts. A hidden file and a link to an executable are plugins like others. Folders, and files
    // that cannot be executed, are none. A link to nothing is told, and so is what does not start.
    for part in [
        "dup 1\n",
        "not there: ignored: duplicate library `dup`",
        "hidden 1\n",
        "linked 1\n",
        "f-folder-link: it is no file",
        "g-dangling: it leads nowhere",
    ] {
        ensure!(said.contains(part), "{part}: {said}");
    }
    let format = said.split("h-format").nth(1).unwrap_or_default();
    ensure!(format.starts_with("\n  not there: "), "{said}");
    ensure!(code == Some(1) && !said.contains("d-text") && !said.contains("c-folder"), "{said}");
    let place = |name: &str| said.find(name).unwrap_or(usize::MAX);
    ensure!(place(".hidden") < place("a-first") && place("a-first") < place("b-second"), "{said}");
    Ok(())
}

async fn h20_a_plugin_that_is_found_twice_starts_once() -> Result<()> {
    let user = user()?;
    let folder = user.settings().join("dialect");
    std::fs::create_dir_all(folder.join("plugins"))?;
    write_plugin(&folder.join("plugins/once"), "once", "told", "one")?;
    let folders = format!("[plugins]\nfolders = [{0:?}, {0:?}]\n", folder.join("plugins"));
    std::fs::write(folder.join("config.toml"), folders)?;
    let (code, said) = user.dialect(&["plugins", "list"])?;
    ensure!(code == Some(0) && said.matches("once 1\n").count() == 1, "{said}");
    Ok(())
}

async fn h21_a_plugin_runs_in_the_workspace_without_arguments() -> Result<()> {
    let mut user = user()?;
    let plugin = user.path("where");
    write_plugin(&plugin, "where", "told", "")?;
    let text = std::fs::read_to_string(&plugin)?;
    let value = r#"{"type":"string","value":""}"#;
    let facts = r#"{"type":"string","value":"'"$(pwd -P) $# $SCRIPTLING_PLUGIN_PEER"'"}"#;
    ensure!(text.contains(value), "{text}");
    std::fs::write(&plugin, text.replace(value, facts))?;
    user.plugins.push(plugin);
    let (mut chain, _shims) = user.session(&[]).await?;
    let said = chain.call("where.told()").await?.text;
    let expected = format!("\"{} 0 0.", user.workspace().canonicalize()?.display());
    ensure!(said.starts_with(&expected), "{said}");
    chain.end().await
}

async fn f02_a_function_that_is_not_declared_is_not_sent() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    // The probe would answer whatever its name.
    for program in ["probe.nosuch(1)", "{\"probe.nosuch\": [1]}", "probe.Counter(1).nosuch()"] {
        let said = chain.call(program).await?.text;
        ensure!(said.starts_with("failure: ") && said.contains("nosuch"), "{program}: {said}");
    }
    chain.end().await
}

async fn o05_an_object_is_released_once() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    let made = chain.call("probe.Counter(1)").await?.text;
    assert_eq!(chain.call(&format!("{made}.release()")).await?.text, "null");
    for later in ["release()", "inc(1)"] {
        let said = chain.call(&format!("{made}.{later}")).await?.text;
        ensure!(said.contains("is gone"), "{later}: {said}");
    }
    assert_eq!(chain.call("probe.destroyed()").await?.text, "1", "the second release was not sent");
    chain.end().await
}

async fn o06_an_object_that_nothing_reaches_ends() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    assert_eq!(chain.call("probe.Counter(1).inc(1)").await?.text, "2");
    assert_eq!(chain.call("probe.destroyed()").await?.text, "1");
    chain.end().await
}

async fn t02_calls_of_one_program_that_may_write_follow_each_other() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    // Each call waits for its function, which asks how many wait.
    let call = "probe.call(n => probe.pending(), 1)";
    for program in [format!("[{call}, {call}, {call}]"), format!("[1, 2, 3].map(n => {call})")] {
        assert_eq!(chain.call(&program).await?.text, "[1,1,1]", "{program}");
    }
    chain.end().await
}
