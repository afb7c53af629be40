use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

/// A folder with repositories that git made.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(world.at("main/src")).unwrap();
        world.git("main", "init -q");
        world.git("main", "commit -q --allow-empty -m one");
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn git(&self, folder: &str, words: &str) {
        let mut git = Command::new("git");
        let named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", "-C"];
        let git =
            git.args(named).arg(self.at(folder)).args(words.split(' ')).stderr(std::process::Stdio::null());
        assert!(git.status().unwrap().success(), "{words}");
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn holds(&self, folder: &str, path: &str) -> bool {
        let around = Repository::around(&self.at(folder));
        around.is_some_and(|(it, _)| it.holds(&self.at(path)))
    }
}

#[test]
fn trees_of_a_repository_are_known_from_each_of_them() {
    let world = World::new();
    world.git("main", "worktree add -q .trees/in");
    world.git("main", "worktree add -q ../beside");
    world.git("main", "worktree add -q --detach ../detached");
    world.write("other/.git/HEAD", "");
    let all = ["main", "main/src", "main/.trees/in", "beside", "detached"];
    for from in all {
        for to in all {
            assert!(world.holds(from, to), "{from} {to}");
        }
        assert!(!world.holds(from, "other") && !world.holds("other", from), "{from}");
        let (repository, _) = Repository::around(&world.at(from)).unwrap();
        assert_eq!(repository.main_tree(), Some(world.at("main").as_path()));
    }
    assert_eq!(below(&world.at("main/.trees/in/a"), &world.at("main")), Some(&*world.at("main/.trees/in")));
    assert_eq!(below(&world.at("main/src/a"), &world.at("main")), None);
    assert!(is_linked(&world.at("beside")) && !is_linked(&world.at("main")));
    fs::remove_dir_all(world.at("main/.git/worktrees/beside")).unwrap();
    assert!(!world.holds("main", "beside"), "the repository does not know it any more");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let world = World::new();
    world.write("library/a", "");
    world.git("library", "init -q");
    world.git("library", "commit -q --allow-empty -m one");
    world.git("main", &format!("submodule --quiet add -q {} sub", world.at("library").display()));
    assert!(!world.holds("main", "main/sub/a") || Repository::of(&world.at("main/sub")).is_some());
    let sub = Repository::of(&world.at("main/sub")).unwrap();
    assert!(sub.holds(&world.at("main/sub/a")) && !sub.holds(&world.at("main/src")));
    assert!(!is_linked(&world.at("main/sub")));
    world.git("main/sub", "worktree add -q ../../of-sub");
    assert!(sub.holds(&world.at("of-sub")) && !world.holds("main", "of-sub"));
}

#[test]
fn files_of_a_workspace_alone_make_no_folder_a_tree_of_its_repository() {
    let world = World::new();
    world.git("main", "worktree add -q ../beside");
    let main = world.at("main");
    // The repository of the workspace claims folders of the user.
    world.write("home/secret", "");
    world.write("evil/.git/worktrees/x/gitdir", &format!("{}\n", world.at("home/.git").display()));
    world.write("evil/.git/worktrees/x/commondir", "../..\n");
    assert!(!world.holds("evil", "home/secret"));
    // It has a link to the entry of a real tree, or to a real repository.
    symlink(main.join(".git/worktrees/beside"), world.at("evil/.git/worktrees/beside")).unwrap();
    assert!(!world.holds("evil", "beside"));
    fs::create_dir(world.at("linking")).unwrap();
    symlink(main.join(".git"), world.at("linking/.git")).unwrap();
    assert!(!world.holds("linking", "beside") && !world.holds("linking", "main"));
    // The file `.git` of the workspace names a real repository, or a real entry of one.
    for (name, target) in [("shared", main.join(".git")), ("entry", main.join(".git/worktrees/beside"))] {
        world.write(&format!("{name}/.git"), &format!("gitdir: {}\n", target.display()));
        assert!(!world.holds(name, "beside") && !world.holds(name, "main"), "{name}");
        assert!(!world.holds("main", name), "{name}");
    }
    // It names an entry of its own, which claims to share with a real repository.
    world.write("own/.git", "gitdir: fake/worktrees/x\n");
    world.write("own/fake/worktrees/x/gitdir", &format!("{}\n", world.at("own/.git").display()));
    world.write("own/fake/worktrees/x/commondir", &format!("{}\n", main.join(".git").display()));
    assert!(!world.holds("own", "main") && !world.holds("own", "beside"));
    // A module that says that it belongs to the workspace has no other trees.
    world.write("module/.git", "gitdir: modules/m\n");
    world.write("module/modules/m/config", "[core]\n\tworktree = ../..\n");
    let module = Repository::of(&world.at("module")).unwrap();
    assert!(module.holds(&world.at("module/a")) && !module.holds(&world.at("main")));
    // What git reads and we do not: another common folder, another work tree.
    world.write("odd/.git/commondir", &format!("{}\n", main.join(".git").display()));
    world.write("odd/.git/config", &format!("[core]\n\tworktree = {}\n", world.at("home").display()));
    assert!(!world.holds("odd", "beside") && !world.holds("odd", "home/secret"));
}

#[test]
fn odd_entries_are_no_repositories() {
    let world = World::new();
    for (name, text) in
        [("empty", ""), ("gone", "gitdir: /nowhere\n"), ("words", "hello"), ("self", "gitdir: .git")]
    {
        world.write(&format!("{name}/.git"), text);
        assert!(is_tree(&world.at(name)), "{name}");
        assert_eq!(Repository::of(&world.at(name)), None, "{name}");
    }
    fs::create_dir(world.at("huge")).unwrap();
    let file = fs::File::create(world.at("huge/.git")).unwrap();
    file.set_len(LARGEST + 1).unwrap();
    assert_eq!(Repository::of(&world.at("huge")), None);
}
