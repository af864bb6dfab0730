//! The spelling of guards and actions: a part of JavaScript with truth values, strings as symbols, and integers.

use hyperkill_guarded::lexer::Lexicon;
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::operators::{Infix, Level, Operators, Prefix};
use hyperkill_guarded::tree::{BinaryOp, UnaryOp};
use hyperkill_text::Remarks;

const OR: Level = 1;
const AND: Level = 2;
const EQUALITY: Level = 3;
const COMPARISON: Level = 4;
const SUM: Level = 5;
const PRODUCT: Level = 6;
const SIGN: Level = 7;

/// The spelling of scripts.
pub(super) const LANGUAGE: Language = Language {
    operators: Operators {
        infix: &[
            Infix::new("||", BinaryOp::Or, OR),
            Infix::new("&&", BinaryOp::And, AND),
            Infix::new("==", BinaryOp::Eq, EQUALITY),
            Infix::new("===", BinaryOp::Eq, EQUALITY),
            Infix::new("!=", BinaryOp::Ne, EQUALITY),
            Infix::new("!==", BinaryOp::Ne, EQUALITY),
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
        // An action without effect is an empty statement.
        skip: "",
        assign: "=",
        guard: "",
        then: ";",
        choice: "",
        name: str::to_owned,
    },
    lexicon: Lexicon {
        remarks: Remarks {
            line: "//",
            block: Some(("/*", "*/")),
        },
        signs: &[
            "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "=",
            "<", ">", "!", "+", "-", "*", "/", "%", "(", ")", "[", "]", "{", "}", ";", ",", "?",
            ":", ".",
        ],
        quotes: &['\'', '"'],
        inner: &['.', '$'],
        foreign: &[],
    },
    is_of_machines: true,
    // Vertices and their outputs are not in the text of scripts, and variables of other models have the same names.
    without: &["OTT", "OUT", "MO", "CBD", "VRR"],
};
