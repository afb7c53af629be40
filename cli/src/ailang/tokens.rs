//! `ailang tokens`: estimates the tokens of documents.

use ailang::{Document, Level};
use serde_json::{Map, Value, json};

use super::arguments::Files;
use super::documents::{document, name};
use super::format::Format;
use super::outcome::{ExitResult, each_document, say_tree};
use crate::output::say;

pub(super) fn run(files: &Files) -> ExitResult {
    let mut rows = Vec::new();
    let worst = each_document(&files.files, |file| {
        rows.push((name(file), sizes(&document(file)?)));
        Ok(0)
    });
    match files.format {
        Format::Pretty if rows.is_empty() => {}
        Format::Pretty => say(&table(&rows))?,
        Format::Json | Format::Yaml => {
            let row = |(name, sizes): &(String, [usize; 5])| {
                let sizes: Map<String, Value> = Level::ALL
                    .iter()
                    .zip(sizes)
                    .map(|(level, size)| (level.name().to_owned(), json!(size)))
                    .collect();
                (name.clone(), Value::Object(sizes))
            };
            say_tree(files.format, &Value::Object(rows.iter().map(row).collect()))?;
        }
    }
    Ok(worst)
}

fn sizes(document: &Document) -> [usize; 5] {
    Level::ALL.map(|level| dialect::tokens(&document.at(level)))
}

fn table(rows: &[(String, [usize; 5])]) -> String {
    let names = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let heads: String = Level::ALL.iter().map(|level| format!("{:>10}", level.name())).collect();
    let mut lines = vec![format!("{:names$}{heads}", "")];
    for (name, sizes) in rows {
        let sizes: String = sizes.iter().map(|size| format!("{size:>10}")).collect();
        lines.push(format!("{name:names$}{sizes}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_stand_in_columns() {
        expect_test::expect![[r"
                   minimal   compact  standard  detailed  complete
            a.md         1         2         3         4     50000"]]
        .assert_eq(&table(&[("a.md".to_owned(), [1, 2, 3, 4, 50_000])]));
    }
}
