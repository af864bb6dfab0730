//! Transforms a system so that successors become choices determined by constraints, as in models read from transition relations.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Signal;
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;

/// Returns an equivalent system in which the next value of each hidden latch is guessed, and the guess guessed again. The result has many
/// choices for engines that enumerate them, but the constraints leave as many valuations as before.
#[must_use]
pub fn guessed(model: &ConditionalMutant) -> ConditionalMutant {
    let mut guessed = model.clone();
    let selectors = model.selector_of_latch();
    for (latch, selector) in selectors.into_iter().enumerate() {
        if selector.is_some() {
            continue;
        }
        let mut next = guessed.aig.latches()[latch].next;
        for _ in 0..2 {
            let name = format!("guess-{}", guessed.choices.len());
            guessed.choices.push(Port {
                name: name.clone(),
                sort: Sort::Bit,
                bits: vec![guessed.aig.inputs().len()],
            });
            let guess = guessed.aig.add_input(Some(format!("nd:{name}")));
            let right = guessed.aig.iff(guess, next);
            let name = None;
            guessed.aig.constraints.push(Signal { lit: right, name });
            next = guess;
        }
        guessed.aig.set_next(latch, next);
    }
    guessed
}
