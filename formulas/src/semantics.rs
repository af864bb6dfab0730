//! The reference semantics of formulas on given finite sets of traces.
//!
//! There are two readings (semantics.md §2): over finite traces of one common length n, for killing formulas, and over infinite traces,
//! each a lasso. In the finite reading `F`, `G`, `U`, `R`, `W` and `M` range over the steps 0 … n−1. `X` is strong (false at the last
//! step), and `wX` is weak (true there). Past operators refer to the steps from 0 to the current one, in both readings.
//!
//! Along a lasso, the values of past formulas become periodic later than the trace itself: one loop later for each level of nested past
//! operators. So the loop is unrolled once more for each such level, which makes the evaluation exact.
//!
//! The evaluator is simple on purpose: it tries all traces, walks along them, and uses no circuits. Engines are tested against it.

use std::cmp::max;

use hyperkill_core::sort::Value;

use crate::ast::{Atom, BinaryOp, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar, UnaryOp};

/// The traces over which a formula is read (semantics.md §2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Traces {
    /// Finite traces of one common length. The leading quantifier also quantifies the length: some length for ∃, every length for ∀.
    Finite,
    /// Infinite traces.
    Infinite,
}

/// A trace of a conditional mutant, as atoms observe it.
pub trait TraceView {
    /// Returns the number of steps of the trace, or of the lasso.
    fn steps(&self) -> usize;

    /// Whether it is a trace of the mutant in question; otherwise it belongs to the original.
    fn is_mutant(&self) -> bool;

    /// Returns the number of the system that the trace belongs to, from 0; by default 0 for the original and 1 for the mutant.
    fn system(&self) -> usize {
        usize::from(self.is_mutant())
    }

    /// Returns the value of a signal at a step; `None` if there is no such signal.
    fn value(&self, step: usize, name: &str) -> Option<Value>;

    /// Returns all test inputs at a step, in an order common to all traces.
    fn inputs(&self, step: usize) -> Vec<Value>;

    /// Returns all outputs at a step, in an order common to all traces.
    fn outputs(&self, step: usize) -> Vec<Value>;

    /// Returns all test inputs except those named, in an order common to all traces; `None` if a name does not exist, or names are not
    /// supported.
    fn inputs_except(&self, _step: usize, _names: &[String]) -> Option<Vec<Value>> {
        None
    }

    /// Returns all hidden state, in an order common to all traces; `None` if traces do not show it.
    fn state(&self, _step: usize) -> Option<Vec<Value>> {
        None
    }
}

/// An infinite trace: the steps of `trace`, which repeat forever from `back` on.
#[derive(Clone, Debug)]
pub struct Lasso<T> {
    /// The steps before the loop, and one iteration of it.
    pub trace: T,
    /// The first step of the loop; less than the number of steps.
    pub back: usize,
}

/// The reason why a formula has no truth value on given traces.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SemanticsError {
    /// Finite traces have different lengths.
    #[error("trace {index} has {steps} steps, trace 0 has {common}")]
    DifferentLengths {
        /// The first trace with another length.
        index: usize,
        /// The length of that trace.
        steps: usize,
        /// The length of the first trace.
        common: usize,
    },
    /// Finite traces have length 0.
    #[error("the traces have no steps")]
    NoSteps,
    /// A lasso has no loop.
    #[error("the loop of lasso {index} begins at step {back}, but there are {steps} steps")]
    NoLoop {
        /// The number of the trace, from 0.
        index: usize,
        /// The claimed beginning of its loop.
        back: usize,
        /// The number of its steps.
        steps: usize,
    },
    /// The prefix does not bind a trace variable.
    #[error("trace variable `{0}` is not bound")]
    Unbound(TraceVar),
    /// There is no signal of this name.
    #[error("there is no signal `{0}`")]
    UnknownSignal(String),
    /// A signal with other values is used as a truth value.
    #[error("`{name}` is {value}, not a truth value: compare it with a value")]
    NotATruthValue {
        /// The name of the signal.
        name: String,
        /// Its value.
        value: Value,
    },
}

/// Returns whether the formula holds on a set of finite traces of one common length.
///
/// # Errors
/// If the lengths differ, or the traces do not have a name in the formula.
pub fn holds_on_finite_traces<T: TraceView>(
    formula: &Formula,
    traces: &[T],
) -> Result<bool, SemanticsError> {
    on_finite_traces(formula, traces, Assigned::Any)
}

/// Returns whether the body holds on these finite traces, one for each variable of the prefix in order.
///
/// # Errors
/// If the lengths differ, a variable has no trace, or the traces do not have a name in the formula.
pub fn body_holds_on_finite_traces<T: TraceView>(
    formula: &Formula,
    traces: &[T],
) -> Result<bool, SemanticsError> {
    on_finite_traces(formula, traces, Assigned::InOrder)
}

fn on_finite_traces<T: TraceView>(
    formula: &Formula,
    traces: &[T],
    assigned: Assigned,
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
    quantify((formula, assigned), &traces, time, &mut Vec::new())
}

/// Returns whether the formula holds on a set of infinite traces.
///
/// # Errors
/// If a lasso has no loop, or the traces do not have a name in the formula.
pub fn holds_on_lassos<T: TraceView>(
    formula: &Formula,
    lassos: &[Lasso<T>],
) -> Result<bool, SemanticsError> {
    on_lassos(formula, lassos, Assigned::Any)
}

/// Returns whether the body holds on these infinite traces, one for each variable of the prefix in order.
///
/// # Errors
/// If a lasso has no loop, a variable has no trace, or the traces do not have a name in the formula.
pub fn body_holds_on_lassos<T: TraceView>(
    formula: &Formula,
    lassos: &[Lasso<T>],
) -> Result<bool, SemanticsError> {
    on_lassos(formula, lassos, Assigned::InOrder)
}

/// The given traces over which a variable ranges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assigned {
    /// All of them, by its quantifier.
    Any,
    /// The trace at its position.
    InOrder,
}

fn on_lassos<T: TraceView>(
    formula: &Formula,
    lassos: &[Lasso<T>],
    assigned: Assigned,
) -> Result<bool, SemanticsError> {
    // After the longest prefix, all traces together repeat with the least common multiple of their loops.
    let (mut prefix, mut period) = (0, 1);
    for (index, lasso) in lassos.iter().enumerate() {
        let (steps, back) = (lasso.trace.steps(), lasso.back);
        if back >= steps {
            return Err(SemanticsError::NoLoop { index, back, steps });
        }
        prefix = max(prefix, back);
        period = least_common_multiple(period, steps - back);
    }
    // One additional iteration per level of past operators; later iterations give the same values.
    let rounds = formula.body.past_depth();
    let back = prefix + rounds * period;
    let traces: Vec<Unrolled<'_, T>> = lassos
        .iter()
        .map(|lasso| {
            let own = lasso.trace.steps() - lasso.back;
            let step = |time: usize| match time.checked_sub(lasso.back) {
                Some(beyond) => lasso.back + beyond % own,
                None => time,
            };
            Unrolled {
                trace: &lasso.trace,
                steps: (0..back + period).map(step).collect(),
            }
        })
        .collect();
    let time = Time {
        steps: back + period,
        back: Some(back),
    };
    let formula = (formula, assigned);
    quantify(formula, &traces, time, &mut Vec::new())
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// The common points in time of all traces: 0 … steps−1, then the end or a jump back.
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
}

/// A trace on the common time: for each point the trace's own step.
struct Unrolled<'t, T> {
    trace: &'t T,
    steps: Vec<usize>,
}

fn quantify<'t, T: TraceView>(
    (formula, assigned): (&Formula, Assigned),
    traces: &'t [Unrolled<'t, T>],
    time: Time,
    chosen: &mut Vec<&'t Unrolled<'t, T>>,
) -> Result<bool, SemanticsError> {
    let Some((quantifier, variable)) = formula.prefix.get(chosen.len()) else {
        let assignment = Assignment {
            formula,
            chosen,
            time,
        };
        let values = assignment.along(&formula.body)?;
        return values.first().copied().ok_or(SemanticsError::NoSteps);
    };
    if assigned == Assigned::InOrder {
        let own = traces.get(chosen.len());
        let own = own.ok_or_else(|| SemanticsError::Unbound(variable.clone()))?;
        chosen.push(own);
        let holds = quantify((formula, assigned), traces, time, chosen);
        chosen.pop();
        return holds;
    }
    let decisive = *quantifier == Quantifier::Exists;
    for trace in traces {
        chosen.push(trace);
        let holds = quantify((formula, assigned), traces, time, chosen);
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
    /// Returns whether a formula holds, for each point in time.
    fn along(&self, formula: &Ltl) -> Result<Vec<bool>, SemanticsError> {
        let points = 0..self.time.steps;
        Ok(match formula {
            Ltl::Constant(value) => vec![*value; self.time.steps],
            Ltl::Atom(atom) => points
                .map(|now| self.atom(atom, now))
                .collect::<Result<_, _>>()?,
            Ltl::And(operands) => {
                let all = self.all_along(operands)?;
                points.map(|now| all.iter().all(|v| v[now])).collect()
            }
            Ltl::Or(operands) => {
                let all = self.all_along(operands)?;
                points.map(|now| all.iter().any(|v| v[now])).collect()
            }
            Ltl::Unary(op, operand) => self.unary(*op, &self.along(operand)?),
            Ltl::Binary(op, left, right) => {
                self.binary(*op, &self.along(left)?, &self.along(right)?)
            }
        })
    }

    fn all_along(&self, operands: &[Ltl]) -> Result<Vec<Vec<bool>>, SemanticsError> {
        operands.iter().map(|operand| self.along(operand)).collect()
    }

    fn unary(&self, op: UnaryOp, operand: &[bool]) -> Vec<bool> {
        let points = 0..operand.len();
        let next = |now: usize, otherwise: bool| match self.time.next(now) {
            Some(next) => operand[next],
            None => otherwise,
        };
        let before = |now: usize, otherwise: bool| match now.checked_sub(1) {
            Some(before) => operand[before],
            None => otherwise,
        };
        match op {
            UnaryOp::Not => operand.iter().map(|value| !value).collect(),
            UnaryOp::Next => points.map(|now| next(now, false)).collect(),
            UnaryOp::WeakNext => points.map(|now| next(now, true)).collect(),
            UnaryOp::Finally => self.later(false, |now, later| operand[now] || later),
            UnaryOp::Globally => self.later(true, |now, later| operand[now] && later),
            UnaryOp::Previously => points.map(|now| before(now, false)).collect(),
            UnaryOp::WeakPreviously => points.map(|now| before(now, true)).collect(),
            UnaryOp::Once => self.earlier(false, |now, earlier| operand[now] || earlier),
            UnaryOp::Historically => self.earlier(true, |now, earlier| operand[now] && earlier),
        }
    }

    fn binary(&self, op: BinaryOp, left: &[bool], right: &[bool]) -> Vec<bool> {
        let points = 0..left.len();
        let until = |now: usize, other: bool| right[now] || (left[now] && other);
        let release = |now: usize, other: bool| right[now] && (left[now] || other);
        match op {
            BinaryOp::Implies => points.map(|now| !left[now] || right[now]).collect(),
            BinaryOp::Iff => points.map(|now| left[now] == right[now]).collect(),
            BinaryOp::Xor => points.map(|now| left[now] != right[now]).collect(),
            BinaryOp::Until => self.later(false, until),
            BinaryOp::WeakUntil => self.later(true, until),
            BinaryOp::Release => self.later(true, release),
            BinaryOp::StrongRelease => self.later(false, release),
            BinaryOp::Since => self.earlier(false, until),
            BinaryOp::Triggered => self.earlier(true, release),
        }
    }

    /// Solves a recurrence from each step to the next: the least solution for `beyond` = false, the greatest for true. `says` returns the
    /// value at a step, given the value at the next.
    ///
    /// The first pass makes the value at the start of the loop correct, the second pass makes all values correct.
    fn later(&self, beyond: bool, says: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![beyond; self.time.steps];
        for _ in 0..2 {
            for now in (0..self.time.steps).rev() {
                let next = self.time.next(now).map_or(beyond, |next| values[next]);
                values[now] = says(now, next);
            }
        }
        values
    }

    /// Solves a recurrence from each step to the previous one. `says` returns the value at a step, given the value at the previous one;
    /// `before` is the value before the first step.
    fn earlier(&self, before: bool, says: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut so_far = before;
        let points = 0..self.time.steps;
        points
            .map(|now| {
                so_far = says(now, so_far);
                so_far
            })
            .collect()
    }

    fn atom(&self, atom: &Atom, now: usize) -> Result<bool, SemanticsError> {
        match atom {
            Atom::Selector(p) => Ok(self.trace(p)?.trace.is_mutant()),
            Atom::System(p, number) => Ok(self.trace(p)?.trace.system() == *number),
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
            Atom::InputsEqualExcept(p, q, names) => {
                let (p, q) = (self.trace(p)?, self.trace(q)?);
                let left = p.trace.inputs_except(p.steps[now], names);
                let right = q.trace.inputs_except(q.steps[now], names);
                let unknown = || SemanticsError::UnknownSignal(names.join(", "));
                Ok(left.ok_or_else(unknown)? == right.ok_or_else(unknown)?)
            }
            Atom::StatesEqual(p, q) => {
                let (p, q) = (self.trace(p)?, self.trace(q)?);
                let (left, right) = (p.trace.state(p.steps[now]), q.trace.state(q.steps[now]));
                let unknown = || SemanticsError::UnknownSignal("latches".to_owned());
                Ok(left.ok_or_else(unknown)? == right.ok_or_else(unknown)?)
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

/// Returns the truth value of a bit or a Bool; `None` for other values.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        Value::Symbol(symbol) if symbol == "TRUE" => Some(true),
        Value::Symbol(symbol) if symbol == "FALSE" => Some(false),
        _ => None,
    }
}
