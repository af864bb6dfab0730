//! Random syntax trees and random numbers. Every test names its seed.

use hyperkill_frontend::Span;
use hyperkill_smv::ast::{
    BinaryOp, Branch, ExprId, ExprKind, Exprs, Function, TemporalForm, TemporalOp, UnaryOp,
    WordConstant,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Returns a generator of random numbers that are the same on every machine.
pub(crate) fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns a random one of these values.
pub(crate) fn pick<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

const OPERATORS: &[BinaryOp] = &[
    BinaryOp::Implies,
    BinaryOp::Iff,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Xnor,
    BinaryOp::And,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::In,
    BinaryOp::Union,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Concat,
];

const PREFIXES: &[&str] = &["AG", "EX", "X", "F", "H", "Z"];

/// Adds a random tree that the grammar has, well typed or not, of at most this depth.
pub(crate) fn expression(rng: &mut ChaCha8Rng, exprs: &mut Exprs, depth: u32) -> ExprId {
    let kind = match if depth == 0 {
        0
    } else {
        rng.random_range(0..18)
    } {
        0 | 1 => match rng.random_range(0..6) {
            0 => ExprKind::Number(rng.random_range(0..100)),
            1 => ExprKind::Truth(rng.random_bool(0.5)),
            2 => {
                let low = rng.random_range(-5..5);
                ExprKind::Range(low, low + rng.random_range(0..5))
            }
            3 => ExprKind::SelfInstance,
            4 => ExprKind::Word(WordConstant {
                text: "0ub3_101".to_owned(),
                signed: false,
                width: 3,
                bits: 5,
            }),
            _ => ExprKind::Name(pick(rng, &["a", "b-1", "c#", "_d"]).to_owned()),
        },
        2 => {
            let op = pick(rng, &[UnaryOp::Not, UnaryOp::Neg]);
            ExprKind::Unary(op, expression(rng, exprs, depth - 1))
        }
        3 => ExprKind::Next(expression(rng, exprs, depth - 1)),
        4 => {
            let c = expression(rng, exprs, depth - 1);
            let a = expression(rng, exprs, depth - 1);
            ExprKind::Conditional(c, a, expression(rng, exprs, depth - 1))
        }
        5 => {
            let count = rng.random_range(1..4);
            let branch = |_| Branch {
                condition: expression(rng, exprs, depth - 1),
                value: expression(rng, exprs, depth - 1),
                span: Span::default(),
            };
            ExprKind::Case((0..count).map(branch).collect())
        }
        6 => {
            let count = rng.random_range(1..4);
            ExprKind::Set(
                (0..count)
                    .map(|_| expression(rng, exprs, depth - 1))
                    .collect(),
            )
        }
        7 => ExprKind::Member(expression(rng, exprs, depth - 1), "x".to_owned()),
        8 => {
            let a = expression(rng, exprs, depth - 1);
            ExprKind::Index(a, expression(rng, exprs, depth - 1))
        }
        9 => {
            let a = expression(rng, exprs, depth - 1);
            let b = expression(rng, exprs, depth - 1);
            ExprKind::Bits(a, b, expression(rng, exprs, depth - 1))
        }
        10 => {
            let function = pick(rng, &Function::ALL);
            let count = function.arity().unwrap_or(3);
            let arguments = (0..count).map(|_| expression(rng, exprs, depth - 1));
            ExprKind::Call(function, arguments.collect())
        }
        11 => {
            let elements = (0..2).map(|_| expression(rng, exprs, depth - 1));
            ExprKind::Array(elements.collect())
        }
        12 => {
            let bounds = rng.random_bool(0.3).then_some((0, 3));
            let op = TemporalOp {
                word: pick(rng, PREFIXES),
                form: TemporalForm::Prefix,
                bounds,
            };
            ExprKind::Temporal(op, vec![expression(rng, exprs, depth - 1)])
        }
        _ => {
            let a = expression(rng, exprs, depth - 1);
            let b = expression(rng, exprs, depth - 1);
            ExprKind::Binary(pick(rng, OPERATORS), a, b)
        }
    };
    exprs.add(kind, Span::default())
}
