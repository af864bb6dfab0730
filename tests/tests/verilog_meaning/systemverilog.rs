//! Random SystemVerilog: all of it is read, and a reader with one of the planted faults reads something else.

use hyperkill_tests::icarus::outputs;
use hyperkill_tests::random_systemverilog::{Fault, planted, program};
use hyperkill_tests::random_verilog::Module;

/// The number of steps of a simulation.
const STEPS: usize = 30;

#[test]
fn programs_are_read_and_each_fault_shows_in_one() {
    let all: Vec<Module> = (0..40).map(program).collect();
    let right = all
        .iter()
        .map(|module| outputs(module, &module.text, STEPS));
    let right: Vec<_> = right.collect();
    for fault in Fault::ALL {
        let shows = all.iter().zip(&right).any(|(module, right)| {
            let faulty = planted(fault, &module.text);
            faulty != module.text && outputs(module, &faulty, STEPS) != *right
        });
        assert!(shows, "{fault:?} shows in none of the programs");
    }
}
