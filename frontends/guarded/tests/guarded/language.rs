//! A small language of guarded commands with the operators of C, for tests.

use hyperkill_core::sort::Value;
use hyperkill_frontend::Span;
use hyperkill_guarded::expression;
use hyperkill_guarded::lexer::{Kind, Lexicon, lex};
use hyperkill_guarded::mutate::Language;
use hyperkill_guarded::operators::{Infix, Level, Operators, Prefix};
use hyperkill_guarded::tree::{
    Action, BinaryOp, Block, Domain, ExprId, Exprs, Leaving, Name, Offer, Refusal, StmtKind, Stmts,
    System, UnaryOp, Variable,
};
use hyperkill_text::Remarks;

const fn infix(sign: &'static str, op: BinaryOp, level: Level) -> Infix {
    Infix { sign, op, level }
}

pub(crate) const LANGUAGE: Language = Language {
    operators: Operators {
        infix: &[
            infix("||", BinaryOp::Or, 1),
            infix("&&", BinaryOp::And, 2),
            infix("==", BinaryOp::Eq, 3),
            infix("!=", BinaryOp::Ne, 3),
            infix("<", BinaryOp::Lt, 4),
            infix("<=", BinaryOp::Le, 4),
            infix(">", BinaryOp::Gt, 4),
            infix(">=", BinaryOp::Ge, 4),
            infix("+", BinaryOp::Add, 5),
            infix("-", BinaryOp::Sub, 5),
            infix("*", BinaryOp::Mul, 6),
        ],
        prefix: &[
            Prefix {
                sign: "!",
                op: UnaryOp::Not,
                level: 7,
            },
            Prefix {
                sign: "-",
                op: UnaryOp::Minus,
                level: 7,
            },
        ],
        yes: "true",
        no: "false",
        skip: "skip",
        assign: "=",
        guard: "->",
        then: ";",
        choice: "|",
        name: str::to_owned,
    },
    lexicon: Lexicon {
        remarks: Remarks {
            line: "//",
            block: None,
        },
        signs: &[
            "||", "&&", "==", "!=", "<=", ">=", "->", "<", ">", "+", "-", "*", "!", "=", ";", "(",
            ")", ",",
        ],
        quotes: &['"'],
        inner: &[],
        foreign: &[],
    },
    without: &[],
    is_of_machines: false,
};

/// Reads a text that is one expression.
pub(crate) fn expression(text: &str, exprs: &mut Exprs) -> Result<ExprId, String> {
    let lexed = lex(text, 0, &LANGUAGE.lexicon).map_err(|error| error.message)?;
    let mut tokens = lexed.tokens;
    let id = expression::read(&mut tokens, exprs, &LANGUAGE.operators);
    let id = id.map_err(|error| error.message)?;
    match tokens.peek().kind {
        Kind::End => Ok(id),
        _ => Err("the text goes on".to_owned()),
    }
}

fn name(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        span: Span::new(0, 0),
    }
}

/// Returns a system of one action `go` with this guard, which sets `on` to the value of an expression: `mode` is a symbol, `on` a truth
/// value, `n` a number from 0 to 3. The spans of the expressions are those of their own texts.
pub(crate) fn system(guard: &str, value: &str) -> System {
    let (mut exprs, mut stmts) = (Exprs::default(), Stmts::default());
    let guard = expression(guard, &mut exprs).expect("a guard");
    let value = expression(value, &mut exprs).expect("a value");
    let target = name("on");
    let body = stmts.add(StmtKind::Assign { target, value }, Span::new(0, 0));
    let symbols = ["idle", "busy", "done"].map(str::to_owned);
    let variables = [
        (
            "mode",
            Domain::Symbols(symbols.into()),
            Value::Symbol("busy".to_owned()),
        ),
        ("on", Domain::Bool, Value::bool(false)),
        ("n", Domain::Range { low: 0, high: 3 }, Value::Int(2)),
    ];
    System {
        exprs,
        stmts,
        variables: variables
            .map(|(text, domain, initial)| Variable {
                name: name(text),
                domain,
                initial: (initial, Span::new(0, 0)),
            })
            .into(),
        actions: vec![Action {
            name: name("go"),
            parameters: Vec::new(),
            guard: Some(guard),
            body,
        }],
        block: Block::Offer(Offer {
            action: name("go"),
            parameters: Vec::new(),
            span: Span::new(0, 0),
        }),
        inputs: None,
        outputs: Vec::new(),
        location: None,
        refusal: Refusal::AtWill,
        leaving: Leaving::Disables,
    }
}
