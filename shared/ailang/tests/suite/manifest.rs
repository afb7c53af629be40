//! Manifests are parsed whatever they contain.

use ailang::{Documents, Manifest, Strictness};
use libtest_mimic::Trial;
use proptest::prelude::*;
use source_text::LineIndex;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![any_manifest_is_read, a_fix_puts_it_right, a_manifest_has_an_end]
}

/// Returns a valid or broken piece of a manifest.
fn piece() -> impl Strategy<Value = String> {
    let names =
        ["name", "version", "main", "files", "keywords", "dependencies", "repository", "@a/b", "é\\n"];
    let values = [
        "\"\"",
        "\"main.md\"",
        "\"../x\"",
        "\"1\"",
        "\"v1.2\"",
        "\"^1.0.0 <2\"",
        "\"git+\"",
        "\"@A/ b\"",
        "null",
        "[]",
        "[\"a\", 1]",
        "{}",
        "{\"a\": {}}",
        "-0.5",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "nul",
        "\"",
    ];
    let field = (prop::sample::select(names.to_vec()), prop::sample::select(values.to_vec()));
    field.prop_map(|(name, value)| format!("\"{name}\": {value}"))
}

proptest! {
    fn any_manifest_is_read(
        before in "(\u{feff})?[ \n]{0,2}",
        fields in prop::collection::vec(piece(), 0..6),
        separator in "(, |,|,\n| )",
        behind in "(}|} |}x|)",
    ) {
        let source = format!("{before}{{{}{behind}", fields.join(&separator));
        let manifest = Manifest::parse(source.clone());
        let index = LineIndex::new(&source);
        for strictness in [Strictness::Loose, Strictness::Normal, Strictness::Strict] {
            let found = manifest.validate(&Documents::new(), strictness);
            prop_assert!(!found.is_empty(), "nothing has no main document: {source}");
            for it in &found {
                prop_assert!(source.get(it.span.range()).is_some(), "{it:?} in {source}");
                it.show("ailang.json", &source, &index);
                prop_assert!(it.fixes.iter().all(|fix| source.get(fix.span.range()).is_some()), "{it:?} in {source}");
            }
        }
    }
}

fn a_fix_puts_it_right() {
    let source = r#"{"name": "My Tools", "version": "v1", "description": "d", "author": "a", "license": "l", "main": "man.md"}"#;
    let mut documents = Documents::new();
    documents.insert("main.md", ailang::Document::parse(""));
    let mut fixed = source.to_owned();
    for it in Manifest::parse(source).validate(&documents, Strictness::Strict).iter().rev() {
        let fix = it.fixes.first().expect("each has one");
        fixed.replace_range(fix.span.range(), &fix.replacement);
    }
    assert_eq!(Manifest::parse(fixed.clone()).validate(&documents, Strictness::Strict), [], "{fixed}");
    assert!(fixed.contains(r#""name": "my-tools", "version": "1.0.0""#), "{fixed}");
}

fn a_manifest_has_an_end() {
    let manifest = Manifest::parse(format!("{{\"main\": \"{}\"}}", "a".repeat(Manifest::LARGEST)));
    let found = manifest.validate(&Documents::new(), Strictness::Normal);
    assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [ailang::Code::MANIFEST_JSON]);
}
