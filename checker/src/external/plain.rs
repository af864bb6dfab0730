//! Translates a question to a circuit that every model checker can read, and its answers back.
//!
//! The circuit has one bad state, no constraints and no names, and all its latches start at 0, so that old and new programs read it alike:
//!
//! - a latch that starts at 1 is stored negated;
//! - assumptions are monitored: after one fails, a latch keeps the bad state false;
//! - if first values are choices, a preliminary step reads them from additional inputs, after the inputs of the product; the bad state is
//!   false in it;
//!
//! Translated answers are checked on the question itself, so nothing here needs to be trusted.

use std::collections::BTreeMap;

use hyperkill_core::aig::{Images, Leaf, Node, Reset, Signal};
use hyperkill_core::{Aig, Lit};

use crate::engines::pdr::Clause;
use crate::question::Reachability;

/// A circuit that any model checker can read, with the origins of its latches.
pub(super) struct Plain {
    /// The circuit that a program gets.
    pub(super) aig: Aig,
    /// For each latch of the circuit what it stands for.
    origins: Vec<Origin>,
    /// For each latch of the product the older latch (by index) that it equals, and whether negated; `None` if it has none.
    merged: Vec<Option<(usize, bool)>>,
    /// For each additional input the latches of the product, by index, whose first value it is.
    first_values: Vec<Vec<usize>>,
}

/// The meaning of a latch of the translated circuit.
#[derive(Clone, Copy)]
enum Origin {
    /// A latch of the product, by index; negated if it starts at 1.
    Latch { index: usize, negated: bool },
    /// The latch that is true after the preliminary step.
    Started,
    /// The latch that is true after an assumption has failed.
    Broken,
}

impl Plain {
    /// Returns the circuit of a question whose assumptions hold at all steps. `equal` lists latches (by index) that have the value of a
    /// literal of another latch in every step up to the goal's.
    pub(super) fn new(question: &Reachability, equal: &[(usize, Lit)]) -> Plain {
        let source = &question.product.aig;
        let merged = merged(source, equal);
        let needed = needed(question, &merged);
        let mut plain = Plain {
            aig: Aig::new(),
            origins: Vec::new(),
            merged,
            first_values: Vec::new(),
        };
        let images = plain.copy(source, &needed);
        let of = |lit: Lit| images.of(lit);
        let aig = &mut plain.aig;

        let own = plain.origins.len();
        let starts = first_inputs(question, &plain.origins);
        let mut inputs: BTreeMap<usize, Lit> = BTreeMap::new();
        for &class in starts.values() {
            inputs.entry(class).or_insert_with(|| aig.add_input(None));
        }
        let started = if starts.is_empty() {
            Lit::TRUE
        } else {
            plain.origins.push(Origin::Started);
            let started = aig.add_latch(Reset::Zero, None);
            aig.set_next(plain.origins.len() - 1, Lit::TRUE);
            started
        };
        for (latch, &origin) in plain.origins[..own].iter().enumerate() {
            let Origin::Latch { index, negated } = origin else {
                continue;
            };
            let next = of(source.latches()[index].next) ^ negated;
            let class = starts.get(&index);
            let first = class.map_or(Lit::FALSE, |class| inputs[class]);
            let next = aig.ite(started, next, first);
            aig.set_next(latch, next);
        }

        let always: Vec<Lit> = question.always.iter().map(|&lit| of(lit)).collect();
        let always = aig.and_all(&always);
        let intact = if always == Lit::TRUE {
            Lit::TRUE
        } else {
            plain.origins.push(Origin::Broken);
            let broken = aig.add_latch(Reset::Zero, None);
            let breaks = aig.or(broken, !always);
            let next = aig.and(started, breaks);
            aig.set_next(plain.origins.len() - 1, next);
            !broken
        };
        let lit = aig.and_all(&[of(question.goal), always, intact, started]);
        aig.bad = vec![Signal { lit, name: None }];
        plain.first_values = inputs
            .keys()
            .map(|&class| members(question, class))
            .collect();
        plain
    }

    /// Copies all inputs of the product and the needed nodes into the circuit, and returns their literals there. Latches that start at 1
    /// are stored negated.
    fn copy(&mut self, source: &Aig, needed: &[bool]) -> Images {
        let Plain {
            aig,
            origins,
            merged,
            ..
        } = self;
        let is_input = |var| matches!(source.node(var), Node::Input(_));
        aig.copy(
            source,
            |var| needed[var.index()] || is_input(var),
            |aig, images, leaf| match leaf {
                Leaf::Input(_) => aig.add_input(None),
                Leaf::Latch(index) => match merged[index] {
                    Some((other, flip)) => images.of(source.latches()[other].var.lit()) ^ flip,
                    None => {
                        let negated = source.latches()[index].reset == Reset::One;
                        origins.push(Origin::Latch { index, negated });
                        aig.add_latch(Reset::Zero, None) ^ negated
                    }
                },
            },
        )
    }

    /// Returns the circuit's literal of the bad state.
    pub(super) fn bad(&self) -> Lit {
        self.aig.bad.first().map_or(Lit::FALSE, |bad| bad.lit)
    }

    /// Translates clauses over latches of the circuit to latches of the product, for steps after the preliminary one in which all
    /// assumptions held.
    pub(super) fn clauses(&self, clauses: &[Clause]) -> Vec<Clause> {
        let mut said = Vec::new();
        'clauses: for clause in clauses {
            let mut lits = Clause::new();
            for &(latch, value) in clause {
                match self.origins.get(latch) {
                    Some(&Origin::Latch { index, negated }) => lits.push((index, value ^ negated)),
                    // In these steps the latch has a known value: the clause is true, or the literal is false.
                    Some(Origin::Started) if value => continue 'clauses,
                    Some(Origin::Broken) if !value => continue 'clauses,
                    Some(Origin::Started | Origin::Broken) | None => {}
                }
            }
            said.push(lits);
        }
        said
    }

    /// Translates a run of the plain circuit (for each step one value per input) back to the product. Returns the first values of the
    /// product's latches, and for each step the values of the product's inputs. A preliminary step, which exists if first values are
    /// choices, only gives first values and is left out.
    pub(super) fn run(
        &self,
        question: &Reachability,
        steps: &[Vec<bool>],
    ) -> (Vec<bool>, Vec<Vec<bool>>) {
        let source = &question.product.aig;
        let own = source.inputs().len();
        let (before, steps) = match (self.first_values.is_empty(), steps) {
            (false, [before, steps @ ..]) => (&before[own..], steps),
            (_, steps) => (&[][..], steps),
        };
        let latches = source.latches().iter();
        let mut first: Vec<bool> = latches.map(|latch| latch.reset == Reset::One).collect();
        for (class, &value) in self.first_values.iter().zip(before) {
            for &latch in class {
                first[latch] = value;
            }
        }
        for (latch, other) in self.merged.iter().enumerate() {
            if let (Some((other, flip)), Reset::Free) = (other, source.latches()[latch].reset) {
                first[latch] = first[*other] ^ flip;
            }
        }
        let steps = steps.iter().map(|step| step[..own].to_vec());
        (first, steps.collect())
    }
}

/// Returns for each latch the older latch with the same value, by index, and whether negated; `None` if `equal` gives none.
fn merged(source: &Aig, equal: &[(usize, Lit)]) -> Vec<Option<(usize, bool)>> {
    let mut merged = vec![None; source.latches().len()];
    for &(later, lit) in equal {
        if let Node::Latch(earlier) = source.node(lit.var())
            && (earlier as usize) < later
        {
            merged[later] = Some((earlier as usize, lit.is_negated()));
        }
    }
    merged
}

/// Returns for each node of the product whether the question's literals depend on it.
fn needed(question: &Reachability, merged: &[Option<(usize, bool)>]) -> Vec<bool> {
    let source = &question.product.aig;
    let mut needed = vec![false; source.len()];
    let mut open: Vec<Lit> = question.roots();
    while let Some(lit) = open.pop() {
        if std::mem::replace(&mut needed[lit.var().index()], true) {
            continue;
        }
        match source.node(lit.var()) {
            Node::False | Node::Input(_) => {}
            Node::And(a, b) => open.extend([a, b]),
            Node::Latch(index) => open.push(match merged[index as usize] {
                Some((other, _)) => source.latches()[other].var.lit(),
                None => source.latches()[index as usize].next,
            }),
        }
    }
    needed
}

/// Returns, for each stored latch of the product with a free first value, the oldest latch that has the same first value.
fn first_inputs(question: &Reachability, origins: &[Origin]) -> BTreeMap<usize, usize> {
    let latches = question.product.aig.latches();
    let mut starts = BTreeMap::new();
    for origin in origins {
        if let Origin::Latch { index, .. } = *origin
            && latches[index].reset == Reset::Free
        {
            starts.insert(index, class(question, index));
        }
    }
    starts
}

/// Returns the oldest latch that has the same free first value as `latch`.
fn class(question: &Reachability, mut latch: usize) -> usize {
    let pairs = &question.product.initially_equal;
    while let Some(&(_, earlier)) = pairs
        .iter()
        .find(|&&(later, earlier)| later == latch && earlier < later)
    {
        latch = earlier;
    }
    latch
}

/// Returns the indices of the latches that share one free initial value: `oldest`, the lowest one, and then the others.
fn members(question: &Reachability, oldest: usize) -> Vec<usize> {
    let pairs = question.product.initially_equal.iter();
    let later = pairs.map(|&(later, _)| later);
    let later = later.filter(|&later| class(question, later) == oldest);
    std::iter::once(oldest).chain(later).collect()
}
