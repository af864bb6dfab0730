//! The state after reset, by three-valued simulation.
//!
//! Before the first step of a test the resets are active for some clock edges, and all other inputs are 0. Choices are unknown, and so are
//! registers without initial values. A bit that is known afterwards starts with that value; an unknown bit starts with any value, a choice.
//! All mutants are simulated at once, independently: a node holds the value of the original, and the values of the mutants that differ.

use std::rc::Rc;

use hyperkill_core::aig::Node;
use hyperkill_core::{Aig, Lit};

/// 0, 1 or unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ternary {
    /// 0
    Zero,
    /// 1
    One,
    /// 0 or 1.
    Unknown,
}

impl Ternary {
    /// Returns the value of a bit.
    #[must_use]
    pub fn of(bit: bool) -> Ternary {
        if bit { Ternary::One } else { Ternary::Zero }
    }

    fn and(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::Zero, _) | (_, Ternary::Zero) => Ternary::Zero,
            (Ternary::One, Ternary::One) => Ternary::One,
            _ => Ternary::Unknown,
        }
    }
}

impl std::ops::Not for Ternary {
    type Output = Ternary;

    fn not(self) -> Ternary {
        match self {
            Ternary::Zero => Ternary::One,
            Ternary::One => Ternary::Zero,
            Ternary::Unknown => Ternary::Unknown,
        }
    }
}

/// The value of a bit in the original and in the mutants where it differs, by number of the selector, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// The value in the original, and in all mutants that are not listed.
    pub original: Ternary,
    /// The values in mutants that differ.
    pub mutants: Option<Rc<Vec<(usize, Ternary)>>>,
}

impl Family {
    /// Returns a value that is the same in the original and all mutants.
    #[must_use]
    pub fn plain(original: Ternary) -> Family {
        Family {
            original,
            mutants: None,
        }
    }

    fn and(&self, other: &Family) -> Family {
        let original = self.original.and(other.original);
        let none = Vec::new();
        let mutants = |family: &Family| family.mutants.clone();
        let (a, b) = (mutants(self), mutants(other));
        let (a, b) = (a.as_deref().unwrap_or(&none), b.as_deref().unwrap_or(&none));
        let (mut i, mut j) = (0, 0);
        let mut differing = Vec::new();
        while i < a.len() || j < b.len() {
            let at = |list: &[(usize, Ternary)], i: usize| {
                list.get(i).map_or(usize::MAX, |entry| entry.0)
            };
            let mutant = at(a, i).min(at(b, j));
            let (mut x, mut y) = (self.original, other.original);
            if at(a, i) == mutant {
                x = a[i].1;
                i += 1;
            }
            if at(b, j) == mutant {
                y = b[j].1;
                j += 1;
            }
            let value = x.and(y);
            if value != original {
                differing.push((mutant, value));
            }
        }
        Family {
            original,
            mutants: (!differing.is_empty()).then(|| Rc::new(differing)),
        }
    }
}

impl std::ops::Not for &Family {
    type Output = Family;

    fn not(self) -> Family {
        let negate = |all: &Rc<Vec<(usize, Ternary)>>| {
            let negated = all.iter().map(|(mutant, value)| (*mutant, !*value));
            Rc::new(negated.collect::<Vec<_>>())
        };
        Family {
            original: !self.original,
            mutants: self.mutants.as_ref().map(negate),
        }
    }
}

/// Returns the values of the first latches after a step from `state` with these inputs. `selectors` are the latches that select mutants, in
/// order.
#[must_use]
pub fn simulate(
    aig: &Aig,
    selectors: &[usize],
    inputs: &[Ternary],
    state: &[Family],
) -> Vec<Family> {
    let mut values: Vec<Family> = Vec::with_capacity(aig.len());
    for (_, node) in aig.nodes() {
        let value = match node {
            Node::False => Family::plain(Ternary::Zero),
            Node::Input(input) => {
                let value = inputs.get(input as usize).copied();
                Family::plain(value.unwrap_or(Ternary::Unknown))
            }
            Node::Latch(latch) => match selectors.binary_search(&(latch as usize)) {
                Ok(mutant) => Family {
                    original: Ternary::Zero,
                    mutants: Some(Rc::new(vec![(mutant, Ternary::One)])),
                },
                Err(_) => {
                    let value = state.get(latch as usize).cloned();
                    value.unwrap_or(Family::plain(Ternary::Unknown))
                }
            },
            Node::And(a, b) => read(&values, a).and(&read(&values, b)),
        };
        values.push(value);
    }
    let next = aig.latches().iter().take(state.len());
    next.map(|latch| read(&values, latch.next)).collect()
}

fn read(values: &[Family], lit: Lit) -> Family {
    let value = &values[lit.var().index()];
    if lit.is_negated() {
        !value
    } else {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use hyperkill_core::Reset;

    use super::*;

    #[test]
    fn what_reset_decides_is_known_and_the_rest_is_unknown() {
        // a' = 0; b' = a & input; c' = c.
        let mut aig = Aig::new();
        let input = aig.add_input(Some("i".to_owned()));
        let latches: Vec<Lit> = (0..3).map(|_| aig.add_latch(Reset::Free, None)).collect();
        aig.set_next(0, Lit::FALSE);
        let both = aig.and(latches[0], input);
        aig.set_next(1, both);
        aig.set_next(2, latches[2]);
        let start = vec![Family::plain(Ternary::Unknown); 3];
        let step = |state: &[Family]| simulate(&aig, &[], &[Ternary::Unknown], state);
        let values = |state: &[Family]| state.iter().map(|f| f.original).collect::<Vec<_>>();
        use Ternary::{Unknown, Zero};
        let once = step(&start);
        assert_eq!(values(&once), [Zero, Unknown, Unknown]);
        assert_eq!(values(&step(&once)), [Zero, Zero, Unknown]);
    }

    #[test]
    fn a_mutant_without_reset_differs_from_the_original() {
        // a' = mutant ? a : 0
        let mut aig = Aig::new();
        let latch = aig.add_latch(Reset::Free, None);
        let selector = aig.add_latch(Reset::Free, None);
        let next = aig.and(selector, latch);
        aig.set_next(0, next);
        let state = simulate(&aig, &[1], &[], &[Family::plain(Ternary::Unknown)]);
        assert_eq!(state[0].original, Ternary::Zero);
        assert_eq!(
            state[0].mutants.as_deref(),
            Some(&vec![(0, Ternary::Unknown)])
        );
    }
}
