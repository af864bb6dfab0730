//! The explicit-state engine and its certifiers compared with the oracle, on thousands of random conditional mutants.
//!
//! For φ2, φ3 and adaptive tests, the comparison covers verdicts, lengths of shortest tests, runs and evidence. The certifiers must
//! reject many kinds of damaged evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hyperkill_certify::{certify_closed_set, certify_tree};
use hyperkill_checker::engines::explicit::{
    Explored, Listing, Witness, adaptive, definite, potential, simulation,
};
use hyperkill_core::budget::{Budget, NoClock, Stop};
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::replay;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::closed_set::{ClosedSet, Relation};
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};
use hyperkill_evidence::verdict::Strength;
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::guessed::guessed;
use hyperkill_tests::oracle::{Branch, Machine, Oracle, State, Stimulus, Tree, Word};
use hyperkill_tests::unstructured::cases;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The strength of kills by strategies.
const ADAPTIVE: Strength = Strength::Adaptive;

const KINDS: [Kind; 6] = [
    Kind::Small,
    Kind::Choices,
    Kind::Small,
    Kind::MutantChooses,
    Kind::Choices,
    Kind::Deterministic,
];

/// Asserts that both runs exist and have the same killing inputs. Returns the inputs.
fn check_runs(
    oracle: &Oracle,
    model: &ConditionalMutant,
    selector: SelectorId,
    witness: &Witness,
    definite: bool,
) -> Stimulus {
    let inputs = |run: &hyperkill_core::trace::Stimulus| -> Stimulus {
        let steps = run.steps.iter();
        steps.map(|step| oracle.original.input_word(step)).collect()
    };
    let stimulus = inputs(&witness.model_run);
    assert_eq!(stimulus, inputs(&witness.mutant_run));
    let original = replay(model, Variant::Original, &witness.model_run).expect("a run");
    let mutated = replay(model, Variant::Mutant(selector), &witness.mutant_run).expect("a run");
    assert_eq!((original.broken_at, mutated.broken_at), (None, None));
    let responses = oracle.responses(&stimulus);
    let word = |outputs: &[Vec<bool>]| -> Vec<u64> {
        let rows = outputs.iter();
        rows.map(|row| {
            row.iter()
                .rev()
                .fold(0, |word, &bit| word << 1 | u64::from(bit))
        })
        .collect()
    };
    let (original, mutated) = (word(&original.outputs), word(&mutated.outputs));
    let agree = |a: &[u64], b: &[u64]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let agreed = agree(&original, &mutated);
    if definite {
        assert!(responses.kill_definitely());
        for m in &responses.mutant {
            assert!(responses.original.iter().all(|o| agree(o, m) <= agreed));
        }
    } else {
        assert!(!responses.original.contains(&mutated));
        let closest = responses.original.iter().map(|o| agree(o, &mutated)).max();
        assert_eq!(closest, Some(agreed));
    }
    stimulus
}

#[test]
fn unbounded_answers_agree_with_the_oracle() {
    let budget = Budget::unlimited();
    let mut mix = [[0usize; 2]; 2];
    let mut deep = 0;
    for seed in 0..2000 {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            for is_definite in [false, true] {
                let (ask, expected) = if is_definite {
                    (definite as fn(_, _, _, _, _) -> _, oracle.definite_kill())
                } else {
                    (potential as fn(_, _, _, _, _) -> _, oracle.potential_kill())
                };
                let place = format!("seed {seed}, selector {selector}, definite {is_definite}");
                let expected = expected.expect("a tiny search");
                let effort = Listing::default();
                let answer: Explored<Witness> = ask(&model, selector, &effort, None, &budget);
                match (&answer, &expected) {
                    (Explored::Killed(witness), Some(shortest)) => {
                        assert_eq!(witness.model_run.steps.len(), shortest.len(), "{place}");
                        check_runs(&oracle, &model, selector, witness, is_definite);
                        deep += usize::from(shortest.len() >= 3);
                        mix[usize::from(is_definite)][0] += 1;
                        let bound = Some(shortest.len() - 1);
                        let shallow = ask(&model, selector, &effort, bound, &budget);
                        let refuted = shortest.len() - 1;
                        assert_eq!(shallow, Explored::TooLarge { refuted }, "{place}");
                    }
                    (Explored::Excluded(closed), None) => {
                        mix[usize::from(is_definite)][1] += 1;
                        let certified = certify_closed_set(&model, closed, &budget);
                        assert_eq!(certified, Ok(()), "{place}");
                    }
                    _ => panic!("{place}: {answer:?}, but the oracle {expected:?}"),
                }
            }
        }
    }
    println!("(killed, excluded) for φ2 and φ3: {mix:?}; {deep} kills of 3 steps or more");
    assert!(mix.iter().flatten().all(|&count| count >= 500), "{mix:?}");
}

/// Relations between states leave few choices, which the engine finds without trying all of them.
#[test]
fn systems_whose_successors_are_guessed_have_the_answers_of_those_that_compute_them() {
    let budget = Budget::unlimited();
    let mut mix = [[0usize; 2]; 2];
    let mut wide = 0;
    for seed in 0..cases(300) {
        let plain = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        let model = guessed(&plain);
        wide += usize::from(model.aig.inputs().len() > 8);
        for selector in plain.selector_ids() {
            let oracle = Oracle::new(&plain, selector).expect("a tiny circuit");
            for is_definite in [false, true] {
                let (ask, expected) = if is_definite {
                    (definite as fn(_, _, _, _, _) -> _, oracle.definite_kill())
                } else {
                    (potential as fn(_, _, _, _, _) -> _, oracle.potential_kill())
                };
                let place = format!("seed {seed}, selector {selector}, definite {is_definite}");
                let expected = expected.expect("a tiny search").map(|inputs| inputs.len());
                let effort = Listing::default();
                let answer: Explored<Witness> = ask(&model, selector, &effort, None, &budget);
                match answer {
                    Explored::Killed(witness) => {
                        assert_eq!(Some(witness.model_run.steps.len()), expected, "{place}");
                        let variants = [Variant::Original, Variant::Mutant(selector)];
                        for (variant, run) in
                            variants.iter().zip([witness.model_run, witness.mutant_run])
                        {
                            let run = replay(&model, *variant, &run).expect("a run");
                            assert_eq!(run.broken_at, None, "{place}");
                        }
                        mix[usize::from(is_definite)][0] += 1;
                    }
                    Explored::Excluded(closed) => {
                        assert_eq!(expected, None, "{place}");
                        assert_eq!(
                            certify_closed_set(&model, &closed, &budget),
                            Ok(()),
                            "{place}"
                        );
                        mix[usize::from(is_definite)][1] += 1;
                    }
                    open => panic!("{place}: {open:?}"),
                }
            }
        }
    }
    println!("(killed, excluded) for φ2 and φ3: {mix:?}; more than 8 bits in {wide} systems");
    assert!(mix.iter().flatten().all(|&count| count >= 50), "{mix:?}");
    assert!(wide >= 150, "{wide}");
}

/// Returns a number whose bit k is the k-th element.
fn word(bits: &[bool]) -> Word {
    let bits = bits.iter().rev();
    bits.fold(0, |word, &bit| word << 1 | Word::from(bit))
}

#[test]
fn single_pairs_prove_much_and_nothing_false() {
    let budget = Budget::unlimited();
    let mut proved = [0; 2];
    let mut excluded = [0; 2];
    for seed in 0..1500 {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let kills = [oracle.potential_kill(), oracle.definite_kill()];
            for (i, kill) in kills.into_iter().enumerate() {
                let kill = kill.expect("a tiny search");
                let relation = [Relation::Matched, Relation::Agreeing][i];
                let effort = Listing::default();
                let found = simulation(&model, selector, relation, &effort, &budget);
                excluded[i] += usize::from(kill.is_none());
                if let Some(closed) = found.expect("no limit") {
                    assert_eq!(kill, None, "seed {seed}, selector {selector}, {relation:?}");
                    assert_eq!(certify_closed_set(&model, &closed, &budget), Ok(()));
                    proved[i] += 1;
                }
            }
        }
    }
    println!("φ2 and φ3: {proved:?} of {excluded:?} need no sets");
    assert!((0..2).all(|i| proved[i] * 2 > excluded[i]));
}

#[test]
fn adaptive_tests_agree_with_the_oracle() {
    let budget = Budget::unlimited();
    let mut mix: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..2000 {
        let model = conditional_mutant(seed, KINDS[seed as usize % KINDS.len()]);
        for selector in model.selector_ids() {
            let place = format!("seed {seed}, selector {selector}");
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let effort = Listing::default();
            let answer = adaptive(&model, selector, &effort, None, &budget);
            let expected = oracle.adaptive_kill().expect("a tiny game");
            match (&answer, expected) {
                (Explored::Killed(kill), Some(depth)) => {
                    assert_eq!(kill.tree.depth(), depth, "{place}");
                    assert!(kill.shortest, "{place}");
                    let tree = unfold(&oracle, &kill.tree, 0);
                    assert_eq!(oracle.validate_tree(&tree), Ok(()), "{place}");
                    let certified = certify_tree(&model, selector, &kill.tree, ADAPTIVE, &budget);
                    assert_eq!(certified, Ok(()), "{place}");
                    check_runs(&oracle, &model, selector, &kill.witness, false);
                    let linear = oracle.definite_kill().expect("a tiny search");
                    *mix.entry(match linear {
                        Some(inputs) if inputs.len() > depth => "shorter than any linear one",
                        Some(_) => "no better than a linear one",
                        None => "where no linear one kills",
                    })
                    .or_default() += 1;
                    let shallow = adaptive(&model, selector, &effort, Some(depth - 1), &budget);
                    let refuted = depth - 1;
                    assert_eq!(shallow, Explored::TooLarge { refuted }, "{place}");
                }
                (Explored::Excluded(()), None) => *mix.entry("none").or_default() += 1,
                _ => panic!("{place}: {answer:?}, but the oracle {expected:?}"),
            }
        }
    }
    println!("adaptive tests: {mix:?}");
    assert!(mix.len() == 4 && mix.values().all(|&count| count >= 10));
}

/// Returns the strategy from a node on, as a tree of the oracle.
fn unfold(oracle: &Oracle, strategy: &StrategyTree, node: usize) -> Tree {
    let node = &strategy.nodes[node];
    let branches = node.branches.iter().map(|(outputs, next)| {
        let branch = match next {
            Next::Pass => Branch::Pass,
            Next::Node(child) => Branch::Then(unfold(oracle, strategy, *child)),
        };
        (word(outputs), branch)
    });
    Tree {
        input: oracle.original.input_word(&node.input),
        branches: branches.collect(),
    }
}

#[test]
fn a_spoilt_strategy_is_accepted_only_if_it_kills_all_the_same() {
    let budget = Budget::unlimited();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..600 {
        let kind = [Kind::Choices, Kind::Small][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        for selector in model.selector_ids() {
            let answer = adaptive(&model, selector, &Listing::default(), None, &budget);
            let Explored::Killed(kill) = answer else {
                continue;
            };
            let other = SelectorId(rng.random_range(0..model.selectors.len()));
            for selector in [selector, other] {
                let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
                for _ in 0..10 {
                    let tree = spoil_tree(&kill.tree, &mut rng);
                    let certified = certify_tree(&model, selector, &tree, ADAPTIVE, &budget);
                    let nodes = tree.nodes.iter().enumerate();
                    let ordered = nodes.into_iter().all(|(index, node)| {
                        node.branches
                            .iter()
                            .all(|(_, next)| !matches!(next, Next::Node(child) if *child <= index))
                    });
                    if ordered {
                        let valid = oracle.validate_tree(&unfold(&oracle, &tree, 0));
                        assert_eq!(
                            certified.is_ok(),
                            valid.is_ok(),
                            "seed {seed}, selector {selector}: {certified:?}, {valid:?}, {tree:?}"
                        );
                    }
                    match certified {
                        Ok(()) => accepted += 1,
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    println!("spoilt strategies: {refused} refused, {accepted} still kill");
    assert!(refused > 1000 && accepted > 100);
}

/// Returns the strategy with one small change.
fn spoil_tree(tree: &StrategyTree, rng: &mut ChaCha8Rng) -> StrategyTree {
    let mut tree = tree.clone();
    let nodes = tree.nodes.len();
    let index = rng.random_range(0..nodes);
    let node = &mut tree.nodes[index];
    let branch = rng.random_range(0..node.branches.len().max(1));
    match rng.random_range(0..5) {
        0 => {
            let bit = rng.random_range(0..node.input.len());
            node.input[bit] ^= true;
        }
        _ if node.branches.is_empty() => {}
        1 => drop(node.branches.remove(branch)),
        2 => {
            let outputs = &mut node.branches[branch].0;
            let bit = rng.random_range(0..outputs.len());
            outputs[bit] ^= true;
        }
        3 => node.branches[branch].1 = Next::Pass,
        _ => node.branches[branch].1 = Next::Node(rng.random_range(0..nodes)),
    }
    tree
}

#[test]
fn a_spoilt_closed_set_is_accepted_only_if_it_is_closed_all_the_same() {
    let budget = Budget::unlimited();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut refused, mut accepted, mut forged) = (0, 0, 0);
    for seed in 0..300 {
        let kind = [Kind::Choices, Kind::Small][seed as usize / 2 % 2];
        let model = conditional_mutant(seed, kind);
        for selector in model.selector_ids() {
            let ask = [potential, definite][seed as usize % 2];
            let answer = ask(&model, selector, &Listing::default(), None, &budget);
            let Explored::Excluded(closed) = answer else {
                continue;
            };
            for _ in 0..12 {
                let spoilt = spoil_set(&model, &closed, &mut rng);
                let certified = certify_closed_set(&model, &spoilt, &budget);
                match certified {
                    Ok(()) => accepted += 1,
                    Err(_) => refused += 1,
                }
                let oracle = Oracle::new(&model, spoilt.members[0]).expect("a tiny circuit");
                let kill = match spoilt.relation {
                    Relation::Matched => oracle.potential_kill(),
                    Relation::Agreeing => oracle.definite_kill(),
                };
                if kill.expect("a tiny search").is_some() {
                    assert!(certified.is_err(), "seed {seed}: {spoilt:?}");
                    forged += 1;
                }
                if all_latches_matter(&model, spoilt.members[0]) {
                    let closed = is_closed(&oracle, &model, &spoilt);
                    assert_eq!(certified.is_ok(), closed, "seed {seed}: {spoilt:?}");
                }
            }
        }
    }
    println!("spoilt sets: {refused} refused, {accepted} still closed; {forged} would prove a lie");
    assert!(refused > 1000 && accepted > 500 && forged > 50);
}

/// Returns the closed set with one small change.
fn spoil_set(model: &ConditionalMutant, closed: &ClosedSet, rng: &mut ChaCha8Rng) -> ClosedSet {
    let mut closed = closed.clone();
    let states = closed.states.len();
    let at = rng.random_range(0..closed.positions.len());
    let position = &mut closed.positions[at];
    match rng.random_range(0..8) {
        0 => {
            let hidden: Vec<usize> = (0..model.aig.latches().len())
                .filter(|&latch| model.selectors.iter().all(|s| s.latch != latch))
                .collect();
            let latch = *hidden.choose(rng).expect("a latch");
            let state = rng.random_range(0..states);
            closed.states[state][latch] ^= true;
        }
        1 => drop(closed.positions.remove(at)),
        2 => {
            let pair = rng.random_range(0..position.pairs.len());
            position.pairs.remove(pair);
        }
        3 => {
            let new = (rng.random_range(0..states), rng.random_range(0..states));
            let pair = rng.random_range(0..position.pairs.len());
            position.pairs[pair] = new;
        }
        4 => {
            let new = (position.pairs[0].0, rng.random_range(0..states));
            position.pairs.push(new);
        }
        5 => position.model = vec![rng.random_range(0..states)],
        6 => {
            closed.relation = match closed.relation {
                Relation::Matched => Relation::Agreeing,
                Relation::Agreeing => Relation::Matched,
            }
        }
        _ => closed.members[0] = SelectorId(rng.random_range(0..model.selectors.len())),
    }
    closed
}

/// Whether all latches matter, so that the states of a certificate are the states of the oracle.
fn all_latches_matter(model: &ConditionalMutant, mutant: SelectorId) -> bool {
    [Variant::Original, Variant::Mutant(mutant)]
        .iter()
        .all(|&variant| {
            let relevance = Relevance::to(model, &[variant]);
            let mut latches = 0..model.aig.latches().len();
            latches.all(|latch| {
                relevance.of_latch(latch) || model.selectors.iter().any(|s| s.latch == latch)
            })
        })
}

type Pairs = BTreeSet<(State, State)>;
type States = BTreeSet<State>;

/// Decides by enumeration whether a set is closed. Empty sets of all states are not asked for.
fn is_closed(oracle: &Oracle, model: &ConditionalMutant, closed: &ClosedSet) -> bool {
    let hidden: Vec<usize> = (0..model.aig.latches().len())
        .filter(|&latch| model.selectors.iter().all(|s| s.latch != latch))
        .collect();
    let state = |&number: &usize| -> State {
        let bits: Vec<bool> = hidden.iter().map(|&l| closed.states[number][l]).collect();
        word(&bits) as State
    };
    let listed: Vec<(Pairs, States, States)> = closed
        .positions
        .iter()
        .map(|position| {
            let pairs = position.pairs.iter();
            (
                pairs.map(|(m, o)| (state(m), state(o))).collect(),
                position.mutant.iter().map(state).collect(),
                position.model.iter().map(state).collect(),
            )
        })
        .collect();
    let matched = closed.relation == Relation::Matched;
    let sane = listed.iter().all(|(pairs, ..)| {
        let runs: States = pairs.iter().map(|pair| pair.0).collect();
        !pairs.is_empty() && (!matched || runs.len() == 1)
    });
    let covered = |pairs: &Pairs, mutant: Option<&States>, model: Option<&States>| {
        let includes = |mine: &States, theirs: Option<&States>| {
            mine.is_empty() || theirs.is_some_and(|theirs| theirs.is_subset(mine))
        };
        listed
            .iter()
            .any(|(p, m, o)| p.is_subset(pairs) && includes(m, mutant) && includes(o, model))
    };
    let mutants: States = oracle.mutant.initial().iter().copied().collect();
    let models: States = oracle.original.initial().iter().copied().collect();
    let product = |mutants: &States| -> Pairs {
        let pairs = mutants.iter();
        pairs
            .flat_map(|&m| models.iter().map(move |&o| (m, o)))
            .collect()
    };
    let starts = if matched {
        let each = mutants.iter().map(|&m| product(&States::from([m])));
        each.collect()
    } else {
        vec![product(&mutants)]
    };
    let started = starts
        .iter()
        .all(|pairs| covered(pairs, Some(&mutants), Some(&models)));
    let image = |machine: &Machine, states: &States, input: Word| -> Option<States> {
        let moves = states.iter().flat_map(|&state| machine.moves(state, input));
        (!states.is_empty()).then(|| moves.map(|step| step.next).collect())
    };
    let kept = listed.iter().all(|(pairs, mutant, model)| {
        oracle.original.alphabet().all(|input| {
            let mutant = image(&oracle.mutant, mutant, input);
            let model = image(&oracle.original, model, input);
            let refused = |states: &Option<States>| states.as_ref().is_some_and(States::is_empty);
            if refused(&model) || (!matched && refused(&mutant)) {
                return true;
            }
            let mut after: BTreeMap<Option<(Word, State)>, Pairs> = BTreeMap::new();
            if !matched {
                after.insert(None, Pairs::new());
            }
            for &(m, o) in pairs {
                for step in oracle.mutant.moves(m, input) {
                    let key = matched.then_some((step.outputs, step.next));
                    let pairs = after.entry(key).or_default();
                    let same = oracle.original.moves(o, input);
                    let same = same.filter(|other| other.outputs == step.outputs);
                    pairs.extend(same.map(|other| (step.next, other.next)));
                }
            }
            after
                .values()
                .all(|pairs| !pairs.is_empty() && covered(pairs, mutant.as_ref(), model.as_ref()))
        })
    });
    sane && started && kept
}

/// Returns a circuit in which a token passes 70 places. The output shows a choice at the token's place, one of 70, and the parity of 12
/// inputs. At the last place mutant 0 shows the opposite parity, mutant 1 no choice, and mutant 2 the parity as the choice.
fn roundabout() -> ConditionalMutant {
    const PLACES: usize = 70;
    let mut c = Circuit::new();
    let mutants = [0, 1, 2].map(|k| c.selector(&format!("m{k}")));
    let inputs: Vec<Lit> = (0..12).map(|k| c.input(&format!("i{k}"))).collect();
    let choices: Vec<Lit> = (0..PLACES).map(|k| c.choice(&format!("n{k}"))).collect();
    let reset = |k| Reset::constant(k == 0);
    let places: Vec<Lit> = (0..PLACES)
        .map(|k| c.latch(&format!("x{k}"), reset(k)))
        .collect();
    for k in 0..PLACES {
        c.set_next(places[(k + 1) % PLACES], places[k]);
    }
    let shown = places.iter().zip(&choices);
    let shown: Vec<Lit> = shown
        .map(|(&place, &choice)| c.aig.and(place, choice))
        .collect();
    let shown = c.aig.or_all(&shown);
    let parity = inputs.iter().fold(Lit::FALSE, |sum, &i| c.aig.xor(sum, i));
    let last = places[PLACES - 1];
    let [opposite, none, same] = mutants.map(|mutant| c.aig.and(mutant, last));
    let shown = c.aig.and(shown, !none);
    let shown = c.aig.ite(same, parity, shown);
    let parity = c.aig.xor(parity, opposite);
    c.output("choice", shown);
    c.output("parity", parity);
    c.finish("roundabout")
}

#[test]
fn many_latches_and_choices_are_no_obstacle_where_few_matter_at_a_time() {
    let model = roundabout();
    let budget = Budget::unlimited();
    let effort = Listing {
        steps: 4_000_000,
        positions: 1_000,
    };
    for ask in [potential, definite] {
        let Explored::Killed(witness) = ask(&model, SelectorId(0), &effort, None, &budget) else {
            panic!("the parity tells");
        };
        assert_eq!(witness.model_run.steps.len(), 70);
        for refinement in [1, 2] {
            let Explored::Excluded(closed) =
                ask(&model, SelectorId(refinement), &effort, None, &budget)
            else {
                panic!("the model can choose that");
            };
            assert_eq!(closed.positions.len(), 70);
            assert_eq!(certify_closed_set(&model, &closed, &budget), Ok(()));
            let wrong = ClosedSet {
                members: vec![SelectorId(0)],
                ..closed
            };
            assert!(certify_closed_set(&model, &wrong, &budget).is_err());
        }
    }
    let Explored::Killed(kill) = adaptive(&model, SelectorId(0), &effort, None, &budget) else {
        panic!("the parity tells");
    };
    // The strategy does not depend on outputs: one node per step.
    assert_eq!((kill.tree.nodes.len(), kill.tree.depth()), (70, 70));
    assert_eq!(
        certify_tree(&model, SelectorId(0), &kill.tree, ADAPTIVE, &budget),
        Ok(())
    );
    let none = adaptive(&model, SelectorId(1), &effort, None, &budget);
    assert_eq!(none, Explored::Excluded(()));
}

#[test]
fn what_is_too_large_or_interrupted_says_how_far_it_came() {
    let model = roundabout();
    let budget = Budget::unlimited();
    let modest = Listing {
        steps: 4_000_000,
        positions: 40,
    };
    // Each state has four steps: two classes of inputs by parity, and a choice.
    let steps = Listing {
        steps: 200,
        positions: 1_000,
    };
    for (effort, at_least) in [(modest, 30), (steps, 5)] {
        for ask in [potential, definite] {
            let answer = ask(&model, SelectorId(0), &effort, None, &budget);
            let Explored::TooLarge { refuted } = answer else {
                panic!("{answer:?}");
            };
            assert!((at_least..70).contains(&refuted), "{refuted}");
        }
        let answer = adaptive(&model, SelectorId(0), &effort, None, &budget);
        assert!(
            matches!(answer, Explored::TooLarge { refuted } if (at_least..70).contains(&refuted)),
            "{answer:?}"
        );
    }
    let interrupted = Budget::new(Arc::new(NoClock), Arc::new(AtomicBool::new(true)));
    let stopped = Explored::Stopped {
        refuted: 0,
        stop: Stop::Interrupted,
    };
    let effort = Listing::default();
    assert_eq!(
        potential(&model, SelectorId(0), &effort, None, &interrupted),
        stopped
    );
}

#[test]
fn pairs_of_many_choices_are_counted_before_they_are_listed() {
    // The output shows the register, which takes any choice: 2^17 moves of each side, with as many pairs as their product.
    let mut circuit = Circuit::new();
    let selector = circuit.selector("m");
    let mut all = Lit::TRUE;
    for number in 0..17 {
        let any = circuit.choice(&format!("c{number}"));
        let latch = circuit.latch(&format!("l{number}"), Reset::Zero);
        circuit.set_next(latch, any);
        all = circuit.aig.and(all, latch);
    }
    let shown = circuit.aig.and(all, selector);
    circuit.output("o", shown);
    let model = circuit.finish("many");
    let effort = Listing {
        steps: 1 << 20,
        positions: 1 << 8,
    };
    let budget = Budget::unlimited();
    for ask in [potential, definite] {
        let answer = ask(&model, SelectorId(0), &effort, None, &budget);
        assert!(matches!(answer, Explored::TooLarge { .. }), "{answer:?}");
    }
}
