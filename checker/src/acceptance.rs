//! Input enabledness: whether model and mutant accept the same inputs ("equally input-enabled" in \[3\], which assumes it).

use std::borrow::Cow;

use hyperkill_certify::{
    LISTING, certify_acceptance_knowing, certify_answering_steps, certify_endless, certify_proof,
    certify_refusal,
};
use hyperkill_core::aig::Signal;
use hyperkill_core::budget::Budget;
use hyperkill_core::liveness::FairRuns;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::specialise::exchanged;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId, Var};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::proof::Proof;
use hyperkill_evidence::question::Question;
use hyperkill_evidence::simulation::Simulation;
use hyperkill_evidence::verdict::{Inclusion, InputEnabled};
use rustc_hash::FxHashMap;

use crate::engines::diagrams::{self, Among, Limits};
use crate::engines::explicit::{self, Accepted, KnownSteps};
use crate::engines::induction;
use crate::hyperltl::fair::{Fair, find_fair_run};
use crate::input_classes::SharedClasses;
use crate::judge::{Judgement, accepts};
use crate::question::Pose;
use crate::schedule::Engines;
use crate::schedule::efforts::{CONFIRMED, Listing};
use crate::schedule::engine_efforts::SHORT_RUN_STEPS;
use crate::schedule::reachability::Options;
use crate::solve::{Solved, solve};

/// Limits of the last listing of states: steps, and pairs of sets of states.
const EFFORT: Listing = Listing {
    steps: 1 << 24,
    positions: 1 << 12,
};

/// Limits of the listing of states that precedes simulation relations.
const MIDDLE: Listing = Listing {
    steps: 1 << 22,
    ..EFFORT
};

/// Limits of the listing of states that precedes solvers: a few milliseconds of work.
const FIRST: Listing = Listing {
    steps: 1 << 17,
    positions: 1 << 10,
};

/// Options of a search for short runs that refute the inclusion of accepted inputs.
const SHORT_RUNS: Options = Options {
    bound: Some(SHORT_RUN_STEPS),
    turns: Some(1),
    engines: Engines {
        bmc: true,
        ..Engines::NONE
    },
    merging: &[],
    ..Options::MODEST
};

/// Options of a first attempt by solvers at a proof of inclusion of accepted inputs.
const FIRST_TURN: Options = Options {
    turns: Some(1),
    ..Options::MODEST
};

/// The answer to the question whether one side, the follower, accepts all inputs that the other side accepts.
enum Compared {
    /// The follower accepts all inputs of the other side, by this proof.
    Included(Proof),
    /// The follower refuses the last step of this run of the other side.
    Refused(Stimulus),
    /// The follower refuses a step of a run with common choices, but accepts the step with other choices. A proof must use other choices.
    OtherwiseAccepted,
    /// The effort did not suffice to prove or refute that the follower accepts all inputs of the other side.
    Open,
}

/// Compares the accepted inputs of original and mutant within a modest effort.
///
/// Common choices suffice for inclusion: one copy never refuses a step that the other takes with them. A refusal under common choices
/// counts only if all other choices refuse too. If common choices settle nothing, states are listed. Short lists come before solvers. If
/// the model has choices, the search continues with a first proof attempt by common choices, unless short runs contradict it. Then come
/// long lists and relations, and then further attempts.
///
/// A refusal by the original is only reported if the mutant is known to refuse nothing, because verdicts depend on refusals by the mutant.
#[must_use]
pub(crate) fn input_enabled(
    model: &ConditionalMutant,
    mutant: SelectorId,
    classes: &SharedClasses,
    steps: &KnownSteps,
    look: Look,
    budget: &Budget,
) -> InputEnabled {
    let Some(accepting) = model.accepting() else {
        return InputEnabled::Unsettled;
    };
    // `steps` belongs to `model`: a changed circuit needs a store of its own.
    let fresh = KnownSteps::default();
    let steps = match accepting {
        Cow::Borrowed(_) => steps,
        Cow::Owned(_) => &fresh,
    };
    let known = (classes, steps);
    let model = &*accepting;
    if unconstrained(model) {
        return InputEnabled::Equally(Inclusion::Unconstrained);
    }
    if budget.stopped().is_some() {
        return InputEnabled::Unsettled;
    }
    if let Some(endless) = endless(model, mutant, budget) {
        return InputEnabled::Equally(endless);
    }
    if budget.stopped().is_some() {
        return InputEnabled::Unsettled;
    }
    let chooses = model.choice_bits().next().is_some();
    if chooses && let Some(compared) = listed(model, mutant, known, &FIRST, budget) {
        return compared;
    }
    if let Some(compared) = by_common_choices(model, mutant, Effort::None, budget) {
        return compared;
    }
    if chooses && look == Look::Short {
        return InputEnabled::Unsettled;
    }
    if chooses {
        match with_common_choices(model, mutant, 1, Effort::ShortRuns, budget) {
            Compared::Refused(run) => return mutant_refuses(run),
            Compared::OtherwiseAccepted => {}
            Compared::Included(_) | Compared::Open => {
                let compared = by_common_choices(model, mutant, Effort::FirstTurn, budget);
                if let Some(compared) = compared {
                    return compared;
                }
            }
        }
        if let Some(compared) = listed(model, mutant, known, &MIDDLE, budget) {
            return compared;
        }
        if let Some(compared) = related(model, mutant, budget) {
            return compared;
        }
    }
    let effort = if chooses { &EFFORT } else { &FIRST };
    if let Some(compared) = listed(model, mutant, known, effort, budget) {
        return compared;
    }
    if look == Look::Short {
        return InputEnabled::Unsettled;
    }
    if let Some(compared) = by_common_choices(model, mutant, Effort::Solvers, budget) {
        return compared;
    }
    if chooses {
        return InputEnabled::Unsettled;
    }
    if let Some(compared) = related(model, mutant, budget) {
        return compared;
    }
    listed(model, mutant, known, &EFFORT, budget).unwrap_or(InputEnabled::Unsettled)
}

/// The effort of the comparison of accepted inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// The circuit's structure and a short listing of states; for callers whose verdict does not depend on the answer.
    Short,
    /// Also long listings, simulation relations and solvers.
    Thorough,
}

/// The methods that may show whether one side can follow the choices of the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// The structure of the circuit alone.
    None,
    /// A search for a short run on which one side cannot follow the choices of the other.
    ShortRuns,
    /// Solvers, with the effort of their first turn.
    FirstTurn,
    /// Solvers, with the effort of a side question.
    Solvers,
}

/// Compares the inputs that both sides accept if they make the same choices; `None` if that does not settle the question.
fn by_common_choices(
    model: &ConditionalMutant,
    mutant: SelectorId,
    search: Effort,
    budget: &Budget,
) -> Option<InputEnabled> {
    let common = |mutant, model| Inclusion::CommonChoices { mutant, model };
    match with_common_choices(model, mutant, 1, search, budget) {
        Compared::Refused(run) => Some(mutant_refuses(run)),
        Compared::Included(proof) => match with_common_choices(model, mutant, 0, search, budget) {
            Compared::Refused(run) => Some(model_refuses(run, common(proof, None))),
            Compared::Included(reverse) => {
                Some(InputEnabled::Equally(common(proof, Some(reverse))))
            }
            Compared::OtherwiseAccepted | Compared::Open => None,
        },
        Compared::OtherwiseAccepted | Compared::Open => None,
    }
}

fn mutant_refuses(run: Stimulus) -> InputEnabled {
    InputEnabled::Differently {
        mutant_refuses: true,
        run,
        otherwise: None,
    }
}

fn model_refuses(run: Stimulus, otherwise: Inclusion) -> InputEnabled {
    InputEnabled::Differently {
        mutant_refuses: false,
        run,
        otherwise: Some(otherwise),
    }
}

/// Compares the inputs that both sides accept by listing sets of states; `None` if the effort does not suffice or the result is not
/// confirmed.
fn listed(
    model: &ConditionalMutant,
    mutant: SelectorId,
    (classes, steps): (&SharedClasses, &KnownSteps),
    effort: &Listing,
    budget: &Budget,
) -> Option<InputEnabled> {
    let [original, mutated] = [Variant::Original, Variant::Mutant(mutant)];
    // Acceptance is given by an output or by constraints, so the input classes are those of the circuit itself.
    let certified = |sets, equally| {
        let classes = classes.of(model, budget);
        certify_acceptance_knowing(model, mutant, sets, equally, classes, budget).is_ok()
    };
    let refuses = |sides: [Variant; 2], run: &Stimulus| {
        certify_refusal(model, sides, run, LISTING, budget).is_ok()
    };
    match explicit::acceptance(model, mutant, effort, steps, budget)? {
        Accepted::MutantRefuses(run) if refuses([original, mutated], &run) => {
            Some(mutant_refuses(run))
        }
        Accepted::OriginalRefuses(run, sets)
            if certified(&sets, false) && refuses([mutated, original], &run) =>
        {
            Some(model_refuses(run, Inclusion::Sets(sets)))
        }
        Accepted::Equally(sets) if certified(&sets, true) => {
            Some(InputEnabled::Equally(Inclusion::Sets(sets)))
        }
        _ => None,
    }
}

/// Compares the inputs that both sides accept by simulation relations; `None` if no useful relation was found.
fn related(model: &ConditionalMutant, mutant: SelectorId, budget: &Budget) -> Option<InputEnabled> {
    let by_mutant = answering(model, mutant, Variant::Mutant(mutant), budget)?;
    let by_model = answering(model, mutant, Variant::Original, budget);
    let both = by_model.is_some();
    let relations = Inclusion::Relations {
        mutant: by_mutant,
        model: by_model,
    };
    if both {
        return Some(InputEnabled::Equally(relations));
    }
    match with_common_choices(model, mutant, 0, Effort::Solvers, budget) {
        Compared::Refused(run) => Some(model_refuses(run, relations)),
        Compared::Included(_) | Compared::OtherwiseAccepted | Compared::Open => None,
    }
}

/// Returns a checked simulation relation in which the follower answers every step of the other side, whatever the outputs. `None` if the
/// model is too large for decision diagrams, or if no relation is found or confirmed.
fn answering(
    model: &ConditionalMutant,
    mutant: SelectorId,
    follower: Variant,
    budget: &Budget,
) -> Option<Box<Simulation>> {
    // The search looks for relations in which the original answers.
    let asked = match follower {
        Variant::Original => model.silent(),
        Variant::Mutant(_) => exchanged(&model.silent(), mutant),
    };
    if !diagrams::may_fit(&asked) {
        return None;
    }
    let (limits, matched) = (Limits::ACCEPTANCE, Relation::Matched);
    let found = [Among::Equal, Among::Alike, Among::Chosen]
        .into_iter()
        .find_map(|among| {
            let found = diagrams::simulation(&asked, &[mutant], matched, among, limits, budget);
            found.ok().flatten()
        })?;
    let checked = certify_answering_steps(model, mutant, follower, &found, CONFIRMED, budget);
    checked.is_ok().then(|| Box::new(found))
}

/// Compares accepted inputs if there are no test inputs: each side accepts everything if it has an infinite run, shown by a run that comes
/// back to an earlier state. `None` if there are test inputs, or a run is not found.
fn endless(model: &ConditionalMutant, mutant: SelectorId, budget: &Budget) -> Option<Inclusion> {
    if model.input_bits().next().is_some() {
        return None;
    }
    Some(Inclusion::Endless {
        mutant: coming_back(model, Variant::Mutant(mutant), budget)?,
        model: coming_back(model, Variant::Original, budget)?,
    })
}

/// Returns a checked run that comes back to an earlier state; `None` if little effort finds none.
fn coming_back(model: &ConditionalMutant, variant: Variant, budget: &Budget) -> Option<Stimulus> {
    let mut product = Product::new(model, &[CopySpec::alone(variant)]);
    let copy = product.copies.pop()?;
    let mut aig = product.aig;
    aig.constraints = vec![Signal {
        lit: copy.valid,
        name: None,
    }];
    let inputs = aig.inputs().iter().enumerate();
    let places: FxHashMap<Var, usize> = inputs.map(|(i, input)| (input.var, i)).collect();
    let runs = FairRuns {
        aig,
        justice: Vec::new(),
    };
    let Ok(Fair::Lasso { run, .. }) = find_fair_run(&runs, &Options::MODEST, budget) else {
        return None;
    };
    let first = |latch: &Option<usize>| latch.is_some_and(|latch| run.initial[latch]);
    let run = Stimulus {
        initial: copy.latches.iter().map(first).collect(),
        steps: (run.steps.iter())
            .map(|step| {
                let value = |lit: Lit| places.get(&lit.var()).map(|&i| step[i] ^ lit.is_negated());
                let inputs = copy.inputs.iter();
                inputs
                    .map(|lit| lit.and_then(value).unwrap_or(false))
                    .collect()
            })
            .collect(),
    };
    certify_endless(model, variant, &run).is_ok().then_some(run)
}

/// Asks whether one side accepts the inputs of all runs of the other with the same choices. `who` is the side that must accept (0: the
/// original, 1: the mutant).
fn with_common_choices(
    model: &ConditionalMutant,
    mutant: SelectorId,
    who: usize,
    search: Effort,
    budget: &Budget,
) -> Compared {
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    let question = Question::refusal(mutant, who);
    let posed = question.pose(model);
    let included = |proof: Proof| match certify_proof(model, &question, &proof, budget) {
        Ok(()) => Compared::Included(proof),
        Err(_) => Compared::Open,
    };
    // If the goal contradicts an assumption literally, the acceptance of both sides is the same node, and a proof follows at once.
    if posed.always.contains(&!posed.goal)
        && let Some(proof) = induction::by_invariant(&posed, None, &[])
        && let Compared::Included(proof) = included(proof)
    {
        return Compared::Included(proof);
    }
    let options = match search {
        Effort::None => return Compared::Open,
        Effort::ShortRuns => &SHORT_RUNS,
        Effort::FirstTurn => &FIRST_TURN,
        Effort::Solvers => &Options::MODEST,
    };
    match solve(&posed, options, budget) {
        Solved::Unreachable(proof) => included(proof),
        Solved::Reached { found, .. } => {
            let run = found.runs[1 - who].clone();
            let sides = [variants[1 - who], variants[who]];
            match accepts(model, sides[1], &run.steps, budget) {
                Judgement::Never
                    if certify_refusal(model, sides, &run, LISTING, budget).is_ok() =>
                {
                    Compared::Refused(run)
                }
                Judgement::Exists => Compared::OtherwiseAccepted,
                _ => Compared::Open,
            }
        }
        Solved::Open { .. } => Compared::Open,
    }
}

/// Whether the circuit has no constraints that could fail, so that it accepts all inputs.
#[must_use]
pub(crate) fn unconstrained(model: &ConditionalMutant) -> bool {
    model.is_unconstrained()
}
