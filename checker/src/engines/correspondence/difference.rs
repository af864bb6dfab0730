//! Builds the difference of two literals as a function of the differences of their operands.
//!
//! A plain exclusive-or of two gates hides structure: if the gates share an operand, they differ only where that operand is 1 and the
//! others differ. With this structure explicit, a solver needs no case split for each bit of a word.

use rustc_hash::FxHashMap;

use hyperkill_core::aig::Node;
use hyperkill_core::{Aig, Lit, Var};

/// The differences of literals of one graph, each built once.
pub(super) struct Differences {
    known: FxHashMap<[Var; 2], Lit>,
}

/// How the difference of two gates is built from the differences of their operands.
enum Rule {
    /// The gates share the first literal; they differ where it is 1 and the other operands differ.
    Shared(Lit, [Lit; 2]),
    /// Two multiplexers with a common condition: the condition, and the operands if it holds and if not.
    Chosen(Lit, [Lit; 2], [Lit; 2]),
    /// No decomposition is known: the difference is a plain exclusive-or.
    Plain,
}

impl Differences {
    pub(super) fn new() -> Differences {
        Differences {
            known: FxHashMap::default(),
        }
    }

    /// Returns a literal that is true where the two literals differ.
    pub(super) fn of(&mut self, aig: &mut Aig, a: Lit, b: Lit) -> Lit {
        // Chains of gates may exceed the stack, so the traversal is iterative.
        let mut due = vec![[a.var(), b.var()]];
        while let Some(&pair) = due.last() {
            if self.known.contains_key(&pair) {
                due.pop();
                continue;
            }
            let rule = rule(aig, pair);
            let open = rule.asks().into_iter().flatten();
            let open: Vec<[Var; 2]> = open
                .map(|pair| pair.map(Lit::var))
                .filter(|pair| pair[0] != pair[1] && !self.known.contains_key(pair))
                .collect();
            if open.is_empty() {
                let difference = self.made(aig, pair, &rule);
                self.known.insert(pair, difference);
                due.pop();
            }
            due.extend(open);
        }
        self.look_up(a, b)
    }

    fn made(&self, aig: &mut Aig, pair: [Var; 2], rule: &Rule) -> Lit {
        match *rule {
            Rule::Shared(shared, [a, b]) => aig.and(shared, self.look_up(a, b)),
            Rule::Chosen(condition, [a, b], [c, d]) => {
                aig.ite(condition, self.look_up(a, b), self.look_up(c, d))
            }
            Rule::Plain => aig.xor(pair[0].lit(), pair[1].lit()),
        }
    }

    fn look_up(&self, a: Lit, b: Lit) -> Lit {
        let complemented = a.is_negated() != b.is_negated();
        let difference = match a.var() == b.var() {
            true => Lit::FALSE,
            false => self.known[&[a.var(), b.var()]],
        };
        difference ^ complemented
    }
}

impl Rule {
    /// Returns the pairs of operands whose differences are built first; `None` where the rule needs fewer than two.
    fn asks(&self) -> [Option<[Lit; 2]>; 2] {
        match *self {
            Rule::Shared(_, pair) => [Some(pair), None],
            Rule::Chosen(_, first, second) => [Some(first), Some(second)],
            Rule::Plain => [None, None],
        }
    }
}

fn rule(aig: &Aig, [a, b]: [Var; 2]) -> Rule {
    let (Node::And(a0, a1), Node::And(b0, b1)) = (aig.node(a), aig.node(b)) else {
        return Rule::Plain;
    };
    for (shared, own) in [(a0, a1), (a1, a0)] {
        for (other, others) in [(b0, b1), (b1, b0)] {
            if shared == other {
                return Rule::Shared(shared, [own, others]);
            }
        }
    }
    match (chosen(aig, a0, a1), chosen(aig, b0, b1)) {
        (Some((c, x, y)), Some((d, u, v))) if c == d => Rule::Chosen(c, [x, u], [y, v]),
        (Some((c, x, y)), Some((d, u, v))) if c == !d => Rule::Chosen(c, [x, v], [y, u]),
        _ => Rule::Plain,
    }
}

/// Returns the condition of a multiplexer and its operands, if the condition holds and if not. The multiplexer is the conjunction of `p`
/// and `q`; `None` if that is no multiplexer.
fn chosen(aig: &Aig, p: Lit, q: Lit) -> Option<(Lit, Lit, Lit)> {
    if !p.is_negated() || !q.is_negated() {
        return None;
    }
    let (Node::And(p0, p1), Node::And(q0, q1)) = (aig.node(p.var()), aig.node(q.var())) else {
        return None;
    };
    for (condition, holds) in [(p0, p1), (p1, p0)] {
        for (other, fails) in [(q0, q1), (q1, q0)] {
            if condition == !other {
                return Some((condition, !holds, !fails));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns four inputs and then one gate per round, built from earlier literals.
    fn gates(aig: &mut Aig, rounds: usize) -> Vec<Lit> {
        let mut lits: Vec<Lit> = (0..4).map(|_| aig.add_input(None)).collect();
        for round in 0..rounds {
            let (a, b, c) = (lits[round], lits[lits.len() - 1], lits[(3 * round) % 4]);
            let next = match round % 3 {
                0 => aig.ite(c, a, b),
                1 => aig.and(!a, b),
                _ => aig.xor(a, b),
            };
            lits.push(next);
        }
        lits
    }

    #[test]
    fn a_difference_is_true_where_two_literals_have_different_values() {
        let mut aig = Aig::new();
        let lits = gates(&mut aig, 24);
        let mut differences = Differences::new();
        for &a in &lits {
            for &b in &lits {
                for (a, b) in [(a, b), (!a, b), (a, !b)] {
                    let difference = differences.of(&mut aig, a, b);
                    let wrong = aig.xor(a, b);
                    let wrong = aig.xor(wrong, difference);
                    for inputs in 0..16_u32 {
                        assert!(!value(&aig, wrong, inputs), "{a:?} {b:?} at {inputs:04b}");
                    }
                }
            }
        }
    }

    fn value(aig: &Aig, lit: Lit, inputs: u32) -> bool {
        let value = match aig.node(lit.var()) {
            Node::False | Node::Latch(_) => false,
            Node::Input(index) => inputs >> index & 1 == 1,
            Node::And(a, b) => value(aig, a, inputs) && value(aig, b, inputs),
        };
        value != lit.is_negated()
    }

    #[test]
    fn what_differs_passes_a_common_multiplexer_only_where_it_is_chosen() {
        let mut aig = Aig::new();
        let [c, a, b, other] = [(); 4].map(|()| aig.add_input(None));
        let first = aig.ite(c, a, other);
        let second = aig.ite(c, b, other);
        let difference = Differences::new().of(&mut aig, first, second);
        let plain = aig.xor(a, b);
        assert_eq!(difference, aig.and(c, plain));
    }
}
