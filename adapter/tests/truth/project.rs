//! Projects that are made up and changed as a program, so that every right answer about them is known.
//!
//! A project is modules of functions that call each other, each statement on a line of its own and each name used for
//! one function only. So what is right can be read from the text: a name is used on every line that holds it, but
//! those that define or declare it.

use std::collections::{BTreeMap, BTreeSet};

use ide_protocol::FileRange;

use super::languages::Language;

/// The texts of a project's files, by path.
pub(crate) type Files = BTreeMap<String, String>;

/// Lines, from 1, by file.
pub(crate) type Places = BTreeSet<(String, u32)>;

/// A project as it is now.
#[derive(Clone)]
pub(crate) struct Project {
    pub(crate) language: &'static Language,
    modules: BTreeMap<String, Module>,
    n_names: usize,
    dice: Dice,
}

/// A file, or what counts as one.
#[derive(Clone, Default)]
pub(crate) struct Module {
    pub(crate) functions: Vec<Function>,
}

#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Lines of comment before it.
    pub(crate) n_comments: usize,
    /// The functions that it calls.
    pub(crate) calls: Vec<String>,
}

/// A question after a change.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// All uses of a function, which are these and no others.
    Uses(String, Places),
    /// The definition of a function, which is there.
    Definition(String, (String, u32)),
    /// A function that was there before the change.
    Gone(String),
}

/// A change of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    AddUse,
    RemoveUse,
    Rename,
    AddFile,
    DeleteFile,
    MoveDown,
}

impl Change {
    pub(crate) const ALL: [Self; 6] =
        [Self::AddUse, Self::RemoveUse, Self::Rename, Self::AddFile, Self::DeleteFile, Self::MoveDown];
}

/// Numbers that look drawn, the same in each run.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("it is below a usize")
    }
}

impl Project {
    /// So many modules of so many functions, each of which calls two others.
    pub(crate) fn new(language: &'static Language, n_modules: usize, n_functions: usize, seed: u64) -> Self {
        let mut project = Self { language, modules: BTreeMap::new(), n_names: 0, dice: Dice::new(seed) };
        for _ in 0..n_modules {
            project.add_module(n_functions);
        }
        for name in project.names() {
            for _ in 0..2 {
                let callee = project.any_name();
                project.function(&name).calls.push(callee);
            }
        }
        project
    }

    fn add_module(&mut self, n_functions: usize) -> String {
        let module = self.fresh("part");
        let functions =
            (0..n_functions).map(|_| Function { name: self.fresh("work"), n_comments: 1, calls: Vec::new() });
        let functions = functions.collect();
        self.modules.insert(module.clone(), Module { functions });
        module
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.n_names += 1;
        format!("{stem}{}", self.n_names)
    }

    /// The modules, in order.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (&str, &Module)> {
        self.modules.iter().map(|(name, it)| (name.as_str(), it))
    }

    /// The module that a function is in.
    pub(crate) fn home(&self, function: &str) -> &str {
        let mut modules = self.modules.iter();
        let home = modules.find(|(_, it)| it.functions.iter().any(|it| it.name == function));
        home.expect("only functions that exist are called").0
    }

    /// The other modules whose functions a module calls.
    pub(crate) fn called_by(&self, module: &str) -> BTreeSet<&str> {
        let calls = self.modules[module].functions.iter().flat_map(|it| &it.calls);
        calls.map(|it| self.home(it)).filter(|it| *it != module).collect()
    }

    fn names(&self) -> Vec<String> {
        self.modules.values().flat_map(|it| &it.functions).map(|it| it.name.clone()).collect()
    }

    /// The name of some function.
    pub(crate) fn any_name(&mut self) -> String {
        let names = self.names();
        names[self.dice.below(names.len())].clone()
    }

    /// Asks for the uses or the definition of some function, in turn.
    pub(crate) fn any_question(&mut self, turn: usize) -> Question {
        let name = self.any_name();
        if turn.is_multiple_of(2) { self.uses(&name) } else { self.definition(&name) }
    }

    fn function(&mut self, name: &str) -> &mut Function {
        let mut all = self.modules.values_mut().flat_map(|it| &mut it.functions);
        all.find(|it| it.name == name).expect("it exists")
    }

    /// Returns the text of each file.
    pub(crate) fn files(&self) -> Files {
        let fixed = self.language.fixed.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        fixed.chain((self.language.write)(self)).collect()
    }

    /// Changes it. What to ask then, the name that changed first.
    pub(crate) fn change(&mut self, change: Change) -> Vec<Question> {
        let name = self.any_name();
        match change {
            Change::AddUse => {
                let caller = self.any_name();
                self.function(&caller).calls.push(name.clone());
                vec![self.uses(&name)]
            }
            Change::RemoveUse => {
                let user = self.names().into_iter().find_map(|it| self.function(&it).calls.pop());
                user.map(|it| self.uses(&it)).into_iter().collect()
            }
            Change::Rename => {
                let new = self.fresh("work");
                self.rename(&name, &new);
                vec![Question::Gone(name), self.definition(&new), self.uses(&new)]
            }
            Change::AddFile => {
                let module = self.add_module(2);
                let added = self.modules[&module].functions[0].name.clone();
                self.function(&added).calls.push(name.clone());
                let caller = self.any_name();
                self.function(&caller).calls.push(added.clone());
                vec![self.uses(&name), self.definition(&added), self.uses(&added)]
            }
            Change::DeleteFile => {
                let module = self.home(&name).to_owned();
                let called: Vec<_> =
                    self.modules[&module].functions.iter().flat_map(|it| &it.calls).cloned().collect();
                let gone = self.modules.remove(&module).expect("it is the home of a function").functions;
                let is_gone = |it: &String| gone.iter().any(|gone| gone.name == *it);
                for function in self.modules.values_mut().flat_map(|it| &mut it.functions) {
                    function.calls.retain(|it| !is_gone(it));
                }
                let left = called.iter().find(|it| !is_gone(it)).map(|it| self.uses(it));
                [Question::Gone(name)].into_iter().chain(left).collect()
            }
            Change::MoveDown => {
                self.function(&name).n_comments += 3;
                vec![self.definition(&name), self.uses(&name)]
            }
        }
    }

    fn rename(&mut self, old: &str, new: &str) {
        for function in self.modules.values_mut().flat_map(|it| &mut it.functions) {
            let names = function.calls.iter_mut().chain([&mut function.name]);
            names.filter(|it| *it == old).for_each(|it| *it = new.to_owned());
        }
    }

    /// Asks for the uses of a function.
    pub(crate) fn uses(&self, name: &str) -> Question {
        let lines = self.lines(name);
        let used = lines.into_iter().filter(|(_, _, text)| !self.declares(text, name));
        Question::Uses(name.to_owned(), used.map(|(path, line, _)| (path, line)).collect())
    }

    /// Asks for the definition of a function.
    pub(crate) fn definition(&self, name: &str) -> Question {
        let lines = self.lines(name);
        let mut defining = lines.into_iter().filter(|(path, _, text)| {
            self.declares(text, name) && self.language.defining.is_none_or(|it| path.ends_with(it))
        });
        let (path, line, _) = defining.next().expect("it is defined");
        Question::Definition(name.to_owned(), (path, line))
    }

    /// The question about the project as it is now, if its function is there.
    pub(crate) fn again(&self, question: &Question) -> Option<Question> {
        let is_there = |name: &String| self.names().contains(name);
        match question {
            Question::Uses(name, _) if is_there(name) => Some(self.uses(name)),
            Question::Definition(name, _) | Question::Gone(name) if is_there(name) => {
                Some(self.definition(name))
            }
            Question::Uses(name, _) | Question::Definition(name, _) => Some(Question::Gone(name.clone())),
            Question::Gone(_) => None,
        }
    }

    fn declares(&self, text: &str, name: &str) -> bool {
        text.starts_with(&self.language.declaring.replace("NAME", name))
    }

    /// The lines that hold a word.
    fn lines(&self, word: &str) -> Vec<(String, u32, String)> {
        let files = self.files();
        let lines =
            files.iter().flat_map(|(path, text)| text.lines().zip(1..).map(move |(text, n)| (path, n, text)));
        let holding =
            lines.filter(|(_, _, text)| text.split(|it: char| !it.is_alphanumeric()).any(|it| it == word));
        holding.map(|(path, n, text)| (path.clone(), n, text.to_owned())).collect()
    }
}

/// The lines of what an answer lists.
pub(crate) fn places<'a>(ranges: impl IntoIterator<Item = &'a FileRange>) -> Places {
    ranges.into_iter().map(|it| (it.path.clone(), it.start.line.get())).collect()
}
