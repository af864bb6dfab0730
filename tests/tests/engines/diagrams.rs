//! Decision diagrams: reachable states compared with an enumeration, and simulation relations and kills compared with certifier and
//! oracle. Both must notice planted faults.

use std::collections::BTreeSet;

use hyperkill_certify::{LISTING, certify_estimates, certify_kill, certify_simulation};
use hyperkill_checker::engines::diagrams::{
    Among, Limits, Searched, reachable, search, simulation,
};
use hyperkill_core::aig::Node;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};
use hyperkill_evidence::simulation::Simulation;
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;

/// Returns the number of circuits to test.
pub(crate) fn cases() -> u64 {
    std::env::var("HYPERKILL_CASES").map_or(200, |text| text.parse().expect("a number"))
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

/// Returns a circuit with few enough states for the oracle's subset construction, for every other seed.
pub(crate) fn circuit(seed: u64) -> ConditionalMutant {
    let kinds = [Kind::Small, Kind::MutantChooses];
    conditional_mutant(seed, kinds[seed as usize % kinds.len()])
}

pub(crate) fn members(model: &ConditionalMutant) -> Vec<SelectorId> {
    model.selector_ids().collect()
}

/// Returns the breadth-first layers of reachable states, each state as the values of these latches.
fn layers(model: &ConditionalMutant, variant: Variant, latches: &[usize]) -> Vec<Vec<Vec<bool>>> {
    let aig = &model.aig;
    let step = |state: &[bool], inputs: usize| -> Option<Vec<bool>> {
        let mut values: Vec<bool> = Vec::new();
        for (_, node) in aig.nodes() {
            let of = |values: &[bool], lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            values.push(match node {
                Node::False => false,
                Node::Input(index) => inputs >> index & 1 == 1,
                Node::Latch(index) => state[index as usize],
                Node::And(a, b) => of(&values, a) && of(&values, b),
            });
        }
        let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
        let exists = aig.constraints.iter().all(|c| of(c.lit));
        exists.then(|| aig.latches().iter().map(|latch| of(latch.next)).collect())
    };
    let selectors = model.selector_of_latch();
    let mut starts: Vec<Vec<bool>> = vec![Vec::new()];
    for (latch, of) in aig.latches().iter().zip(selectors) {
        let values = match (of, latch.reset.as_constant()) {
            (Some(id), _) => vec![variant == Variant::Mutant(id)],
            (None, Some(value)) => vec![value],
            (None, None) => vec![false, true],
        };
        let longer = starts.iter().flat_map(|start| {
            let with = |&value: &bool| [start.clone(), vec![value]].concat();
            values.iter().map(with).collect::<Vec<_>>()
        });
        starts = longer.collect();
    }
    let seen_as =
        |state: &Vec<bool>| -> Vec<bool> { latches.iter().map(|&latch| state[latch]).collect() };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut frontier = starts;
    while !frontier.is_empty() {
        frontier.retain(|state| seen.insert(seen_as(state)));
        if frontier.is_empty() {
            break;
        }
        found.push(frontier.iter().map(seen_as).collect());
        let next = frontier.iter().flat_map(|state| {
            (0..1usize << aig.inputs().len()).filter_map(|inputs| step(state, inputs))
        });
        frontier = next.collect();
    }
    found
}

/// Returns a message if the numbers of counted and enumerated states differ.
fn miscounted(model: &ConditionalMutant, variant: Variant) -> Option<String> {
    let found = reachable(model, variant, Limits::default(), &unlimited()).expect("small");
    let layers = layers(model, variant, &found.latches);
    let states: usize = layers.iter().map(Vec::len).sum();
    let same = found.states == states as f64 && found.steps + 1 == layers.len();
    (!same).then(|| format!("{variant:?}: {found:?}, but {states} in {}", layers.len()))
}

#[test]
fn states_and_their_distances_are_those_of_an_enumeration() {
    let mut several = 0;
    for seed in 0..cases() {
        let model = conditional_mutant(seed, [Kind::Choices, Kind::Small][seed as usize % 2]);
        let variants = model.selector_ids().map(Variant::Mutant);
        for variant in variants.chain([Variant::Original]) {
            assert_eq!(miscounted(&model, variant), None, "seed {seed}");
            several += 1;
        }
    }
    assert!(several > 300);
}

/// Returns proofs of both relations, for the family and for each member alone.
pub(crate) fn proofs(model: &ConditionalMutant, among: Among) -> Vec<Simulation> {
    let family = members(model);
    let alone = family.iter().map(|&member| vec![member]);
    let groups: Vec<Vec<SelectorId>> = alone.chain([family.clone()]).collect();
    let questions = [Relation::Matched, Relation::Agreeing];
    let asked = questions
        .iter()
        .flat_map(|&question| groups.iter().map(move |group| (question, group)));
    let found = asked.filter_map(|(question, group)| {
        simulation(
            model,
            group,
            question,
            among,
            Limits::default(),
            &unlimited(),
        )
        .expect("small")
    });
    found.collect()
}

/// Returns the first member about which a proof makes a false claim, by the oracle. `None` if all claims are true.
pub(crate) fn disproved(model: &ConditionalMutant, proof: &Simulation) -> Option<SelectorId> {
    let mut members = proof.members.iter().copied();
    members.find(|&member| {
        let oracle = Oracle::new(model, member).expect("small");
        let kill = match proof.relation {
            Relation::Matched => oracle.potential_kill(),
            Relation::Agreeing => oracle.definite_kill(),
        };
        kill.expect("small").is_some()
    })
}

#[test]
fn simulation_relations_check_and_are_about_mutants_that_no_test_kills() {
    let (mut matched, mut agreeing, mut families) = (0, 0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        for among in [Among::Equal, Among::Alike, Among::All] {
            for proof in proofs(&model, among) {
                let checked = certify_simulation(&model, &proof, &unlimited());
                assert_eq!(checked, Ok(()), "seed {seed}, {among:?}: {proof:?}");
                assert_eq!(disproved(&model, &proof), None, "seed {seed}: {proof:?}");
                match proof.relation {
                    Relation::Matched => matched += 1,
                    Relation::Agreeing => agreeing += 1,
                }
                families += usize::from(proof.members.len() > 1);
            }
        }
    }
    println!("{matched} of potential kills, {agreeing} of definite ones, {families} of families");
    assert!(matched > 100 && agreeing > 100 && families > 20);
}

/// Returns the proof with a choice that depends on this value only.
fn looking_at(proof: &Simulation, look: Look) -> Option<Simulation> {
    let mut proof = proof.clone();
    let constant = |complemented| Source {
        multiplexer: 0,
        complemented,
    };
    proof.multiplexers.push(Multiplexer {
        on: look,
        low: constant(true),
        high: constant(false),
    });
    let last = proof.multiplexers.len();
    proof.choices.first_mut()?.1 = Source {
        multiplexer: last,
        complemented: false,
    };
    Some(proof)
}

#[test]
fn a_relation_that_was_changed_or_looks_ahead_does_not_check() {
    let (mut others, mut ahead) = (0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let is_refused = |proof: &Simulation| {
            let checked = certify_simulation(&model, proof, &unlimited());
            assert!(checked.is_err(), "seed {seed}: {proof:?}");
        };
        for proof in proofs(&model, Among::All) {
            let mut complement = proof.clone();
            complement.related.complemented ^= true;
            is_refused(&complement);
            for other in members(&model) {
                let mut about_other = proof.clone();
                about_other.members = vec![other];
                if disproved(&model, &about_other).is_some() {
                    is_refused(&about_other);
                    others += 1;
                }
            }
            let Some(&(first, _)) = proof.choices.first() else {
                continue;
            };
            let mut looks = vec![first];
            if proof.relation == Relation::Agreeing {
                looks.extend([Look::Shown(0), Look::Next(0)]);
            }
            for look in looks {
                is_refused(&looking_at(&proof, look).expect("a choice"));
                ahead += 1;
            }
        }
    }
    println!("{others} about mutants that are killed, {ahead} that look ahead");
    assert!(others > 100 && ahead > 100);
}

/// The greatest relation of a family holds for exactly the members for which it holds alone.
#[test]
fn a_family_proves_of_each_member_what_is_proved_of_it_alone() {
    for seed in 0..cases() {
        let model = circuit(seed);
        for question in [Relation::Matched, Relation::Agreeing] {
            let prove = |group: &[SelectorId]| {
                let found = simulation(
                    &model,
                    group,
                    question,
                    Among::All,
                    Limits::default(),
                    &unlimited(),
                );
                found
                    .expect("small")
                    .map_or(Vec::new(), |proof| proof.members)
            };
            let family = members(&model);
            let alone: Vec<SelectorId> =
                family.iter().flat_map(|&member| prove(&[member])).collect();
            assert_eq!(prove(&family), alone, "seed {seed}, {question:?}");
        }
    }
}

/// Returns the result of a family's search without a limit on positions.
pub(crate) fn searched(model: &ConditionalMutant) -> Searched {
    let family = members(model);
    search(model, &family, 5_000, None, Limits::default(), &unlimited())
}

/// Returns each mutant that a search killed, with its kill.
fn killed(searched: Searched) -> Vec<(SelectorId, Kill)> {
    let found = searched.kills.into_iter().map(|kill| {
        let runs = Kill {
            strength: Strength::Potential,
            model_run: kill.model_run,
            mutant_run: kill.mutant_run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        };
        (kill.mutant, runs)
    });
    found.collect()
}

/// Returns the first member that a test kills, by the oracle, although state estimates exclude it. `None` if there is none.
pub(crate) fn killed_after_all(
    model: &ConditionalMutant,
    estimates: &Estimates,
) -> Option<SelectorId> {
    let mut members = estimates.members.iter().copied();
    members.find(|&member| {
        let oracle = Oracle::new(model, member).expect("small");
        oracle.potential_kill().expect("small").is_some()
    })
}

#[test]
fn estimates_check_and_are_about_all_mutants_that_no_test_kills_unless_inputs_are_refused() {
    let (mut proofs, mut larger, mut refused) = (0, 0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let searched = searched(&model);
        let killed: Vec<SelectorId> = searched.kills.iter().map(|kill| kill.mutant).collect();
        let mut left = members(&model);
        left.retain(|member| !killed.contains(member));
        match searched.proof {
            Some(estimates) => {
                let checked = certify_estimates(&model, &estimates, &unlimited());
                assert_eq!(checked, Ok(()), "seed {seed}: {estimates:?}");
                assert_eq!(killed_after_all(&model, &estimates), None, "seed {seed}");
                assert_eq!(estimates.members, left, "seed {seed}");
                proofs += 1;
                larger += usize::from(estimates.next.len() > 1);
            }
            None if left.is_empty() => {}
            None => {
                assert!(!model.aig.constraints.is_empty(), "seed {seed}");
                refused += 1;
            }
        }
    }
    println!("{proofs} proofs, {larger} of more than two estimates; none in {refused} cases");
    assert!(proofs > 50 && larger > 10 && refused < proofs);
}

#[test]
fn estimates_that_were_changed_do_not_check() {
    let (mut others, mut forgotten, mut complements, mut all) = (0, 0, 0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let Some(estimates) = searched(&model).proof else {
            continue;
        };
        let is_refused = |estimates: &Estimates| {
            let checked = certify_estimates(&model, estimates, &unlimited());
            assert!(checked.is_err(), "seed {seed}: {estimates:?}");
        };
        for change in [
            |changed: &mut Estimates| changed.beside.complemented ^= true,
            |changed: &mut Estimates| changed.contains.complemented ^= true,
        ] {
            let mut changed = estimates.clone();
            change(&mut changed);
            // For mutants with few runs, other sets may be valid too.
            complements += usize::from(certify_estimates(&model, &changed, &unlimited()).is_err());
            all += 1;
        }
        for change in [
            |changed: &mut Estimates| changed.members.clear(),
            |changed: &mut Estimates| changed.members.push(SelectorId(usize::MAX)),
        ] {
            let mut changed = estimates.clone();
            change(&mut changed);
            is_refused(&changed);
        }
        if !estimates.last.is_empty() {
            let mut ahead = estimates.clone();
            let (look, source) = ahead.last[0];
            ahead.last.push((look, source));
            is_refused(&ahead);
            forgotten += 1;
        }
        for other in members(&model) {
            let mut about_other = estimates.clone();
            about_other.members = vec![other];
            if killed_after_all(&model, &about_other).is_some() {
                is_refused(&about_other);
                others += 1;
            }
        }
    }
    println!("{others} about killed mutants, {forgotten} choose twice, {complements} of {all} not");
    assert!(others > 50 && forgotten > 20 && complements * 20 > all * 19);
}

#[test]
fn kills_are_confirmed_and_none_is_missed_where_all_sets_are_visited() {
    let (mut found, mut long) = (0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let kills = killed(searched(&model));
        for (mutant, kill) in &kills {
            let checked = certify_kill(&model, *mutant, kill, LISTING, &unlimited());
            assert_eq!(checked, Ok(()), "seed {seed}, mutant {mutant}");
            found += 1;
            long += usize::from(kill.steps() > 2);
        }
        for mutant in members(&model) {
            let oracle = Oracle::new(&model, mutant).expect("small");
            let is_found = kills.iter().any(|(of, _)| *of == mutant);
            let exists = oracle.potential_kill().expect("small").is_some();
            assert_eq!(is_found, exists, "seed {seed}, mutant {mutant}");
        }
    }
    println!("{found} kills, {long} of more than 2 steps");
    assert!(found > 100 && long > 20);
}

#[test]
fn what_does_not_fit_into_the_limits_is_left_open() {
    let model = circuit(0);
    let none = Limits { nodes: 8, calls: 8 };
    let variant = Variant::Original;
    assert_eq!(
        reachable(&model, variant, none, &unlimited()),
        Err(Stop::Bound)
    );
    let found = search(&model, &members(&model), 10, None, none, &unlimited());
    assert_eq!(found, Searched::default());
    let spent = reachable(&model, variant, Limits::default(), &Budget::spent());
    assert_eq!(spent, Err(Stop::Interrupted));
}

/// The judge of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judge {
    Certifier,
    Oracle,
}

/// Whether this judge rejects the results for a circuit.
fn is_wrong(model: &ConditionalMutant, judge: Judge) -> bool {
    let proof = |proof: &Simulation| match judge {
        Judge::Certifier => certify_simulation(model, proof, &unlimited()).is_err(),
        Judge::Oracle => disproved(model, proof).is_some(),
    };
    let kill = |(mutant, kill): &(SelectorId, Kill)| match judge {
        Judge::Certifier => certify_kill(model, *mutant, kill, LISTING, &unlimited()).is_err(),
        Judge::Oracle => {
            let oracle = Oracle::new(model, *mutant).expect("small");
            oracle.potential_kill().expect("small").is_none()
        }
    };
    let searched = searched(model);
    let estimates = searched.proof.as_ref();
    let estimates = estimates.is_some_and(|proof| match judge {
        Judge::Certifier => certify_estimates(model, proof, &unlimited()).is_err(),
        Judge::Oracle => killed_after_all(model, proof).is_some(),
    });
    let counts = judge == Judge::Oracle && miscounted(model, Variant::Original).is_some();
    counts
        || estimates
        || proofs(model, Among::All).iter().any(proof)
        || killed(searched).iter().any(kill)
}

fn caught(fault: Fault, judge: Judge) -> Option<u64> {
    (0..400).find(|&seed| {
        let model = circuit(seed);
        fault::plant(Some(fault));
        let wrong = is_wrong(&model, judge);
        fault::plant(None);
        wrong && !is_wrong(&model, judge)
    })
}

#[test]
fn planted_faults_are_caught_by_the_certifier_and_by_the_oracle_alone() {
    for fault in fault::DIAGRAMS {
        for judge in [Judge::Certifier, Judge::Oracle] {
            let seed = caught(fault, judge);
            println!("{fault:?}, {judge:?}: seed {seed:?}");
            assert!(seed.is_some(), "{fault:?} is not caught by the {judge:?}");
        }
    }
}
