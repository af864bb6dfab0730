//! Random formulas: every operator, every atom, awkward names.

use hyperkill_core::sort::Value;
use hyperkill_formulas::ast::{
    Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp,
};
use rand::{Rng, RngExt};

/// The vocabulary of random formulas.
pub(crate) struct Vocabulary {
    /// Trace variables; each formula binds a non-empty prefix of them.
    pub(crate) traces: Vec<&'static str>,
    /// Names of one-bit signals.
    pub(crate) bits: Vec<&'static str>,
    /// Names of signals of one common sort with other values.
    pub(crate) typed: Vec<&'static str>,
    /// Values to compare the typed signals with.
    pub(crate) values: Vec<Value>,
    /// Whether `<->` and `xor` may occur, which normal forms double.
    pub(crate) equivalences: bool,
}

impl Vocabulary {
    /// Returns a formula whose body has about `size` nodes.
    pub(crate) fn formula(&self, rng: &mut impl Rng, size: usize) -> Formula {
        let count = rng.random_range(1..=self.traces.len());
        let bound: Vec<TraceVar> = self.traces[..count]
            .iter()
            .map(|t| TraceVar::new(*t))
            .collect();
        let body = self.body(rng, &bound, size);
        let prefix = bound.into_iter().map(|trace| {
            let quantifier = if rng.random() {
                Quantifier::Exists
            } else {
                Quantifier::Forall
            };
            (quantifier, trace)
        });
        Formula {
            prefix: prefix.collect(),
            body,
        }
    }

    fn body(&self, rng: &mut impl Rng, bound: &[TraceVar], size: usize) -> Ltl {
        if size <= 1 {
            return match rng.random_range(0..12) {
                0 => Ltl::Constant(rng.random()),
                _ => Ltl::Atom(self.atom(rng, bound)),
            };
        }
        let split = |rng: &mut _| {
            let left = Rng::next_u32(rng) as usize % (size - 1);
            (left, size - 1 - left)
        };
        match rng.random_range(0..5) {
            0 | 1 => {
                let op = pick(
                    rng,
                    &[
                        UnaryOp::Not,
                        UnaryOp::Next,
                        UnaryOp::WeakNext,
                        UnaryOp::Finally,
                        UnaryOp::Globally,
                        UnaryOp::Previously,
                        UnaryOp::WeakPreviously,
                        UnaryOp::Once,
                        UnaryOp::Historically,
                    ],
                );
                Ltl::unary(op, self.body(rng, bound, size - 1))
            }
            2 => {
                let mut ops = vec![
                    BinaryOp::Implies,
                    BinaryOp::Until,
                    BinaryOp::Release,
                    BinaryOp::WeakUntil,
                    BinaryOp::StrongRelease,
                    BinaryOp::Since,
                    BinaryOp::Triggered,
                ];
                if self.equivalences {
                    ops.extend([BinaryOp::Iff, BinaryOp::Xor]);
                }
                let op = pick(rng, &ops);
                let (left, right) = split(rng);
                Ltl::binary(
                    op,
                    self.body(rng, bound, left),
                    self.body(rng, bound, right),
                )
            }
            and_or => {
                let (left, right) = split(rng);
                let mut operands = vec![self.body(rng, bound, left)];
                if right > 2 && rng.random() {
                    operands.push(self.body(rng, bound, right / 2));
                    operands.push(self.body(rng, bound, right - right / 2));
                } else {
                    operands.push(self.body(rng, bound, right));
                }
                if and_or == 3 {
                    Ltl::And(operands)
                } else {
                    Ltl::Or(operands)
                }
            }
        }
    }

    fn atom(&self, rng: &mut impl Rng, bound: &[TraceVar]) -> Atom {
        let trace = pick(rng, bound);
        let other = pick(rng, bound);
        match rng.random_range(0..6) {
            0 => Atom::Selector(trace),
            1 => Atom::Signal(SignalOf::new(pick(rng, &self.bits), &trace)),
            2 => {
                let left = SignalOf::new(pick(rng, &self.typed), &trace);
                Atom::Equal(left, Operand::Value(pick(rng, &self.values)))
            }
            3 => {
                let names = if rng.random() {
                    &self.bits
                } else {
                    &self.typed
                };
                let left = SignalOf::new(pick(rng, names), &trace);
                let right = SignalOf::new(pick(rng, names), &other);
                Atom::Equal(left, Operand::Signal(right))
            }
            4 => Atom::InputsEqual(trace, other),
            _ => Atom::OutputsEqual(trace, other),
        }
    }
}

fn pick<T: Clone>(rng: &mut impl Rng, from: &[T]) -> T {
    from[rng.random_range(0..from.len())].clone()
}
