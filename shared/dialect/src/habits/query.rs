//! Queries of SQL, and pipes of shells.

use super::build::{self, call, lambda, member, method, name, node};
use super::reader::Reader;
use super::scan::{Kind, Token};
use crate::ast::{Argument, Expression, ExpressionKind};

/// The columns of a query.
enum Columns<'t> {
    All,
    Count,
    Names(Vec<&'t str>),
}

impl<'t> Reader<'t> {
    /// Reads `SELECT path FROM xs WHERE n > 2 ORDER BY n DESC LIMIT 3`.
    pub(super) fn query(&mut self) -> Option<Expression> {
        self.next();
        let is_distinct = self.eat_word(&["distinct"]);
        let columns = self.columns()?;
        self.expect_word(&["from"])?;
        let mut rows = self.operators()?;
        let each = self.fresh()?;
        if self.eat_word(&["where"]) {
            self.is_query = true;
            let condition = self.operators();
            self.is_query = false;
            let mut condition = self.condition(condition?)?;
            self.of_row(&mut condition, each)?;
            rows = method(rows, "filter", [lambda(&[each], condition)]);
        }
        if self.eat_word(&["order"]) {
            rows = self.ordered(rows, each)?;
        }
        let limit = if self.eat_word(&["limit"]) { Some(self.operators()?) } else { None };
        let limited = |rows: Expression| match limit.clone() {
            Some(limit) => method(rows, "take", [limit]),
            None => rows,
        };
        match columns {
            Columns::Count if limit.is_none() && !is_distinct => Some(call("count", [rows])),
            Columns::All if !is_distinct => Some(limited(rows)),
            Columns::Names(names) => {
                let of_each = |it: &str| member(name(each), it, false);
                let row = match names.as_slice() {
                    [one] => of_each(one),
                    several => {
                        let fields = several.iter().map(|it| (build::spelled(it), of_each(it)));
                        node(ExpressionKind::Object(fields.collect()))
                    }
                };
                let rows = method(rows, "map", [lambda(&[each], row)]);
                Some(limited(if is_distinct { method(rows, "unique", []) } else { rows }))
            }
            _ => None,
        }
    }

    fn columns(&mut self) -> Option<Columns<'t>> {
        if self.eat("*") {
            return Some(Columns::All);
        }
        if self.at_any_case(&["count"]) && self.ahead(1).is_mark("(") && self.ahead(2).is_mark("*") {
            self.at += 3;
            self.expect(")")?;
            return Some(Columns::Count);
        }
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        Some(Columns::Names(names))
    }

    fn ordered(&mut self, rows: Expression, each: &str) -> Option<Expression> {
        self.expect_word(&["by"])?;
        let mut key = self.operators()?;
        self.of_row(&mut key, each)?;
        let descends = self.eat_word(&["desc"]);
        if !descends {
            self.eat_word(&["asc"]);
        }
        let order = descends.then(|| node(ExpressionKind::Bool(true)));
        Some(method(rows, "sortBy", [lambda(&[each], key)].into_iter().chain(order)))
    }

    /// Makes members of the row of the names in a condition. A name that is bound may be a column or not.
    fn of_row(&self, expression: &mut Expression, row: &str) -> Option<()> {
        match &mut expression.kind {
            ExpressionKind::Name(column) if self.is_bound(column) => None,
            ExpressionKind::Lambda { .. } => None,
            ExpressionKind::Name(column) => {
                *expression = member(name(row), &column.clone(), false);
                Some(())
            }
            ExpressionKind::Member { of, .. } => self.of_row(of, row),
            kind => {
                let mut is_clear = true;
                kind.each_child_mut(&mut |child| is_clear &= self.of_row(child, row).is_some());
                is_clear.then_some(())
            }
        }
    }

    /// Reads a stage of a pipe: `| count`, `|> map(f)`, `| sort -r`, `| head -3`.
    pub(super) fn piped(&mut self, value: Expression) -> Option<Expression> {
        self.next();
        let called = self.name()?;
        if self.at_mark("(") && self.peek().is_adjacent {
            let mut arguments = self.arguments()?;
            arguments.insert(0, Argument { name: None, value });
            return Some(build::call_of(None, false, called, arguments));
        }
        let ends = |it: &Self| it.at_end() || it.at_mark("|") || it.at_mark("|>") || it.peek().starts_line;
        let mut words = Vec::new();
        while !ends(self) {
            words.push(self.next());
        }
        staged(value, called, &words)
    }
}

/// Makes the call of a stage with the words behind its name.
fn staged(value: Expression, command: &str, words: &[&Token<'_>]) -> Option<Expression> {
    let words = words.iter().map(|it| match &it.kind {
        Kind::Name => Some(it.word.to_owned()),
        Kind::Number(number) => Some(number.to_string()),
        Kind::Text(text) => Some(text.clone()),
        Kind::Mark("-") => Some("-".to_owned()),
        _ => None,
    });
    let words = words.collect::<Option<Vec<String>>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let contains = |text: &str| {
        let is_plain = text.chars().all(|it| it.is_alphanumeric() || " _-,;:/@#".contains(it));
        is_plain.then(|| call("contains", [call("toText", [name("x")]), build::text(text)]))
    };
    let filtered = |value, condition| call("filter", [value, lambda(&["x"], condition)]);
    Some(match (command, words.as_slice()) {
        ("wc", ["-", "l"]) => call("count", [value]),
        ("head", ["-", count] | ["-", "n", count]) => {
            call("take", [value, build::integer(i64::from(count.parse::<u32>().ok()?))])
        }
        ("tail", ["-", count] | ["-", "n", count]) => {
            call("take", [value, build::integer(-i64::from(count.parse::<u32>().ok()?))])
        }
        ("sort", ["-", "u"]) => call("sort", [call("unique", [value])]),
        ("sort", ["-", "r"]) => call("sort", [value, node(ExpressionKind::Bool(true))]),
        ("grep", [text]) => filtered(value, contains(text)?),
        ("grep", ["-", "v", text]) => filtered(value, build::not(contains(text)?)),
        // In shells these take lines apart, and compare neighbours.
        ("wc" | "head" | "tail" | "grep" | "uniq", _) | (_, [_, ..]) => return None,
        (command, []) => call(command, [value]),
    })
}
