//! Proofs that a mutant answers as the model does: which pairs of states the same inputs lead to.

use hyperkill_timed_fsm::machine::Machine;
use serde_json::{Value as Document, json};

use crate::product::Pair;

/// The document: pairs right behind inputs, each with the pairs that are met from there and the shortest delay after which they are
/// (certificates.md).
pub(crate) fn document((model, mutant): (&Machine, &Machine), pairs: &[Pair]) -> Document {
    let own = |state: usize| &model.states[state].name;
    let other = |state: usize| &mutant.states[state].name;
    let pairs = pairs.iter().map(|pair| {
        let meets = pair.meets.iter().map(|meeting| {
            json!({
                "after": delay(meeting.after),
                "model": own(meeting.model),
                "mutant": other(meeting.mutant),
            })
        });
        json!({
            "model": own(pair.model),
            "mutant": other(pair.mutant),
            "meets": meets.collect::<Vec<Document>>(),
        })
    });
    json!({ "kind": "timed-relation", "pairs": pairs.collect::<Vec<Document>>() })
}

/// A number; as text if it does not fit 64 bits.
fn delay(delay: u128) -> Document {
    u64::try_from(delay).map_or_else(|_| json!(delay.to_string()), |delay| json!(delay))
}
