//! Erases the types of files: for each, writes `FOLDER/NUMBER.js`, and prints its number, its path and what was wrong.
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap();
    let mut total = Duration::ZERO;
    for (number, path) in arguments.enumerate() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let started = Instant::now();
        let erased = typescript::erase(&source);
        total += started.elapsed();
        match erased {
            Ok(text) => {
                std::fs::write(format!("{folder}/{number}.js"), text).unwrap();
                println!("{number}\t{path}\tok");
            }
            Err(problems) => println!("{number}\t{path}\t{}", problems[0]),
        }
    }
    eprintln!("{total:?}");
}
