//! The subjects of a request: the paths and edits that it names, whatever its operation.

use serde_json::Value;

/// The fields of questions that name a file, a folder, or files by a glob.
const PATHS: &[&str] = &["path", "to", "glob"];

/// The fields of questions that name previewed edits, or a listed code action.
const EDITS: &[&str] = &["edits", "action"];

/// The paths and edits that a request names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subjects {
    /// The paths and globs, as the agent spells them.
    pub paths: Vec<String>,
    /// The ids of edits and code actions.
    pub edits: Vec<String>,
}

impl Subjects {
    /// Collects what the params of a request name.
    pub fn of(params: &Value) -> Self {
        let mut subjects = Self::default();
        subjects.collect(params);
        subjects
    }

    /// Returns the subjects of a request that names one path.
    pub fn of_path(path: &str) -> Self {
        Self { paths: vec![path.to_owned()], ..Self::default() }
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Array(all) => all.iter().for_each(|it| self.collect(it)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    let texts = texts.iter().filter_map(Value::as_str).map(str::to_owned);
                    match name.as_str() {
                        name if PATHS.contains(&name) => self.paths.extend(texts),
                        name if EDITS.contains(&name) => self.edits.extend(texts),
                        _ => self.collect(value),
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use schemars::SchemaGenerator;
    use serde_json::json;

    use super::*;
    use crate::{Operation, Question, Visitor};

    #[test]
    fn paths_and_edits_are_found_wherever_they_stand() {
        for (params, paths, edits) in [
            (
                json!({"sessionId": "s", "target": {"name": "x", "at": {"path": "a", "line": 1}}}),
                vec!["a"],
                vec![],
            ),
            (
                json!({"files": [{"path": "a", "after": "x"}, {"path": "b", "to": "c"}]}),
                vec!["a", "b", "c"],
                vec![],
            ),
            (json!({"edits": ["e", "f"]}), vec![], vec!["e", "f"]),
            (json!({"action": "e"}), vec![], vec!["e"]),
            (json!({"path": null, "glob": "*.rs"}), vec!["*.rs"], vec![]),
        ] {
            let texts = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(Subjects::of(&params), Subjects { paths: texts(paths), edits: texts(edits) });
        }
    }

    /// Collects the names of the fields of a question that are texts, or lists of texts.
    struct TextFields<'names>(&'names mut BTreeSet<String>);

    impl Visitor for TextFields<'_> {
        type Output = ();

        fn visit<Q: Question>(self) {
            let mut generator = SchemaGenerator::default();
            let schema = generator.root_schema_for::<Q>();
            add(schema.as_value(), self.0);
        }
    }

    fn add(schema: &Value, names: &mut BTreeSet<String>) {
        let is_text = |it: &Value| {
            let types = it["type"].as_array().map_or(std::slice::from_ref(&it["type"]), Vec::as_slice);
            types.iter().any(|it| it == "string")
        };
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if is_text(field) || is_text(&field["items"]) {
                names.insert(name.clone());
            }
        }
        match schema {
            Value::Array(all) => all.iter().for_each(|it| add(it, names)),
            Value::Object(fields) => fields.values().for_each(|it| add(it, names)),
            _ => {}
        }
    }

    #[test]
    fn every_text_of_a_question_is_known_to_name_a_path_an_edit_or_neither() {
        let mut names = BTreeSet::new();
        Operation::ALL.into_iter().for_each(|it| it.visit(TextFields(&mut names)));
        names.retain(|it| !PATHS.contains(&it.as_str()) && !EDITS.contains(&it.as_str()));
        let neither = [
            "after",
            "before",
            "extension",
            "in",
            "inKind",
            "kind",
            "language",
            "languagesOf",
            "name",
            "newName",
            "pattern",
            "query",
            "role",
            "text",
            "title",
        ];
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), neither);
    }
}
