//! Help texts, whose lines only the width of the terminal breaks.

use clap::builder::StyledStr;
use clap::{Arg, Command, Parser};

/// Parses the arguments of this process; help and mistakes end it.
pub(crate) fn parsed<P: Parser>() -> P {
    let mut command = reflowed(P::command());
    let mut matches = command.get_matches_mut();
    P::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

/// Joins the lines of each paragraph in the help of a command and its subcommands. Doc comments break their lines for
/// readers of the code.
pub(crate) fn reflowed(mut command: Command) -> Command {
    if let Some(text) = command.get_long_about().map(joined) {
        command = command.long_about(text);
    }
    if let Some(text) = command.get_about().map(joined) {
        command = command.about(text);
    }
    command.mut_args(reflowed_argument).mut_subcommands(reflowed)
}

fn reflowed_argument(mut argument: Arg) -> Arg {
    if let Some(text) = argument.get_long_help().map(joined) {
        argument = argument.long_help(text);
    }
    if let Some(text) = argument.get_help().map(joined) {
        argument = argument.help(text);
    }
    argument
}

/// Joins lines, except those that are empty, indented, or items of a list. Indented lines behind an item belong to it.
fn joined(text: &StyledStr) -> String {
    let mut lines: Vec<String> = Vec::new();
    let (mut goes_on, mut is_item) = (false, false);
    for line in text.to_string().lines() {
        let starts_item = line.starts_with("- ");
        let is_indented = line.starts_with("  ");
        match lines.last_mut() {
            Some(last) if goes_on && !starts_item && !line.is_empty() && (is_item || !is_indented) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => {
                is_item = starts_item;
                lines.push(line.to_owned());
            }
        }
        goes_on = !line.is_empty() && (is_item || !is_indented) && !line.ends_with(':');
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::ailang::Ailang;
    use crate::arguments::Arguments;

    #[test]
    fn paragraphs_are_joined_and_code_stays() {
        let text = "One\ntwo.\n\nExamples:\n  a b\n  c d\n\n- x: y\n  goes on.\n- z";
        let joined = joined(&StyledStr::from(text.to_owned()));
        assert_eq!(joined, "One two.\n\nExamples:\n  a b\n  c d\n\n- x: y goes on.\n- z");
    }

    /// Returns the help of a command and of all below it, by their names.
    fn helps(mut command: Command, above: &str, width: usize) -> Vec<(String, String)> {
        let name = format!("{above} {}", command.get_name()).trim().to_owned();
        command = command.term_width(width).max_term_width(width);
        let mut helps = vec![(name.clone(), command.render_long_help().to_string())];
        for below in command.get_subcommands().cloned().collect::<Vec<_>>() {
            helps.extend(helps_below(below, &name, width));
        }
        helps
    }

    fn helps_below(command: Command, above: &str, width: usize) -> Vec<(String, String)> {
        helps(command, above, width)
    }

    /// Returns the lines of prose that end before they have to.
    fn short_lines(help: &str, width: usize) -> Vec<String> {
        let lines: Vec<&str> = help.lines().collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let is_prose = |line: &str| {
            let text = line.trim_start();
            !text.is_empty() && !text.starts_with(['-', '<', '[', '{', '"', '\'']) && !line.ends_with(':')
        };
        let pairs = lines.windows(2).filter(|pair| {
            let [line, next] = pair else { return false };
            let word = next.split_whitespace().next().unwrap_or_default();
            is_prose(line) && is_prose(next) && indent(line) == indent(next)
                // Code, names of subcommands and of arguments have lines of their own.
                && indent(line) != 2
                && line.chars().count() + 1 + word.chars().count() < width
        });
        pairs.map(|pair| pair.join(" ⏎ ")).collect()
    }

    #[test]
    fn only_the_width_breaks_lines() {
        for width in [40, 60, 72, 80, 100, 140] {
            let commands = [Arguments::command(), Ailang::command()];
            for (name, help) in commands.into_iter().flat_map(|it| helps(reflowed(it), "", width)) {
                assert_eq!(short_lines(&help, width), Vec::<String>::new(), "{name} at {width}:\n{help}");
            }
        }
        // As it would be without the change.
        let broken = helps(Arguments::command(), "", 100)
            .into_iter()
            .any(|(_, help)| !short_lines(&help, 100).is_empty());
        assert!(broken, "the test sees broken lines");
    }
}
