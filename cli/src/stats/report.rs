//! The numbers as a table, and as JSON.

use metrics::{mean, table};
use serde_json::{Value, json};
use source_text::visible_line;

use super::count::Numbers;
use super::row::Row;
use crate::grants::time;

/// The most characters of a name.
const NAME: usize = 100;

/// A column of the table: its heading, and a row's text.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: &[Column] = &[
    ("calls", |it| it.calls.to_string()),
    ("errors", |it| percent(it.error_rate())),
    ("denied", |it| percent(it.denial_rate())),
    ("median", |it| milliseconds(it.durations.quantile(0.5))),
    ("p95", |it| milliseconds(it.durations.quantile(0.95))),
    ("max", |it| milliseconds(it.durations.longest())),
    ("tokens in", |it| it.tokens_in.to_string()),
    ("tokens out", |it| it.tokens_out.to_string()),
    ("last", |it| if it.last == 0 { "-".to_owned() } else { time(it.last) }),
];

impl Numbers {
    /// Returns a table: the tools, their functions, and a line about all.
    pub(super) fn table(&self) -> String {
        let heading = |name: &str| {
            std::iter::once(name.to_owned()).chain(COLUMNS.iter().map(|it| it.0.to_owned())).collect()
        };
        let cells = |(name, row): (&String, &Row)| {
            std::iter::once(visible_line(name, NAME)).chain(COLUMNS.iter().map(|it| (it.1)(row))).collect()
        };
        let mut lines: Vec<Vec<String>> = Vec::new();
        for (name, rows) in [("tool", &self.tools), ("function", &self.functions)] {
            if !rows.is_empty() {
                lines.push(heading(name));
                lines.extend(rows.iter().map(cells));
            }
        }
        table(&lines) + &self.summary()
    }

    fn summary(&self) -> String {
        let mut parts = vec![
            format!("{} calls of tools", self.sum(|it| it.calls)),
            format!("{} errors", percent(self.error_rate())),
            format!("{} of permissions denied", percent(self.denial_rate())),
            format!("{} of answers cached", percent(self.cache_hit_rate())),
        ];
        if self.lost > 0 {
            parts.push(format!("{} not recorded", self.lost));
        }
        parts.join(", ") + "\n"
    }

    /// Returns an object. Rates are fractions from 0 to 1, and null of nothing; durations are milliseconds.
    pub(super) fn to_json(&self) -> Value {
        let calls = self.sum(|it| it.calls);
        let total: f64 = self.tools.values().map(|it| it.durations.total()).sum();
        let measured: u64 = self.sum(|it| it.durations.count());
        let average = mean(total, measured);
        let list = |rows: &std::collections::BTreeMap<String, Row>| {
            rows.iter().map(|(name, row)| row.to_json(name)).collect::<Vec<_>>()
        };
        json!({
            "totals": {
                "totalToolExecutions": calls, "averageExecutionTime": average,
                "errorRate": self.error_rate(), "capabilityDenialRate": self.denial_rate(),
                "cacheHitRate": self.cache_hit_rate(), "tokensIn": self.sum(|it| it.tokens_in),
                "tokensOut": self.sum(|it| it.tokens_out), "lostEvents": self.lost,
            },
            "tools": list(&self.tools),
            "functions": list(&self.functions),
        })
    }
}

impl Row {
    fn to_json(&self, name: &str) -> Value {
        let durations = &self.durations;
        json!({
            "name": name, "executionCount": self.calls, "errorCount": self.failed(), "errors": self.errors,
            "ambiguityCount": self.ambiguous, "cancelledCount": self.cancelled, "deniedCount": self.denied,
            "requestedCount": self.requested, "grantedCount": self.granted, "errorRate": self.error_rate(),
            "denialRate": self.denial_rate(), "totalDuration": durations.total(),
            "averageDuration": durations.mean(), "medianDuration": durations.quantile(0.5),
            "p95Duration": durations.quantile(0.95),
            "maxDuration": durations.longest(),
            "tokensIn": self.tokens_in, "tokensOut": self.tokens_out, "uncountedCalls": self.uncounted,
            "lastExecutedAt": (self.last > 0).then(|| time(self.last)),
        })
    }
}

fn percent(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |it| format!("{:.1} %", it * 100.0))
}

fn milliseconds(duration: Option<f64>) -> String {
    duration.map_or("-".to_owned(), |it| format!("{it:.1} ms"))
}

#[cfg(test)]
pub(super) mod tests {
    use component::audit::Entry;

    use super::*;

    /// Returns numbers of both logs: the audit log is older, and then calls are measured.
    pub(in crate::stats) fn numbers() -> Numbers {
        let mut numbers = Numbers::new(0);
        let entry = |ts: u64, action: &str, capability: &str, rest: Value| -> Entry {
            let mut entry = json!({
                "seq": 1, "prev": "", "ts": ts, "capability": capability, "params": {}, "action": action, "by": "user",
            });
            entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            serde_json::from_value(entry).unwrap()
        };
        let measured = json!({
            "ms": 120.5, "outcome": "success", "tokensIn": 9, "tokensOut": 40, "cacheHits": 3, "cacheMisses": 1,
            "functions": [
                {"function": "find", "outcome": "success", "calls": 4, "totalMs": 100.0, "maxMs": 90.0,
                 "ms": [2.0, 3.0, 5.0, 90.0], "tokensIn": 8, "tokensOut": 100},
                {"function": "find", "outcome": "failure", "error": "NotFound", "calls": 1, "totalMs": 1.0, "maxMs": 1.0,
                 "ms": [1.0], "tokensIn": 2, "tokensOut": 12},
                {"function": "write", "outcome": "success", "calls": 1, "totalMs": 7.25, "maxMs": 7.25, "ms": [7.25],
                 "tokensIn": 4, "tokensOut": 1},
            ],
        });
        numbers.count_measured(&entry(1_000, "ran", "ide_operation", json!({"measured": measured})));
        let denied = json!({"ms": 0.5, "outcome": "denied", "tokensIn": 9, "tokensOut": 30, "lost": 2});
        numbers.count_measured(&entry(1_001, "ran", "ide_operation", json!({ "measured": denied })));
        for (ts, action, capability, rest) in [
            (7, "requested", "files/Write", json!({"tool": "write, erase"})),
            (7, "granted", "files/Write", json!({"tool": "write, erase"})),
            (7, "used", "files/Write", json!({"tool": "write", "arguments": {"path": "a.txt"}})),
            (7, "denied", "files/Write", json!({"tool": "erase"})),
            (7, "failed", "files/write", json!({})),
            (7, "ran", "script", json!({"arguments": {"ms": 20}, "reason": "failed"})),
            (7, "revoked", "files/Write", json!({})),
            // These are measured too, and do not count twice.
            (1_000, "used", "files/Write", json!({"tool": "write", "arguments": {"path": "b.txt"}})),
            (1_000, "ran", "script", json!({"arguments": {"ms": 30}, "reason": "ok"})),
        ] {
            numbers.count_audited(&entry(ts, action, capability, rest));
        }
        numbers
    }

    #[test]
    fn entries_are_counted_by_tool_and_function() {
        expect_test::expect![[r#"
            tool           calls   errors   denied   median       p95       max  tokens in  tokens out                  last
            ide_operation      1    0.0 %   50.0 %   0.5 ms  120.5 ms  120.5 ms         18          70  1970-01-01T00:16:41Z
            script             1  100.0 %    0.0 %  20.0 ms   20.0 ms   20.0 ms          0           0  1970-01-01T00:00:07Z
            function       calls   errors   denied   median       p95       max  tokens in  tokens out                  last
            erase              0        -  100.0 %        -         -         -          0           0                     -
            find               5   20.0 %    0.0 %   3.0 ms   90.0 ms   90.0 ms         10         112  1970-01-01T00:16:40Z
            write              2   50.0 %    0.0 %   7.2 ms    7.2 ms    7.2 ms         10           1  1970-01-01T00:16:40Z
            2 calls of tools, 50.0 % errors, 33.3 % of permissions denied, 75.0 % of answers cached, 2 not recorded
        "#]].assert_eq(&numbers().table());
    }

    #[test]
    fn fractions_are_from_zero_to_one() {
        let json = numbers().to_json();
        assert_eq!(
            json["totals"],
            json!({
                "totalToolExecutions": 2, "averageExecutionTime": 47.0, "errorRate": 0.5,
                "capabilityDenialRate": 1.0 / 3.0, "cacheHitRate": 0.75, "tokensIn": 18, "tokensOut": 70,
                "lostEvents": 2,
            })
        );
        let find = &json["functions"][1];
        assert_eq!(
            (&find["name"], &find["errorRate"], &find["errors"]),
            (&json!("find"), &json!(0.2), &json!({"NotFound": 1}))
        );
        assert_eq!((&find["medianDuration"], &find["maxDuration"]), (&json!(3.001), &json!(90.0)));
        let nothing = Numbers::new(0).to_json();
        assert_eq!((&nothing["totals"]["errorRate"], &nothing["tools"]), (&Value::Null, &json!([])));
    }

    #[test]
    fn only_what_is_new_enough_counts() {
        let mut numbers = Numbers::new(500);
        let old: Entry = serde_json::from_value(json!({
            "seq": 1, "prev": "", "ts": 499, "capability": "x", "params": {}, "action": "denied", "by": "user",
        }))
        .unwrap();
        numbers.count_audited(&old);
        assert!(numbers.is_empty());
    }
}
