//! Ways through the code as the fake language server knows it: from a word to others that stand near it.

use serde_json::{Value, json};

use super::words::{Word, Words};

impl Words {
    /// Returns the items of that name after `impl`, or after `for` behind it.
    pub(super) fn implementations(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params).map(str::to_owned) else { return json!([]) };
        let is_it = |it: &&[Word]| {
            it[0].text == "impl" && it[1].line == it[0].line && (it[1].text == name || it[2].text == name)
        };
        // `impl Shape for Square` implements Shape, and `impl User` is User's.
        let target = |it: &[Word]| if it[2].text == "for" { it[3].location() } else { it[1].location() };
        self.0.windows(4).filter(|it| is_it(&&it[..3])).map(target).collect()
    }

    /// The definition of the next word on the line that is defined as a type.
    pub(super) fn type_definitions(&self, params: &Value) -> Value {
        let Some(at) = self.index_at(params) else { return json!([]) };
        let line = |it: &&Word| it.file == self.0[at].file && it.line == self.0[at].line;
        let mut behind = self.0[at + 1..].iter().take_while(line);
        let types = [5, 10, 11, 23, 26];
        let found = behind.find_map(|word| {
            self.definitions_where(|it| {
                it.text == word.text && it.defines.is_some_and(|it| types.contains(&it))
            })
            .next()
        });
        found.into_iter().map(Word::location).collect()
    }

    /// The line of the definition, and what is written above it.
    pub(super) fn hover(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params) else { return Value::Null };
        let Some(word) = self.definitions_where(|it| it.text == name).next() else { return Value::Null };
        let text = std::fs::read_to_string(&word.file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let above = word.line.checked_sub(1).and_then(|it| lines[it].trim().strip_prefix("/// "));
        let code = lines[word.line].trim().trim_end_matches('{').trim();
        let value = format!("```rust\n{code}\n```\n\n---\n\n{}", above.unwrap_or_default());
        json!({"contents": {"kind": "markdown", "value": value}})
    }

    /// The symbol there, as hierarchies name it.
    pub(super) fn prepared(&self, params: &Value) -> Value {
        let Some(name) = self.word_at(params) else { return Value::Null };
        self.definitions_where(|it| it.text == name).map(Word::item).collect()
    }

    /// Returns the callers of an item's function, each with the places of its calls.
    pub(super) fn incoming(&self, params: &Value) -> Value {
        let name = params["item"]["name"].as_str().unwrap_or_default();
        let uses = self.0.iter().enumerate().filter(|(_, it)| it.text == name && it.defines.is_none());
        let calls = uses.filter_map(|(at, word)| Some((self.function_around(at)?, word)));
        calls.map(|(from, word)| json!({"from": from.item(), "fromRanges": [word.range()]})).collect()
    }

    /// Returns the callees of an item's function.
    pub(super) fn outgoing(&self, params: &Value) -> Value {
        let name = params["item"]["name"].as_str().unwrap_or_default();
        let functions: Vec<&Word> = self.definitions_where(|it| it.defines == Some(12)).collect();
        let calls = self.0.iter().enumerate().filter_map(|(at, word)| {
            let is_in = word.defines.is_none() && self.function_around(at).is_some_and(|it| it.text == name);
            let to = functions.iter().find(|it| is_in && it.text == word.text)?;
            Some(json!({"to": to.item(), "fromRanges": [word.range()]}))
        });
        calls.collect()
    }

    /// `impl Shape for Square`: Shape is above Square.
    pub(super) fn supertypes(&self, params: &Value) -> Value {
        self.beside_for(params, 3, 1)
    }

    pub(super) fn subtypes(&self, params: &Value) -> Value {
        self.beside_for(params, 1, 3)
    }

    fn beside_for(&self, params: &Value, own: usize, other: usize) -> Value {
        let name = params["item"]["name"].as_str().unwrap_or_default();
        let is_it = |it: &&[Word]| it[0].text == "impl" && it[2].text == "for" && it[own].text == name;
        let found = self.0.windows(4).filter(is_it);
        let defined =
            found.filter_map(|it| self.definitions_where(|word| word.text == it[other].text).next());
        defined.map(Word::item).collect()
    }

    /// The last function that begins before a word of its file.
    fn function_around(&self, at: usize) -> Option<&Word> {
        let file = &self.0[at].file;
        self.0[..at].iter().rev().take_while(|it| it.file == *file).find(|it| it.defines == Some(12))
    }
}

impl Word {
    fn item(&self) -> Value {
        let uri = format!("file://{}", self.file.display());
        let (range, kind) = (self.range(), self.defines.unwrap_or(13));
        json!({"name": self.text, "kind": kind, "uri": uri, "range": range, "selectionRange": range})
    }
}
