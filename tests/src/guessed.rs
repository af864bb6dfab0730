//! The same system with its successors as choices that constraints determine, as relations between states are read.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Signal;
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Sort;

/// The same answers to every question: the next value of each hidden latch is guessed, and the guess guessed again, so that many choices
/// are enumerated where they are tried one by one, of which the constraints leave as many as there were.
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
