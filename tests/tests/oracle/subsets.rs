//! The oracle for circuits of real size compared with the tabulating oracle, on random small circuits.

use hyperkill_core::Lit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::Oracle;
use hyperkill_tests::oracle::subsets::{BLINDLY, definite_kill, potential_kill};

#[test]
fn both_oracles_agree_on_potential_and_definite_kills() {
    // For each question: kills and their absence.
    let mut mix = [[0; 2]; 2];
    for seed in 0..1_500 {
        let kind = [Kind::Choices, Kind::MutantChooses][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let mut constraints = model.aig.constraints.iter();
        if constraints.any(|constraint| constraint.lit != Lit::TRUE) {
            continue;
        }
        for selector in model.selector_ids() {
            let oracle = Oracle::new(&model, selector).expect("a tiny circuit");
            let potential = oracle.potential_kill().expect("a tiny search");
            let definite = oracle.definite_kill().expect("a tiny search");
            let who = format!("seed {seed}, selector {selector}");
            for blindly in [0, BLINDLY] {
                let found = potential_kill(&model, selector, blindly).expect("a tiny search");
                let expected = potential.as_ref().map(Vec::len);
                assert_eq!(found, expected, "{who}: potential, {blindly}");
                let found = definite_kill(&model, selector, blindly).expect("a tiny search");
                let expected = definite.as_ref().map(Vec::len);
                assert_eq!(found, expected, "{who}: definite, {blindly}");
            }
            mix[0][usize::from(potential.is_some())] += 1;
            mix[1][usize::from(definite.is_some())] += 1;
        }
    }
    println!(
        "without and with a kill: potential {:?}, definite {:?}",
        mix[0], mix[1]
    );
    assert!(mix.iter().flatten().all(|&count| count > 200), "{mix:?}");
}
