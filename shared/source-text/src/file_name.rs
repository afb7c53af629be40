//! Names of files, as file systems compare them.

use icu_normalizer::DecomposingNormalizerBorrowed;

/// The folders of version control, which mark a repository and tell its programs what to run.
pub const VERSION_CONTROL: [&str; 7] = [".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs"];

/// Returns the folder that the text of a file `.git` names, relative to the folder with the file: linked work trees and
/// submodules have such files.
pub fn linked_git_folder(text: &str) -> Option<&str> {
    text.strip_prefix("gitdir:").map(str::trim)
}

/// Returns whether a file system may take a name for a folder of version control: some fold case, some leave out
/// characters, and NTFS cuts dots and spaces, has streams and short names.
pub fn is_of_version_control(name: &str) -> bool {
    folded_name(name).split('\\').any(|name| {
        let name = name.split(':').next().unwrap_or(name).trim_end_matches(['.', ' ']);
        let is_short = |number: &str| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        VERSION_CONTROL.contains(&name) || name.strip_prefix("git~").is_some_and(is_short)
    })
}

/// Returns a key of a name or path. Names that are one file on a system that folds case or normalizes, in any
/// of its forms, have the same key.
pub fn folded_name(path: &str) -> String {
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd();
    let visible: String = path.chars().filter(|it| !is_ignorable(*it)).collect();
    // `ẞ` has to be `ß` before that is `SS`, and the two small sigmas are one capital.
    let lower = decomposed.normalize(&visible).chars().flat_map(char::to_lowercase).collect::<String>();
    let upper = lower.chars().flat_map(char::to_uppercase).collect::<String>();
    decomposed.normalize(&upper.chars().flat_map(char::to_lowercase).collect::<String>()).into_owned()
}

/// Returns `true` for a character without a shape, which some systems leave out where they compare names.
fn is_ignorable(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use icu_normalizer::{
        ComposingNormalizerBorrowed as Composed, DecomposingNormalizerBorrowed as Decomposed,
    };
    use proptest::prelude::*;

    use super::*;

    /// Returns spellings of a name that are one file where case or normalization does not count.
    fn spellings(name: &str) -> [String; 6] {
        [
            Composed::new_nfc().normalize(name).into_owned(),
            Composed::new_nfkc().normalize(name).into_owned(),
            Decomposed::new_nfd().normalize(name).into_owned(),
            Decomposed::new_nfkd().normalize(name).into_owned(),
            name.to_lowercase(),
            name.to_uppercase(),
        ]
    }

    proptest! {
        #[test]
        fn spellings_of_one_name_have_one_key(name in "\\PC{1,8}") {
            let key = folded_name(&name);
            for spelling in spellings(&name).into_iter().chain([key.clone()]) {
                prop_assert_eq!(folded_name(&spelling), key.as_str(), "{:?} and {:?}", name, spelling);
            }
        }

        #[test]
        fn every_spelling_of_a_folder_of_version_control_is_one(
            folder in prop::sample::select(VERSION_CONTROL.to_vec()),
            capitals in prop::collection::vec(any::<bool>(), 6),
            hidden in prop::sample::select(vec!["", "\u{200c}", "\u{feff}", "\u{ad}", "\u{2064}", "\u{fe0f}"]),
            at in 0..6_usize,
            end in prop::sample::select(vec!["", ".", " ", ". .", "::$INDEX_ALLOCATION", ":x", "\\config"]),
        ) {
            let letters = folder.chars().zip(capitals.iter().chain([&false].into_iter().cycle()));
            let spell = |(letter, capital): (char, &bool)| if *capital { letter.to_ascii_uppercase() } else { letter };
            let mut name: String = letters.map(spell).collect();
            name.insert_str(at.min(folder.len()), hidden);
            let name = name + end;
            prop_assert!(is_of_version_control(&name), "{:?}", name);
            for spelling in spellings(&name) {
                prop_assert!(is_of_version_control(&spelling), "{:?}", spelling);
            }
        }
    }

    #[test]
    fn other_names_are_free() {
        for name in
            ["git", ".gitignore", ".github", "git~", "git~x", "digit~1", ".git-x", "a.git", "x:.git", ""]
        {
            assert!(!is_of_version_control(name), "{name}");
        }
        for name in ["GIT~1", "git~12", "a\\.git", ".\u{ff47}it", ".ſl"] {
            assert!(is_of_version_control(name), "{name}");
        }
    }
}
