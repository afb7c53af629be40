//! Documents as HTML: nothing that they say becomes markup.

use ailang::{Document, Documents};
use ailang_formats::{html_pages, markdown_pages};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        words_are_no_markup,
        everything_has_an_anchor_and_is_found,
        values_are_checked_against_types_of_documents,
        markdown_has_sections_and_no_markup_of_authors
    ]
}

const HOSTILE: &str = "---\nid: evil\ntitle: \"</title><script>alert(1)</script>\"\nsummary: \"<img src=x onerror=alert(2)>\"\nkeywords: [\"<b>\"]\n---\n\n\
    # Title\n\n<script>alert(3)</script> and [link](javascript:alert(4)), [other]( data:text/html,x ) ![image](http://example.org/x.png)\n\n\
    <div onclick=\"alert(5)\">\n\n<define>\n```ts\n// <script>alert(6)</script> </script>\n// @deprecated <i>\n\
    tool f(a: string.default(\"</code><script>alert(7)</script>\")) -> any\n```\n</define>\n\n\
    <example id=\"x\" tool=\"f\" title=\"<u>\">\n```ts\nf(\"</script>\")\n```\n```output\n<script>alert(8)</script>\n```\n</example>\n";

fn pages(sources: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut documents = Documents::new();
    for (path, source) in sources {
        documents.insert(*path, Document::parse(*source));
    }
    html_pages(&documents).into_iter().map(|page| (page.path, page.text)).collect()
}

fn words_are_no_markup() {
    for (path, text) in pages(&[("a.md", HOSTILE)]) {
        // The page has two scripts of its own, and the policy that forbids all others from elsewhere.
        assert_eq!(text.matches("<script").count(), 2, "{path}: {text}");
        assert_eq!(text.matches("</script>").count(), 2, "{path}");
        for start in [
            "<img",
            "<div on",
            "href=\"javascript",
            "href=\" data",
            "<b>",
            "<u>",
            "<i>",
            "src=\"http",
            "@import",
            "url(",
        ] {
            assert!(!text.contains(start), "{path} has {start}");
        }
        assert!(text.contains("Content-Security-Policy"));
    }
}

fn everything_has_an_anchor_and_is_found() {
    let other = "---\nid: b\ntitle: B\nsummary: B.\n---\n<define>\nerror Lost { message = \"lost\" }\n// Sends.\ntool send(to: string) -> any throws Lost\n</define>\n";
    let pages = pages(&[("A/x.md", HOSTILE), ("a-x.md", other), ("a/x.md", other)]);
    let names: Vec<&str> = pages.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["index.html", "a-x.html", "a-x-2.html", "a-x-3.html"]);
    for (path, text) in &pages {
        let ids: Vec<&str> = text.split("id=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
        let links = text.split("href=\"").skip(1).filter_map(|it| it.split('"').next());
        for link in links {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let is_here = file.is_empty() || names.contains(&file);
            assert!(is_here, "{path}: {link}");
            if file.is_empty() && !anchor.is_empty() {
                assert!(ids.contains(&anchor), "{path}: {link}");
            }
        }
    }
    let text = &pages[2].1;
    assert!(text.contains("<a href=\"#d-Lost\">Lost</a>") && text.contains("\"n\":\"send\""), "{text}");
    assert!(pages[1].1.contains(
        "<pre class=\"output\" tabindex=\"0\"><code>&lt;script&gt;alert(8)&lt;/script&gt;</code></pre>"
    ));
}

fn values_are_checked_against_types_of_documents() {
    let mut documents = Documents::new();
    let source = "---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\nenum Size { S, L }\ntype Address = { zip: string.minLength(3), size?: Size }\n</define>\n";
    documents.insert("a.md", Document::parse(source));
    let check = |ty: &str, value: serde_json::Value| documents.check_value("a.md", ty, &value);
    assert_eq!(check("Address", serde_json::json!({"zip": "12345", "size": "S"})), Ok(Ok(())));
    let problems = check("List<Address>", serde_json::json!([{"zip": "1", "size": "M"}, {"x/y": 1}]))
        .expect("it is a type")
        .expect_err("it is wrong");
    let pointers: Vec<&str> = problems.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(pointers, ["/0/zip", "/0/size", "/1", "/1/x~1y"]);
    for (ty, why) in [
        ("Adress", "`Adress` is no type here: "),
        ("string\ntool f()", "a type stands on one line"),
        ("string type B = int", "is no type"),
        ("", "is no type"),
    ] {
        let problem = check(ty, serde_json::Value::Null).expect_err(ty);
        assert!(problem.contains(why), "{ty}: {problem}");
    }
}

fn markdown_has_sections_and_no_markup_of_authors() {
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(HOSTILE));
    let other = "---\nid: b\ntitle: B_b\nsummary: B.\n---\n\n<div>\n\n[x](javascript:y) <b>z</b>\n\n</div>\n\n<define>\n\n```ts\n\
                 error Lost { message = \"lost\", recovery = \"Look.\" }\n// Sends.\ntool send(to: string) -> any throws Lost\n```\n\n</define>\n";
    documents.insert("b.md", Document::parse(other));
    let pages = markdown_pages(&documents);
    let names: Vec<&str> = pages.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(names, ["index.md", "a.md", "b.md"]);
    for page in &pages {
        for (event, _) in pulldown_cmark::Parser::new(&page.text).into_offset_iter() {
            use pulldown_cmark::{Event, Tag};
            match event {
                Event::Html(html) | Event::InlineHtml(html) => {
                    assert!(html.starts_with("<a id=\"") || html.starts_with("</a>"), "{html}");
                }
                Event::Start(Tag::Image { dest_url, .. }) => panic!("{dest_url}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(!dest_url.contains("javascript:") && !dest_url.contains("data:"), "{dest_url}");
                }
                _ => {}
            }
        }
    }
    expect_test::expect![[r##"
        # B\_b

        B.

        \<div>

        \[x](javascript:y) \<b>z\</b>

        \</div>

        <a id="d-Lost"></a>

        ### error Lost

        ```typescript
        error Lost {
          message = "lost"
          recovery = "Look."
        }
        ```

        <a id="d-send"></a>

        ### tool send

        Sends.

        ```typescript
        tool send(to: string) -> any
          throws Lost
        ```

        Uses [`Lost`](#d-Lost)
    "##]]
    .assert_eq(&pages[2].text);
}
