//! The frame of all pages: the head, the search, and the scripts.

use serde_json::Value;

use super::escape::escaped;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("search.js");

/// The content security policy: a page may run and show what is in it, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'";

/// Returns a page. `contents` is at the side, `entries` are of the search.
pub(super) fn framed(title: &str, contents: &str, body: &str, entries: &[Value]) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
         <header><a class=\"home\" href=\"index.html\">AiLang</a>\n\
         <div role=\"search\"><input id=\"search\" type=\"search\" placeholder=\"Search names and words (/)\" \
         aria-label=\"Search names and words\" autocomplete=\"off\">\n\
         <p id=\"count\" class=\"unseen\" role=\"status\"></p>\n\
         <ul id=\"found\" aria-label=\"Results\" hidden></ul></div></header>\n\
         <div class=\"columns\">\n{contents}<main id=\"main\" tabindex=\"-1\">\n{body}</main>\n</div>\n\
         <script type=\"application/json\" id=\"entries\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        data(entries),
        title = escaped(title),
    )
}

/// Returns the entries as JSON that cannot end or change the script which holds it.
fn data(entries: &[Value]) -> String {
    let text = Value::from(entries.to_vec()).to_string();
    text.replace('<', "\\u003c")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
