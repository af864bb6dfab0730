//! Rewriting rules on a conjunction's two operands and their operands: no gate is added if an existing value, or a conjunction of existing
//! values, is equal.
//!
//! These are the rules without blow-up of Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without Blowup" (MEMICS
//! 2006), levels two and three. No rule makes a graph larger than the plain conjunction would. Values that are equal for other reasons are
//! not detected.

use crate::Lit;

/// The simpler form of a conjunction.
pub(super) enum Simpler {
    /// An existing value.
    Value(Lit),
    /// The conjunction of two values; at least one is older than the operand that it replaces.
    And(Lit, Lit),
}

/// Returns a simpler form of `a ∧ b`, if a rule applies. `of_a` and `of_b` are the operands of their variables, if these are conjunctions.
pub(super) fn simpler(
    (a, of_a): (Lit, Option<[Lit; 2]>),
    (b, of_b): (Lit, Option<[Lit; 2]>),
) -> Option<Simpler> {
    // Rules for the case that `b` occurs, as a conjunction or a literal, in `a`; then with the roles exchanged.
    let inside = |gate: Lit, [p, q]: [Lit; 2], other: Lit, of_other: Option<[Lit; 2]>| {
        let conjuncts = of_other.filter(|_| !other.is_negated());
        let has = |lit: Lit| lit == other || conjuncts.is_some_and(|both| both.contains(&lit));
        match gate.is_negated() {
            // Contradiction: `(¬b ∧ q) ∧ b`. Idempotence: `(b ∧ q) ∧ b`.
            false if has(!p) || has(!q) => Some(Simpler::Value(Lit::FALSE)),
            false if p == other || q == other => Some(Simpler::Value(gate)),
            // Subsumption: `¬(¬b ∧ q) ∧ b`. Substitution: `¬(b ∧ q) ∧ b`.
            true if has(!p) || has(!q) => Some(Simpler::Value(other)),
            true if has(p) => Some(Simpler::And(!q, other)),
            true if has(q) => Some(Simpler::And(!p, other)),
            _ => None,
        }
    };
    let resolved = || {
        let ([p, q], [r, s]) = (of_a?, of_b?);
        // Resolution: `¬(p ∧ q) ∧ ¬(p ∧ ¬q)`.
        match a.is_negated() && b.is_negated() {
            true if (p == r && q == !s) || (p == s && q == !r) => Some(Simpler::Value(!p)),
            true if (q == r && p == !s) || (q == s && p == !r) => Some(Simpler::Value(!q)),
            _ => None,
        }
    };
    of_a.and_then(|pair| inside(a, pair, b, of_b))
        .or_else(|| of_b.and_then(|pair| inside(b, pair, a, of_a)))
        .or_else(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aig::{Aig, Node};

    /// Returns the truth table of every node over four inputs, one bit per assignment.
    fn tables(aig: &Aig) -> Vec<u16> {
        let mut tables: Vec<u16> = Vec::new();
        for (_, node) in aig.nodes() {
            let of =
                |lit: Lit| tables[lit.var().index()] ^ if lit.is_negated() { u16::MAX } else { 0 };
            let table = match node {
                Node::Input(index) => [0xAAAA, 0xCCCC, 0xF0F0, 0xFF00][index as usize],
                Node::And(a, b) => of(a) & of(b),
                Node::False | Node::Latch(_) => 0,
            };
            tables.push(table);
        }
        tables
    }

    #[test]
    fn every_conjunction_of_two_gates_over_four_inputs_has_its_truth_table() {
        let mut aig = Aig::new();
        let mut lits: Vec<Lit> = Vec::new();
        for _ in 0..4 {
            let input = aig.add_input(None);
            lits.extend([input, !input]);
        }
        // Gates over inputs, gates over those, and some of the next level.
        for (level, stride) in [(0, 1), (1, 1), (2, 1009)] {
            let pairs: Vec<(Lit, Lit)> = (lits.iter().enumerate())
                .flat_map(|(at, &a)| lits[..at].iter().map(move |&b| (a, b)))
                .step_by(stride)
                .collect();
            let mut plain = 0;
            let before = aig.gate_count();
            let mut made = Vec::new();
            for &(a, b) in &pairs {
                let gates = aig.gate_count();
                let lit = aig.and(a, b);
                assert!(aig.gate_count() <= gates + 1, "one gate at most");
                plain += usize::from(a.var() != b.var());
                made.push(lit);
            }
            let tables = tables(&aig);
            let table =
                |lit: Lit| tables[lit.var().index()] ^ if lit.is_negated() { u16::MAX } else { 0 };
            for (&(a, b), &lit) in pairs.iter().zip(&made) {
                assert_eq!(
                    table(lit),
                    table(a) & table(b),
                    "level {level}: {a:?} and {b:?}"
                );
            }
            let saved = plain - (aig.gate_count() - before);
            assert_eq!(
                saved > 0,
                level > 0,
                "level {level} saves {saved} of {plain} gates"
            );
            lits.extend(made.iter().flat_map(|&lit| [lit, !lit]));
            lits.sort_unstable();
            lits.dedup();
        }
    }
}
