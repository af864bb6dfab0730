//! What is said of a mutant that stays undecided: how far it was searched, and what would have to be asked for.

use hyperkill_evidence::verdict::{Outcome, Potential, Reason, Stronger, Verdict};

use super::Inquiry;

impl Inquiry<'_> {
    /// The outcome in the terms of what was asked: nothing beyond the bound, and which engines might have gone on.
    pub(super) fn reported(&self, mut outcome: Outcome) -> Outcome {
        let bound = self.limits.bound.unwrap_or(usize::MAX);
        let mut reasons = Vec::new();
        let mut within = |known_to: &mut usize, reason: Reason| {
            *known_to = (*known_to).min(bound);
            reasons.push(reason);
        };
        match &mut outcome.verdict {
            Verdict::Unknown { known_to, reason } => within(known_to, *reason),
            Verdict::Killed(kill) => {
                if let Stronger::Unsettled { known_to, reason } = &mut kill.stronger {
                    within(known_to, *reason);
                }
            }
            Verdict::NotDefinitelyKillable { potential, .. } => {
                if let Potential::Unsettled { known_to, reason } = potential {
                    within(known_to, *reason);
                }
            }
            Verdict::Equivalent(_)
            | Verdict::RefusesInput { .. }
            | Verdict::DuplicateOf(_)
            | Verdict::Invalid(_) => {}
        }
        if reasons.contains(&Reason::Engines) {
            outcome.notes.push(self.what_else().to_owned());
        }
        outcome
    }

    /// The engines that look on where those asked for have nothing more to try.
    fn what_else(&self) -> &'static str {
        if self.pairs_are_kills() {
            "the engines asked for have nothing more to try; `bmc` searches for longer tests, `induction` and `pdr` for proofs"
        } else {
            "the engines asked for have nothing more to try; `exists-forall` searches for longer tests, `explicit` for proofs too"
        }
    }
}
