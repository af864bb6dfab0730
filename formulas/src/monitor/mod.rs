//! Monitors: circuits that recognise temporal formulas on a run.
//!
//! A monitor adds latches, inputs, constraints, and literals that must be true infinitely often (justice) to the circuit that it watches.
//! Its inputs are choices. A run of the circuit satisfies the formula at its first step iff some choices make all constraints hold at every
//! step, and each justice literal at infinitely many steps.
//!
//! - Subformulas about the past and the present are deterministic circuits, each with a literal.
//! - A formula `a U b` or `a R b` over such literals that must hold at one step only needs one latch and no choice. The latch says whether
//!   the obligation is still open. This applies to the formula itself, the parts of its conjunctions, and the operand of its `X`.
//! - All other subformulas form a tableau. For each, an input promises that it holds at the next step, and a latch stores the promise. The
//!   tableau only claims that subformulas are true and never that they are false, since negations stand before literals.
//!
//! The choices are existential and come after all traces, so a monitor decides formulas whose traces are all existential.

mod temporal;

use std::collections::HashMap;

use hyperkill_core::aig::Reset;
use hyperkill_core::{Aig, Lit};

pub use temporal::{Leaf, MAX_NODES, Temporal};

use crate::ast::{BinaryOp, Ltl, UnaryOp};

/// The conditions on a run and on the choices of its monitors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Demands {
    /// Literals that hold at every step.
    pub always: Vec<Lit>,
    /// Literals that each hold at infinitely many steps.
    pub justice: Vec<Lit>,
    /// Inputs of the monitors.
    pub choices: Vec<Lit>,
}

/// Builds monitors into a circuit.
pub struct Builder<'a> {
    /// The circuit, which grows.
    pub aig: &'a mut Aig,
    /// The conditions so far.
    pub demands: Demands,
    /// The literal that is true at the first step only.
    first: Option<Lit>,
    /// The literals of existing claims, by formula.
    claims: HashMap<Temporal, Lit>,
}

impl<'a> Builder<'a> {
    /// Returns a builder without conditions.
    #[must_use]
    pub fn new(aig: &'a mut Aig) -> Builder<'a> {
        Builder {
            aig,
            demands: Demands::default(),
            first: None,
            claims: HashMap::new(),
        }
    }

    /// Adds a latch with this first value, and returns its index and its literal. The caller sets its next value.
    fn latch(&mut self, reset: bool) -> (usize, Lit) {
        let lit = self.aig.add_latch(Reset::constant(reset), None);
        (self.aig.latches().len() - 1, lit)
    }

    /// Returns the literal that is true at the first step only.
    pub fn first(&mut self) -> Lit {
        if let Some(first) = self.first {
            return first;
        }
        let (index, lit) = self.latch(true);
        self.aig.set_next(index, Lit::FALSE);
        self.first = Some(lit);
        lit
    }

    /// Returns the literal of a connective or past operator over these literals of its operands; `None` if its outermost operator is about
    /// the future.
    pub fn of_past(&mut self, formula: &Ltl, operands: &[Lit]) -> Option<Lit> {
        Some(match (formula, operands) {
            (Ltl::And(_), all) => self.aig.and_all(all),
            (Ltl::Or(_), all) => self.aig.or_all(all),
            (Ltl::Unary(op, _), &[a]) => match op {
                UnaryOp::Not => !a,
                UnaryOp::Previously | UnaryOp::WeakPreviously => {
                    let (index, lit) = self.latch(*op == UnaryOp::WeakPreviously);
                    self.aig.set_next(index, a);
                    lit
                }
                UnaryOp::Once => self.since(Lit::TRUE, a),
                UnaryOp::Historically => !self.since(Lit::TRUE, !a),
                _ => return None,
            },
            (Ltl::Binary(op, ..), &[a, b]) => match op {
                BinaryOp::Implies => self.aig.implies(a, b),
                BinaryOp::Iff => self.aig.iff(a, b),
                BinaryOp::Xor => self.aig.xor(a, b),
                BinaryOp::Since => self.since(a, b),
                BinaryOp::Triggered => !self.since(!a, !b),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Returns the literal of `a S b`, with a latch that stores its previous value.
    fn since(&mut self, a: Lit, b: Lit) -> Lit {
        let (index, before) = self.latch(false);
        let kept = self.aig.and(a, before);
        let now = self.aig.or(b, kept);
        self.aig.set_next(index, now);
        now
    }

    /// Returns the literal of a formula; `None` if it has a temporal operator.
    fn literal(&mut self, formula: &Temporal) -> Option<Lit> {
        let mut all = |operands: &[Temporal]| {
            let operands = operands.iter().map(|operand| self.literal(operand));
            operands.collect::<Option<Vec<Lit>>>()
        };
        Some(match formula {
            Temporal::Now(lit) => *lit,
            Temporal::And(operands) => {
                let operands = all(operands)?;
                self.aig.and_all(&operands)
            }
            Temporal::Or(operands) => {
                let operands = all(operands)?;
                self.aig.or_all(&operands)
            }
            _ => return None,
        })
    }

    /// Requires the formula at the first step.
    pub fn require(&mut self, formula: &Temporal) {
        match formula {
            // An invariant of literals needs no latch.
            Temporal::Release(a, b) if **a == Temporal::Now(Lit::FALSE) => match &**b {
                Temporal::And(parts) => {
                    for part in parts {
                        self.require(&part.clone().globally());
                    }
                }
                Temporal::Release(c, _) if **c == Temporal::Now(Lit::FALSE) => self.require(b),
                // G F is a justice condition.
                Temporal::Until(c, d) if **c == Temporal::Now(Lit::TRUE) => match self.literal(d) {
                    Some(lit) => self.demands.justice.push(lit),
                    None => self.require_always(b),
                },
                _ => self.require_always(b),
            },
            Temporal::And(operands) => operands.iter().for_each(|operand| self.require(operand)),
            _ => self.require_generally(formula),
        }
    }

    /// Requires the formula at every step, by its claim ([`Builder::claim`]).
    fn require_always(&mut self, formula: &Temporal) {
        let claim = self.claim(formula);
        self.demands.always.push(claim);
    }

    fn require_generally(&mut self, formula: &Temporal) {
        let first = self.first();
        self.require_when(first, formula);
    }

    /// Requires the formula at the step at which `when` is true; there is at most one such step.
    fn require_when(&mut self, when: Lit, formula: &Temporal) {
        match formula {
            Temporal::Now(lit) => {
                let met = self.aig.implies(when, *lit);
                self.demands.always.push(met);
            }
            Temporal::And(operands) => {
                for operand in operands {
                    self.require_when(when, operand);
                }
            }
            Temporal::Or(operands) => self.require_one_of(when, operands),
            Temporal::Next(operand) => {
                let (index, then) = self.latch(false);
                self.aig.set_next(index, when);
                self.require_when(then, operand);
            }
            Temporal::Until(a, b) => match (self.literal(a), self.literal(b)) {
                (Some(a), Some(b)) => {
                    let open = self.open_until(when, b, |aig, open, b| {
                        let goes_on = aig.or(a, b);
                        aig.implies(open, goes_on)
                    });
                    self.demands.justice.push(!open);
                }
                _ => self.require_claim(when, formula),
            },
            Temporal::Release(a, b) => match (self.literal(a), self.literal(b)) {
                (Some(a), Some(b)) => {
                    self.open_until(when, a, |aig, open, _| aig.implies(open, b));
                }
                _ => self.require_claim(when, formula),
            },
            _ => self.require_claim(when, formula),
        }
    }

    /// Opens an obligation at `when` and closes it at the step at which `done` is true. Returns the literal that it stays open after this
    /// step.
    ///
    /// `meanwhile` returns the literal that must hold while the obligation is open and when it is closed, given the literals "it is open"
    /// and `done`.
    fn open_until(
        &mut self,
        when: Lit,
        done: Lit,
        meanwhile: impl Fn(&mut Aig, Lit, Lit) -> Lit,
    ) -> Lit {
        let (index, before) = self.latch(false);
        let open = self.aig.or(when, before);
        let stays = self.aig.and(open, !done);
        self.aig.set_next(index, stays);
        let met = meanwhile(self.aig, open, done);
        self.demands.always.push(met);
        stays
    }

    fn require_claim(&mut self, when: Lit, formula: &Temporal) {
        let claim = self.claim(formula);
        let met = self.aig.implies(when, claim);
        self.demands.always.push(met);
    }

    /// Requires one of the operands at the step at which `when` is true; inputs choose it. Eventualities are combined into one, which needs
    /// no choice.
    fn require_one_of(&mut self, when: Lit, operands: &[Temporal]) {
        let (mut now, mut later, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for operand in operands {
            match operand {
                Temporal::Until(a, b) if **a == Temporal::Now(Lit::TRUE) => match self.literal(b) {
                    Some(lit) => later.push(lit),
                    None => others.push(operand.clone()),
                },
                _ => match self.literal(operand) {
                    Some(lit) => now.push(lit),
                    None => others.push(operand.clone()),
                },
            }
        }
        let now = self.aig.or_all(&now);
        if !later.is_empty() {
            let later = self.aig.or_all(&later);
            if others.is_empty() {
                // A literal that is true now closes it too.
                let at_once = self.aig.and(when, now);
                let done = self.aig.or(at_once, later);
                let open = self.open_until(when, done, |_, _, _| Lit::TRUE);
                self.demands.justice.push(!open);
                return;
            }
            others.push(Temporal::Now(later).finally());
        }
        let mut possible = vec![now];
        for other in &others {
            let chosen = self.choice();
            possible.push(chosen);
            let when = self.aig.and(when, chosen);
            self.require_when(when, other);
        }
        let some = self.aig.or_all(&possible);
        let met = self.aig.implies(when, some);
        self.demands.always.push(met);
    }

    fn choice(&mut self) -> Lit {
        let choice = self.aig.add_input(None);
        self.demands.choices.push(choice);
        choice
    }

    /// Returns a literal that is true only where the formula holds, and can be true wherever it does.
    fn claim(&mut self, formula: &Temporal) -> Lit {
        if let Temporal::Now(lit) = formula {
            return *lit;
        }
        if let Some(&claim) = self.claims.get(formula) {
            return claim;
        }
        let claim = match formula {
            Temporal::Now(lit) => *lit,
            Temporal::And(operands) => {
                let operands: Vec<Lit> = operands.iter().map(|o| self.claim(o)).collect();
                self.aig.and_all(&operands)
            }
            Temporal::Or(operands) => {
                let operands: Vec<Lit> = operands.iter().map(|o| self.claim(o)).collect();
                self.aig.or_all(&operands)
            }
            Temporal::Next(operand) => {
                let operand = self.claim(operand);
                let promise = self.choice();
                let promised = self.keep(promise);
                let met = self.aig.implies(promised, operand);
                self.demands.always.push(met);
                promise
            }
            Temporal::Until(a, b) => {
                let (a, b) = (self.claim(a), self.claim(b));
                let promise = self.choice();
                let goes_on = self.aig.and(a, promise);
                let claim = self.aig.or(b, goes_on);
                // After b, nothing more is promised.
                let open = self.aig.and(promise, !b);
                self.keep_to(open, claim);
                self.demands.justice.push(!open);
                claim
            }
            Temporal::Release(a, b) => {
                let (a, b) = (self.claim(a), self.claim(b));
                let promise = self.choice();
                let goes_on = self.aig.or(a, promise);
                let claim = self.aig.and(b, goes_on);
                let open = self.aig.and(promise, !a);
                self.keep_to(open, claim);
                claim
            }
            Temporal::Previously(operand) => {
                let operand = self.claim(operand);
                self.keep(operand)
            }
            Temporal::WeakPreviously(operand) => {
                let operand = self.claim(operand);
                let (index, lit) = self.latch(true);
                self.aig.set_next(index, operand);
                lit
            }
            Temporal::Since(a, b) => {
                let (a, b) = (self.claim(a), self.claim(b));
                self.since(a, b)
            }
            Temporal::Triggered(a, b) => {
                let (a, b) = (self.claim(a), self.claim(b));
                let (index, before) = self.latch(true);
                let kept = self.aig.or(a, before);
                let claim = self.aig.and(b, kept);
                self.aig.set_next(index, claim);
                claim
            }
        };
        self.claims.insert(formula.clone(), claim);
        claim
    }

    /// Returns a literal with the value that `what` had one step before; false at the first step.
    fn keep(&mut self, what: Lit) -> Lit {
        let (index, lit) = self.latch(false);
        self.aig.set_next(index, what);
        lit
    }

    /// Requires that `claim` is true one step after each step at which `promise` is.
    fn keep_to(&mut self, promise: Lit, claim: Lit) {
        let promised = self.keep(promise);
        let met = self.aig.implies(promised, claim);
        self.demands.always.push(met);
    }
}
