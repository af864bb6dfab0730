//! Random SystemVerilog beside Verilator; planted faults.
//!
//! Verilator is looked for on the path; a machine without it passes that test, after a loud word.

use hyperkill_tests::icarus::{compare_by_verilator, outputs};
use hyperkill_tests::peers::Verilator;
use hyperkill_tests::random_systemverilog::{Fault, planted, program};
use hyperkill_tests::random_verilog::Module;

/// Steps of a simulation.
const STEPS: usize = 30;

fn said(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Programs from the first seed that the environment says, or 0: as many as it says, or these.
fn programs(usual: u64) -> Vec<Module> {
    let count = said("HYPERKILL_CASES").unwrap_or(usual);
    let first = said("HYPERKILL_FIRST").unwrap_or(0);
    (first..first + count).map(|seed| program(seed)).collect()
}

#[test]
#[ignore = "Verilator takes a minute for a hundred programs"]
fn random_programs_have_the_values_that_verilator_gives_them() {
    let Some(verilator) = Verilator::find("SystemVerilog programs beside Verilator") else {
        return;
    };
    let mut wrong = Vec::new();
    for some in programs(100).chunks(100) {
        let compared = compare_by_verilator(&verilator, some, STEPS, str::to_owned);
        assert!(compared.known > 100 * some.len());
        assert_eq!(compared.open, 0, "nothing is unknown in these programs");
        wrong.extend(compared.wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
}

#[test]
fn programs_are_read_and_each_fault_shows_in_one() {
    let all: Vec<Module> = (0..40).map(|seed| program(seed)).collect();
    let right: Vec<_> = all
        .iter()
        .map(|module| outputs(module, STEPS, str::to_owned))
        .collect();
    for fault in Fault::ALL {
        let shows = all.iter().zip(&right).any(|(module, right)| {
            let faulty = planted(fault, &module.text);
            faulty != module.text && outputs(module, STEPS, |text| planted(fault, text)) != *right
        });
        assert!(shows, "{fault:?} shows in none of the programs");
    }
}
