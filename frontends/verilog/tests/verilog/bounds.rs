//! A read out of bounds is unknown, in mutants too. A mutant is only invalid if its own change reads out of bounds.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_verilog::VerilogFrontend;

/// Returns the mutants of a text as `operator: replacement`, with the reason of each invalid one.
fn mutants(text: &str) -> Vec<(String, Option<String>)> {
    let sources = [SourceFile::new("m.v", text)];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
    let mutants = found.catalogue.into_iter();
    mutants
        .map(|(mutant, why)| (format!("{}: {}", mutant.operator, mutant.replacement), why))
        .collect()
}

#[test]
fn a_mutant_around_a_place_that_the_original_reads_outside_is_a_model() {
    let text = "module m (input [7:0] a, input b, output y);
      wire [1:0] w [0:3];
      assign w[0] = a[1:0]; assign w[1] = a[3:2]; assign w[2] = 0; assign w[3] = 1;
      assign y = a[9] & b ^ w[7][0];
    endmodule";
    let found = mutants(text);
    let around: Vec<_> = found
        .iter()
        .filter(|(what, _)| what.starts_with("BOR"))
        .collect();
    assert!(around.len() >= 2, "{found:?}");
    assert!(around.iter().all(|(_, why)| why.is_none()), "{around:?}");
}

#[test]
fn a_mutant_that_itself_selects_outside_is_none() {
    let text = "module m (input [7:0] a, output y); assign y = a[7]; endmodule";
    let found = mutants(text);
    let beside = |what: &str| {
        let found = found.iter().find(|(change, _)| change.contains(what));
        found
            .unwrap_or_else(|| panic!("{what} is not there"))
            .1
            .is_some()
    };
    assert!(beside("a[7 + 1]"));
    assert!(!beside("a[7 - 1]"));
}
