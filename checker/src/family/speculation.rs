//! Speculation: assumes a family's latches to equal the original's, except the latches that differ in a known run. If a run refutes the
//! assumption for more latches, these are excepted too.

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, Trace, replay};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Family;

use super::{Group, Kind};
use crate::engines::correspondence::{Taken, TakenForEqual};
use crate::question::{Found, Pose, member};
use crate::schedule::efforts;

/// The results about a group of mutants whose latches were assumed to equal the original's.
#[derive(Clone, Default, Debug)]
pub struct Speculated {
    /// Families with a proof that no member's outputs can differ from the original's. Not yet certified.
    pub proved: Vec<(Family, Proof)>,
    /// Members with runs whose outputs differ from the original's.
    pub reached: Vec<(SelectorId, Found)>,
}

/// Searches proofs for the mutants of a group under the assumption that latches equal the original's, except those in `group.apart`. If a
/// run shows that more latches of a member differ, that member is asked about alone. A family without any result is halved.
#[must_use]
pub fn speculate(
    model: &ConditionalMutant,
    kind: Kind,
    group: &Group,
    pass: efforts::Pass,
    budget: &Budget,
) -> Speculated {
    let mut speculated = Speculated::default();
    let mut open = vec![group.clone()];
    for _ in 0..efforts::FOUND_APART {
        let Some(mut group) = open.pop() else {
            break;
        };
        if budget.stopped().is_some() {
            break;
        }
        if group.members.is_empty() || count(&group.apart) > efforts::MOST_APART {
            continue;
        }
        let family = kind.of(group.members.clone());
        match look(model, &family, &group.apart, pass, budget) {
            Look::Proved(proof) => speculated.proved.push((family, proof)),
            Look::Reached(member, found) => {
                group.members.retain(|&other| other != member);
                speculated.reached.push((member, found));
                open.push(group);
            }
            Look::Apart(member, apart) => {
                group.members.retain(|&other| other != member);
                let members = vec![member];
                open.extend([Group { apart, members }, group]);
            }
            Look::Nothing if group.members.len() > 1 => {
                let members = group.members.split_off(group.members.len() / 2);
                let apart = group.apart.clone();
                open.extend([Group { apart, members }, group]);
            }
            Look::Nothing => {}
        }
    }
    speculated
}

/// The result of questions about a family with growing precision.
enum Look {
    Proved(Proof),
    Reached(SelectorId, Found),
    /// A run shows that more latches of this member differ than assumed: for each latch whether it may differ.
    Apart(SelectorId, Vec<bool>),
    Nothing,
}

fn look(
    model: &ConditionalMutant,
    family: &Family,
    apart: &[bool],
    pass: efforts::Pass,
    budget: &Budget,
) -> Look {
    let precisions = efforts::precisions(pass, count(apart) == 0);
    let Some(taken) = TakenForEqual::new(&family.pose(model), apart, budget) else {
        return Look::Nothing;
    };
    for &(precision, effort) in precisions {
        if budget.stopped().is_some() {
            break;
        }
        let found = match taken.ask(precision, effort, budget) {
            Taken::Proved(proof) => return Look::Proved(proof),
            Taken::Apart(found) => found,
            Taken::Open => continue,
        };
        let member = member(family, model, &found);
        let Some((member, shown)) =
            member.and_then(|member| Some((member, shown(model, member, &found)?)))
        else {
            continue;
        };
        if shown.outputs_differ {
            return Look::Reached(member, found);
        }
        let both = apart.iter().zip(shown.latches);
        let more: Vec<bool> = both.map(|(&apart, differs)| apart || differs).collect();
        if count(&more) > count(apart) {
            return Look::Apart(member, more);
        }
        // The run is spurious: the next search is more precise.
    }
    Look::Nothing
}

fn count(apart: &[bool]) -> usize {
    apart.iter().filter(|&&apart| apart).count()
}

/// The differences between a run of the original and a run of a mutant on the same inputs.
struct Shown {
    outputs_differ: bool,
    /// For each latch of the circuit, whether it differs in some state, including the state after the last step.
    latches: Vec<bool>,
}

/// Returns the differences between the two runs found. `None` if they are no runs of the circuit: an imprecise search may find spurious
/// ones.
fn shown(model: &ConditionalMutant, mutant: SelectorId, found: &Found) -> Option<Shown> {
    let [first, second, ..] = &found.runs[..] else {
        return None;
    };
    let steps = first.steps.len();
    let run = |variant, stimulus: &Stimulus| {
        let mut stimulus = stimulus.clone();
        // An additional step shows the state after the last one.
        let last = stimulus.steps.last().cloned()?;
        stimulus.steps.push(last);
        replay(model, variant, &stimulus).ok()
    };
    let original = run(Variant::Original, first)?;
    let mutated = run(Variant::Mutant(mutant), second)?;
    let exists = |trace: &Trace| trace.broken_at.is_none_or(|step| step >= steps);
    if !exists(&original) || !exists(&mutated) {
        return None;
    }
    let mut latches = vec![false; model.aig.latches().len()];
    for (own, other) in original.states.iter().zip(&mutated.states) {
        for ((own, other), differs) in own.iter().zip(other).zip(&mut latches) {
            *differs |= own != other;
        }
    }
    for selector in &model.selectors {
        latches[selector.latch] = false;
    }
    let outputs = original.outputs.iter().zip(&mutated.outputs);
    let outputs_differ = outputs.take(steps).any(|(own, other)| own != other);
    Some(Shown {
        outputs_differ,
        latches,
    })
}
