//! Reads each value of files of vectors as its type. Fails where it takes or refuses the wrong ones.

// MODULES

use serde_json::Value;

type Check = fn(&str, &Value) -> Result<(), String>;

const TABLE: &[(&str, Check)] = &[
    // TABLE
];

fn main() {
    let mut wrong = 0;
    for (module, check) in TABLE {
        let text = std::fs::read_to_string(format!("{module}.json")).expect("the file was written");
        let all: Value = serde_json::from_str(&text).expect("it is JSON");
        for vectors in all.as_array().expect("it is a list") {
            let name = vectors["name"].as_str().expect("it has a name");
            for (key, wanted) in [("ok", true), ("newer", true), ("bad", false)] {
                for value in vectors[key].as_array().expect("it is a list") {
                    let checked = check(name, value);
                    if checked.is_ok() != wanted {
                        wrong += 1;
                        println!("{module}: {name}: {value} should be {key}: {checked:?}");
                    }
                }
            }
        }
    }
    assert_eq!(wrong, 0);
}
