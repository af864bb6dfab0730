//! Compares the solver with enumeration of all assignments, and with a solver without a focus.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

const VARIABLES: usize = 12;

fn satisfies(assignment: u64, clause: &[Lit]) -> bool {
    let holds = |lit: &Lit| (assignment >> lit.vidx() & 1 == 1) == lit.is_pos();
    clause.iter().any(holds)
}

fn some_lits(rng: &mut ChaCha8Rng, many: usize) -> Vec<Lit> {
    (0..many)
        .map(|_| Lit::new(rng.random_range(0..VARIABLES as u32), rng.random_bool(0.5)))
        .collect()
}

#[test]
fn answers_and_blame_agree_with_all_assignments() {
    let budget = Budget::unlimited();
    let mut seen = [0; 2];
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut solver = LocalSolver::new();
        for _ in 0..VARIABLES {
            solver.new_lit();
        }
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..30 {
            for _ in 0..rng.random_range(0..4) {
                let many = rng.random_range(2..5);
                let clause = some_lits(&mut rng, many);
                solver.add_clause(&clause);
                clauses.push(clause);
            }
            let many = rng.random_range(0..6);
            let assumed = some_lits(&mut rng, many);
            let mut all = clauses.clone();
            all.extend(assumed.iter().map(|&lit| vec![lit]));
            let possible =
                |all: &[Vec<Lit>]| (0..1 << VARIABLES).any(|a| all.iter().all(|c| satisfies(a, c)));
            match solver.solve(&assumed, None, &budget) {
                Answer::Possible => {
                    let bit = |v: usize| Lit::positive(v as u32);
                    let values = (0..VARIABLES).map(|v| u64::from(solver.value(bit(v))) << v);
                    let found: u64 = values.sum();
                    assert!(
                        all.iter().all(|clause| satisfies(found, clause)),
                        "seed {seed}"
                    );
                    seen[0] += 1;
                }
                Answer::Impossible => {
                    let blamed = assumed.iter().filter(|&&lit| solver.is_blamed(lit));
                    let mut core = clauses.clone();
                    core.extend(blamed.map(|&lit| vec![lit]));
                    assert!(!possible(&core), "seed {seed}");
                    seen[1] += 1;
                }
                Answer::Undecided(stop) => panic!("{stop:?}"),
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 2_000), "{seen:?}");
}

/// Gates over inputs, and queries on some of them with the cones of influence in the focus.
#[test]
fn a_focus_that_is_closed_under_fan_in_changes_no_answer() {
    let budget = Budget::unlimited();
    let mut impossible = 0;
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut focused = LocalSolver::new();
        let mut whole = LocalSolver::new();
        let mut cones: Vec<u64> = Vec::new();
        for v in 0..40 {
            let out = focused.new_lit();
            whole.new_lit();
            cones.push(1 << v);
            if v >= 8 {
                let mut fan_in = || Lit::new(rng.next_u32() % v, rng.random_bool(0.5));
                let (a, b) = (fan_in(), fan_in());
                cones[v as usize] |= cones[a.vidx()] | cones[b.vidx()];
                let clauses: [&[Lit]; 3] = [&[!out, a], &[!out, b], &[out, !a, !b]];
                focused.add_gate(out, [a, b], &clauses);
                for clause in clauses {
                    whole.add_clause(clause);
                }
            }
        }
        for _ in 0..40 {
            let many = rng.random_range(1..6);
            let pick = |_| Lit::new(rng.next_u32() % 40, rng.random_bool(0.5));
            let assumed: Vec<Lit> = (0..many).map(pick).collect();
            let cone = assumed.iter().fold(0, |all, lit| all | cones[lit.vidx()]);
            let about = (0..40).filter(|v| cone >> v & 1 == 1);
            focused.focus(about.map(Lit::positive));
            let answer = focused.solve(&assumed, None, &budget);
            assert_eq!(answer, whole.solve(&assumed, None, &budget), "seed {seed}");
            impossible += usize::from(answer == Answer::Impossible);
        }
    }
    assert!(impossible > 1_000, "{impossible}");
}

/// Gates over inputs, and clauses over both that are added incrementally.
#[test]
fn what_an_assignment_rests_on_makes_it_right_whatever_the_rest_is() {
    let budget = Budget::unlimited();
    let (mut possible, mut open) = (0, 0);
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut solver = LocalSolver::new();
        let mut gates: Vec<[Lit; 2]> = Vec::new();
        for v in 0..40 {
            let out = solver.new_lit();
            if v >= 10 {
                let mut fan_in = || Lit::new(rng.next_u32() % v, rng.random_bool(0.5));
                let (a, b) = (fan_in(), fan_in());
                solver.add_gate(out, [a, b], &[&[!out, a], &[!out, b], &[out, !a, !b]]);
                gates.push([a, b]);
            }
        }
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..30 {
            let mut some = |most| -> Vec<Lit> {
                let many = rng.random_range(1..most);
                let pick = |_| Lit::new(rng.next_u32() % 40, rng.random_bool(0.5));
                (0..many).map(pick).collect()
            };
            let (clause, assumed) = (some(5), some(4));
            solver.add_clause(&clause);
            clauses.push(clause);
            solver.focus((0..40).map(Lit::positive));
            if solver.solve(&assumed, None, &budget) != Answer::Possible {
                continue;
            }
            possible += 1;
            for _ in 0..4 {
                let mut values: Vec<bool> = Vec::new();
                for v in 0..40u32 {
                    let lit = Lit::positive(v);
                    let is = |lit: &Lit| values[lit.vidx()] == lit.is_pos();
                    values.push(match v.checked_sub(10) {
                        Some(gate) => gates[gate as usize].iter().all(is),
                        None if solver.is_assigned(lit) => solver.value(lit),
                        None => rng.random(),
                    });
                    let agrees = values[v as usize] == solver.value(lit);
                    assert!(agrees || !solver.is_assigned(lit), "seed {seed}: {lit}");
                    open += usize::from(!solver.is_assigned(lit));
                }
                let is = |lit: &Lit| values[lit.vidx()] == lit.is_pos();
                assert!(assumed.iter().all(is), "seed {seed}");
                assert!(clauses.iter().all(|c| c.iter().any(is)), "seed {seed}");
            }
        }
    }
    assert!(possible > 1_000 && open > 10_000, "{possible}, {open}");
}

#[test]
fn the_luby_sequence_begins_as_it_should() {
    let begin: Vec<u64> = (1..=15).map(luby).collect();
    assert_eq!(begin, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}
