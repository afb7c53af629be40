//! Values as text for an agent, cut to a budget.

use std::collections::BTreeMap;

use dialect::show;
use ide_library::{PLACES, compact, paths_of, shorten_paths};
use serde_json::Value;
use source_text::visible_line;

use crate::config::Form;
use crate::tool::truncation::{LINE, Truncation, clip_lines, size, truncate};

/// The maximum number of files that are counted.
const FILES: usize = 12;

/// A printed value.
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// The parts that were cut off.
    pub(crate) cuts: Vec<Truncation>,
    /// The number of places of a cut list in each file, as a sentence.
    pub(crate) counts: Option<String>,
}

impl Rendered {
    /// A text of which nothing is cut off.
    pub(crate) fn whole(text: String) -> Self {
        Self { text, cuts: Vec::new(), counts: None }
    }
}

/// The style of a printed value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) form: Form,
    /// The maximum size in bytes; the rest is cut.
    pub(crate) budget: usize,
    /// True if paths of libraries may be short.
    pub(crate) has_short_paths: bool,
}

impl Style {
    /// Returns the maximum size of a list of places.
    fn budget_of_places(self) -> usize {
        match self.form {
            Form::Compact => self.budget.min(PLACES),
            Form::Json => self.budget,
        }
    }

    /// Returns how many elements of a list are shown at most, whatever their places tell besides.
    pub(crate) fn most_shown(self, list: &[Value]) -> usize {
        let least = |(index, it): (usize, &Value)| match self.form {
            Form::Json => size(it) + 1,
            Form::Compact => {
                let path = it["path"].as_str().unwrap_or_default();
                let before = index.checked_sub(1).and_then(|it| list[it]["path"].as_str());
                // The path of a library may be short.
                let is_shown = before != Some(path) && !path.starts_with('/');
                let number = |it: &Value| it.as_u64().map_or(0, |it| it.to_string().len());
                let text = it["text"].as_str().map_or(0, |it| it.chars().take(LINE).count());
                let point = number(&it["start"]["line"]) + number(&it["start"]["column"]);
                usize::from(is_shown) * path.len() + point + text + " :: \n".len()
            }
        };
        let ends = list.iter().enumerate().map(least).scan(0, |end, size| {
            *end += size;
            Some(*end)
        });
        // One that does not fit is shown if it is the first; brackets stand around the list.
        ends.take_while(|end| *end <= self.budget_of_places() + 2).count().max(1)
    }
}

/// Prints a value in a style; it fits the budget if it can be cut to that.
pub(crate) fn render(mut value: Value, style: Style) -> Rendered {
    let Style { form, budget, has_short_paths } = style;
    let print = match form {
        Form::Compact => compact,
        Form::Json => |value: &Value| show(value),
    };
    if form == Form::Compact {
        clip_lines(&mut value);
        if has_short_paths {
            shorten_paths(&mut value);
        }
    }
    if form == Form::Compact
        && let Some(paths) = paths_of(&value)
        && let Value::Array(list) = &value
    {
        let budget = style.budget_of_places();
        let most = style.most_shown(list);
        if most >= list.len() {
            let text = print(&value);
            if text.len() <= budget {
                return Rendered::whole(text);
            }
        }
        let (shown, start) = longest_that_fits(list, most, budget);
        if shown < list.len() && start.len() <= budget {
            let cut = Truncation { path: String::new(), unit: "items", shown, total: list.len() };
            return Rendered { text: start, cuts: vec![cut], counts: Some(by_file(&paths)) };
        }
    }
    let text = print(&value);
    if text.len() <= budget {
        return Rendered::whole(text);
    }
    let cuts = truncate(&mut value, budget);
    Rendered { text: print(&value), cuts, counts: None }
}

/// Returns how many elements from the start of a list fit, at least one and at most `most`, and their text. The whole
/// list does not fit.
fn longest_that_fits(list: &[Value], most: usize, budget: usize) -> (usize, String) {
    let print = |count: usize| compact(&Value::from(&list[..count]));
    let (mut fitting, mut too_many) = (1, list.len().min(most + 1));
    let mut text = print(fitting);
    while fitting + 1 < too_many {
        let middle = usize::midpoint(fitting, too_many);
        let longer = print(middle);
        if longer.len() <= budget { (fitting, text) = (middle, longer) } else { too_many = middle }
    }
    (fitting, text)
}

/// Returns the number of places in each file, the most first.
fn by_file(paths: &[&str]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    paths.iter().for_each(|path| *counts.entry(path).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let line = |(path, count): &(&str, usize)| format!("{} {count}", visible_line(path, usize::MAX));
    let shown: Vec<_> = counts.iter().take(FILES).map(line).collect();
    let more = match counts.len().saturating_sub(FILES) {
        0 => String::new(),
        1 => ", and 1 more file".to_owned(),
        more => format!(", and {more} more files"),
    };
    format!("By file: {}{more}.", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(value: Value, form: Form, budget: usize) -> Rendered {
        super::render(value, Style { form, budget, has_short_paths: true })
    }

    fn hits(count: u32) -> Value {
        let hit = |it| {
            let path = if it % 3 == 0 { "src/a.rs" } else { "src/b.rs" };
            let at = json!({"line": it + 1, "column": 1});
            json!({"path": path, "start": at, "end": at, "text": "let value = compute(first, second);"})
        };
        (0..count).map(hit).collect()
    }

    #[test]
    fn a_short_list_of_places_is_lines() {
        let Rendered { text, cuts, .. } = render(hits(1), Form::Compact, 1000);
        assert_eq!(text, "rangeLines(`src/a.rs:1:1-1: let value = compute(first, second);`)");
        assert_eq!(cuts, []);
        assert!(render(hits(1), Form::Json, 1000).text.starts_with(r#"[{"path":"src/a.rs""#));
    }

    #[test]
    fn a_long_list_is_cut_and_counted_by_file() {
        let Rendered { text, cuts, counts } = render(hits(300), Form::Compact, 16 * 1024);
        assert!((PLACES - 100..=PLACES).contains(&text.len()), "{}", text.len());
        let [cut] = &cuts[..] else { panic!("{cuts:?}") };
        assert_eq!(text.lines().filter(|it| it.contains("compute")).count(), cut.shown);
        assert_eq!(cut.total, 300);
        assert_eq!(counts.as_deref(), Some("By file: src/b.rs 200, src/a.rs 100."));
    }

    #[test]
    fn no_more_places_are_shown_than_their_texts_and_paths_allow() {
        let bare = hits(300);
        for (form, budget) in [(Form::Compact, 16 * 1024), (Form::Compact, 600), (Form::Json, 4000)] {
            let most = Style { form, budget, has_short_paths: false }.most_shown(bare.as_array().unwrap());
            let Rendered { cuts, .. } = render(bare.clone(), form, budget);
            assert!((cuts[0].shown..=cuts[0].shown * 5 / 4 + 1).contains(&most), "{most}: {cuts:?}");
        }
        let mut whole = bare.clone();
        whole.as_array_mut().unwrap().iter_mut().for_each(|it| it["role"] = "read".into());
        let most = Style { form: Form::Compact, budget: 9999, has_short_paths: false };
        assert!(
            render(whole, Form::Compact, 9999).cuts[0].shown <= most.most_shown(bare.as_array().unwrap())
        );
    }

    #[test]
    fn paths_of_libraries_are_short_where_they_are_taken() {
        let path = "/c/typeshed/1/stdlib/os.pyi";
        let hit = json!([{"path": path, "start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 3}}]);
        let printed = |form, has_short_paths| {
            super::render(hit.clone(), Style { form, budget: 1000, has_short_paths }).text
        };
        assert_eq!(printed(Form::Compact, true), "rangeLines(`typeshed:os.pyi:1:1-3`)");
        assert_eq!(printed(Form::Compact, false), format!("rangeLines(`{path}:1:1-3`)"));
        assert!(printed(Form::Json, true).contains(path));
    }

    #[test]
    fn other_values_are_cut_as_json() {
        let Rendered { text, cuts, counts } = render(json!([1, 2, 3, 4]), Form::Compact, 5);
        assert_eq!((text.as_str(), cuts.len(), counts), ("[1,2]", 1, None));
        assert_eq!(render(json!("a\nb"), Form::Compact, 5).text, "`a\nb`");
    }
}
