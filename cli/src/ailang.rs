//! `dialect ailang`: looks at interface documents. The program `ailang` is the same.

mod documents;
mod explain;
mod extract;
mod fmt;
mod folder;
mod init;
mod parse;
mod tokens;
mod validate;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ailang::{Level, Section, Strictness};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::Value;

use crate::Failure;
use crate::output::{complain, say, write_out};

/// Something is wrong with a document.
const WRONG: u8 = 1;

/// Something cannot be read or written.
const UNREADABLE: u8 = 3;

/// Looks at interface documents: Markdown that declares tools, and says how they are used.
///
/// Exit codes: 0 all is well, 1 something is wrong with a document, 2 wrong usage, 3 something cannot be read.
#[derive(Debug, Parser)]
#[command(name = "ailang", version, max_term_width = 100)]
pub(crate) struct Ailang {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Nested {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what a document declares
    Parse(Parse),
    /// Check documents by the rules, with everything that they import, or whole packages
    Validate(Validate),
    /// Lay documents out: files are rewritten, standard input is printed
    Fmt(Fmt),
    /// Print a document at a level of detail
    Extract(Extract),
    /// Say how many tokens documents take at each level, estimated
    Tokens(Files),
    /// Say what a code means, and what to do about it
    Explain(Explain),
    /// Start a package of documents in a folder
    Init(Init),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Pretty,
    /// For programs.
    Json,
    /// For programs, and people with patience.
    Yaml,
}

#[derive(Debug, Args)]
struct Files {
    /// The documents; `-` is standard input, a folder all that are in it
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// For people, or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
struct Parse {
    #[command(flatten)]
    files: Files,
    /// minimal (front matter), compact (names), standard (declarations), detailed (comments, examples) or complete
    #[arg(long, default_value = "standard", value_parser = level)]
    level: Level,
}

#[derive(Debug, Args)]
struct Validate {
    /// The documents; `-` is standard input, a folder or its `ailang.json` is all of a package
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// For people, or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// How much is asked of a document: loose, normal or strict
    #[arg(long, default_value = "normal", value_parser = strictness)]
    strictness: Strictness,
}

#[derive(Debug, Args)]
struct Fmt {
    /// The documents; standard input when there is none, or for `-`; for a folder all that are in it
    files: Vec<PathBuf>,
    /// Change nothing; list the documents that would change, and exit with 1 when there are any
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Args)]
struct Extract {
    /// The document; `-` is standard input
    file: PathBuf,
    /// minimal, compact, standard, detailed or complete
    #[arg(long, default_value = "standard", value_parser = level)]
    level: Level,
    /// What is told whatever the level is: metadata, types, tools, errors, capabilities, examples, prose
    #[arg(long, value_delimiter = ',', value_parser = section)]
    include: Vec<Section>,
    /// What is not told, even if it is included
    #[arg(long, value_delimiter = ',', value_parser = section)]
    exclude: Vec<Section>,
}

#[derive(Debug, Args)]
struct Explain {
    /// The code: AL3001
    code: String,
}

#[derive(Debug, Args)]
struct Init {
    /// The folder, which is made when it is not there
    folder: PathBuf,
}

/// Runs the program `ailang` with the arguments of this process.
pub fn ailang() -> ExitCode {
    run(Ailang::parse().command)
}

impl Nested {
    pub(crate) fn run(self) -> ExitCode {
        run(self.command)
    }
}

fn run(command: Command) -> ExitCode {
    let came_to = match command {
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Extract(arguments) => extract::run(arguments),
        Command::Tokens(files) => tokens::run(&files),
        Command::Explain(arguments) => explain::run(&arguments.code),
        Command::Init(arguments) => init::run(&arguments.folder),
    };
    match came_to {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("ailang: {error}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

/// What a subcommand comes to: its exit code.
type Came = Result<u8, Failure>;

/// The worst that comes of any of the files. One that cannot be read is told, and the others are looked at all the same.
fn each(files: &[PathBuf], mut one: impl FnMut(&Path) -> Came) -> u8 {
    let came_to = files.iter().map(|file| {
        one(file).unwrap_or_else(|problem| {
            complain(&format!("ailang: {problem}"));
            UNREADABLE
        })
    });
    came_to.fold(0, u8::max)
}

/// The same, with each document of a folder for the folder.
fn each_document(files: &[PathBuf], mut one: impl FnMut(&Path) -> Came) -> u8 {
    each(files, |file| Ok(each(&folder::opened(file)?, &mut one)))
}

/// Prints something for programs.
fn say_tree(format: Format, tree: &Value) -> Result<(), Failure> {
    match format {
        Format::Yaml => write_out(&serde_saphyr::to_string(tree)?),
        Format::Json | Format::Pretty => say(&format!("{tree:#}")),
    }
}

fn strictness(text: &str) -> Result<Strictness, String> {
    Strictness::parse(text).ok_or_else(|| "it is loose, normal or strict".to_owned())
}

fn level(text: &str) -> Result<Level, String> {
    Level::parse(text).ok_or_else(|| format!("it is one of {}", Level::ALL.map(Level::name).join(", ")))
}

fn section(text: &str) -> Result<Section, String> {
    Section::parse(text).ok_or_else(|| format!("it is one of {}", Section::ALL.map(Section::name).join(", ")))
}
