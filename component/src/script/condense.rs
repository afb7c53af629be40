//! Long output, shortened: what is at most as long as it may be stays as it is.

use dialect::show;

/// The shares of the budget, in percent: the start, lines that tell of problems, and the end.
const HEAD: usize = 40;
const SALIENT: usize = 15;

/// The characters of one line that remain, if lines have to be cut.
const LINE: usize = 1_000;

/// Returns a text in about `budget` characters: repeated lines once, then the start, the lines that tell of problems,
/// and the end. What is left out is counted.
pub(super) fn condense(text: &str, budget: usize) -> String {
    if text.chars().count() <= budget {
        return text.to_owned();
    }
    let folded = fold(text);
    if folded.chars().count() <= budget {
        return folded;
    }
    let lines: Vec<String> = folded.lines().map(|it| cut(it, LINE.min(budget / 2))).collect();
    let (mut head, mut used) = (0, 0);
    while head < lines.len() && used + size(&lines[head]) <= budget * HEAD / 100 {
        used += size(&lines[head]);
        head += 1;
    }
    let (mut salient, mut spent) = (Vec::new(), 0);
    for (index, line) in lines.iter().enumerate().skip(head).filter(|(_, it)| tells_of_problems(it)) {
        if spent + size(line) > budget * SALIENT / 100 {
            break;
        }
        spent += size(line);
        salient.push(index);
    }
    let (mut tail, mut left) = (lines.len(), budget.saturating_sub(used + spent));
    while tail > head && size(&lines[tail - 1]) <= left {
        left -= size(&lines[tail - 1]);
        tail -= 1;
    }
    let mut shown: Vec<String> = lines[..head].to_vec();
    let mut at = head;
    for index in salient.into_iter().filter(|it| *it < tail).chain([tail]) {
        if index > at {
            shown.push(format!("… {} lines omitted …", index - at));
        }
        if index < tail {
            shown.push(format!("{}: {}", index + 1, lines[index]));
        }
        at = index + 1;
    }
    shown.extend_from_slice(&lines[tail..]);
    shown.join("\n")
}

/// Writes lines that follow themselves once, with their number.
fn fold(text: &str) -> String {
    let mut folded: Vec<(&str, usize)> = Vec::new();
    for line in text.lines() {
        match folded.last_mut() {
            Some((last, count)) if *last == line => *count += 1,
            _ => folded.push((line, 1)),
        }
    }
    let line = |(line, count): (&str, usize)| match count {
        1 => line.to_owned(),
        count => format!("{line} (×{count})"),
    };
    folded.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn size(line: &str) -> usize {
    line.chars().count() + 1
}

/// Cuts a line in its middle.
fn cut(line: &str, most: usize) -> String {
    let count = line.chars().count();
    if count <= most {
        return line.to_owned();
    }
    let (head, tail) = (most - most / 3, most / 3);
    let start: String = line.chars().take(head).collect();
    let end: String = line.chars().skip(count - tail).collect();
    format!("{start}… {} characters omitted …{end}", count - head - tail)
}

fn tells_of_problems(line: &str) -> bool {
    let line = line.to_lowercase();
    ["error", "fail", "warn", "panic", "exception"].iter().any(|it| line.contains(it))
}

/// Returns JSON in about `budget` characters: keys stay, and lists and texts lose their middle, with counts.
pub(super) fn condense_json(value: &serde_json::Value, budget: usize) -> String {
    let whole = show(value);
    if whole.chars().count() <= budget {
        return whole;
    }
    // Fewer and fewer elements, until it fits.
    for (elements, text) in [(200, 2_000), (60, 500), (20, 200), (8, 80), (3, 40)] {
        let clipped = show(&clip(value, elements, text));
        if clipped.chars().count() <= budget {
            return clipped;
        }
    }
    cut(&show(&clip(value, 3, 40)), budget)
}

fn clip(value: &serde_json::Value, elements: usize, text: usize) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(it) if it.chars().count() > text => Value::String(cut(it, text)),
        Value::Array(items) if items.len() > elements => {
            let (head, tail) = (elements - elements / 3, elements / 3);
            let first = items[..head].iter().map(|it| clip(it, elements, text));
            let last = items[items.len() - tail..].iter().map(|it| clip(it, elements, text));
            let omitted = items.len() - head - tail;
            let note = Value::String(format!("… {omitted} of {} items omitted …", items.len()));
            Value::Array(first.chain([note]).chain(last).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|it| clip(it, elements, text)).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, it)| (key.clone(), clip(it, elements, text))).collect())
        }
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        let rows: Vec<Value> = (0..60).map(|it| json!({"name": format!("row{it}"), "text": "x"})).collect();
        let rows = Value::Array(rows);
        assert_eq!(condense_json(&rows, 12_000), rows.to_string());
        assert_eq!(condense("a\na\na", 5), "a\na\na");
    }

    #[test]
    fn lists_and_texts_lose_their_middle() {
        let symbols: Vec<Value> = (0..600)
            .map(|it| json!({"name": format!("symbol{it}"), "path": "src/a.rs", "line": it}))
            .collect();
        let text = condense_json(&Value::Array(symbols), 12_000);
        assert!(text.len() <= 12_000 && text.contains("of 600 items omitted"), "{}", text.len());
        assert!(text.starts_with(r#"[{"name":"symbol0""#) && text.ends_with(r#""line":599}]"#), "{text}");
        let text = condense_json(&json!({"path": "a", "text": "y".repeat(72_000)}), 12_000);
        assert!(text.len() < 3_000 && text.contains("70000 characters omitted"), "{text}");
    }

    #[test]
    fn errors_and_counts_are_kept() {
        let mut lines: Vec<String> =
            (0..3_000).map(|it| format!("compiling module {it} of many others")).collect();
        (lines[1_200], lines[2_850]) = ("error: first".into(), "error: second".into());
        let text = condense(&lines.join("\n"), 12_000);
        assert!(text.contains("1201: error: first") && text.contains("error: second"), "{text}");
        assert!(text.ends_with("compiling module 2999 of many others") && text.chars().count() < 12_500);
        let shown = text.lines().filter(|it| it.contains("compiling") || it.contains("error:")).count();
        let omitted: usize = text
            .lines()
            .filter_map(|it| it.strip_prefix("… ")?.split(' ').next()?.parse::<usize>().ok())
            .sum();
        assert_eq!(shown + omitted, 3_000, "the counts are exact");
        let warnings = format!("{}\ndone", vec!["warning: x"; 20_000].join("\n"));
        assert_eq!(condense(&warnings, 12_000), "warning: x (×20000)\ndone");
    }
}
