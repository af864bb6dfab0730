//! Questions about many mutants at once: selectors free, rigid, outermost, exactly one on (semantics.md §6.4).

use hyperkill_core::product::Product;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::question::Family;

use super::Found;
use super::{Pose, Reachability, pose_over};

impl Pose for Family {
    fn pose(&self, model: &ConditionalMutant) -> Reachability {
        let meant = if fault::planted(Fault::OneMemberForAll) {
            &self.members[..1]
        } else {
            &self.members
        };
        let product = Product::family(model, meant, self.pair.shared_choices);
        let one_member = product.one_member;
        let mut posed = pose_over(&self.pair, product);
        posed.always.push(one_member);
        posed
    }
}

/// Returns the member whose selector is on in a run of the family's question; `None` if there is none.
#[must_use]
pub fn member(family: &Family, model: &ConditionalMutant, found: &Found) -> Option<SelectorId> {
    if let [only] = family.members[..] {
        return Some(only);
    }
    let run = found.runs.get(1)?;
    let is_on = |&member: &SelectorId| run.initial[model.selectors[member.0].latch];
    family.members.iter().copied().find(is_on)
}
