//! Planted faults of engines that take more than one line of code ([`hyperkill_evidence::fault`]).

#[cfg(feature = "planted-faults")]
mod switch {
    use hyperkill_core::product::Product;
    use hyperkill_core::{Lit, Reset};
    use hyperkill_evidence::fault::{Fault, planted};
    use hyperkill_formulas::parser::parse;
    use hyperkill_formulas::{Formula, Quantifier};

    /// Returns pairs of a free latch of a later copy and the same latch of the first, to be made equal; none unless that fault is planted.
    pub(crate) fn shared_free_resets(product: &Product) -> Vec<(usize, Lit)> {
        let Some((first, others)) = product.copies.split_first() else {
            return Vec::new();
        };
        if !planted(Fault::SharedFreeReset) {
            return Vec::new();
        }
        let latches = others.iter().flat_map(|copy| &copy.latches);
        let pairs = latches.zip(first.latches.iter().cycle());
        let pairs = pairs.filter_map(|(own, first)| Some(((*own)?, (*first)?)));
        pairs
            .filter(|&(own, first)| own != first && product.aig.latches()[own].reset == Reset::Free)
            .map(|(own, first)| (own, product.aig.latches()[first].var.lit()))
            .collect()
    }

    /// Returns the killing formula with the selectors of all universal traces fixed to the first trace's, if that fault is planted. The
    /// fault stands for universal traces that choose their own selectors.
    pub(crate) fn with_selectors_inside(formula: Formula) -> Formula {
        let text = formula.to_string();
        let first = formula.prefix.first().map(|(_, trace)| trace);
        let Some(first) = first.filter(|_| planted(Fault::SelectorsInside)) else {
            return formula;
        };
        let mutant = !text.contains(&format!("!mut[{first}]"));
        let universal = formula.prefix.iter();
        let universal = universal.filter(|(quantifier, _)| *quantifier == Quantifier::Forall);
        let text = universal.fold(text, |text, (_, trace)| {
            let positive = text.replace(&format!("!mut[{trace}]"), &format!("mut[{trace}]"));
            if mutant {
                positive
            } else {
                positive.replace(&format!("mut[{trace}]"), &format!("!mut[{trace}]"))
            }
        });
        parse(&text).unwrap_or(formula)
    }
}

#[cfg(feature = "planted-faults")]
pub(crate) use switch::{shared_free_resets, with_selectors_inside};

/// Returns no latches, since no fault can be planted without the feature.
#[cfg(not(feature = "planted-faults"))]
pub(crate) const fn shared_free_resets(
    _: &hyperkill_core::product::Product,
) -> Vec<(usize, hyperkill_core::Lit)> {
    Vec::new()
}

/// Returns the formula unchanged, since no fault can be planted without the feature.
#[cfg(not(feature = "planted-faults"))]
pub(crate) fn with_selectors_inside(
    formula: hyperkill_formulas::Formula,
) -> hyperkill_formulas::Formula {
    formula
}
