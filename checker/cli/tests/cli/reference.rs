//! The book's reference pages equal the text that is generated from the command line and the documents.
//!
//! `HYPERKILL_UPDATE=1 cargo test -p hyperkill --test cli reference` writes the pages.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use hyperkill::args::Cli;

fn path(page: &str) -> PathBuf {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    book.join(page)
}

/// Compares a page with its generated text, or writes it.
fn page_is(page: &str, expected: &str) {
    let path = path(page);
    if std::env::var_os("HYPERKILL_UPDATE").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/src/{page} is not what the program says; HYPERKILL_UPDATE=1 writes it anew"
    );
}

/// The help of a command in the width of a page.
fn help(command: &mut clap::Command) -> String {
    let text = command.render_long_help().to_string();
    let lines = text.lines().map(str::trim_end).collect::<Vec<_>>();
    lines.join("\n")
}

#[test]
fn the_page_about_the_command_line_shows_the_help_of_every_command() {
    let mut root = Cli::command().term_width(100);
    root.build();
    let mut page = String::from(
        "# Command line\n\nThe output of `--help`. A test makes this page. Options that all commands share are shown once, here.\n\n",
    );
    writeln!(page, "```text\n{}\n```", help(&mut root)).unwrap();
    for command in root.get_subcommands_mut() {
        let name = command.get_name().to_owned();
        if name == "help" || command.is_hide_set() {
            continue;
        }
        // The page lists global options once.
        let mut command = command.clone().mut_args(|arg| {
            let shared = arg.is_global_set();
            arg.hide(shared)
        });
        writeln!(page, "\n## {name}\n\n```text\n{}\n```", help(&mut command)).unwrap();
    }
    page_is("reference/command-line.md", &page);
}

#[test]
fn the_page_about_schemas_lists_every_document() {
    let root = Cli::command();
    let schema = root.find_subcommand("schema").unwrap();
    let name = schema.get_positionals().next().unwrap();
    let mut page = String::from(
        "# JSON Schemas\n\n`hyperkill schema NAME` prints the JSON Schema of a document, made from the types that write \
        it.\n\n| name | document |\n| --- | --- |\n",
    );
    let values = name.get_possible_values();
    assert!(values.len() > 5);
    for value in values {
        let about = value.get_help().unwrap();
        writeln!(page, "| `{}` | {about} |", value.get_name()).unwrap();
    }
    page_is("reference/schemas.md", &page);
}

/// A row for each mutation operator of a language.
fn operators(language: &str) -> String {
    let frontend = hyperkill::languages::by_name(language).unwrap();
    // A bar ends a cell of a table, in code too.
    let code = |text: &str| format!("`{}`", text.replace('|', "\\|"));
    let mut table = String::from("| operator | what it does | example |\n| --- | --- | --- |\n");
    for operator in frontend.operators() {
        let (before, after) = operator.example.split_once('⇒').unwrap();
        let example = match (before.trim(), after.trim()) {
            (before, "") => format!("{} is left out", code(before)),
            (before, after) => format!("{} ⇒ {}", code(before), code(after)),
        };
        let summary = operator.summary.replace('|', "\\|");
        writeln!(table, "| {} | {summary} | {example} |", operator.name).unwrap();
    }
    table
}

#[test]
fn the_pages_about_languages_list_every_operator_with_an_example() {
    let begin = "<!-- operators: made from the catalogue -->\n";
    let end = "\n<!-- end of operators -->";
    let pages = [
        ("action-system", "languages/action-systems.md"),
        ("efsm", "languages/efsm.md"),
        ("graphwalker", "languages/graphwalker.md"),
        ("smv", "languages/smv.md"),
        ("timed-fsm", "languages/timed-fsm.md"),
        ("uppaal", "languages/uppaal.md"),
        ("verilog", "languages/verilog.md"),
        ("blif", "languages/netlists.md"),
    ];
    for (language, page) in pages {
        let text = std::fs::read_to_string(path(page)).unwrap();
        let (above, rest) = text.split_once(begin).unwrap();
        let (_, below) = rest.split_once(end).unwrap();
        let table = operators(language);
        page_is(page, &format!("{above}{begin}\n{table}{end}{below}"));
    }
}

/// Options that a page mentions as missing.
const ABSENT: [&str; 1] = ["--totalise"];

/// The options and commands in a piece of inline code, if it is about this program.
fn options_in<'t>(code: &'t str, commands: &[String]) -> Vec<&'t str> {
    // Options after `--` belong to another program.
    let own = code.split(" -- ").next().unwrap_or_default();
    let first = own.split_whitespace().next().unwrap_or_default();
    let is_ours = first.starts_with("--")
        || first == "hyperkill"
        || commands.iter().any(|command| command == first);
    let words = own.split(|c: char| c.is_whitespace() || "=[]|,".contains(c));
    let options = words.filter(|word| is_ours && word.len() > 2 && word.starts_with("--"));
    options
        .filter(|word| {
            word[2..]
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '-')
        })
        .collect()
}

#[test]
fn every_option_that_the_book_names_is_one_of_a_command() {
    let mut root = Cli::command();
    root.build();
    let commands: Vec<String> = root
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let arguments = root
        .get_subcommands()
        .flat_map(clap::Command::get_arguments);
    let known: Vec<String> = arguments
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .collect();
    let mut seen = 0;
    for folder in ["guide", "languages", "internals", "reference"] {
        for entry in std::fs::read_dir(path(folder)).unwrap() {
            let page = entry.unwrap().path();
            let text = std::fs::read_to_string(&page).unwrap();
            // Another test runs the examples.
            let prose = text.split("```").step_by(2);
            let codes = prose.flat_map(|part| part.split('`').skip(1).step_by(2));
            for option in codes.flat_map(|code| options_in(code, &commands)) {
                let is_known = known.iter().any(|known| known == option);
                assert!(
                    is_known || ABSENT.contains(&option),
                    "{}: {option}",
                    page.display()
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
