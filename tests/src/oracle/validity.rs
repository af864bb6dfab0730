//! Which conditions does a variant break? Answered by trying every valuation of the bits that a condition reads.
//!
//! A condition is about one step: latches are free variables here, whatever their resets. All bits that the condition reads are enumerated
//! except the selectors, 512 valuations at a time.

use hyperkill_core::aig::Node;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

use super::TooLarge;

/// The largest number of bits that one condition may read.
const SUPPORT_BITS: usize = 30;

/// The values of a wire under 2^9 valuations.
type Block = [u64; 8];
/// The number of bits that a condition reads and that vary within a block.
const BLOCK_BITS: usize = 9;

/// Whether some valuation of inputs and state makes the condition false in the original (`None`) or in the mutant behind
/// this selector.
///
/// # Errors
///
/// If the condition reads more than 30 bits.
pub fn can_be_false(
    model: &ConditionalMutant,
    condition: Lit,
    selector: Option<SelectorId>,
) -> Result<bool, TooLarge> {
    let aig = &model.aig;
    let fixed = constants(model, selector);
    let mut read = vec![false; aig.len()];
    read[condition.var().index()] = true;
    let mut support = Vec::new();
    let mut gates = Vec::new();
    let mut values: Vec<Block> = vec![[0; 8]; aig.len()];
    let nodes: Vec<_> = aig.nodes().collect();
    for &(var, node) in nodes.iter().rev() {
        let place = var.index();
        match (fixed[place], node) {
            _ if !read[place] => {}
            (Some(value), _) => values[place] = spread(value),
            (None, Node::And(a, b)) => {
                read[a.var().index()] = true;
                read[b.var().index()] = true;
                gates.push((place, a, b));
            }
            (None, _) => support.push(place),
        }
    }
    gates.reverse();
    if support.len() > SUPPORT_BITS {
        return Err(TooLarge {
            what: format!("a condition that reads {} bits", support.len()),
        });
    }
    for (k, &place) in support.iter().take(BLOCK_BITS).enumerate() {
        for valuation in (0..1 << BLOCK_BITS).filter(|valuation| valuation >> k & 1 == 1) {
            values[place][valuation / 64] |= 1 << (valuation % 64);
        }
    }
    for block in 0..1u64 << support.len().saturating_sub(BLOCK_BITS) {
        for (k, &place) in support.iter().skip(BLOCK_BITS).enumerate() {
            values[place] = spread(block >> k & 1 == 1);
        }
        for &(place, a, b) in &gates {
            let (a, b) = (value(&values, a), value(&values, b));
            values[place] = std::array::from_fn(|w| a[w] & b[w]);
        }
        if value(&values, condition) != [u64::MAX; 8] {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns, by selector, whether the condition reads it. Other selectors do not change the condition.
#[must_use]
pub fn selectors_read(model: &ConditionalMutant, condition: Lit) -> Vec<bool> {
    let aig = &model.aig;
    let mut read = vec![false; aig.len()];
    read[condition.var().index()] = true;
    let nodes: Vec<_> = aig.nodes().collect();
    for &(var, node) in nodes.iter().rev() {
        if let (true, Node::And(a, b)) = (read[var.index()], node) {
            read[a.var().index()] = true;
            read[b.var().index()] = true;
        }
    }
    let latches = model.selectors.iter().map(|s| &aig.latches()[s.latch]);
    latches.map(|latch| read[latch.var.index()]).collect()
}

/// Returns, by node, its value if the selectors alone determine it.
fn constants(model: &ConditionalMutant, selector: Option<SelectorId>) -> Vec<Option<bool>> {
    let mut fixed: Vec<Option<bool>> = Vec::with_capacity(model.aig.len());
    for (_, node) in model.aig.nodes() {
        let of = |lit: Lit| fixed[lit.var().index()].map(|value| value != lit.is_negated());
        fixed.push(match node {
            Node::False => Some(false),
            Node::Input(_) => None,
            Node::Latch(i) => {
                let here = model.selectors.iter().position(|s| s.latch == i as usize);
                here.map(|s| selector == Some(SelectorId(s)))
            }
            Node::And(a, b) => match (of(a), of(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
        });
    }
    fixed
}

fn value(values: &[Block], lit: Lit) -> Block {
    let flip = if lit.is_negated() { u64::MAX } else { 0 };
    values[lit.var().index()].map(|word| word ^ flip)
}

fn spread(bit: bool) -> Block {
    [if bit { u64::MAX } else { 0 }; 8]
}

#[cfg(test)]
mod tests {
    use super::can_be_false;
    use crate::circuit::Circuit;
    use hyperkill_core::{Lit, Reset};

    #[test]
    fn a_condition_is_false_of_the_variant_for_which_some_valuation_makes_it_so() {
        let mut c = Circuit::new();
        let inputs: Vec<Lit> = (0..8).map(|k| c.input(&format!("i{k}"))).collect();
        let one = c.selector("one");
        let two = c.selector("two");
        // Never 1 in a run, because of its reset, but free here.
        let latch = c.latch("x", Reset::Zero);
        let all = c.aig.and_all(&inputs);
        let broken = c.aig.and_all(&[two, all, latch]);
        let harmless = c.aig.and(one, !one);
        let model = c.finish("conditions");
        for (condition, selector, expected) in [
            (!broken, None, false),
            (!broken, Some(0), false),
            (!broken, Some(1), true),
            (!harmless, Some(0), false),
            (Lit::TRUE, Some(0), false),
            (Lit::FALSE, None, true),
            (latch, None, true),
        ] {
            let found = can_be_false(&model, condition, selector.map(hyperkill_core::SelectorId));
            assert_eq!(found, Ok(expected), "{condition:?}, {selector:?}");
        }
    }
}
