//! The spelling of action systems: signs and operators of Prolog's constraints over finite domains.

use hyperkill_guarded::lexer::Lexicon;
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::operators::{Infix, Level, Operators, Prefix};
use hyperkill_guarded::tree::{BinaryOp, UnaryOp};
use hyperkill_text::Remarks;

const OR: Level = 1;
const AND: Level = 2;
const NOT: Level = 3;
const COMPARISON: Level = 4;
const SUM: Level = 5;
const PRODUCT: Level = 6;
const SIGN: Level = 7;

/// The spelling of action systems.
pub const LANGUAGE: Language = Language {
    operators: Operators {
        infix: &[
            Infix::new(r"#\/", BinaryOp::Or, OR),
            Infix::new(r"#/\", BinaryOp::And, AND),
            Infix::new("#=", BinaryOp::Eq, COMPARISON),
            Infix::new(r"#\=", BinaryOp::Ne, COMPARISON),
            Infix::new("#<", BinaryOp::Lt, COMPARISON),
            Infix::new("#=<", BinaryOp::Le, COMPARISON),
            Infix::new("#>", BinaryOp::Gt, COMPARISON),
            Infix::new("#>=", BinaryOp::Ge, COMPARISON),
            Infix::new("+", BinaryOp::Add, SUM),
            Infix::new("-", BinaryOp::Sub, SUM),
            Infix::new("*", BinaryOp::Mul, PRODUCT),
        ],
        prefix: &[
            Prefix {
                sign: r"#\",
                op: UnaryOp::Not,
                level: NOT,
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
        guard: "=>",
        then: ";",
        choice: "[]",
        name: str::to_owned,
    },
    lexicon: Lexicon {
        remarks: Remarks {
            line: "%",
            block: Some(("/*", "*/")),
        },
        signs: &[
            r"#\/", r"#/\", r"#\=", "#=<", "#>=", "#=", "#<", "#>", r"#\", ":-", ":=", "::", "=>",
            "..", "//", "[]", "[", "]", "(", ")", ",", ";", ".", ":", "+", "-", "*",
        ],
        quotes: &['\''],
        inner: &[],
        foreign: &[
            ("==", "`#=` compares two values"),
            ("!=", r"`#\=` says that two values differ"),
            ("=<", "`#=<` compares two values"),
            ("<=", "`#=<` compares two values"),
            (">=", "`#>=` compares two values"),
            ("<", "`#<` compares two values"),
            (">", "`#>` compares two values"),
            ("=", "`#=` compares two values, and `:=` assigns one"),
            ("&", r"`#/\` is the conjunction"),
            ("|", r"`#\/` is the disjunction"),
            ("!", r"`#\` is the negation"),
            ("/", "there is no division: compare with products"),
        ],
    },
    without: &[],
    is_of_machines: false,
};
