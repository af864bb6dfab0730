//! Temporal formulas over literals of a circuit, in negation normal form, from which monitors are built.

use hyperkill_core::Lit;

use crate::ast::{BinaryOp, Ltl, UnaryOp};
use crate::error::ComposeError;

/// Limit of nodes of a monitor's formula.
pub const MAX_NODES: usize = 1 << 16;

/// A temporal formula over infinite traces, in negation normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Temporal {
    /// A literal at the current step.
    Now(Lit),
    /// The conjunction.
    And(Vec<Temporal>),
    /// The disjunction.
    Or(Vec<Temporal>),
    /// The operand at the next step.
    Next(Box<Temporal>),
    /// `a U b`.
    Until(Box<Temporal>, Box<Temporal>),
    /// `a R b`.
    Release(Box<Temporal>, Box<Temporal>),
    /// `Y a`.
    Previously(Box<Temporal>),
    /// `Z a`.
    WeakPreviously(Box<Temporal>),
    /// `a S b`.
    Since(Box<Temporal>, Box<Temporal>),
    /// `a T b`.
    Triggered(Box<Temporal>, Box<Temporal>),
}

/// A function that gives the literal of a subformula, if it has one.
pub type Leaf<'a> = dyn FnMut(&Ltl) -> Result<Option<Lit>, ComposeError> + 'a;

impl Temporal {
    /// Translates the formula, or its negation if not `positive`, to one over literals. `leaf` gives the literals of instantaneous
    /// subformulas, and possibly of others.
    ///
    /// # Errors
    /// If `leaf` fails, or the formula has more than [`MAX_NODES`] nodes. Each level of nested `<->` doubles a formula with temporal
    /// operators.
    pub fn of(
        formula: &Ltl,
        positive: bool,
        leaf: &mut Leaf<'_>,
    ) -> Result<Temporal, ComposeError> {
        Temporal::until_the_end(formula, positive, None, leaf)
    }

    /// Translates like [`Temporal::of`], for finite traces if there is an `alive` literal, else for infinite ones. A finite trace exists
    /// while `alive` is true, which changes once, from true to false. A statement about a step includes that the step exists.
    ///
    /// # Errors
    /// If [`Temporal::of`] fails.
    pub fn until_the_end(
        formula: &Ltl,
        positive: bool,
        alive: Option<Lit>,
        leaf: &mut Leaf<'_>,
    ) -> Result<Temporal, ComposeError> {
        let mut reader = Reader {
            leaf,
            nodes: 0,
            alive: alive.unwrap_or(Lit::TRUE),
        };
        reader.read(formula, positive)
    }

    /// Returns the conjunction of the operands, flattened, with constants folded.
    #[must_use]
    pub fn and(operands: impl IntoIterator<Item = Temporal>) -> Temporal {
        let mut all = Vec::new();
        for operand in operands {
            match operand {
                Temporal::Now(Lit::TRUE) => {}
                Temporal::Now(Lit::FALSE) => return Temporal::Now(Lit::FALSE),
                Temporal::And(more) => all.extend(more),
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Temporal::Now(Lit::TRUE),
            1 => all.swap_remove(0),
            _ => Temporal::And(all),
        }
    }

    /// Returns the disjunction of the operands, flattened, with constants folded.
    #[must_use]
    pub fn or(operands: impl IntoIterator<Item = Temporal>) -> Temporal {
        let mut all = Vec::new();
        for operand in operands {
            match operand {
                Temporal::Now(Lit::FALSE) => {}
                Temporal::Now(Lit::TRUE) => return Temporal::Now(Lit::TRUE),
                Temporal::Or(more) => all.extend(more),
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Temporal::Now(Lit::FALSE),
            1 => all.swap_remove(0),
            _ => Temporal::Or(all),
        }
    }

    /// Returns the literals that the formula requires at every step: those of its conjuncts `G a`.
    #[must_use]
    pub fn invariants(&self) -> Vec<Lit> {
        match self {
            Temporal::And(parts) => parts.iter().flat_map(Temporal::invariants).collect(),
            Temporal::Release(a, b) if **a == Temporal::Now(Lit::FALSE) => b.parts(),
            _ => Vec::new(),
        }
    }

    /// Returns the literals among the conjuncts of the formula, or the formula itself if it is a literal.
    fn parts(&self) -> Vec<Lit> {
        match self {
            Temporal::Now(lit) => vec![*lit],
            Temporal::And(parts) => parts.iter().flat_map(Temporal::parts).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns `F self`.
    #[must_use]
    pub fn finally(self) -> Temporal {
        Temporal::Until(Box::new(Temporal::Now(Lit::TRUE)), Box::new(self))
    }

    /// Returns `G self`.
    #[must_use]
    pub fn globally(self) -> Temporal {
        Temporal::Release(Box::new(Temporal::Now(Lit::FALSE)), Box::new(self))
    }
}

struct Reader<'a, 'b> {
    leaf: &'a mut Leaf<'b>,
    nodes: usize,
    /// Whether the step exists; always true for infinite traces.
    alive: Lit,
}

impl Reader<'_, '_> {
    fn read(&mut self, formula: &Ltl, positive: bool) -> Result<Temporal, ComposeError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(ComposeError::MonitorTooLarge);
        }
        if let Some(lit) = (self.leaf)(formula)? {
            return Ok(Temporal::Now(lit ^ !positive));
        }
        Ok(match formula {
            Ltl::Constant(value) => Temporal::Now(Lit::constant(*value == positive)),
            Ltl::Atom(_) => {
                return Err(ComposeError::UnsupportedShape {
                    subformula: Box::new(formula.clone()),
                    reason: "an atom without a literal",
                });
            }
            Ltl::And(operands) => self.junction(operands, positive, positive)?,
            Ltl::Or(operands) => self.junction(operands, !positive, positive)?,
            Ltl::Unary(op, operand) => self.unary(*op, operand, positive)?,
            Ltl::Binary(op, left, right) => self.binary(*op, left, right, positive)?,
        })
    }

    fn junction(
        &mut self,
        operands: &[Ltl],
        conjunction: bool,
        positive: bool,
    ) -> Result<Temporal, ComposeError> {
        let operands: Result<Vec<Temporal>, ComposeError> = operands
            .iter()
            .map(|operand| self.read(operand, positive))
            .collect();
        Ok(match conjunction {
            true => Temporal::and(operands?),
            false => Temporal::or(operands?),
        })
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: &Ltl,
        positive: bool,
    ) -> Result<Temporal, ComposeError> {
        if op == UnaryOp::Not {
            return self.read(operand, !positive);
        }
        let operand = self.read(operand, positive)?;
        let constant = |value| Box::new(Temporal::Now(Lit::constant(value)));
        Ok(match (op, positive) {
            (UnaryOp::Not, _) => operand,
            (UnaryOp::Next, true) | (UnaryOp::WeakNext, false) => {
                let there = Temporal::and([Temporal::Now(self.alive), operand]);
                Temporal::Next(Box::new(there))
            }
            (UnaryOp::Next, false) | (UnaryOp::WeakNext, true) => {
                let there = Temporal::or([Temporal::Now(!self.alive), operand]);
                Temporal::Next(Box::new(there))
            }
            (UnaryOp::Finally, true) | (UnaryOp::Globally, false) => {
                self.until(constant(true), operand)
            }
            (UnaryOp::Finally, false) | (UnaryOp::Globally, true) => {
                self.release(constant(false), operand)
            }
            (UnaryOp::Previously, true) | (UnaryOp::WeakPreviously, false) => {
                Temporal::Previously(Box::new(operand))
            }
            (UnaryOp::Previously, false) | (UnaryOp::WeakPreviously, true) => {
                Temporal::WeakPreviously(Box::new(operand))
            }
            (UnaryOp::Once, true) | (UnaryOp::Historically, false) => {
                Temporal::Since(constant(true), Box::new(operand))
            }
            (UnaryOp::Once, false) | (UnaryOp::Historically, true) => {
                Temporal::Triggered(constant(false), Box::new(operand))
            }
        })
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Ltl,
        right: &Ltl,
        positive: bool,
    ) -> Result<Temporal, ComposeError> {
        if let BinaryOp::Iff | BinaryOp::Xor = op {
            let same = (op == BinaryOp::Iff) == positive;
            let both = Temporal::and([self.read(left, true)?, self.read(right, same)?]);
            let neither = Temporal::and([self.read(left, false)?, self.read(right, !same)?]);
            return Ok(Temporal::or([both, neither]));
        }
        if op == BinaryOp::Implies {
            let sides = [self.read(left, !positive)?, self.read(right, positive)?];
            return Ok(match positive {
                true => Temporal::or(sides),
                false => Temporal::and(sides),
            });
        }
        let left = Box::new(self.read(left, positive)?);
        let right = Box::new(self.read(right, positive)?);
        // a W b is b R (a | b), and a M b is b U (a & b).
        let either = |left: Box<Temporal>, right: &Temporal| Temporal::or([*left, right.clone()]);
        let both = |left: Box<Temporal>, right: &Temporal| Temporal::and([*left, right.clone()]);
        Ok(match (op, positive) {
            (BinaryOp::Until, true) | (BinaryOp::Release, false) => self.until(left, *right),
            (BinaryOp::Until, false) | (BinaryOp::Release, true) => self.release(left, *right),
            (BinaryOp::Since, true) | (BinaryOp::Triggered, false) => Temporal::Since(left, right),
            (BinaryOp::Since, false) | (BinaryOp::Triggered, true) => {
                Temporal::Triggered(left, right)
            }
            (BinaryOp::WeakUntil, true) | (BinaryOp::StrongRelease, false) => {
                let either = either(left, &right);
                self.release(right, either)
            }
            _ => {
                let both = both(left, &right);
                self.until(right, both)
            }
        })
    }

    fn until(&self, a: Box<Temporal>, b: Temporal) -> Temporal {
        let there = Temporal::and([Temporal::Now(self.alive), b]);
        Temporal::Until(a, Box::new(there))
    }

    fn release(&self, a: Box<Temporal>, b: Temporal) -> Temporal {
        let there = Temporal::or([Temporal::Now(!self.alive), b]);
        Temporal::Release(a, Box::new(there))
    }
}
