//! Input-enabledness by sets of explicit states, compared with the oracle; the certifier must reject forged evidence.

use std::collections::BTreeSet;

use hyperkill_certify::{CheckLimits, certify_acceptance, certify_answering_steps};
use hyperkill_checker::engines::diagrams::{self, Among, Limits};
use hyperkill_checker::engines::explicit::{Accepted, KnownSteps, Listing, acceptance};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::specialise::exchanged;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::accepted_sets::AcceptedSets;
use hyperkill_evidence::closed_set;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::simulation::Simulation;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Machine, Oracle};

fn acceptance_of(model: &ConditionalMutant, selector: SelectorId) -> Option<Accepted> {
    let steps = KnownSteps::default();
    let budget = Budget::unlimited();
    acceptance(model, selector, &Listing::default(), &steps, &budget)
}

#[test]
fn what_is_accepted_is_what_the_oracle_says() {
    let budget = Budget::unlimited();
    let (mut equally, mut mutant_refuses, mut original_refuses, mut forged) = (0, 0, 0, 0);
    let mut willing = [0; 2];
    let (mut spared, mut single) = (0, 0);
    for seed in 0..2_000 {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        if model.aig.constraints.is_empty() {
            continue;
        }
        for selector in model.selector_ids() {
            let place = format!("seed {seed}, selector {selector}");
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let refusal = oracle.refusal().expect("a tiny search");
            let difference = oracle.acceptance_difference().expect("a tiny search");
            let refused = |machine: &Machine, run: &hyperkill_core::trace::Stimulus| {
                let steps = run.steps.iter();
                let inputs: Vec<_> = steps.map(|step| machine.input_word(step)).collect();
                machine.responses(&inputs).is_empty()
            };
            let found = acceptance_of(&model, selector);
            let sets = match found.expect("a tiny search") {
                Accepted::MutantRefuses(run) => {
                    let shortest = refusal.expect("a refusal").len();
                    assert_eq!(run.steps.len(), shortest, "{place}");
                    assert!(refused(&oracle.mutant, &run), "{place}");
                    assert!(!refused(&oracle.original, &run), "{place}");
                    mutant_refuses += 1;
                    continue;
                }
                Accepted::OriginalRefuses(run, sets) => {
                    assert_eq!(refusal, None, "{place}");
                    assert!(refused(&oracle.original, &run), "{place}");
                    assert!(!refused(&oracle.mutant, &run), "{place}");
                    let equal = certify_acceptance(&model, selector, &sets, true, &budget);
                    assert!(equal.is_err(), "{place}");
                    original_refuses += 1;
                    sets
                }
                Accepted::Equally(sets) => {
                    assert_eq!(difference, None, "{place}");
                    let equal = certify_acceptance(&model, selector, &sets, true, &budget);
                    assert_eq!(equal, Ok(()), "{place}");
                    equally += 1;
                    sets
                }
            };
            let included = certify_acceptance(&model, selector, &sets, false, &budget);
            assert_eq!(included, Ok(()), "{place}");
            // A single pair of all states is certified only if both sides accept the same inputs.
            let all = together(&sets);
            let is_certified = |sets: &AcceptedSets| {
                certify_acceptance(&model, selector, sets, true, &budget).is_ok()
            };
            let holds = is_certified(&all);
            assert!(!holds || difference.is_none(), "{place}");
            willing[usize::from(holds)] += 1;
            for side in 0..2 {
                let mut fewer = all.clone();
                fewer.pairs[0][side].remove(0);
                assert!(!is_certified(&fewer), "{place}");
            }
            // Few pairs are dispensable, since inputs lead to most of them.
            for gone in 0..sets.pairs.len().min(3) {
                let mut fewer = sets.clone();
                fewer.pairs.remove(gone);
                let certified = certify_acceptance(&model, selector, &fewer, false, &budget);
                spared += usize::from(certified.is_ok());
                forged += 1;
            }
            // Smaller sets must not prove false claims either.
            for side in 0..2 {
                let mut smaller = sets.clone();
                for pair in &mut smaller.pairs {
                    pair[side].truncate(1);
                }
                assert!(!is_certified(&smaller) || difference.is_none(), "{place}");
                let included = certify_acceptance(&model, selector, &smaller, false, &budget);
                assert!(included.is_err() || refusal.is_none(), "{place}");
                single += usize::from(included.is_ok());
            }
        }
    }
    println!(
        "{equally} equally, {mutant_refuses} mutants refuse, {original_refuses} originals refuse; {forged} forgeries"
    );
    println!("{spared} pairs can be spared; single states are enough {single} times");
    assert!(spared * 2 < forged);
    println!(
        "all states in one pair: {} do, {} do not",
        willing[1], willing[0]
    );
    assert!(equally >= 200 && mutant_refuses >= 30 && original_refuses >= 30);
    assert!(willing.iter().all(|&count| count >= 20));
}

/// Returns sets with one pair, which has all states of the given pairs.
fn together(sets: &AcceptedSets) -> AcceptedSets {
    let side = |side: usize| -> Vec<usize> {
        let states = sets.pairs.iter().flat_map(|pair| &pair[side]);
        states
            .copied()
            .collect::<BTreeSet<usize>>()
            .into_iter()
            .collect()
    };
    AcceptedSets {
        states: sets.states.clone(),
        pairs: vec![[side(0), side(1)]],
    }
}

#[test]
fn a_certifier_that_takes_any_pair_for_one_without_refusals_is_caught() {
    let budget = Budget::unlimited();
    let believed = |seed: &u64| {
        let model = conditional_mutant(*seed, Kind::Small);
        let mut selectors = model.selector_ids();
        selectors.any(|selector| {
            let found = acceptance_of(&model, selector);
            let Some(Accepted::OriginalRefuses(_, sets)) = found else {
                return false;
            };
            fault::plant(Some(Fault::UnwillingPair));
            let all = together(&sets);
            let certified = certify_acceptance(&model, selector, &all, true, &budget);
            fault::plant(None);
            certified.is_ok()
        })
    };
    assert!((0..300).any(|seed| believed(&seed)));
}

/// If the pairs of sets exceed the limit, the engine matches single states.
#[test]
fn what_single_states_accept_is_what_the_oracle_says() {
    let budget = Budget::unlimited();
    let effort = Listing {
        positions: 1,
        ..Listing::default()
    };
    let (mut equally, mut original_refuses, mut mutant_refuses, mut open) = (0, 0, 0, 0);
    for seed in 0..2_000 {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        if model.aig.constraints.is_empty() {
            continue;
        }
        for selector in model.selector_ids() {
            let place = format!("seed {seed}, selector {selector}");
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let steps = KnownSteps::default();
            let certify = |sets: &AcceptedSets, equally| {
                certify_acceptance(&model, selector, sets, equally, &budget)
            };
            match acceptance(&model, selector, &effort, &steps, &budget) {
                None => open += 1,
                Some(Accepted::MutantRefuses(_)) => {
                    assert!(oracle.refusal().expect("tiny").is_some(), "{place}");
                    mutant_refuses += 1;
                }
                Some(Accepted::OriginalRefuses(_, sets)) => {
                    assert_eq!(oracle.refusal().expect("tiny"), None, "{place}");
                    assert_eq!(certify(&sets, false), Ok(()), "{place}");
                    assert!(certify(&sets, true).is_err(), "{place}");
                    original_refuses += 1;
                }
                Some(Accepted::Equally(sets)) => {
                    let difference = oracle.acceptance_difference().expect("tiny");
                    assert_eq!(difference, None, "{place}");
                    assert_eq!(certify(&sets, true), Ok(()), "{place}");
                    equally += usize::from(sets.pairs.len() > 1);
                }
            }
        }
    }
    println!(
        "{equally} equally, {mutant_refuses} mutants refuse, {original_refuses} originals refuse; {open} open"
    );
    assert!(equally >= 100 && original_refuses >= 20);
}

#[test]
fn a_certifier_that_lets_states_answer_from_nowhere_is_caught() {
    let budget = Budget::unlimited();
    let believed = |seed: &u64| {
        let model = conditional_mutant(*seed, Kind::Small);
        let mut selectors = model.selector_ids();
        selectors.any(|selector| {
            let Some(Accepted::OriginalRefuses(_, sets)) = acceptance_of(&model, selector) else {
                return false;
            };
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let alike = alike(&model, &oracle, &sets);
            fault::plant(Some(Fault::AnswerFromNowhere));
            let certified = certify_acceptance(&model, selector, &alike, true, &budget);
            fault::plant(None);
            let sound = certify_acceptance(&model, selector, &alike, true, &budget);
            assert!(sound.is_err(), "seed {seed}, selector {selector}");
            certified.is_ok()
        })
    };
    assert!((0..600).any(|seed| believed(&seed)));
}

/// Returns all pairs of one model state and one mutant state that accept the same inputs in one step.
fn alike(model: &ConditionalMutant, oracle: &Oracle, sets: &AcceptedSets) -> AcceptedSets {
    let selects = |latch: usize| model.selectors.iter().any(|s| s.latch == latch);
    let accepted = |machine: &Machine, state: usize| -> Vec<bool> {
        let latches = sets.states[state].iter().enumerate();
        let bits = latches.filter(|(latch, _)| !selects(*latch));
        let words = bits.enumerate().map(|(k, (_, &bit))| u32::from(bit) << k);
        let word: u32 = words.sum();
        let accepts = |input| machine.moves(word, input).next().is_some();
        machine.alphabet().map(accepts).collect()
    };
    let all = &together(sets).pairs[0];
    let mut pairs = Vec::new();
    for &o in &all[0] {
        for &m in &all[1] {
            if accepted(&oracle.original, o) == accepted(&oracle.mutant, m) {
                pairs.push([vec![o], vec![m]]);
            }
        }
    }
    AcceptedSets {
        states: sets.states.clone(),
        pairs,
    }
}

/// Returns whether the certifier and whether the oracle notice, on some circuit, that a planted fault of the engine hides a refusal. The
/// certifier may have a fault, too.
fn overlooked(of_certifier: Option<Fault>) -> [bool; 2] {
    let budget = Budget::unlimited();
    let (mut certifier, mut oracle) = (false, false);
    for seed in 0..300 {
        let model = conditional_mutant(seed, Kind::Small);
        for selector in model.selector_ids() {
            fault::plant(Some(Fault::OverlookedRefusal));
            let found = acceptance_of(&model, selector);
            fault::plant(of_certifier);
            let sets = match found.expect("a tiny search") {
                Accepted::MutantRefuses(_) => panic!("the fault is planted"),
                Accepted::OriginalRefuses(_, sets) | Accepted::Equally(sets) => sets,
            };
            certifier |= certify_acceptance(&model, selector, &sets, false, &budget).is_err();
            fault::plant(None);
            let refusal = Oracle::new(&model, selector)
                .expect("a tiny circuit")
                .refusal();
            oracle |= refusal.expect("a tiny search").is_some();
        }
    }
    [certifier, oracle]
}

#[test]
fn a_refusal_that_is_overlooked_is_caught_by_certifier_and_oracle() {
    assert_eq!(overlooked(None), [true, true]);
}

/// Forged evidence of an engine reveals an omission of the certifier.
#[test]
fn a_certifier_that_does_not_see_refusals_is_caught() {
    assert_eq!(overlooked(Some(Fault::UnseenRefusal)), [false, true]);
}

/// Returns a relation in which `follower` matches every step of the other side, if one is found.
fn answering(
    model: &ConditionalMutant,
    mutant: SelectorId,
    follower: Variant,
    among: Among,
) -> Option<Simulation> {
    let asked = match follower {
        Variant::Original => model.silent(),
        Variant::Mutant(_) => exchanged(&model.silent(), mutant),
    };
    let (relation, limits) = (closed_set::Relation::Matched, Limits::default());
    let budget = Budget::unlimited();
    let found = diagrams::simulation(&asked, &[mutant], relation, among, limits, &budget);
    found.expect("a tiny search")
}

/// A relation may be found or not; a found one must hold, and claims nothing about the other side.
#[test]
fn relations_show_what_the_oracle_says_is_accepted() {
    let budget = Budget::unlimited();
    let (mut included, mut equally, mut refused, mut forged) = (0, 0, 0, 0);
    for seed in 0..2_000 {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        if model.aig.constraints.is_empty() {
            continue;
        }
        for selector in model.selector_ids() {
            let place = format!("seed {seed}, selector {selector}");
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let refusal = oracle.refusal().expect("a tiny search");
            let difference = oracle.acceptance_difference().expect("a tiny search");
            let sides = [Variant::Mutant(selector), Variant::Original];
            let certified = |follower, relation: &Simulation| {
                certify_answering_steps(
                    &model,
                    selector,
                    follower,
                    relation,
                    CheckLimits::default(),
                    &budget,
                )
            };
            let [by_mutant, by_model] =
                sides.map(|side| answering(&model, selector, side, Among::All));
            refused += usize::from(refusal.is_some());
            if let Some(relation) = &by_mutant {
                assert_eq!(refusal, None, "{place}");
                assert_eq!(certified(sides[0], relation), Ok(()), "{place}");
                included += 1;
                let reverse = certified(sides[1], relation);
                assert!(reverse.is_err() || difference.is_none(), "{place}");
                forged += usize::from(reverse.is_err());
            }
            if let Some(relation) = &by_model {
                assert_eq!(certified(sides[1], relation), Ok(()), "{place}");
                let reverse = certified(sides[0], relation);
                assert!(reverse.is_err() || refusal.is_none(), "{place}");
            }
            if by_mutant.is_some() && by_model.is_some() {
                assert_eq!(difference, None, "{place}");
                equally += 1;
            }
        }
    }
    println!(
        "{included} mutants answer, {equally} times the model too; {refused} mutants refuse; {forged} prove nothing of the other side"
    );
    assert!(included >= 200 && equally >= 100 && refused >= 30 && forged >= 20);
}

/// The certifier accepts relations among few pairs. More pairs allow further relations, so each wider set proves more.
#[test]
fn relations_among_more_pairs_prove_more() {
    let budget = Budget::unlimited();
    let ladder = [Among::Equal, Among::Alike, Among::Chosen, Among::All];
    let mut gained = [0; 3];
    for seed in 0..1_000 {
        let model = conditional_mutant(seed, Kind::Choices);
        if model.aig.constraints.is_empty() {
            continue;
        }
        for selector in model.selector_ids() {
            for follower in [Variant::Mutant(selector), Variant::Original] {
                let found = ladder.map(|among| answering(&model, selector, follower, among));
                for relation in found.iter().flatten() {
                    let limits = CheckLimits::default();
                    let certified = certify_answering_steps(
                        &model, selector, follower, relation, limits, &budget,
                    );
                    assert_eq!(certified, Ok(()), "seed {seed}, selector {selector}");
                }
                for (gained, pair) in gained.iter_mut().zip(found.windows(2)) {
                    let [fewer, more] = [pair[0].is_some(), pair[1].is_some()];
                    assert!(more || !fewer, "seed {seed}, selector {selector}");
                    *gained += usize::from(more && !fewer);
                }
            }
        }
    }
    println!("found among pairs that differ where mutated, by a choice too, anyhow: {gained:?}");
    let [mutated, chosen, all] = gained;
    assert!(mutated >= 10 && chosen >= 1 && all >= 10, "{gained:?}");
}

#[test]
fn a_certifier_that_leaves_both_sides_in_their_places_is_caught() {
    let budget = Budget::unlimited();
    let believed = |seed: &u64| {
        let model = conditional_mutant(*seed, Kind::Small);
        let mut selectors = model.selector_ids();
        selectors.any(|selector| {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            if oracle.refusal().expect("a tiny search").is_none() {
                return false;
            }
            let Some(relation) = answering(&model, selector, Variant::Original, Among::All) else {
                return false;
            };
            let mutant = Variant::Mutant(selector);
            fault::plant(Some(Fault::PlacesKept));
            let certified = certify_answering_steps(
                &model,
                selector,
                mutant,
                &relation,
                CheckLimits::default(),
                &budget,
            );
            fault::plant(None);
            let sound = certify_answering_steps(
                &model,
                selector,
                mutant,
                &relation,
                CheckLimits::default(),
                &budget,
            );
            assert!(sound.is_err(), "seed {seed}, selector {selector}");
            certified.is_ok()
        })
    };
    assert!((0..300).any(|seed| believed(&seed)));
}
