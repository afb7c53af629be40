//! The chapters: calls of a language, and places for them.

use std::path::Path;

use syntax::Language;

/// The name that is called.
pub(crate) const NAME: &str = "hit";

/// The type of whose constructions every chapter has one.
pub(crate) const TYPE: &str = "Hit";

/// The calls and the places of one language.
pub(crate) struct Chapter {
    language: Language,
    pub(crate) calls: Vec<Call>,
    pub(crate) places: Vec<String>,
    /// Code that makes values of `Hit`.
    pub(crate) constructions: Vec<String>,
    /// Code that takes values of `Hit` apart.
    pub(crate) patterns: Vec<String>,
}

/// A call, and the pattern that finds it.
pub(crate) struct Call {
    code: String,
    pub(crate) pattern: Option<String>,
}

impl Chapter {
    pub(crate) fn read(language: Language) -> Self {
        let path = format!("tests/calls/places/{}.md", language.id());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = std::fs::read_to_string(path).expect("every language has a chapter");
        let block = |name: &str| {
            let rest = text.split_once(&format!("```{name}\n"))?.1;
            Some(rest.split_once("\n```").expect("the block has an end").0)
        };
        let lines = |name| block(name).unwrap_or_default().lines().map(str::to_owned).collect();
        let calls = block("calls").expect("the chapter has calls").lines().map(Call::new).collect();
        let places =
            block("places").expect("the chapter has places").split("\n\n").map(str::to_owned).collect();
        Self { language, calls, places, constructions: lines("constructions"), patterns: lines("patterns") }
    }

    /// Returns the programs with each call in each place, and with each call as the argument of each in the
    /// first place.
    pub(crate) fn programs(&self) -> Vec<String> {
        let each = self.calls.iter().flat_map(|call| self.places.iter().map(|it| self.program(it, call)));
        each.chain(self.nested()).collect()
    }

    /// Returns the programs with each call as the argument of each, in the first place.
    pub(crate) fn nested(&self) -> impl Iterator<Item = String> {
        let outer = self.calls.iter().filter(|it| it.code.contains("(1)"));
        outer.flat_map(|outer| {
            self.calls.iter().map(|inner| {
                let code = outer.code.replacen("(1)", &format!("({})", inner.code), 1);
                self.program(&self.places[0], &Call { code, pattern: None })
            })
        })
    }

    /// Returns the programs with each construction in each place.
    pub(crate) fn constructing(&self) -> impl Iterator<Item = String> {
        self.constructions.iter().flat_map(|code| {
            self.places.iter().map(|it| self.program(it, &Call { code: code.clone(), pattern: None }))
        })
    }

    /// Returns a program for each pattern.
    pub(crate) fn taking_apart(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().map(|it| self.program(it, &Call { code: String::new(), pattern: None }))
    }

    /// Returns a program with a call in each hole of a place. `\@` is none.
    pub(crate) fn program(&self, place: &str, call: &Call) -> String {
        let before = match self.language.id() {
            "go" => "package p\n\n",
            "php" => "<?php\n",
            _ => "",
        };
        let code = place.replace("\\@", "\0").replace('@', &call.code);
        format!("{before}{}\n", code.replace('\0', "@"))
    }
}

impl Call {
    fn new(line: &str) -> Self {
        let (code, pattern) = match line.split_once(" ~ ") {
            Some((code, "-")) => (code, None),
            Some((code, pattern)) => (code, Some(pattern.to_owned())),
            None => (line, Some(without_types(line))),
        };
        Self { code: code.trim_end().to_owned(), pattern }
    }

    /// Returns the start of the match for a name at an offset.
    pub(crate) fn start(&self, name: usize) -> usize {
        let in_code = |text: &str| text.find(NAME).expect("a call has the name");
        let in_pattern = in_code(self.pattern.as_deref().unwrap_or(NAME));
        let head = &self.pattern.as_deref().unwrap_or(NAME)[..in_pattern];
        let before = &self.code[..in_code(&self.code)];
        let first = head.chars().next().map_or(before.len(), |it| before.find(it).unwrap_or_default());
        name - (before.len() - first)
    }
}

/// Returns the callee with any arguments, without brackets around it and type arguments: `o.hit($$$)`.
fn without_types(code: &str) -> String {
    let (before, behind) = code.split_once(NAME).expect("a call has the name");
    let before = before.trim_start_matches('(').split('<').next().unwrap_or_default();
    let mark = ["?.", "!"].into_iter().find(|it| behind.starts_with(&format!("{it}(")));
    format!("{before}{NAME}{}($$$)", mark.unwrap_or_default())
}
