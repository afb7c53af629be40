//! Erases the types of files: for each, writes `FOLDER/NUMBER.js`, and prints its number, its path, and `ok`, `made` where
//! code was inserted, or what was wrong.
//! `--time ROUNDS FILE` erases one file again and again, and prints the least and the median time, in microseconds.
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap();
    if folder == "--time" {
        let rounds = arguments.next().unwrap().parse().unwrap();
        return time(rounds, &arguments.next().unwrap());
    }
    let mut total = Duration::ZERO;
    for (number, path) in arguments.enumerate() {
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        let started = Instant::now();
        let erased = typescript::erase(&source);
        total += started.elapsed();
        match erased {
            Ok(text) => {
                let what = if text.len() == source.len() { "ok" } else { "made" };
                std::fs::write(format!("{folder}/{number}.js"), text).unwrap();
                println!("{number}\t{path}\t{what}");
            }
            Err(problems) => println!("{number}\t{path}\t{}", problems[0]),
        }
    }
    eprintln!("{total:?}");
}

fn time(rounds: usize, path: &str) {
    let source = std::fs::read_to_string(path).unwrap();
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(typescript::erase(std::hint::black_box(&source)).unwrap());
            started.elapsed()
        })
        .collect();
    times.sort();
    println!("{:.1} {:.1}", micros(times[0]), micros(times[rounds / 2]));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
