//! The quantifier alternation of a formula, which determines the engines that can decide it.
//!
//! Only the prefix is examined, not the body.

use std::fmt;

use crate::ast::{Formula, Quantifier};

/// The shape of a quantifier prefix. The blocks in a name are non-empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fragment {
    /// No quantifiers: the formula refers to no trace.
    Empty,
    /// ∃*: decided by a search for a set of traces.
    Exists,
    /// ∀*: its negation is ∃*.
    Forall,
    /// ∃*∀*, like φ2, φ3 and φ4.
    ExistsForall,
    /// ∀*∃*: its negation is ∃*∀*.
    ForallExists,
    /// More than one alternation.
    Other {
        /// The number of changes between ∃ and ∀ along the prefix; at least two.
        alternations: usize,
    },
}

impl Fragment {
    /// Returns the fragment of a formula.
    #[must_use]
    pub fn of(formula: &Formula) -> Fragment {
        let quantifiers: Vec<Quantifier> = formula.prefix.iter().map(|(q, _)| *q).collect();
        let alternations = quantifiers.windows(2).filter(|w| w[0] != w[1]).count();
        match (quantifiers.first(), alternations) {
            (None, _) => Fragment::Empty,
            (Some(Quantifier::Exists), 0) => Fragment::Exists,
            (Some(Quantifier::Forall), 0) => Fragment::Forall,
            (Some(Quantifier::Exists), 1) => Fragment::ExistsForall,
            (Some(Quantifier::Forall), 1) => Fragment::ForallExists,
            (Some(_), alternations) => Fragment::Other { alternations },
        }
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fragment::Empty => f.write_str("quantifier-free"),
            Fragment::Exists => f.write_str("∃*"),
            Fragment::Forall => f.write_str("∀*"),
            Fragment::ExistsForall => f.write_str("∃*∀*"),
            Fragment::ForallExists => f.write_str("∀*∃*"),
            Fragment::Other { alternations } => write!(f, "{alternations} alternations"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Ltl, TraceVar};
    use Quantifier::{Exists, Forall};

    #[test]
    fn prefixes_are_classified_by_their_alternations() {
        let table: [(&[Quantifier], Fragment); 7] = [
            (&[], Fragment::Empty),
            (&[Exists, Exists], Fragment::Exists),
            (&[Forall], Fragment::Forall),
            (&[Exists, Exists, Forall], Fragment::ExistsForall),
            (&[Forall, Exists, Exists], Fragment::ForallExists),
            (
                &[Exists, Forall, Exists],
                Fragment::Other { alternations: 2 },
            ),
            (
                &[Forall, Exists, Forall, Exists],
                Fragment::Other { alternations: 3 },
            ),
        ];
        for (quantifiers, expected) in table {
            let prefix = quantifiers
                .iter()
                .enumerate()
                .map(|(i, &q)| (q, TraceVar::new(format!("p{i}"))))
                .collect();
            let body = Ltl::Constant(true);
            assert_eq!(Fragment::of(&Formula { prefix, body }), expected);
        }
    }
}
