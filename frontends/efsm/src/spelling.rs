//! The spelling of machines.

use hyperkill_guarded::lexer::Lexicon;
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::operators::{Infix, Level, Operators, Prefix};
use hyperkill_guarded::tree::{BinaryOp, UnaryOp};
use hyperkill_text::Remarks;

const OR: Level = 1;
const AND: Level = 2;
const COMPARISON: Level = 3;
const SUM: Level = 4;
const PRODUCT: Level = 5;
const SIGN: Level = 6;

/// The spelling of machines in text.
pub const LANGUAGE: Language = Language {
    operators: Operators {
        infix: &[
            Infix::new("|", BinaryOp::Or, OR),
            Infix::new("&", BinaryOp::And, AND),
            Infix::new("==", BinaryOp::Eq, COMPARISON),
            Infix::new("!=", BinaryOp::Ne, COMPARISON),
            Infix::new("<", BinaryOp::Lt, COMPARISON),
            Infix::new("<=", BinaryOp::Le, COMPARISON),
            Infix::new(">", BinaryOp::Gt, COMPARISON),
            Infix::new(">=", BinaryOp::Ge, COMPARISON),
            Infix::new("+", BinaryOp::Add, SUM),
            Infix::new("-", BinaryOp::Sub, SUM),
            Infix::new("*", BinaryOp::Mul, PRODUCT),
        ],
        prefix: &[
            Prefix {
                sign: "!",
                op: UnaryOp::Not,
                level: SIGN,
            },
            Prefix {
                sign: "-",
                op: UnaryOp::Minus,
                level: SIGN,
            },
        ],
        yes: "true",
        no: "false",
        skip: "skip",
        assign: ":=",
        guard: "when",
        then: ";",
        choice: "or",
        name,
    },
    lexicon: Lexicon {
        remarks: Remarks {
            line: "//",
            block: Some(("/*", "*/")),
        },
        signs: &[
            "==", "!=", "<=", ">=", ":=", "..", "=", "<", ">", "|", "&", "!", "+", "-", "*", "(",
            ")", "{", "}", ",", ";", ":",
        ],
        quotes: &['\''],
        inner: &[],
        foreign: &[],
    },
    without: &[],
    is_of_machines: true,
};

/// Reserved words.
const WORDS: [&str; 20] = [
    "bounded", "var", "event", "output", "location", "refuse", "ignore", "may", "wait", "offer",
    "from", "on", "if", "else", "to", "emit", "skip", "when", "choose", "or",
];

/// Writes a name, in quotation marks unless it is a plain word.
fn name(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let plain = text.chars().all(is_plain) && text.starts_with(begins);
    let taken = WORDS.contains(&text) || ["true", "false", "bool"].contains(&text);
    match plain && !taken {
        true => text.to_owned(),
        false => format!("'{text}'"),
    }
}
