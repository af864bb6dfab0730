//! Random SystemVerilog: all of it is read, it has the values that Verilator gives it, and a reader with one of the planted faults reads
//! something else.

use hyperkill_tests::icarus::{compare, outputs};
use hyperkill_tests::peers::Verilator;
use hyperkill_tests::random_systemverilog::{Fault, planted, program};
use hyperkill_tests::random_verilog::Module;
use hyperkill_tests::unstructured::cases;

/// Steps of a simulation.
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

/// Compares programs with Verilator. Verilator 5.006 puts a stream at the wrong end of a wider target, so programs with streams are left
/// out. Returns counts of programs and bits, in words; `None` without Verilator.
fn beside_verilator(seeds: std::ops::Range<u64>, batch: usize) -> Option<String> {
    let verilator = Verilator::find("random SystemVerilog beside Verilator")?;
    let all = seeds.end - seeds.start;
    let has_stream = |module: &Module| {
        ["{<<", "{>>"]
            .iter()
            .any(|stream| module.text.contains(stream))
    };
    let compared_ones = seeds.map(program).filter(|module| !has_stream(module));
    let modules: Vec<Module> = compared_ones.collect();
    let (mut known, mut open) = (0, 0);
    for batch in modules.chunks(batch) {
        let compared = compare(&verilator, batch, STEPS);
        assert!(compared.wrong.is_empty(), "{}", compared.wrong.join("\n"));
        known += compared.known;
        open += compared.open;
    }
    assert!(
        modules.len() as u64 * 4 > all,
        "nearly all programs have streams"
    );
    assert!(open * 10 < known, "{open} of {known} bits are open here");
    Some(format!(
        "{} of {all} programs have no streams; {known} bits compared, {open} of them open here",
        modules.len()
    ))
}

#[test]
fn programs_have_the_values_that_verilator_gives_them() {
    println!("{:?}", beside_verilator(100..116, 16));
}

#[test]
#[ignore = "minutes"]
fn many_programs_have_the_values_that_verilator_gives_them() {
    println!("{:?}", beside_verilator(1_000..1_000 + cases(400), 100));
}
