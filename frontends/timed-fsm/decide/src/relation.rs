//! Writes proofs that a mutant has the answers of the model: the pairs of states that common inputs lead to.

use hyperkill_timed_fsm::machine::Machine;
use serde_json::{Value as Document, json};

use crate::product::Pair;

/// Returns the document: pairs right after inputs, each with the pairs that delays lead to and their shortest delays (certificates.md).
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

/// Returns a delay as a JSON number, or as text if it exceeds 64 bits.
fn delay(delay: u128) -> Document {
    u64::try_from(delay).map_or_else(|_| json!(delay.to_string()), |delay| json!(delay))
}
