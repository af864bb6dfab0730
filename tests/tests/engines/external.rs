//! External programs as engines, played by honest and dishonest stand-ins: correct evidence is accepted and wrong evidence dropped, on
//! random problems with explicitly computed answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_checker::external::{Certificate, External, Program, Reply, Trouble};
use hyperkill_checker::safety::{Problem, SafetyVerdict, certificate, decide_safety};
use hyperkill_checker::schedule::{self, reachability};
use hyperkill_checker::{Ask, Options, Silent, decide_all};
use hyperkill_core::aiger::stimulus::{Property as Asked, Witness, write_witness};
use hyperkill_core::aiger::{read, write_binary};
use hyperkill_core::budget::Budget;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::verdict::{Engine, Outcome, Property, Verdict};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::safety::{Explicit, safety_problem};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The behaviour of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Character {
    /// Gives the correct answer with evidence.
    Honest,
    /// Gives the correct answer with slightly wrong evidence.
    Careless,
    /// Gives the opposite answer with forged evidence.
    Liar,
    /// Gives the correct answer without evidence.
    Boaster,
    /// Gives the correct answer with random bytes as evidence.
    Babbler,
}

/// A program that gets the correct answer from the engines, and then behaves as its character says.
#[derive(Debug)]
struct Played {
    character: Character,
    seed: u64,
}

impl Program for Played {
    fn name(&self) -> &str {
        "played"
    }

    fn ask(&self, circuit: &[u8], budget: &Budget) -> Result<Reply, Trouble> {
        let model = read(circuit).expect("a circuit");
        assert_eq!(model.bad.len(), 1, "one question");
        assert!(model.constraints.is_empty() && model.outputs.is_empty());
        let resets = model.latches().iter().map(|latch| latch.reset);
        assert!(resets.into_iter().all(|reset| reset == Reset::Zero));
        let bad = model.bad[0].lit;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ circuit.len() as u64);
        let problem = Problem { model: &model, bad };
        let truth =
            decide_safety(&problem, &reachability::Options::SAFETY, None, budget).expect("decided");
        Ok(self.character.reply(&model, bad, truth, &mut rng))
    }
}

impl Character {
    fn reply(self, model: &Aig, bad: Lit, truth: SafetyVerdict, rng: &mut ChaCha8Rng) -> Reply {
        let fails = matches!(truth, SafetyVerdict::Fails(_));
        let mut witness = match &truth {
            SafetyVerdict::Fails(run) => run.clone(),
            _ => any_run(model, rng),
        };
        let mut invariant = match truth {
            SafetyVerdict::Holds(invariant) => invariant,
            _ => Vec::new(),
        };
        if self == Character::Careless {
            spoil_run(&mut witness, rng);
            spoil_invariant(&mut invariant, model.latches().len(), rng);
        }
        if self == Character::Liar && rng.random_bool(0.5) {
            spoil_invariant(&mut invariant, model.latches().len(), rng);
        }
        let reached = fails != (self == Character::Liar);
        let witness = Witness::of_run(vec![Asked::Bad(0)], model, &witness);
        let witness = write_witness(&witness).into_bytes();
        let circuit = write_binary(&certificate(model, bad, &invariant));
        let babble = |rng: &mut ChaCha8Rng| (0..40).map(|_| rng.next_u32() as u8).collect();
        let (witness, circuit) = match self {
            Character::Boaster => (None, None),
            Character::Babbler => (Some(babble(rng)), Some(babble(rng))),
            _ => (Some(witness), Some(circuit)),
        };
        Reply {
            reached: Some(reached),
            witness: witness.filter(|_| reached),
            certificate: circuit.filter(|_| !reached).map(Certificate::Circuit),
        }
    }
}

fn any_run(model: &Aig, rng: &mut ChaCha8Rng) -> Stimulus {
    let inputs = model.inputs().len();
    let steps = (0..rng.random_range(0..6)).map(|_| (0..inputs).map(|_| rng.random()).collect());
    Stimulus {
        initial: vec![false; model.latches().len()].into(),
        steps: steps.collect(),
    }
}

fn spoil_run(run: &mut Stimulus, rng: &mut ChaCha8Rng) {
    if rng.random_bool(0.3) {
        run.steps.pop();
    }
    for step in &mut run.steps {
        for bit in step {
            *bit ^= rng.random_bool(0.1);
        }
    }
}

fn spoil_invariant(invariant: &mut Vec<Vec<(usize, bool)>>, latches: usize, rng: &mut ChaCha8Rng) {
    if invariant.is_empty() || rng.random_bool(0.3) {
        let clause = (0..latches)
            .filter(|_| rng.random_bool(0.3))
            .collect::<Vec<_>>();
        invariant.push(
            clause
                .into_iter()
                .map(|latch| (latch, rng.random()))
                .collect(),
        );
        return;
    }
    let at = rng.random_range(0..invariant.len());
    if invariant[at].is_empty() || rng.random_bool(0.3) {
        invariant.remove(at);
        return;
    }
    let lit = rng.random_range(0..invariant[at].len());
    if rng.random_bool(0.5) {
        invariant[at].remove(lit);
    } else {
        invariant[at][lit].1 ^= true;
    }
}

const ALL: [Character; 5] = [
    Character::Honest,
    Character::Careless,
    Character::Liar,
    Character::Boaster,
    Character::Babbler,
];

fn external(character: Character, seed: u64) -> External {
    External::new(vec![Arc::new(Played { character, seed })])
}

/// The number of answers by behaviour and kind.
type Mix = BTreeMap<(Character, &'static str), usize>;

fn of(mix: &Mix, character: Character, what: &'static str) -> usize {
    mix.get(&(character, what)).copied().unwrap_or(0)
}

#[test]
fn answers_about_plain_safety_count_only_if_they_hold() {
    let mut mix = Mix::new();
    for seed in 0..5_000 {
        let model = safety_problem(seed);
        let bad = model.bad[0].lit;
        let character = ALL[seed as usize % ALL.len()];
        let external = external(character, seed);
        let options = reachability::Options {
            engines: schedule::Engines::NONE,
            ..reachability::Options::SAFETY
        };
        let problem = Problem { model: &model, bad };
        let verdict = decide_safety(&problem, &options, Some(&external), &Budget::unlimited());
        let oracle = Explicit::new(&model, bad);
        let case = || format!("seed {seed}, {character:?}\n{}", aag(&model));
        let word = match verdict.unwrap_or_else(|error| panic!("{error}: {}", case())) {
            SafetyVerdict::Holds(invariant) => {
                assert_eq!(oracle.shortest_failure(), None, "{}", case());
                assert_eq!(oracle.flaw(&invariant), None, "{}", case());
                "holds"
            }
            SafetyVerdict::Fails(run) => {
                assert!(oracle.fails(&run), "{}", case());
                "fails"
            }
            SafetyVerdict::Unknown { known_to, .. } => {
                assert_eq!(known_to, 0, "nothing was searched: {}", case());
                assert_eq!(external.remarks().len(), 1, "{}", case());
                "unknown"
            }
        };
        *mix.entry((character, word)).or_default() += 1;
    }
    println!("{mix:?}");
    assert_eq!(of(&mix, Character::Honest, "unknown"), 0, "{mix:?}");
    assert!(of(&mix, Character::Honest, "holds") >= 200, "{mix:?}");
    assert!(of(&mix, Character::Honest, "fails") >= 200, "{mix:?}");
    for character in [Character::Careless, Character::Liar] {
        assert!(of(&mix, character, "unknown") >= 200, "{mix:?}");
    }
    // Questions that fold to a constant do not reach the program.
    for character in [Character::Boaster, Character::Babbler] {
        assert_eq!(of(&mix, character, "fails"), 0, "{mix:?}");
        assert!(of(&mix, character, "unknown") >= 400, "{mix:?}");
    }
}

/// Returns the outcomes of a run that uses the program only. With `facts`, facts reduce the product before.
fn outcomes(
    model: &ConditionalMutant,
    character: Character,
    seed: u64,
    facts: bool,
) -> Vec<Outcome> {
    let options = Options {
        ask: Ask::Only(Property::Phi1),
        controllable: seed.is_multiple_of(2),
        turns: Some(1),
        fold_duplicates: false,
        external: Some(external(character, seed)),
        engines: schedule::Engines {
            simulation: false,
            induction: facts,
            pdr: false,
            bmc: false,
            pairs: false,
            family: false,
            explicit: false,
            exists_forall: false,
            diagrams: false,
        },
        ..Options::all(model)
    };
    let report = decide_all(model, &options, &Budget::unlimited(), &mut Silent);
    report
        .unwrap_or_else(|error| panic!("seed {seed}, {character:?}: {error}\n{}", aag(&model.aig)))
        .outcomes
}

#[test]
fn answers_about_mutants_count_only_if_they_hold() {
    let mut mix = Mix::new();
    for seed in 0..3_000 {
        let kind = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        let character = ALL[seed as usize / 3 % ALL.len()];
        for (mutant, outcome) in outcomes(&model, character, seed, seed % 7 < 3)
            .iter()
            .enumerate()
        {
            let case = || {
                format!(
                    "seed {seed}, mutant {mutant}, {character:?}\n{}",
                    aag(&model.aig)
                )
            };
            let oracle = Oracle::new(&model, SelectorId(mutant)).expect("small");
            let by_program = outcome.engine == Some(Engine::External);
            let word = match &outcome.verdict {
                Verdict::Killed(_) => {
                    // A kill under common choices is no kill for the oracle; the certifier replays it.
                    if kind != Kind::Choices {
                        assert!(
                            oracle.potential_kill().expect("small").is_some(),
                            "{}",
                            case()
                        );
                    }
                    if by_program { "killed" } else { "otherwise" }
                }
                Verdict::Equivalent(_) | Verdict::RefusesInput { .. } => {
                    assert!(
                        oracle.potential_kill().expect("small").is_none(),
                        "{}",
                        case()
                    );
                    if by_program {
                        "equivalent"
                    } else {
                        "otherwise"
                    }
                }
                Verdict::Unknown { known_to, .. } => {
                    if kind != Kind::Choices {
                        let kill = oracle.potential_kill().expect("small");
                        assert!(kill.is_none_or(|kill| kill.len() > *known_to), "{}", case());
                    }
                    "unknown"
                }
                other => panic!("{other:?}: {}", case()),
            };
            if by_program {
                assert!(
                    outcome.notes.iter().any(|note| note.contains("played")),
                    "{}",
                    case()
                );
            }
            *mix.entry((character, word)).or_default() += 1;
        }
    }
    println!("{mix:?}");
    assert!(of(&mix, Character::Honest, "killed") >= 200, "{mix:?}");
    assert!(of(&mix, Character::Honest, "equivalent") >= 100, "{mix:?}");
    for character in [Character::Careless, Character::Liar] {
        assert!(of(&mix, character, "unknown") >= 100, "{mix:?}");
    }
    for character in [Character::Boaster, Character::Babbler] {
        assert_eq!(of(&mix, character, "killed"), 0, "{mix:?}");
        assert_eq!(of(&mix, character, "equivalent"), 0, "{mix:?}");
    }
}
