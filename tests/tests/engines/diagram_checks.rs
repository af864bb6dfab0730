//! Checks of the certifier by decision diagrams, compared with its SAT solver and the oracle, on correct and on damaged evidence. Planted
//! faults must be noticed.

use hyperkill_certify::{
    CertifyError, CheckLimits, DiagramLimits, certify_estimates_in_order, certify_estimates_within,
    certify_simulation_in_order, certify_simulation_within,
};
use hyperkill_checker::engines::diagrams::Among;
use hyperkill_core::budget::{Budget, Stop};
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::estimates::Estimates;
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};
use hyperkill_evidence::simulation::Simulation;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::diagrams::{cases, circuit, disproved, killed_after_all, members, proofs, searched};

/// Evidence found by decision diagrams.
#[derive(Clone, PartialEq, Debug)]
enum Evidence {
    Simulation(Simulation),
    Estimates(Estimates),
}

/// The result of a check.
type Checked = Result<(), CertifyError>;

/// Limits that every check by diagrams exceeds.
const NONE: DiagramLimits = DiagramLimits { nodes: 1, calls: 1 };

impl Evidence {
    fn by_diagrams(&self, model: &ConditionalMutant) -> Checked {
        self.by_diagrams_within(model, DiagramLimits::default(), &Budget::unlimited())
    }

    fn by_diagrams_within(
        &self,
        model: &ConditionalMutant,
        limits: DiagramLimits,
        budget: &Budget,
    ) -> Checked {
        match self {
            Evidence::Simulation(proof) => {
                certify_simulation_in_order(model, proof, limits, budget)
            }
            Evidence::Estimates(proof) => certify_estimates_in_order(model, proof, limits, budget),
        }
    }

    /// Checks the evidence without an order of variables, so that the solver decides.
    fn by_solver(&self, model: &ConditionalMutant) -> Checked {
        let mut evidence = self.clone();
        evidence.order().clear();
        evidence.left_to_solver(model)
    }

    /// Checks the evidence as a run does, with diagrams that exceed their limits, so that the solver decides.
    fn left_to_solver(&self, model: &ConditionalMutant) -> Checked {
        let limits = CheckLimits {
            diagrams: NONE,
            conflicts: None,
        };
        let budget = Budget::unlimited();
        match self {
            Evidence::Simulation(proof) => certify_simulation_within(model, proof, limits, &budget),
            Evidence::Estimates(proof) => certify_estimates_within(model, proof, limits, &budget),
        }
    }

    /// Returns a mutant about which the evidence is wrong, since the oracle has a test that kills it. `None` if there is none.
    fn disproved(&self, model: &ConditionalMutant) -> Option<SelectorId> {
        match self {
            Evidence::Simulation(proof) => disproved(model, proof),
            Evidence::Estimates(proof) => killed_after_all(model, proof),
        }
    }

    fn order(&mut self) -> &mut Vec<Look> {
        match self {
            Evidence::Simulation(proof) => &mut proof.order,
            Evidence::Estimates(proof) => &mut proof.order,
        }
    }

    fn members(&mut self) -> &mut Vec<SelectorId> {
        match self {
            Evidence::Simulation(proof) => &mut proof.members,
            Evidence::Estimates(proof) => &mut proof.members,
        }
    }

    fn multiplexers(&mut self) -> &mut Vec<Multiplexer> {
        match self {
            Evidence::Simulation(proof) => &mut proof.multiplexers,
            Evidence::Estimates(proof) => &mut proof.multiplexers,
        }
    }

    /// Returns the functions of the evidence that stand for relations and sets.
    fn sets(&mut self) -> Vec<&mut Source> {
        match self {
            Evidence::Simulation(proof) => vec![&mut proof.related],
            Evidence::Estimates(proof) => {
                let sets = vec![&mut proof.beside, &mut proof.contains];
                sets.into_iter().chain(&mut proof.next).collect()
            }
        }
    }

    fn choices(&mut self) -> [&mut Vec<(Look, Source)>; 2] {
        match self {
            Evidence::Simulation(proof) => [&mut proof.initial, &mut proof.choices],
            Evidence::Estimates(proof) => [&mut proof.last, &mut proof.before],
        }
    }
}

const TRUE: Source = Source {
    multiplexer: 0,
    complemented: false,
};

const FALSE: Source = Source {
    multiplexer: 0,
    complemented: true,
};

/// The number of damaged variants of each evidence that are checked.
const EACH: usize = 8;

/// Returns all evidence about the mutants of a circuit.
fn found(model: &ConditionalMutant) -> Vec<Evidence> {
    let simulations = [Among::Equal, Among::All]
        .into_iter()
        .flat_map(|among| proofs(model, among));
    let estimates = searched(model).proof;
    simulations
        .map(Evidence::Simulation)
        .chain(estimates.map(Evidence::Estimates))
        .collect()
}

/// Returns variants of the evidence with one damaged function or with other mutants.
fn damaged(model: &ConditionalMutant, evidence: &Evidence, rng: &mut ChaCha8Rng) -> Vec<Evidence> {
    let mut all = Vec::new();
    let mut add = |damage: &mut dyn FnMut(&mut Evidence)| {
        let mut damaged = evidence.clone();
        damage(&mut damaged);
        if damaged != *evidence {
            all.push(damaged);
        }
    };
    for set in 0..evidence.clone().sets().len() {
        add(&mut |damaged| damaged.sets()[set].complemented ^= true);
        add(&mut |damaged| *damaged.sets()[set] = TRUE);
    }
    for (kind, choices) in evidence.clone().choices().into_iter().enumerate() {
        for choice in 0..choices.len() {
            add(&mut |damaged| damaged.choices()[kind][choice].1.complemented ^= true);
            add(&mut |damaged| damaged.choices()[kind][choice].1 = TRUE);
        }
        add(&mut |damaged| {
            let _ = damaged.choices()[kind].pop();
        });
    }
    let multiplexers = evidence.clone().multiplexers().clone();
    let looks: Vec<Look> = multiplexers
        .iter()
        .map(|multiplexer| multiplexer.on)
        .collect();
    for _ in 0..multiplexers.len().min(6) {
        let place = rng.random_range(0..multiplexers.len());
        let look = *looks.choose(rng).expect("a look");
        add(&mut |damaged| damaged.multiplexers()[place].low.complemented ^= true);
        add(&mut |damaged| damaged.multiplexers()[place].on = look);
        add(&mut |damaged| {
            let multiplexer = &mut damaged.multiplexers()[place];
            std::mem::swap(&mut multiplexer.low, &mut multiplexer.high);
        });
    }
    let family = members(model);
    for &member in &family {
        add(&mut |damaged| *damaged.members() = vec![member]);
    }
    add(&mut |damaged| damaged.members().clone_from(&family));
    // The weakest claims about a mutant: all states are related, or every state of the model is possible.
    for &member in &family {
        add(&mut |damaged| {
            *damaged.members() = vec![member];
            *damaged.sets()[0] = TRUE;
        });
        add(&mut |damaged| {
            *damaged.members() = vec![member];
            *damaged.sets()[0] = FALSE;
        });
    }
    all.shuffle(rng);
    all.truncate(EACH);
    all
}

/// Returns variants of the evidence with orders that do not contain exactly the variables of the check.
fn damaged_orders(evidence: &Evidence, rng: &mut ChaCha8Rng) -> Vec<Evidence> {
    let order = evidence.clone().order().clone();
    let with = |order: Vec<Look>| {
        let mut damaged = evidence.clone();
        *damaged.order() = order;
        damaged
    };
    let mut all = vec![
        with([&order[..], &[Look::Input(usize::MAX)]].concat()),
        with([&order[..], &[Look::Estimate(usize::MAX)]].concat()),
    ];
    for place in 0..order.len() {
        let mut twice = order.clone();
        twice.push(order[place]);
        all.push(with(twice));
        // Every output is a variable of the check.
        if matches!(order[place], Look::Shown(_) | Look::Estimate(_)) && order.len() > 1 {
            let mut missing = order.clone();
            missing.remove(place);
            all.push(with(missing.clone()));
            missing.insert(0, missing[0]);
            all.push(with(missing));
        }
    }
    all.shuffle(rng);
    all.truncate(EACH);
    all
}

#[test]
fn diagrams_say_what_a_solver_and_the_oracle_say_of_right_and_damaged_evidence() {
    let (mut right, mut refused, mut as_good, mut unordered) = (0, 0, 0, 0);
    let (mut estimates, mut families) = (0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mut evidence in found(&model) {
            assert_eq!(
                evidence.by_diagrams(&model),
                Ok(()),
                "seed {seed}: {evidence:?}"
            );
            estimates += usize::from(matches!(evidence, Evidence::Estimates(_)));
            families += usize::from(evidence.members().len() > 1);
            right += 1;
            for damaged in damaged(&model, &evidence, &mut rng) {
                let checked = damaged.by_diagrams(&model);
                if matches!(checked, Err(CertifyError::Order(_))) {
                    // Other mutants may read variables that are missing in the order.
                    unordered += 1;
                    continue;
                }
                let solved = damaged.by_solver(&model);
                let is_same = checked.is_ok() == solved.is_ok();
                assert!(is_same, "seed {seed}: {checked:?}, {solved:?}: {damaged:?}");
                if checked.is_ok() {
                    assert_eq!(damaged.disproved(&model), None, "seed {seed}: {damaged:?}");
                    as_good += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    println!("{right} right, {estimates} of them estimates, {families} of families");
    println!("{refused} damaged ones refused, {as_good} as good, {unordered} without an order");
    assert!(estimates > 50 && families > 20 && refused > 1_000 && as_good > 100);
}

#[test]
fn any_order_of_all_variables_will_do_and_no_other() {
    let (mut orders, mut refused) = (0, 0);
    for seed in 0..cases() {
        let model = circuit(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for mut evidence in found(&model) {
            evidence.order().shuffle(&mut rng);
            assert_eq!(
                evidence.by_diagrams(&model),
                Ok(()),
                "seed {seed}: {evidence:?}"
            );
            orders += 1;
            for damaged in damaged_orders(&evidence, &mut rng) {
                let checked = damaged.by_diagrams(&model);
                let is_refused = matches!(checked, Err(CertifyError::Order(_)));
                assert!(is_refused, "seed {seed}: {checked:?}: {damaged:?}");
                refused += 1;
            }
        }
    }
    println!("{orders} orders, {refused} refused");
    assert!(orders > 100 && refused > 1_000);
}

#[test]
fn what_exceeds_the_limits_is_left_to_the_solver() {
    let mut left = 0;
    for seed in 0..cases().min(50) {
        let model = circuit(seed);
        for mut evidence in found(&model) {
            let budget = Budget::unlimited();
            let checked = evidence.by_diagrams_within(&model, NONE, &budget);
            assert_eq!(checked, Err(CertifyError::Stopped(Stop::Bound)));
            assert_eq!(evidence.left_to_solver(&model), Ok(()), "seed {seed}");
            let spent = Budget::spent();
            let checked = evidence.by_diagrams_within(&model, DiagramLimits::default(), &spent);
            assert_eq!(checked, Err(CertifyError::Stopped(Stop::Interrupted)));
            evidence.order().clear();
            assert_eq!(evidence.by_solver(&model), Ok(()), "seed {seed}");
            left += 1;
        }
    }
    assert!(left > 50);
}

/// Returns a circuit, and correct and damaged evidence about it. Each comes with true if the order of variables is complete and the solver
/// accepts the evidence.
fn judged(seed: u64) -> (ConditionalMutant, Vec<(Evidence, bool)>) {
    let model = circuit(seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut all = Vec::new();
    for evidence in found(&model) {
        all.extend(damaged(&model, &evidence, &mut rng));
        all.extend(damaged_orders(&evidence, &mut rng));
        all.push(evidence);
    }
    let judged = all.into_iter().map(|evidence| {
        let is_ordered = !matches!(evidence.by_diagrams(&model), Err(CertifyError::Order(_)));
        let is_right = is_ordered && evidence.by_solver(&model).is_ok();
        (evidence, is_right)
    });
    let judged = judged.collect();
    (model, judged)
}

/// The judges that noticed a fault.
#[derive(Default, Debug)]
struct Noticed {
    /// The solver gives another verdict.
    by_solver: bool,
    /// The oracle has a test that kills a mutant whose evidence was accepted.
    by_oracle: bool,
}

fn noticed(fault: Fault, circuits: &[(ConditionalMutant, Vec<(Evidence, bool)>)]) -> Noticed {
    let mut noticed = Noticed::default();
    for (model, judged) in circuits {
        for (evidence, is_right) in judged {
            fault::plant(Some(fault));
            let is_accepted = evidence.by_diagrams(model).is_ok();
            fault::plant(None);
            noticed.by_solver |= is_accepted != *is_right;
            if is_accepted && !is_right && !noticed.by_oracle {
                noticed.by_oracle = evidence.disproved(model).is_some();
            }
            if noticed.by_solver && noticed.by_oracle {
                return noticed;
            }
        }
    }
    noticed
}

#[test]
fn planted_faults_are_caught_by_the_solver_and_most_by_the_oracle_alone() {
    let circuits: Vec<_> = (0..100).map(judged).collect();
    let mut by_oracle = 0;
    for fault in fault::DIAGRAM_CHECKS {
        let noticed = noticed(fault, &circuits);
        println!("{fault:?}: {noticed:?}");
        assert!(noticed.by_solver, "{fault:?} is not caught by the solver");
        by_oracle += usize::from(noticed.by_oracle);
    }
    assert!(by_oracle >= 4, "only {by_oracle} are caught by the oracle");
}
