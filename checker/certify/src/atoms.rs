//! Instantaneous formulas (no temporal operator) over a step of the naive product: atoms and connectives, one by one, without sharing.

use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::ast::{Atom, BinaryOp, Formula, Ltl, Operand, SignalOf, TraceVar, UnaryOp};
use hyperkill_formulas::signals::resolve;
use hyperkill_sat::Lit as SatLit;

use super::naive::Naive;

/// A step of the naive product of a formula's traces; each trace is a copy of the model.
pub(super) struct Moment<'f> {
    pub formula: &'f Formula,
    /// The selector that `mut` stands for.
    pub mutant: SelectorId,
    pub step: usize,
}

impl Moment<'_> {
    /// Returns a literal that is true iff an instantaneous formula holds. `None` if the formula is about other steps, or names a part that
    /// the model does not have.
    pub(super) fn says(&self, naive: &mut Naive<'_>, formula: &Ltl) -> Option<SatLit> {
        let all = |naive: &mut Naive<'_>, operands: &[Ltl]| {
            let operands = operands.iter().map(|operand| self.says(naive, operand));
            operands.collect::<Option<Vec<SatLit>>>()
        };
        Some(match formula {
            Ltl::Constant(true) => naive.truth,
            Ltl::Constant(false) => !naive.truth,
            Ltl::Atom(atom) => self.atom(naive, atom)?,
            Ltl::Unary(UnaryOp::Not, operand) => !self.says(naive, operand)?,
            Ltl::And(operands) => {
                let operands = all(naive, operands)?;
                naive.all(&operands)
            }
            Ltl::Or(operands) => {
                let operands = all(naive, operands)?;
                let none: Vec<SatLit> = operands.into_iter().map(|lit| !lit).collect();
                !naive.all(&none)
            }
            Ltl::Binary(op @ (BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor), left, right) => {
                let (left, right) = (self.says(naive, left)?, self.says(naive, right)?);
                match op {
                    BinaryOp::Implies => !naive.all(&[left, !right]),
                    BinaryOp::Iff => naive.same(left, right),
                    _ => !naive.same(left, right),
                }
            }
            Ltl::Unary(..) | Ltl::Binary(..) => return None,
        })
    }

    fn atom(&self, naive: &mut Naive<'_>, atom: &Atom) -> Option<SatLit> {
        let model = naive.model;
        match atom {
            Atom::Selector(trace) => {
                let copy = self.copy(trace)?;
                let Some(selector) = model.selectors.get(self.mutant.0) else {
                    return Some(!naive.truth);
                };
                let latch = model.aig.latches()[selector.latch].var;
                Some(naive.node(self.step, copy, latch))
            }
            // The naive product has only one mutant.
            Atom::System(..) => None,
            Atom::Signal(signal) => match self.signal(naive, signal)? {
                (Sort::Bit | Sort::Bool | Sort::Word { .. }, bits) if bits.len() == 1 => {
                    Some(bits[0])
                }
                _ => None,
            },
            Atom::Equal(signal, Operand::Value(value)) => {
                let (sort, bits) = self.signal(naive, signal)?;
                let code = sort.encode(value)?;
                let bits = canonical(naive, &sort, bits);
                let fits = bits.into_iter().zip(code);
                let fits: Vec<SatLit> = fits.map(|(bit, on)| if on { bit } else { !bit }).collect();
                Some(naive.all(&fits))
            }
            Atom::Equal(left, Operand::Signal(right)) => {
                let (left_sort, left) = self.signal(naive, left)?;
                let (right_sort, right) = self.signal(naive, right)?;
                let left = canonical(naive, &left_sort, left);
                let right = canonical(naive, &right_sort, right);
                Some(all_same(naive, &left, &right))
            }
            Atom::InputsEqual(p, q) => {
                let read = |naive: &mut Naive<'_>, trace: &TraceVar| -> Option<Vec<SatLit>> {
                    let mut values = Vec::new();
                    for port in &model.inputs {
                        let bits = self.port(naive, trace, port)?;
                        values.extend(canonical(naive, &port.sort, bits));
                    }
                    Some(values)
                };
                let (p, q) = (read(naive, p)?, read(naive, q)?);
                Some(all_same(naive, &p, &q))
            }
            Atom::InputsEqualExcept(p, q, names) => self.inputs_equal_except(naive, (p, q), names),
            Atom::StatesEqual(p, q) => self.states_equal(naive, (p, q)),
            Atom::OutputsEqual(p, q) => {
                let read = |naive: &mut Naive<'_>, trace: &TraceVar| {
                    let copy = self.copy(trace)?;
                    let outputs = model.aig.outputs.iter();
                    Some(
                        outputs
                            .map(|output| naive.lit(self.step, copy, output.lit))
                            .collect::<Vec<_>>(),
                    )
                };
                let (p, q) = (read(naive, p)?, read(naive, q)?);
                Some(all_same(naive, &p, &q))
            }
        }
    }

    fn inputs_equal_except(
        &self,
        naive: &mut Naive<'_>,
        (p, q): (&TraceVar, &TraceVar),
        names: &[String],
    ) -> Option<SatLit> {
        let model = naive.model;
        let mut same = Vec::new();
        let kept = |port: &&Port| !names.contains(&port.name);
        for port in model.inputs.iter().filter(kept) {
            let left = self.port(naive, p, port)?;
            let right = self.port(naive, q, port)?;
            let is_named = |bit| port.bits.len() > 1 && names.contains(&port.bit_name(bit));
            if !(0..port.bits.len()).any(is_named) {
                let left = canonical(naive, &port.sort, left);
                let right = canonical(naive, &port.sort, right);
                same.push(all_same(naive, &left, &right));
                continue;
            }
            for (bit, (left, right)) in left.into_iter().zip(right).enumerate() {
                if !is_named(bit) {
                    same.push(naive.same(left, right));
                }
            }
        }
        Some(naive.all(&same))
    }

    fn states_equal(
        &self,
        naive: &mut Naive<'_>,
        (p, q): (&TraceVar, &TraceVar),
    ) -> Option<SatLit> {
        let (p, q) = (self.copy(p)?, self.copy(q)?);
        let mut same = Vec::new();
        for latch in state_latches(naive.model) {
            let left = naive.node(self.step, p, latch);
            let right = naive.node(self.step, q, latch);
            same.push(naive.same(left, right));
        }
        Some(naive.all(&same))
    }

    fn copy(&self, trace: &TraceVar) -> Option<usize> {
        self.formula.position(trace)
    }

    /// Returns the bits of a test input of a trace at this step, least significant first. `None` if the formula has no such trace.
    fn port(&self, naive: &mut Naive<'_>, trace: &TraceVar, port: &Port) -> Option<Vec<SatLit>> {
        let copy = self.copy(trace)?;
        let inputs = naive.model.aig.inputs();
        let bits = port.bits.iter();
        let bits = bits.map(|&bit| naive.node(self.step, copy, inputs[bit].var));
        Some(bits.collect())
    }

    fn signal(&self, naive: &mut Naive<'_>, signal: &SignalOf) -> Option<(Sort, Vec<SatLit>)> {
        let copy = self.copy(&signal.trace)?;
        let found = resolve(naive.model, &signal.name)?;
        let bits = found.bits.iter();
        let bits = bits.map(|&lit| naive.lit(self.step, copy, lit)).collect();
        Some((found.sort, bits))
    }
}

/// Returns the circuit literals of all signals that a formula names; of all latches if it compares states.
pub(super) fn wires(model: &ConditionalMutant, formula: &Formula) -> Vec<hyperkill_core::Lit> {
    let mut wires = Vec::new();
    for atom in formula.body.atoms() {
        if let Atom::StatesEqual(..) = atom {
            wires.extend(
                state_latches(model)
                    .into_iter()
                    .map(hyperkill_core::Var::lit),
            );
        }
        let names = match atom {
            Atom::Signal(signal) | Atom::Equal(signal, Operand::Value(_)) => vec![&signal.name],
            Atom::Equal(left, Operand::Signal(right)) => vec![&left.name, &right.name],
            Atom::Selector(_)
            | Atom::System(..)
            | Atom::InputsEqual(..)
            | Atom::OutputsEqual(..)
            | Atom::InputsEqualExcept(..)
            | Atom::StatesEqual(..) => vec![],
        };
        let found = names.into_iter().filter_map(|name| resolve(model, name));
        wires.extend(found.flat_map(|signal| signal.bits));
    }
    wires
}

/// Returns the nodes of all latches except selectors.
fn state_latches(model: &ConditionalMutant) -> Vec<hyperkill_core::Var> {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().zip(selectors);
    let hidden = latches.filter(|(_, selector)| selector.is_none());
    hidden.map(|(latch, _)| latch.var).collect()
}

fn all_same(naive: &mut Naive<'_>, left: &[SatLit], right: &[SatLit]) -> SatLit {
    let pairs = left.iter().zip(right);
    let same: Vec<SatLit> = pairs.map(|(&a, &b)| naive.same(a, b)).collect();
    naive.all(&same)
}

/// Returns the bits of a value's code in normal form: a code that stands for no value of its own becomes the one with its top bit 0
/// (`core::sort`).
fn canonical(naive: &mut Naive<'_>, sort: &Sort, mut bits: Vec<SatLit>) -> Vec<SatLit> {
    let values = sort.cardinality();
    if !sort.has_aliases() || bits.is_empty() {
        return bits;
    }
    // The code is at least `values`: it has, from some bit down on, ones where the bound has zeros first.
    let mut reasons = Vec::new();
    let mut equal_above = vec![naive.truth];
    for (i, &bit) in bits.iter().enumerate().rev() {
        if values >> i & 1 == 1 {
            equal_above.push(bit);
        } else {
            let mut larger = equal_above.clone();
            larger.push(bit);
            reasons.push(naive.all(&larger));
            equal_above.push(!bit);
        }
    }
    reasons.push(naive.all(&equal_above));
    let none: Vec<SatLit> = reasons.into_iter().map(|reason| !reason).collect();
    let within = naive.all(&none);
    let top = bits.len() - 1;
    bits[top] = naive.all(&[bits[top], within]);
    bits
}
