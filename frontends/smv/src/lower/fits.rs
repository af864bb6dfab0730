//! Obligations that assigned values are in the domains of their variables. Each branch has its own, so that an error marks the branch, and
//! branches with correct values have none.

use std::collections::BTreeMap;

use hyperkill_core::term::{BinaryOp as Core, Term, TermId};
use hyperkill_frontend::Span;

use super::checks::Lowered;
use super::errors::Stop;
use super::lowering::Lowering;
use crate::domain::Domain;

/// The number of values of an assignment up to which each one has an obligation of its own.
const MAX_PARTS: usize = 32;

/// The number of obligations for the values of a longer assignment. Each obligation reads all conditions before its values.
const FEW_PARTS: usize = 8;

/// A value that an assignment may give.
struct Leaf {
    span: Span,
    /// The condition that the value is in the domain wherever the assignment gives it.
    fits: TermId,
}

impl Lowering<'_> {
    /// Records the places of both values of a term that branches on `condition`. Does nothing if the term was simplified and no longer
    /// does.
    pub(super) fn note_sides(
        &mut self,
        (branching, condition): (TermId, TermId),
        then: Span,
        otherwise: Span,
    ) {
        if let Term::Ite(on, ..) = self.system.terms.term(branching)
            && *on == condition
        {
            let sides = self.sides.entry(branching);
            sides.or_insert((then, otherwise));
        }
    }

    /// Returns the conditions that an assigned value is in a domain whenever it is defined, each with its place in the source. Conditions
    /// that always hold are left out, and those of many places are joined.
    pub(super) fn fits(
        &mut self,
        value: &Lowered,
        span: Span,
        domain: &Domain,
    ) -> Result<Vec<(TermId, Span)>, Stop> {
        let defined = value.checks.all(&mut self.system.terms)?;
        let undefined = self.system.terms.not(defined)?;
        let mut leaves = Vec::new();
        for (given, term, span) in self.leaves(value.term, span)? {
            if let Some(known) = self.readings.get(&term)
                && self.model.variables[*known].domain == *domain
            {
                continue;
            }
            let terms = &mut self.system.terms;
            let inside = domain.inside(terms, term)?;
            let never = terms.not(given)?;
            let fits = terms.binary(Core::Or, never, inside)?;
            if terms.as_bool(fits) == Some(true) {
                continue;
            }
            let fits = terms.binary(Core::Or, undefined, fits)?;
            leaves.push(Leaf { span, fits });
        }
        leaves.sort_by_key(|leaf| leaf.span);
        let together = match leaves.len() {
            0..=MAX_PARTS => 1,
            many => many.div_ceil(FEW_PARTS),
        };
        let mut parts = Vec::new();
        for group in leaves.chunks(together) {
            let terms = &mut self.system.terms;
            let mut all = terms.bool(true);
            let mut span: Option<Span> = None;
            for leaf in group {
                all = terms.binary(Core::And, all, leaf.fits)?;
                span = Some(span.map_or(leaf.span, |before| before.to(leaf.span)));
            }
            parts.extend(span.map(|span| (all, span)));
        }
        Ok(parts)
    }

    /// Returns the values between which a term branches, each as the condition for it, the term and its place. A DEFINE or variable is one
    /// value at all its uses.
    fn leaves(&mut self, root: TermId, span: Span) -> Result<Vec<(TermId, TermId, Span)>, Stop> {
        let always = self.system.terms.bool(true);
        // Operands are older than terms: in descending order, all paths to a term are known when it is processed.
        let mut open = BTreeMap::from([((root, span), always)]);
        let mut leaves = Vec::new();
        while let Some(((term, span), given)) = open.pop_last() {
            let whole = self.wholes.contains(&term) && term != root;
            let &Term::Ite(condition, a, b) = self.system.terms.term(term) else {
                leaves.push((given, term, span));
                continue;
            };
            if whole {
                leaves.push((given, term, span));
                continue;
            }
            let (left, right) = self.sides.get(&term).copied().unwrap_or((span, span));
            let terms = &mut self.system.terms;
            let not = terms.not(condition)?;
            for (side, condition, span) in [(a, condition, left), (b, not, right)] {
                let here = terms.binary(Core::And, given, condition)?;
                let all = match open.get(&(side, span)) {
                    Some(before) => terms.binary(Core::Or, *before, here)?,
                    None => here,
                };
                open.insert((side, span), all);
            }
        }
        Ok(leaves)
    }
}
