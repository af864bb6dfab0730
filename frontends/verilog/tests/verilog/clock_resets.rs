//! Resets before the first step with several clocks, and mutants of such designs.

use hyperkill_core::aig::Reset;
use hyperkill_frontend::{
    Frontend, FrontendOptions, HardwareOptions, NamePredicate, ResetOption, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;

use crate::alone::{Compared, blasted, compare};
use crate::clocks::clocks;
use crate::random_clocks;

/// Returns the first values of registers, bit by bit, and the notes about resets.
fn reset(text: &str, steps: usize, asked: &[(&str, Option<u32>)]) -> (Vec<Reset>, Vec<String>) {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            resets: vec![ResetOption {
                name: "rst".to_owned(),
                active: Some(true),
                steps: Some(steps),
            }],
            clocks: clocks(asked),
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("design.v", text)], &options);
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
    let model = blasted(&found);
    // Latches that store clock levels come first.
    let registers = found.system.states.iter();
    let of_clocks = registers.filter(|state| state.name.contains('@'));
    let of_clocks: usize = of_clocks.map(|state| state.sort.width()).sum();
    let resets = model.aig.latches().iter().map(|latch| latch.reset);
    (resets.skip(of_clocks).collect(), found.role_notes)
}

/// Registers that count their edges while the reset is active.
fn counting(edges: [&str; 2]) -> String {
    let [first, second] = edges;
    format!(
        "module m(input a, b, rst, output reg [2:0] p, q);\n initial {{p, q}} = 0;\n \
         always @({first}) if (rst) p <= p + 1;\n always @({second}) if (rst) q <= q + 1;\nendmodule\n"
    )
}

#[test]
fn all_clocks_tick_in_each_edge_of_a_reset() {
    let number = |bits: &[Reset]| {
        let bits = bits.iter().enumerate();
        bits.fold(0, |sum, (i, bit)| match bit {
            Reset::One => sum | 1 << i,
            Reset::Zero => sum,
            Reset::Free => 100,
        })
    };
    let plain = counting(["posedge a", "posedge b"]);
    let both = counting(["posedge a", "negedge a"]);
    let three = counting(["posedge a", "negedge a"]).replace(
        "endmodule",
        "reg z; always @(posedge b) z <= rst; endmodule",
    );
    let some: &[(&str, Option<u32>)] = &[("a", None)];
    let periods: &[(&str, Option<u32>)] = &[("a", Some(3)), ("b", Some(2))];
    for (text, asked, expected, note) in [
        (&plain, &[][..], (3, 3), Some("`a`, `b` tick once")),
        (&plain, some, (3, 0), Some("`a` ticks once")),
        (&plain, periods, (3, 3), Some("`a`, `b` tick once")),
        (&both, &[][..], (3, 3), Some("`a` ticks twice")),
        (&three, periods, (3, 3), Some("`a`, `b` tick twice")),
    ] {
        let (first, notes) = reset(text, 3, asked);
        assert_eq!(
            (number(&first[..3]), number(&first[3..6])),
            expected,
            "{text} {asked:?}"
        );
        let note = note.expect("a note");
        assert!(
            notes.iter().any(|other| other.contains(note)),
            "{note}: {notes:#?}"
        );
    }
}

#[test]
fn a_reset_at_clock_steps_is_found_with_several_clocks() {
    let text = "module m(input a, b, rst, d, output reg p, q);\n always @(posedge a) if (rst) p <= 0; else p <= d;\n \
        always @(posedge b) if (rst) q <= 0; else q <= p;\nendmodule\n";
    let found = VerilogFrontend.translate(
        &[SourceFile::new("design.v", text)],
        &FrontendOptions::default(),
    );
    let notes = found.expect("a design").role_notes;
    for part in ["`rst` is a reset: 1 for 1 edge", "`a`, `b` tick once"] {
        assert!(notes.iter().any(|note| note.contains(part)), "{notes:#?}");
    }
}

#[test]
fn mutants_of_designs_with_several_clocks_mean_alone_what_they_mean_together() {
    let mut compared = Compared::default();
    for seed in 0..6 {
        compare("several clocks", &random_clocks::text(seed), &mut compared);
    }
    println!("{} mutants", compared.designs);
    assert!(compared.designs > 200, "{}", compared.designs);
}
