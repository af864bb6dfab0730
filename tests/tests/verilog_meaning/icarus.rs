//! Verilog compared with Icarus: random expressions and random blocks have the same values in each step.
//!
//! A bit that Icarus does not know may have any value here; a known bit must be equal. For accesses out of bounds, Icarus sometimes knows
//! more than the standard requires: such bits may be choices here, and are counted. Icarus is searched on the path; without it the tests
//! pass with a printed notice.

use hyperkill_tests::icarus::compare;
use hyperkill_tests::peers::Icarus;
use hyperkill_tests::random_verilog::{Module, blocks, expressions};

fn said(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Compares `usual` modules with Icarus in `steps` steps each. The environment may set the number of modules and the first seed.
fn compare_all(what: &str, module: impl Fn(u64) -> Module, usual: u64, steps: usize) {
    let Some(icarus) = Icarus::find(what) else {
        return;
    };
    let modules = said("HYPERKILL_RANDOM_MODULES").unwrap_or(usual);
    let first = said("HYPERKILL_RANDOM_FIRST").unwrap_or(0);
    let all: Vec<Module> = (first..first + modules).map(module).collect();
    let (mut known, mut open, mut wrong) = (0, 0, Vec::new());
    for some in all.chunks(40) {
        let compared = compare(&icarus, some, steps);
        known += compared.known;
        open += compared.open;
        wrong.extend(compared.wrong);
    }
    assert!(known > 1000 * modules as usize / 4, "{known} known bits");
    assert!(
        open * 200 < known,
        "{open} of {known} known bits are open here"
    );
    let heads: Vec<&str> = wrong
        .iter()
        .filter_map(|what| what.lines().next())
        .collect();
    let texts: Vec<&str> = wrong.iter().take(8).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{}\n{}",
        heads.join("\n"),
        texts.join("\n")
    );
}

#[test]
fn random_expressions_have_the_values_that_icarus_gives_them() {
    let module = |seed| expressions(seed, 40);
    compare_all("Verilog expressions beside Icarus", module, 40, 24);
}

#[test]
fn random_blocks_go_the_way_that_icarus_goes() {
    compare_all("Verilog blocks beside Icarus", blocks, 120, 40);
}
