//! Reads invariants of external model checkers as clauses over the latches of the circuit that they were given.
//!
//! The reader is lenient, since every clause is proved again later.

use std::collections::BTreeMap;

use hyperkill_core::aig::Node;
use hyperkill_core::aiger::{file_literals, read};
use hyperkill_core::{Aig, Lit};
use rustc_hash::FxHashSet;

use crate::engines::pdr::Clause;

/// An invariant in the format of an external model checker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Certificate {
    /// A witness circuit in AIGER, as in the hardware model checking competition. Latches correspond to those of the circuit by order, or
    /// by the symbol table (`= 12`). The bad state is the states that the invariant excludes.
    Circuit(Vec<u8>),
    /// A table of excluded cubes (PLA, as `pdr -d` of ABC writes it); latches are called `lo0`, `lo1`, ….
    Cubes(Vec<u8>),
}

impl Certificate {
    /// Returns the clauses of the invariant, over latches of the circuit (by index).
    ///
    /// # Errors
    /// If the bytes are not of this format; the error describes them.
    pub(super) fn clauses(&self, circuit: &Aig) -> Result<Vec<Clause>, String> {
        match self {
            Certificate::Circuit(bytes) => of_circuit(bytes, circuit),
            Certificate::Cubes(bytes) => of_cubes(bytes, circuit.latches().len()),
        }
    }
}

/// Reads the bad state of a circuit (the bytes in AIGER format) as a disjunction, and returns for each disjunct that is a cube of latches
/// the clause that excludes it. Other disjuncts are the property itself or an unsupported form; they are omitted, and the remaining clauses
/// may or may not prove the property.
fn of_circuit(bytes: &[u8], circuit: &Aig) -> Result<Vec<Clause>, String> {
    let witness = read(bytes).map_err(|error| format!("is no circuit: {error}"))?;
    let latches = mapped(&witness, circuit)?;
    let signals = if witness.bad.is_empty() {
        &witness.outputs
    } else {
        &witness.bad
    };
    let mut clauses = Vec::new();
    let mut open: Vec<Lit> = signals.iter().map(|signal| signal.lit).collect();
    let mut seen: FxHashSet<Lit> = FxHashSet::default();
    while let Some(lit) = open.pop() {
        if !seen.insert(lit) {
            continue;
        }
        match witness.node(lit.var()) {
            // A negated gate is the disjunction of its negated operands.
            Node::And(a, b) if lit.is_negated() => open.extend([!a, !b]),
            _ => clauses.extend(excluded(&witness, lit, &latches)),
        }
    }
    Ok(clauses)
}

/// Returns the clause that excludes a cube of latches, given the latch of the circuit for each latch of the witness; `None` if the literal
/// is no such cube.
fn excluded(witness: &Aig, cube: Lit, latches: &[Option<(usize, bool)>]) -> Option<Clause> {
    let mut clause: BTreeMap<usize, bool> = BTreeMap::new();
    let mut seen: FxHashSet<Lit> = FxHashSet::default();
    let mut open = vec![cube];
    while let Some(lit) = open.pop() {
        match witness.node(lit.var()) {
            Node::And(a, b) if !lit.is_negated() => {
                if seen.insert(lit) {
                    open.extend([a, b]);
                }
            }
            Node::Latch(index) => {
                let (latch, flip) = latches[index as usize]?;
                let excluded = lit.is_negated() ^ flip;
                if *clause.entry(latch).or_insert(excluded) != excluded {
                    return None;
                }
            }
            Node::False if lit == Lit::TRUE => {}
            Node::And(..) | Node::Input(_) | Node::False => return None,
        }
    }
    Some(clause.into_iter().collect())
}

/// Returns for each latch of a witness circuit the corresponding latch of the circuit, by index, and whether it is negated; `None` if it
/// has none.
fn mapped(witness: &Aig, circuit: &Aig) -> Result<Vec<Option<(usize, bool)>>, String> {
    let names = witness.latches().iter().map(|latch| latch.name.as_deref());
    let names = names.map(|name| name?.strip_prefix('=')?.trim().parse::<u64>().ok());
    let codes: Vec<Option<u64>> = names.collect();
    let inputs = witness.inputs().iter();
    let says = |name: &Option<String>| name.as_deref().is_some_and(|name| name.starts_with('='));
    if codes.iter().all(Option::is_none) && !inputs.into_iter().any(|input| says(&input.name)) {
        let all = (0..witness.latches().len()).map(|index| Some((index, false)));
        let known = circuit.latches().len();
        return Ok(all
            .map(|place| place.filter(|(index, _)| *index < known))
            .collect());
    }
    let literals = file_literals(circuit);
    let mut latch_of = BTreeMap::new();
    for (index, latch) in circuit.latches().iter().enumerate() {
        latch_of.insert(u64::from(literals[latch.var.index()].code()), index);
    }
    let place = |code: Option<u64>| -> Result<Option<(usize, bool)>, String> {
        let Some(code) = code else {
            return Ok(None);
        };
        match latch_of.get(&(code & !1)) {
            Some(&index) => Ok(Some((index, code & 1 == 1))),
            None => Err(format!(
                "maps a latch to literal {code}, which is none of the circuit's latches"
            )),
        }
    };
    codes.into_iter().map(place).collect()
}

fn of_cubes(bytes: &[u8], latches: usize) -> Result<Vec<Clause>, String> {
    let text = str::from_utf8(bytes).map_err(|_| "is no text".to_owned())?;
    let mut names: Option<Vec<usize>> = None;
    let mut clauses = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            None => {}
            Some(word) if word.starts_with('#') => {}
            Some(".ilb") => {
                let known = words.map(|name| {
                    let index = name.strip_prefix("lo").and_then(|n| n.parse().ok());
                    let index = index.filter(|&index: &usize| index < latches);
                    index.ok_or_else(|| format!("speaks of `{name}`, which is no latch"))
                });
                names = Some(known.collect::<Result<_, _>>()?);
            }
            Some(".e" | ".end") => break,
            Some(word) if word.starts_with('.') => {}
            Some(cube) => {
                let Some(names) = &names else {
                    return Err("does not name its latches".to_owned());
                };
                if cube.len() != names.len() || words.next() != Some("1") {
                    return Err(format!("has the line `{}`", line.trim()));
                }
                let mut clause = Clause::new();
                for (character, &latch) in cube.chars().zip(names) {
                    match character {
                        '0' => clause.push((latch, true)),
                        '1' => clause.push((latch, false)),
                        '-' => {}
                        _ => return Err(format!("has the line `{}`", line.trim())),
                    }
                }
                clauses.push(clause);
            }
        }
    }
    Ok(clauses)
}
