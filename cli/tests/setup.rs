//! `dialect setup`, as a user with settings of their own runs it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        removing_gives_back_the_settings_to_the_byte,
        what_the_user_changed_since_stays,
        an_entry_of_the_users_own_comes_back,
        nothing_is_written_without_consent,
        settings_that_cannot_be_read_are_left_alone,
        a_link_to_the_settings_stays_one,
        the_agent_and_the_workspace_are_the_users_choice,
        clients_on_this_machine_are_listed
    ]
}

/// A user with a home folder.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> Self {
        Self { home: TempDir::new().expect("a folder") }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder is made");
        fs::write(path, text).expect("it is written");
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    /// Runs `dialect setup`, and returns its exit code and all that it said.
    fn setup(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dialect"));
        command.arg("setup").args(arguments).env_clear().env("HOME", self.home.path());
        command.current_dir(self.home.path()).stdin(Stdio::null());
        let output = command.output().expect("it starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().expect("it exits"), String::from_utf8(said).expect("it prints text"))
    }

    fn set_up(&self, arguments: &[&str]) -> String {
        let (code, said) = self.setup(&[arguments, &["--yes"]].concat());
        assert_eq!(code, 0, "{said}");
        said
    }
}

/// The clients with settings files, each with its file below the home folder.
const CLIENTS: [(&str, &str); 10] = [
    ("claude-code", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("opencode", ".config/opencode/opencode.jsonc"),
    ("copilot", ".copilot/mcp-config.json"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", VSCODE),
    ("zed", ".config/zed/settings.json"),
    ("jetbrains", ".jetbrains/acp.json"),
];

const VSCODE: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};

const JSON: [&str; 6] = [
    "{}",
    "{\n  // mine\n  \"theme\": \"dark\", /* and this */\n}\n",
    r#"{"mcpServers":{"other":{"command":"x"}},"servers":{},"agent_servers":{}, "mcp":{ }}"#,
    "// before\r\n{\r\n\t\"mcpServers\": {\r\n\t\t\"other\": {},\r\n\t},\r\n}\r\n// behind",
    "",
    "{\n\n    \"agent_servers\": {\n        \"Other\": { \"type\": \"custom\" } // mine\n    }\n\n}",
];

const TOML: [&str; 5] = [
    "",
    "# mine\nmodel = 'x'   # and this\n",
    "[mcp_servers.other]\ncommand = \"y\"\n\n[tui]\nnotifications = true\n# at the end",
    "mcp_servers = { other = { command = \"y\" } }\n",
    "[mcp_servers]\n",
];

fn removing_gives_back_the_settings_to_the_byte() {
    for (client, path) in CLIENTS {
        // One client of each format has all texts; the others share their code.
        let texts = match client {
            "codex" => &TOML[..],
            "zed" => &JSON[..],
            _ => &JSON[..1],
        };
        for before in texts.iter().map(|it| Some(*it)).chain([None]) {
            let user = User::new();
            if let Some(text) = before {
                user.write(path, text);
            }
            let said = user.set_up(&[client]);
            let written = user.read(path).expect("it is there");
            assert!(written.contains("dialect") && said.contains("+++"), "{client}: {written} {said}");
            let again = user.set_up(&[client]);
            assert!(again.contains("already") && user.read(path) == Some(written), "{client}: {again}");
            user.set_up(&[client, "--remove"]);
            assert_eq!(user.read(path).as_deref(), before, "{client}");
            assert!(user.set_up(&[client, "--remove"]).contains("has no settings of Dialect"));
        }
    }
}

fn what_the_user_changed_since_stays() {
    let user = User::new();
    let file = ".gemini/settings.json";
    let edit = |from: &str, to: &str| {
        let text = user.read(file).expect("it is there");
        assert!(text.contains(from), "{text}");
        user.write(file, &text.replace(from, to));
    };
    user.set_up(&["gemini"]);
    edit("{\n  \"mcpServers\"", "{\n  \"theme\": 1,\n  \"mcpServers\"");
    user.set_up(&["gemini", "--remove"]);
    let left = user.read(file).expect("the user's part stays");
    assert!(left.contains("\"theme\": 1") && !left.contains("\"dialect\""), "{left}");
    // Where the entry itself was changed it goes all the same, and nothing else.
    user.set_up(&["gemini"]);
    edit("\"mcp\"", "\"mcp\", \"--more\"");
    user.set_up(&["gemini", "--remove"]);
    let left = user.read(file).expect("the user's part stays");
    assert!(left.contains("\"theme\": 1") && !left.contains("\"dialect\""), "{left}");
}

fn an_entry_of_the_users_own_comes_back() {
    let user = User::new();
    let own = r#"{"mcpServers": {"dialect": {"command": "/my/own"}, "b": {}}}"#;
    user.write(".gemini/settings.json", own);
    let said = user.set_up(&["gemini"]);
    assert!(said.contains("/my/own"), "{said}");
    // Set up in another way, it is still the user's own entry that comes back.
    user.set_up(&["gemini", "--workspace", "."]);
    user.set_up(&["gemini", "--remove"]);
    assert_eq!(user.read(".gemini/settings.json").as_deref(), Some(own));
}

fn nothing_is_written_without_consent() {
    let user = User::new();
    let (code, said) = user.setup(&["zed"]);
    assert!(code == 1 && said.contains("+  \"agent_servers\"") && said.contains("--yes"), "{said}");
    let (code, said) = user.setup(&["zed", "--print"]);
    assert!(code == 0 && said.contains("\"type\": \"custom\""), "{said}");
    let (code, said) = user.setup(&["avante"]);
    assert!(code == 0 && said.contains("acp_providers"), "{said}");
    let left: Vec<_> = fs::read_dir(user.home.path()).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    let (code, said) = user.setup(&["avante", "--yes"]);
    assert!(code == 1 && said.contains("are code"), "{said}");
}

fn settings_that_cannot_be_read_are_left_alone() {
    for (client, path, text) in [
        ("zed", ".config/zed/settings.json", "{\"agent_servers\": "),
        ("zed", ".config/zed/settings.json", "{\"agent_servers\": 1}"),
        ("codex", ".codex/config.toml", "= 1"),
    ] {
        let user = User::new();
        user.write(path, text);
        let (code, said) = user.setup(&[client, "--yes"]);
        assert!(code == 1 && said.contains(path), "{said}");
        assert_eq!(user.read(path).as_deref(), Some(text));
    }
    let (code, said) = User::new().setup(&["vi"]);
    assert!(code == 1 && said.contains("there is no client `vi`") && said.contains("claude-code"), "{said}");
}

fn a_link_to_the_settings_stays_one() {
    let user = User::new();
    user.write("dotfiles/zed.json", "{}");
    fs::create_dir_all(user.path(".config/zed")).expect("the folder is made");
    let link = user.path(".config/zed/settings.json");
    std::os::unix::fs::symlink(user.path("dotfiles/zed.json"), &link).expect("the link is made");
    user.set_up(&["zed"]);
    assert!(link.is_symlink() && user.read("dotfiles/zed.json").is_some_and(|it| it.contains("Dialect")));
    user.set_up(&["zed", "--remove"]);
    assert!(link.is_symlink() && user.read("dotfiles/zed.json").as_deref() == Some("{}"));
}

fn the_agent_and_the_workspace_are_the_users_choice() {
    let user = User::new();
    let (_, said) = user.setup(&["zed", "--print", "--", "gemini", "--acp"]);
    assert!(said.contains(r#""args": ["agent", "--", "gemini", "--acp"]"#), "{said}");
    let (_, said) = user.setup(&["toad", "--", "an agent"]);
    assert!(said.contains(r"agent -- '\''an agent'\'''"), "{said}");
    let (_, said) = user.setup(&["vscode", "--print"]);
    assert!(said.contains(r#"["mcp", "--workspace", "${workspaceFolder}"]"#), "{said}");
    let (_, said) = user.setup(&["codex", "--print", "--workspace", "."]);
    let root = user.home.path().canonicalize().expect("a folder");
    assert!(said.contains(&format!("args = [\"mcp\", \"--workspace\", {root:?}]")), "{said}");
}

fn clients_on_this_machine_are_listed() {
    let user = User::new();
    let (code, said) = user.setup(&[]);
    assert!(code == 0 && said.starts_with("no client was found"), "{said}");
    user.write(".config/zed/settings.json", "{}");
    user.write(".jetbrains/acp.json", "{}");
    user.set_up(&["zed"]);
    let (code, said) = user.setup(&[]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(code, 0);
    assert!(lines[0].starts_with("zed            Zed: set up"), "{said}");
    assert!(lines[1].starts_with("jetbrains      JetBrains: not set up"), "{said}");
}
