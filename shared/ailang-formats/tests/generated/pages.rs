//! Pages of documents, in a browser: the search, the keyboard, links, and documents that want to run something.

use std::path::Path;

use ailang::{Document, Documents};
use ailang_formats::{DocumentationPage, html_pages};
use libtest_mimic::{Failed, Trial};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::tools::{home, run, tool, trial};
use super::{driver, folder, write};

const BROWSER: &[&[&str]] = &[&["chromium", "--version"]];
const AXE: &[&[&str]] = &[&["chromium", "--version"], &["node", "-e", "require('axe-core')"]];

/// A document whose words are markup and scripts.
const HOSTILE: &str = "---\nid: evil\ntitle: \"</title><script>hack()</script>\"\nsummary: \"<img src=x onerror=hack()>\"\n---\n\n\
    # Evil\n\n<script>document.documentElement.dataset.hacked = 1</script>\n\n\
    <img src=\"http://127.0.0.1:9/a.png\" onerror=\"document.documentElement.dataset.hacked = 2\">\n\n\
    [a](javascript:document.documentElement.dataset.hacked=3) [b](JaVaScRiPt:hack()) [c](data:text/html,x) [d](vbscript:x)\n\
    ![e](http://127.0.0.1:9/e.png)\n\n## </main><form action=x>\n\n## </main><form action=x>\n\n<define>\n\n```typescript\n\
    // </code></pre><script>document.documentElement.dataset.hacked = 4</script>\n// @deprecated <iframe>\n\
    tool sendMail(a: string.default(\"</script><script>document.documentElement.dataset.hacked = 5</script>\")) -> any\n\
    ```\n\n</define>\n\n<example id=\"<svg onload=hack()>\" tool=\"sendMail\" title=\"<object>\">\n\n\
    ```typescript\nprint(\"</script><script>document.documentElement.dataset.hacked = 6</script>\")\n```\n\n\
    ```output\n<embed>\n```\n\n</example>\n";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("browser", "a page is searched and read", BROWSER, read),
        trial("browser", "a hostile document is text", BROWSER, hostile),
        trial("browser", "pages are accessible", AXE, accessible),
    ]
}

fn mail() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skills/email/email.md");
    std::fs::read_to_string(path).unwrap_or_else(|it| panic!("the example is there: {it}"))
}

/// Opens a page of a document, runs scripts in it, and returns what the driver found.
fn visit(name: &str, source: &str, page: &str, scripts: &[&str]) -> Result<Value, Failed> {
    let folder = folder(name);
    let mut documents = Documents::new();
    documents.insert("mail.md", Document::parse(source));
    let scripts: String = scripts.iter().map(|it| format!("<script>{it}</script>\n")).collect();
    for DocumentationPage { path, text } in html_pages(&documents) {
        let (before, _) = text.rsplit_once("</body>").ok_or("the page has a body")?;
        write(&folder.join(path), &format!("{before}{scripts}</body></html>"))?;
    }
    let profile = folder.join("profile");
    let mut browser = tool("chromium");
    browser.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=20000",
        "--dump-dom",
    ]);
    browser.arg(format!("--user-data-dir={}", profile.display()));
    browser.arg(format!("file://{}", folder.join(page).display()));
    let dom = run(&mut browser)?;
    let (_, rest) = dom.split_once("data-result=\"").ok_or("the driver did not end")?;
    let (result, _) = rest.split_once('"').ok_or("an attribute ends")?;
    let result: Value = serde_json::from_str(&percent_decode_str(result).decode_utf8()?)?;
    if result.get("error").is_some() { Err(result["error"].to_string().into()) } else { Ok(result) }
}

fn expect(result: &Value, wanted: &Value) -> Result<(), Failed> {
    for (key, wanted) in wanted.as_object().into_iter().flatten() {
        if result[key] != *wanted {
            return Err(format!("{key} should be {wanted:#}, and is {:#}", result[key]).into());
        }
    }
    Ok(())
}

fn use_page() -> Result<String, Failed> {
    Ok(std::fs::read_to_string(driver("page.js"))?)
}

fn read() -> Result<(), Failed> {
    let result = visit("read", &mail(), "mail.html", &[&use_page()?])?;
    expect(
        &result,
        &json!({
            "slash": true,
            "arrows": [true, true, true],
            "back": true,
            "escape": true,
            "entered": ["#d-sendMail", "d-sendMail", true],
            "schemes": ["file:"],
            "dangling": [],
            "repeated": [],
            "requests": [],
            "elements": [],
        }),
    )?;
    let firsts = [
        ("sendmail", "sendMail (tool)"),
        ("receipt", "Receipt (type)"),
        ("maillimit", "MailLimitError (error)"),
        ("sendm", "sendMail (tool)"),
        ("taken back", "Mail (prose)"),
    ];
    for (words, first) in firsts {
        let found = &result["found"][words];
        if (&found[0], &found[2]) != (&json!(false), &json!(first)) {
            return Err(format!("{words} should find {first}, and finds {found}").into());
        }
    }
    expect(&result["found"], &json!({"nothing-has-this": [true, "Nothing found", ""]}))?;
    let names = ["Receipt", "SendMail", "UnknownRecipientError", "MailLimitError", "Subject", "sendMail"];
    names.iter().try_for_each(|it| expect(&result["code"], &json!({*it: format!("#d-{it}")})))
}

fn hostile() -> Result<(), Failed> {
    let result = visit("hostile", HOSTILE, "mail.html", &[&use_page()?])?;
    let wanted = json!({
        "hacked": null, "requests": [], "elements": [], "dangling": [], "repeated": [], "schemes": ["file:"],
        "entered": ["#d-sendMail", "d-sendMail", true],
    });
    expect(&result, &wanted)
}

fn accessible() -> Result<(), Failed> {
    let home = home().ok_or("`AILANG_TOOLS` names the folder of axe-core")?;
    let axe = std::fs::read_to_string(home.join("node_modules/axe-core/axe.min.js"))?;
    for page in ["mail.html", "index.html"] {
        let result = visit("accessible", &mail(), page, &[&axe, &use_page()?])?;
        expect(&result, &json!({"violations": []}))?;
    }
    Ok(())
}
