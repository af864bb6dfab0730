//! The texts that users read: messages in the code, the reference pages, the README. `HYPERKILL_UPDATE=1` writes the page of messages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use crate::architecture::sources;
use crate::documents::root;

/// The packages with messages to users, each with a title.
const SPEAKING: [(&str, &str); 13] = [
    (
        "checker/cli/src",
        "The command line, and files that it reads",
    ),
    ("checker/run/src", "Runs, plans and their folders"),
    ("checker/exec/src", "Tests on a real system"),
    ("checker/verify/src", "Questions about a model"),
    ("core/src", "AIGER files and conditional mutants"),
    ("formulas/src", "Formulas"),
    ("frontends/smv/src", "SMV"),
    ("frontends/verilog/src", "Verilog"),
    ("frontends/netlist/src", "Netlists"),
    (
        "frontends/guarded/src",
        "Action systems and state machines: variables, guards and assignments",
    ),
    ("frontends/action-systems/src", "Action systems: notation"),
    ("frontends/efsm/src", "State machines: notations"),
    ("frontends/uppaal/src", "Uppaal"),
];

/// The path of the page, below `docs/src`.
const PAGE: &str = "reference/messages.md";

const HEAD: &str = "# Messages

The messages of the program, by subject. A test makes this page from the code. Names in braces stand for parts of the model or of the
command line. The second column says what to do, where the message itself does not. Errors in a model are printed with their source line;
[exit statuses](exit-statuses.md) say which kind an error is.
";

/// A text in the code, with the code before it.
struct Literal<'a> {
    at: usize,
    text: String,
    before: &'a str,
}

/// Returns the string literals of a source in order, without comments.
fn literals(code: &str) -> Vec<Literal<'_>> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &code[at..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with('\'') {
            character(rest)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with('"') {
            let (text, length) = quoted(rest);
            let before = code[..at].trim_end();
            found.push(Literal { at, text, before });
            length
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += skipped;
    }
    found
}

/// Returns the length of the character literal at the start of the code, or 1 if a lifetime starts here.
fn character(rest: &str) -> usize {
    let inner = &rest[1..];
    let escaped = inner.starts_with('\\');
    let first = inner.chars().next().map_or(0, char::len_utf8);
    let start = if escaped { 2 } else { first };
    let close = inner.get(start..).and_then(|tail| tail.find('\''));
    match close {
        Some(close) if escaped || close == 0 => 1 + start + close + 1,
        _ => 1,
    }
}

/// Returns the text of the string literal at the start of the code, and its length in bytes.
fn quoted(rest: &str) -> (String, usize) {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (text, at + 1),
            '\\' => match characters.next() {
                Some((_, '\n')) => {
                    while characters.next_if(|(_, c)| c.is_whitespace()).is_some() {}
                }
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped)) => text.push(escaped),
                None => {}
            },
            other => text.push(other),
        }
    }
    (text, rest.len())
}

/// Whether a literal is a message: a line with at least three words outside of braces and quotes, in none of the other uses of texts.
fn is_message(literal: &Literal<'_>) -> bool {
    let mut depth = 0;
    let mut is_quoted = false;
    let plain: String = (literal.text.chars())
        .filter(|&c| {
            depth += i32::from(c == '{');
            is_quoted ^= c == '`';
            let inside = depth > 0 || is_quoted;
            depth -= i32::from(c == '}');
            !inside
        })
        .collect();
    let words = plain.split(' ').filter(|word| {
        let mut letters = word.chars();
        letters.clone().count() > 1
            && letters.all(|c| c.is_ascii_alphabetic() || ",.;:-'".contains(c))
    });
    let is_prose = words.count() >= 3 && !literal.text.contains(['\n', '#', '[', '|', '<', '=']);
    let line = literal.before.rsplit([';', '{']).next().unwrap_or_default();
    let others = [
        "expect(",
        "assert",
        "panic!",
        "unreachable!",
        "summary:",
        "example:",
        "reason =",
        "doc =",
        "write!",
        "writeln!",
        "description =",
        "#[must_use",
    ];
    is_prose && !others.iter().any(|other| line.contains(other))
}

/// Returns the messages of a package, each with the advice that follows it.
fn messages(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    /// The greatest distance of an advice from its message, in bytes.
    const NEAR: usize = 600;
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in sources(folder) {
        let is_test = (path.iter()).any(|part| part.to_string_lossy().starts_with("test"));
        if is_test || path.to_string_lossy().contains("/args/") {
            continue;
        }
        let code = std::fs::read_to_string(root().join(&path)).expect("a readable source");
        let code = code
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let mut last: Option<Literal<'_>> = None;
        for literal in literals(code).into_iter().filter(is_message) {
            let advises = ["with_help(", "with_help(format!("];
            let is_advice = advises.iter().any(|word| literal.before.ends_with(word));
            match &last {
                Some(message) if is_advice && literal.at - message.at < NEAR => {
                    found
                        .entry(message.text.clone())
                        .or_default()
                        .insert(literal.text);
                }
                _ => {
                    found.entry(literal.text.clone()).or_default();
                    last = Some(literal);
                }
            }
        }
    }
    found
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (folder, title) in SPEAKING {
        let _ = write!(
            page,
            "\n## {title}\n\n| message | advice |\n| --- | --- |\n"
        );
        for (message, advice) in messages(Path::new(folder)) {
            let advice: Vec<String> = advice.into_iter().collect();
            let _ = writeln!(
                page,
                "| {} | {} |",
                cell(&message),
                cell(&advice.join("; or: "))
            );
        }
    }
    page
}

/// Returns a text as a cell of a table. Text outside of backticks is not taken for HTML or marks.
fn cell(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let part = part.replace('|', "\\|");
        match number % 2 {
            0 => part
                .replace('*', "\\*")
                .replace('_', "\\_")
                .replace('<', "&lt;"),
            _ => part,
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[test]
fn the_page_of_messages_has_the_messages_of_the_code() {
    let path = root().join("docs/src").join(PAGE);
    let made = page();
    if std::env::var_os("HYPERKILL_UPDATE").is_some() {
        std::fs::write(&path, &made).expect("a page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == made,
        "docs/src/{PAGE} is not what the code says; HYPERKILL_UPDATE=1 writes it anew"
    );
    let rows = made.lines().filter(|line| line.starts_with("| ")).count();
    assert!(rows > 1_000, "{rows}");
}

/// Returns the sentences of a text that a reader has to read twice, because the subject is a clause, or the noun is missing.
fn winding(text: &str) -> Vec<String> {
    let anywhere = [
        "those that ",
        "those who ",
        "whoever ",
        "of which ",
        "of whom ",
        "in which case ",
    ];
    let first = ["what ", "those of ", "who "];
    let sentences = text.split([':', ';']).flat_map(|part| part.split(". "));
    // "All … except those that …" has its noun before.
    let sentences = sentences
        .map(|sentence| sentence.trim().to_lowercase())
        .map(|sentence| sentence.replace("except those that", "except"));
    let is_question = |sentence: &str| sentence.ends_with('?');
    sentences
        .filter(|sentence| !is_question(sentence))
        .filter(|sentence| {
            anywhere.iter().any(|words| sentence.contains(words))
                || first.iter().any(|word| sentence.starts_with(word))
        })
        .collect()
}

#[test]
fn messages_have_subjects_with_names() {
    let mut found = Vec::new();
    for (folder, _) in SPEAKING {
        for (message, advice) in messages(Path::new(folder)) {
            let texts = advice.iter().chain([&message]);
            found.extend(
                texts
                    .flat_map(|text| winding(text))
                    .map(|text| format!("{folder}: {text}")),
            );
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn help_schemas_and_readme_have_subjects_with_names() {
    let mut found = Vec::new();
    let pages = [
        "docs/src/reference/command-line.md",
        "docs/src/reference/schemas.md",
        "README.md",
    ];
    for page in pages {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        // Paragraphs, since lines are wrapped.
        let paragraphs = text.split("\n\n").map(|paragraph| {
            let lines = paragraph.lines().map(str::trim);
            let lines = lines.filter(|line| !line.starts_with(['#', '|', '$', '[']));
            lines.collect::<Vec<_>>().join(" ")
        });
        let sentences = paragraphs.flat_map(|paragraph| winding(&paragraph));
        found.extend(sentences.map(|text| format!("{page}: {text}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn winding_sentences_are_noticed() {
    assert_eq!(winding("What is refused is an error.").len(), 1);
    assert_eq!(
        winding("note: those that are killed; whoever reads").len(),
        2
    );
    assert_eq!(winding("a mutant is killed if its outputs differ").len(), 0);
    assert_eq!(winding("does the step say what is sent").len(), 0);
}

#[test]
fn literals_are_found_between_comments_and_characters() {
    let code =
        "// \"no\"\nlet a = '\"'; f::<'a>(\"one \\\n   two\", '\\'', \"three\") /* \"no\" */";
    let found: Vec<String> = literals(code)
        .into_iter()
        .map(|literal| literal.text)
        .collect();
    assert_eq!(found, ["one two", "three"]);
}
