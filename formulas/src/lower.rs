//! Lowers instantaneous formulas to literals: atoms and Boolean connectives over the copies of a product.
//!
//! Temporal operators are refused with the offending subformula.

use hyperkill_core::product::{Copy, Product, Variant};
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};

use crate::ast::{Atom, BinaryOp, Ltl, Operand, SignalOf, TraceVar, UnaryOp};
use crate::error::ComposeError;
use crate::signals::{Signal, resolve};

/// Returns the literals of the model's circuit that an atom reads, besides outputs and constraints, which every copy has.
pub(crate) fn reads(model: &ConditionalMutant, atom: &Atom) -> Result<Vec<Lit>, ComposeError> {
    let signals = match atom {
        Atom::Selector(_) | Atom::System(..) | Atom::OutputsEqual(..) => vec![],
        Atom::InputsEqual(..) => return Ok(input_lits(model)),
        Atom::InputsEqualExcept(_, _, names) => {
            let kept = kept_inputs(model, names)?;
            return Ok(kept.into_iter().flat_map(|signal| signal.bits).collect());
        }
        Atom::StatesEqual(..) => return Ok(state_lits(model)),
        Atom::Signal(signal) | Atom::Equal(signal, Operand::Value(_)) => vec![signal],
        Atom::Equal(left, Operand::Signal(right)) => vec![left, right],
    };
    let mut lits = Vec::new();
    for signal in signals {
        lits.extend(known(model, signal)?.bits);
    }
    Ok(lits)
}

fn input_lits(model: &ConditionalMutant) -> Vec<Lit> {
    let inputs = model.aig.inputs();
    model
        .input_bits()
        .map(|bit| inputs[bit].var.lit())
        .collect()
}

/// Returns the literals of all latches except selectors.
fn state_lits(model: &ConditionalMutant) -> Vec<Lit> {
    let selectors = model.selector_of_latch();
    let latches = model.aig.latches().iter().zip(selectors);
    let hidden = latches.filter(|(_, selector)| selector.is_none());
    hidden.map(|(latch, _)| latch.var.lit()).collect()
}

/// Returns the test inputs except the named ones, as literals of the model. An input is kept as a unit, unless one of its bits is named;
/// then its other bits are kept as single bits.
fn kept_inputs(model: &ConditionalMutant, names: &[String]) -> Result<Vec<Signal>, ComposeError> {
    let mut used = vec![false; names.len()];
    let mut is_named = |name: &str| {
        let mut found = false;
        for (named, used) in names.iter().zip(&mut used) {
            *used |= named == name;
            found |= named == name;
        }
        found
    };
    let mut kept = Vec::new();
    for port in &model.inputs {
        if is_named(&port.name) {
            // Its bits may be named, too.
            for bit in (0..port.bits.len()).filter(|_| port.bits.len() > 1) {
                is_named(&port.bit_name(bit));
            }
            continue;
        }
        let lit = |bit: &usize| model.aig.inputs()[*bit].var.lit();
        let bits = port.bits.iter().enumerate();
        let left: Vec<Lit> = bits
            .filter(|(index, _)| port.bits.len() == 1 || !is_named(&port.bit_name(*index)))
            .map(|(_, bit)| lit(bit))
            .collect();
        if left.len() == port.bits.len() {
            kept.push(Signal {
                sort: port.sort.clone(),
                bits: left,
            });
        } else {
            kept.extend(left.into_iter().map(Signal::bit));
        }
    }
    match used.iter().position(|used| !used) {
        None => Ok(kept),
        Some(index) => Err(ComposeError::UnknownSignal {
            name: names[index].clone(),
        }),
    }
}

fn known(model: &ConditionalMutant, signal: &SignalOf) -> Result<Signal, ComposeError> {
    resolve(model, &signal.name).ok_or_else(|| ComposeError::UnknownSignal {
        name: signal.name.clone(),
    })
}

/// Builds literals in a product whose copies contain all literals that are read.
pub(crate) struct Lowering<'a> {
    pub(crate) model: &'a ConditionalMutant,
    pub(crate) traces: &'a [TraceVar],
    pub(crate) product: &'a mut Product,
}

impl Lowering<'_> {
    /// Returns the literal of an instantaneous formula.
    ///
    /// # Errors
    /// If the formula has a temporal operator, or mentions names or traces that do not exist.
    pub(crate) fn literal(&mut self, formula: &Ltl) -> Result<Lit, ComposeError> {
        match formula {
            Ltl::Constant(value) => Ok(Lit::constant(*value)),
            Ltl::Atom(atom) => self.atom(atom),
            Ltl::Unary(UnaryOp::Not, operand) => Ok(!self.literal(operand)?),
            Ltl::And(operands) => {
                let lits = self.literals(operands)?;
                Ok(self.product.aig.and_all(&lits))
            }
            Ltl::Or(operands) => {
                let lits = self.literals(operands)?;
                Ok(self.product.aig.or_all(&lits))
            }
            Ltl::Binary(op @ (BinaryOp::Implies | BinaryOp::Iff | BinaryOp::Xor), left, right) => {
                let left = self.literal(left)?;
                let right = self.literal(right)?;
                let aig = &mut self.product.aig;
                Ok(match op {
                    BinaryOp::Implies => aig.implies(left, right),
                    BinaryOp::Iff => aig.iff(left, right),
                    _ => aig.xor(left, right),
                })
            }
            Ltl::Unary(..) | Ltl::Binary(..) => Err(ComposeError::UnsupportedShape {
                subformula: Box::new(formula.clone()),
                reason: "a temporal operator below the outermost G and F",
            }),
        }
    }

    fn literals(&mut self, operands: &[Ltl]) -> Result<Vec<Lit>, ComposeError> {
        operands.iter().map(|o| self.literal(o)).collect()
    }

    fn atom(&mut self, atom: &Atom) -> Result<Lit, ComposeError> {
        match atom {
            Atom::Selector(trace) => Ok(Lit::constant(
                self.copy(trace)?.spec.variant != Variant::Original,
            )),
            Atom::System(trace, number) => Ok(Lit::constant(
                self.copy(trace)?.spec.variant == Variant::of_system(*number),
            )),
            Atom::Signal(signal) => {
                let (sort, bits) = self.signal(signal)?;
                match (&sort, bits.as_slice()) {
                    (Sort::Bit | Sort::Bool | Sort::Word { .. }, &[bit]) => Ok(bit),
                    _ => Err(ComposeError::NotOneBit {
                        name: signal.name.clone(),
                        sort,
                    }),
                }
            }
            Atom::Equal(signal, Operand::Value(value)) => {
                let (sort, bits) = self.signal(signal)?;
                let code = sort
                    .encode(value)
                    .ok_or_else(|| ComposeError::NoSuchValue {
                        name: signal.name.clone(),
                        value: value.to_string(),
                        sort: sort.clone(),
                    })?;
                let code: Vec<Lit> = code.into_iter().map(Lit::constant).collect();
                let bits = without_aliases(&mut self.product.aig, &sort, bits);
                Ok(equal(&mut self.product.aig, &bits, &code))
            }
            Atom::Equal(left, Operand::Signal(right)) => {
                let (left_sort, left_bits) = self.signal(left)?;
                let (right_sort, right_bits) = self.signal(right)?;
                let one_bit = |sort: &Sort| matches!(sort, Sort::Bit | Sort::Bool);
                if left_sort != right_sort && !(one_bit(&left_sort) && one_bit(&right_sort)) {
                    return Err(ComposeError::SortsDiffer {
                        left: left.name.clone(),
                        left_sort,
                        right: right.name.clone(),
                        right_sort,
                    });
                }
                let aig = &mut self.product.aig;
                let left_bits = without_aliases(aig, &left_sort, left_bits);
                let right_bits = without_aliases(aig, &right_sort, right_bits);
                Ok(equal(aig, &left_bits, &right_bits))
            }
            Atom::InputsEqual(p, q) => {
                let wires = input_lits(self.model);
                let left = self.image(p, &wires)?;
                let right = self.image(q, &wires)?;
                let left = self.input_values(left);
                let right = self.input_values(right);
                Ok(equal(&mut self.product.aig, &left, &right))
            }
            Atom::InputsEqualExcept(p, q, names) => {
                let mut same = Vec::new();
                for Signal { sort, bits } in kept_inputs(self.model, names)? {
                    let (left, right) = (self.image(p, &bits)?, self.image(q, &bits)?);
                    let aig = &mut self.product.aig;
                    let left = without_aliases(aig, &sort, left);
                    let right = without_aliases(aig, &sort, right);
                    same.push(equal(aig, &left, &right));
                }
                Ok(self.product.aig.and_all(&same))
            }
            Atom::StatesEqual(p, q) => {
                let wires = state_lits(self.model);
                let (left, right) = (self.image(p, &wires)?, self.image(q, &wires)?);
                Ok(equal(&mut self.product.aig, &left, &right))
            }
            Atom::OutputsEqual(p, q) => {
                // Circuits compute outputs in canonical codes, so wires can be compared instead of values.
                let left = self.copy(p)?.outputs.clone();
                let right = self.copy(q)?.outputs.clone();
                Ok(equal(&mut self.product.aig, &left, &right))
            }
        }
    }

    /// Returns the codes without aliases of all test inputs, port by port. `wires` are the literals of their bits in one copy.
    fn input_values(&mut self, wires: Vec<Lit>) -> Vec<Lit> {
        let mut wires = wires.into_iter();
        let mut values = Vec::new();
        for port in &self.model.inputs {
            let bits = wires.by_ref().take(port.bits.len()).collect();
            values.extend(without_aliases(&mut self.product.aig, &port.sort, bits));
        }
        values
    }

    fn copy(&self, trace: &TraceVar) -> Result<&Copy, ComposeError> {
        let index = self.traces.iter().position(|t| t == trace);
        index
            .and_then(|i| self.product.copies.get(i))
            .ok_or_else(|| ComposeError::Unbound(trace.clone()))
    }

    fn signal(&self, signal: &SignalOf) -> Result<(Sort, Vec<Lit>), ComposeError> {
        let Signal { sort, bits } = known(self.model, signal)?;
        Ok((sort, self.image(&signal.trace, &bits)?))
    }

    fn image(&self, trace: &TraceVar, wires: &[Lit]) -> Result<Vec<Lit>, ComposeError> {
        let copy = self.copy(trace)?;
        // All wires read are roots of the copied cone.
        debug_assert!(wires.iter().all(|&wire| copy.lit(wire).is_some()));
        Ok(wires
            .iter()
            .map(|&wire| copy.lit(wire).unwrap_or(Lit::FALSE))
            .collect())
    }
}

fn equal(aig: &mut Aig, left: &[Lit], right: &[Lit]) -> Lit {
    let bits: Vec<Lit> = left
        .iter()
        .zip(right)
        .map(|(&a, &b)| aig.iff(a, b))
        .collect();
    aig.and_all(&bits)
}

/// Returns the code without aliases: if the bits have no value of their own, the top bit is 0 (`core::sort`).
fn without_aliases(aig: &mut Aig, sort: &Sort, mut bits: Vec<Lit>) -> Vec<Lit> {
    let values = sort.cardinality();
    if !sort.has_aliases() {
        return bits;
    }
    // The comparison code >= values, from the least significant bit up.
    let mut beyond = Lit::TRUE;
    for (i, &bit) in bits.iter().enumerate() {
        beyond = if values >> i & 1 == 1 {
            aig.and(bit, beyond)
        } else {
            aig.or(bit, beyond)
        };
    }
    if let Some(top) = bits.last_mut() {
        *top = aig.and(*top, !beyond);
    }
    bits
}
