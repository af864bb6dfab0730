//! The reference meaning of formulas, on finite sets of traces that are simply given.
//!
//! Two readings (semantics.md §2): over finite traces of one common length n, as killing formulas are read,
//! and over infinite traces, each a lasso. In the finite reading `F`, `G`, `U`, `R` and `W` range over the steps 0 … n−1, `X` is strong
//! (false at the last step) and `wX` weak (true there).
//!
//! Written to be obviously right: it tries all traces and walks along them, and never looks at circuits. Engines are
//! tested against it.

use std::cmp::max;

use hyperkill_core::sort::Value;

use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp};

/// Which traces a formula is about (semantics.md §2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Traces {
    /// Finite ones of one common length, which belongs to the quantifier that leads: some length if it is ∃, every length if it is ∀.
    Finite,
    /// Infinite traces: runs that go on for ever.
    Infinite,
}

/// A trace of a conditional mutant, as far as atoms can see.
pub trait TraceView {
    /// How many steps the trace, or the lasso, has.
    fn steps(&self) -> usize;

    /// Whether it is a trace of the mutant in question; otherwise it is one of the original.
    fn is_mutant(&self) -> bool;

    /// The value of a signal at a step; `None` if there is no such signal.
    fn value(&self, step: usize, name: &str) -> Option<Value>;

    /// All test inputs at a step, in an order common to all traces.
    fn inputs(&self, step: usize) -> Vec<Value>;

    /// All outputs at a step, in an order common to all traces.
    fn outputs(&self, step: usize) -> Vec<Value>;
}

/// An infinite trace: the steps of `trace`, of which those from `back` on are repeated for ever.
#[derive(Clone, Debug)]
pub struct Lasso<T> {
    /// The steps before the loop and once around it.
    pub trace: T,
    /// The first step of the loop; less than the number of steps.
    pub back: usize,
}

/// Why a formula has no truth value on given traces.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SemanticsError {
    /// Traces of different lengths in the finite reading.
    #[error("trace {index} has {steps} steps, trace 0 has {common}")]
    DifferentLengths {
        /// The first trace that differs.
        index: usize,
        /// How many steps the trace has.
        steps: usize,
        /// The length of the first trace.
        common: usize,
    },
    /// Finite traces of length 0: there is no step to speak of.
    #[error("the traces have no steps")]
    NoSteps,
    /// A lasso without a loop.
    #[error("the loop of lasso {index} begins at step {back}, but there are {steps} steps")]
    NoLoop {
        /// Which of the traces, from 0.
        index: usize,
        /// Where its loop should begin.
        back: usize,
        /// How many steps it has.
        steps: usize,
    },
    /// A trace variable that the prefix does not bind.
    #[error("trace variable `{0}` is not bound")]
    Unbound(TraceVar),
    /// No signal of this name.
    #[error("there is no signal `{0}`")]
    UnknownSignal(String),
    /// A signal of other values than truth values, used as a truth value.
    #[error("`{name}` is {value}, not a truth value: compare it with a value")]
    NotATruthValue {
        /// Name of the signal.
        name: String,
        /// The value that it has.
        value: Value,
    },
}

/// Whether the formula holds of a set of finite traces of one common length.
///
/// # Errors
/// If the lengths differ or the traces do not have what the formula mentions.
pub fn holds_on_finite_traces<T: TraceView>(
    formula: &Formula,
    traces: &[T],
) -> Result<bool, SemanticsError> {
    let common = traces.first().map_or(0, T::steps);
    if common == 0 && !traces.is_empty() {
        return Err(SemanticsError::NoSteps);
    }
    for (index, trace) in traces.iter().enumerate() {
        let steps = trace.steps();
        if steps != common {
            return Err(SemanticsError::DifferentLengths {
                index,
                steps,
                common,
            });
        }
    }
    let traces: Vec<Unrolled<'_, T>> = traces
        .iter()
        .map(|trace| Unrolled {
            trace,
            steps: (0..common).collect(),
        })
        .collect();
    let time = Time {
        steps: common,
        back: None,
    };
    quantify(formula, &traces, time, &mut Vec::new())
}

/// Whether the formula holds of a set of infinite traces.
///
/// # Errors
/// If a lasso has no loop or the traces do not have what the formula mentions.
pub fn holds_on_lassos<T: TraceView>(
    formula: &Formula,
    lassos: &[Lasso<T>],
) -> Result<bool, SemanticsError> {
    // From the longest prefix on, all traces together repeat after the least common multiple of their loops.
    let (mut prefix, mut period) = (0, 1);
    for (index, lasso) in lassos.iter().enumerate() {
        let (steps, back) = (lasso.trace.steps(), lasso.back);
        if back >= steps {
            return Err(SemanticsError::NoLoop { index, back, steps });
        }
        prefix = max(prefix, back);
        period = least_common_multiple(period, steps - back);
    }
    let traces: Vec<Unrolled<'_, T>> = lassos
        .iter()
        .map(|lasso| {
            let around = lasso.trace.steps() - lasso.back;
            let step = |time: usize| match time.checked_sub(lasso.back) {
                Some(later) => lasso.back + later % around,
                None => time,
            };
            Unrolled {
                trace: &lasso.trace,
                steps: (0..prefix + period).map(step).collect(),
            }
        })
        .collect();
    let time = Time {
        steps: prefix + period,
        back: Some(prefix),
    };
    quantify(formula, &traces, time, &mut Vec::new())
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Points in time common to all traces: 0 … steps−1, then none or back again.
#[derive(Clone, Copy)]
struct Time {
    steps: usize,
    back: Option<usize>,
}

impl Time {
    fn next(self, now: usize) -> Option<usize> {
        if now + 1 < self.steps {
            Some(now + 1)
        } else {
            self.back
        }
    }

    /// All different points from `now` on, in the order of their first visits.
    fn from(self, now: usize) -> Vec<usize> {
        let mut points = Vec::new();
        let mut point = (now < self.steps).then_some(now);
        while let Some(p) = point.filter(|p| !points.contains(p)) {
            points.push(p);
            point = self.next(p);
        }
        points
    }
}

/// A trace on the common time: for each point the trace's own step.
struct Unrolled<'t, T> {
    trace: &'t T,
    steps: Vec<usize>,
}

fn quantify<'t, T: TraceView>(
    formula: &Formula,
    traces: &'t [Unrolled<'t, T>],
    time: Time,
    chosen: &mut Vec<&'t Unrolled<'t, T>>,
) -> Result<bool, SemanticsError> {
    let Some((quantifier, _)) = formula.prefix.get(chosen.len()) else {
        let assignment = Assignment {
            formula,
            chosen,
            time,
        };
        return assignment.holds(&formula.body, 0);
    };
    let decisive = *quantifier == Quantifier::Exists;
    for trace in traces {
        chosen.push(trace);
        let holds = quantify(formula, traces, time, chosen);
        chosen.pop();
        if holds? == decisive {
            return Ok(decisive);
        }
    }
    Ok(!decisive)
}

/// A trace for each variable of the prefix.
struct Assignment<'a, 't, T> {
    formula: &'a Formula,
    chosen: &'a [&'t Unrolled<'t, T>],
    time: Time,
}

impl<T: TraceView> Assignment<'_, '_, T> {
    fn holds(&self, formula: &Ltl, now: usize) -> Result<bool, SemanticsError> {
        match formula {
            Ltl::Constant(value) => Ok(*value),
            Ltl::Atom(atom) => self.atom(atom, now),
            Ltl::And(operands) => {
                for operand in operands {
                    if !self.holds(operand, now)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Ltl::Or(operands) => {
                for operand in operands {
                    if self.holds(operand, now)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Ltl::Unary(op, operand) => match op {
                UnaryOp::Not => Ok(!self.holds(operand, now)?),
                UnaryOp::Next => match self.time.next(now) {
                    Some(next) => self.holds(operand, next),
                    None => Ok(false),
                },
                UnaryOp::WeakNext => match self.time.next(now) {
                    Some(next) => self.holds(operand, next),
                    None => Ok(true),
                },
                UnaryOp::Finally => self.until(&Ltl::Constant(true), operand, now),
                UnaryOp::Globally => self.always(operand, now),
            },
            Ltl::Binary(op, left, right) => match op {
                BinaryOp::Implies => Ok(!self.holds(left, now)? || self.holds(right, now)?),
                BinaryOp::Iff => Ok(self.holds(left, now)? == self.holds(right, now)?),
                BinaryOp::Xor => Ok(self.holds(left, now)? != self.holds(right, now)?),
                BinaryOp::Until => self.until(left, right, now),
                BinaryOp::WeakUntil => Ok(self.until(left, right, now)? || self.always(left, now)?),
                BinaryOp::Release => {
                    for point in self.time.from(now) {
                        if !self.holds(right, point)? {
                            return Ok(false);
                        }
                        if self.holds(left, point)? {
                            return Ok(true);
                        }
                    }
                    Ok(true)
                }
            },
        }
    }

    fn until(&self, left: &Ltl, right: &Ltl, now: usize) -> Result<bool, SemanticsError> {
        for point in self.time.from(now) {
            if self.holds(right, point)? {
                return Ok(true);
            }
            if !self.holds(left, point)? {
                return Ok(false);
            }
        }
        Ok(false)
    }

    fn always(&self, operand: &Ltl, now: usize) -> Result<bool, SemanticsError> {
        for point in self.time.from(now) {
            if !self.holds(operand, point)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn atom(&self, atom: &Atom, now: usize) -> Result<bool, SemanticsError> {
        match atom {
            Atom::Selector(p) => Ok(self.trace(p)?.trace.is_mutant()),
            Atom::Signal(signal) => {
                let value = self.value(signal, now)?;
                truth(&value).ok_or_else(|| SemanticsError::NotATruthValue {
                    name: signal.name.clone(),
                    value,
                })
            }
            Atom::Equal(left, right) => {
                let left = self.value(left, now)?;
                match right {
                    Operand::Value(right) => Ok(left == *right),
                    Operand::Signal(right) => {
                        let right = self.value(right, now)?;
                        // A bit and a Bool are compared as truth values.
                        let truths = truth(&left).is_some() && truth(&left) == truth(&right);
                        Ok(left == right || truths)
                    }
                }
            }
            Atom::InputsEqual(p, q) => {
                let (p, q) = (self.trace(p)?, self.trace(q)?);
                Ok(p.trace.inputs(p.steps[now]) == q.trace.inputs(q.steps[now]))
            }
            Atom::OutputsEqual(p, q) => {
                let (p, q) = (self.trace(p)?, self.trace(q)?);
                Ok(p.trace.outputs(p.steps[now]) == q.trace.outputs(q.steps[now]))
            }
        }
    }

    fn trace(&self, variable: &TraceVar) -> Result<&Unrolled<'_, T>, SemanticsError> {
        let position = self.formula.position(variable);
        let trace = position.and_then(|p| self.chosen.get(p));
        trace
            .copied()
            .ok_or_else(|| SemanticsError::Unbound(variable.clone()))
    }

    fn value(&self, signal: &SignalOf, now: usize) -> Result<Value, SemanticsError> {
        let trace = self.trace(&signal.trace)?;
        let value = trace.trace.value(trace.steps[now], &signal.name);
        value.ok_or_else(|| SemanticsError::UnknownSignal(signal.name.clone()))
    }
}

/// The truth value that a bit or a Bool stands for.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        Value::Symbol(symbol) if symbol == "TRUE" => Some(true),
        Value::Symbol(symbol) if symbol == "FALSE" => Some(false),
        _ => None,
    }
}
