//! Technology cells without a definition: registers behind clock gates compared with registers with enables.

use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::sim::words::number_bit;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alone::{Compared, blasted, compare, outputs};

fn translate(text: &str) -> Result<Translation, Vec<Diagnostic>> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    VerilogFrontend.translate(&[SourceFile::new("design.sv", text)], &options)
}

const HEADER: &str = "
module top(input clk, input rst, input [3:0] i, output [1:0] s0, s1, s2, output o);
  reg [1:0] r0, r1, r2; assign s0 = r0; assign s1 = r1; assign s2 = r2;
  assign o = ^{r0, r1, r2};
";

/// Clock gates that a design builds from a latch and a conjunction.
const OWN: [&str; 3] = [
    "module own_gate(input clk_i, en_i, test_en_i, output clk_o); reg on; always_latch if (clk_i == 1'b0) on <= en_i | test_en_i;
     assign clk_o = clk_i & on; endmodule\n",
    "module own_gate(input clk_i, en_i, test_en_i, output clk_o); wire e = en_i, t = test_en_i, c = clk_i; reg on;
     always_latch if (!c) on = e | t; assign clk_o = on && c; endmodule\n",
    "module own_gate(input logic clk_i, en_i, test_en_i, output logic clk_o); logic on;
     always_latch begin if (clk_i) ; else if (test_en_i) on = 1; else on = en_i; end
     always_comb clk_o = on & clk_i; endmodule\n",
];

/// Returns a design with three registers behind clock gates, some of them nested, and an equal design with enables.
fn designs(rng: &mut ChaCha8Rng) -> [String; 2] {
    let cells = [
        "tc_clk_gating",
        "pulp_clock_gating",
        "cluster_clock_gating",
        "prim_clock_gating",
        "own_gate",
    ];
    let [mut gated, mut enabled] = [HEADER.to_owned(), HEADER.to_owned()];
    let bits = ["i[0]", "i[1]", "r0[0]", "r1[1]", "r2[0]", "(i[2] | r1[0])"];
    for group in 0..3 {
        let mut pick = |from: &[&str]| from[rng.random_range(0..from.len())].to_owned();
        let (enable, test) = (pick(&bits), pick(&["1'b0", "i[3]"]));
        let before = pick(&["clk", "g0", "g1"]);
        let before = match before.as_str() {
            "g0" if group > 0 => "g0",
            "g1" if group > 1 => "g1",
            _ => "clk",
        };
        let also = match before {
            "clk" => "1'b1".to_owned(),
            gate => format!("e{}", &gate[1..]),
        };
        let next = format!("r{group} + {{{}, {}}}", pick(&bits), pick(&bits));
        let cell = pick(&cells);
        let (edge, reset) = match pick(&["", "reset"]).as_str() {
            "" => ("", String::new()),
            _ => (" or posedge rst", format!("if (rst) r{group} <= 1; else ")),
        };
        let buffered = pick(&["", "tc_clk_buffer"]);
        let clock = match buffered.as_str() {
            "" => format!("g{group}"),
            _ => {
                gated.push_str(&format!(
                    "  wire b{group}; tc_clk_buffer buffer{group} (.clk_i(g{group}), .clk_o(b{group}));\n"
                ));
                format!("b{group}")
            }
        };
        gated.push_str(&format!(
            "  wire g{group}; {cell} gate{group} (.clk_i({before}), .en_i({enable}), .test_en_i({test}), .clk_o(g{group}));\n\
             always @(posedge {clock}{edge}) {reset}r{group} <= {next};\n"
        ));
        enabled.push_str(&format!(
            "  wire e{group} = {also} & ({enable} | {test});\n  always @(posedge clk{edge}) {reset}if (e{group}) r{group} <= {next};\n"
        ));
    }
    gated.push_str("endmodule\n");
    if gated.contains("own_gate") {
        gated.push_str(OWN[rng.random_range(0..OWN.len())]);
    }
    [gated, enabled + "endmodule\n"]
}

#[test]
fn registers_behind_gates_of_their_clock_are_registers_with_enables() {
    for seed in 0..150 {
        let texts = designs(&mut ChaCha8Rng::seed_from_u64(seed));
        let [gated, enabled] = texts.each_ref().map(|text| {
            let found = translate(text);
            let found = found.unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{text}"));
            outputs(&blasted(&found), Variant::Original, seed)
        });
        assert_eq!(gated, enabled, "seed {seed}: {}\n{}", texts[0], texts[1]);
    }
}

#[test]
fn mutants_of_designs_with_gates_mean_alone_what_they_mean_together() {
    let mut compared = Compared::default();
    for seed in 0..6 {
        let [gated, _] = designs(&mut ChaCha8Rng::seed_from_u64(seed));
        compare("a design with gates", &gated, &mut compared);
    }
    assert!(compared.designs > 100, "{}", compared.designs);
}

#[test]
fn a_cell_is_said_to_be_known_at_its_place_and_no_mutant_is_in_it() {
    let text = "module m(input clk, e, d, output reg q); wire g;\n\
        tc_clk_gating gate (.clk_i(clk), .en_i(e), .test_en_i(1'b0), .clk_o(g));\n always @(posedge g) q <= d; endmodule\n";
    let sources = [SourceFile::new("m.sv", text)];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let found = found.expect("a design");
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings);
    };
    assert!(warning.message.contains("no file defines `tc_clk_gating`"));
    assert_eq!(&text[warning.bytes.0..warning.bytes.1], "tc_clk_gating");
    assert!(
        found
            .catalogue
            .iter()
            .all(|(mutant, _)| mutant.place.end > 0)
    );
    // A module of the user replaces the built-in cell.
    let own = format!(
        "{text}module tc_clk_gating(input clk_i, en_i, test_en_i, output clk_o); assign clk_o = clk_i; endmodule\n"
    );
    let found = translate(&own).expect("a design");
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn a_gate_of_the_clock_connects_nets_of_one_bit() {
    let refused = |gate: &str| {
        let text = format!(
            "module m(input clk, input [1:0] e, input d, output reg q); wire g;\n  {gate}\n  always @(posedge g) q <= d;\nendmodule\n"
        );
        let errors = translate(&text).expect_err(&text);
        errors[0].message.clone()
    };
    let nets = "connects nets of one bit";
    assert!(refused("hyperkill_clock_gate a (g, clk, e[0] & d);").contains(nets));
    assert!(refused("hyperkill_clock_gate a (g, clk, e);").contains(nets));
    let three = "has an output, a clock and an enable";
    assert!(refused("hyperkill_clock_gate a (g, clk);").contains(three));
    assert!(refused("hyperkill_clock_gate a[1:0] (g, clk, d);").contains("an array"));
    // Other gates do not make clocks.
    assert!(refused("and a (g, clk, d);").contains("made by logic"));
}

#[test]
fn a_synchroniser_is_a_row_of_registers() {
    for stages in 1..4 {
        let cell = format!(
            "module top(input clk, rst_n, input d, output q);\n  \
             tc_sync #(.Stages({stages}), .ResetValue(1'b1)) s (.clk_i(clk), .rst_ni(rst_n), .serial_i(d), .serial_o(q));\nendmodule\n"
        );
        let mut row = "module top(input clk, rst_n, input d, output q);\n".to_owned();
        for stage in 0..stages {
            let before = match stage {
                0 => "d".to_owned(),
                _ => format!("r{}", stage - 1),
            };
            row.push_str(&format!(
                "  reg r{stage}; always @(posedge clk or negedge rst_n) if (!rst_n) r{stage} <= 1; else r{stage} <= {before};\n"
            ));
        }
        row.push_str(&format!("  assign q = r{};\nendmodule\n", stages - 1));
        let [cell, row] = [cell, row].map(|text| {
            let found = translate(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            outputs(&blasted(&found), Variant::Original, 1)
        });
        assert_eq!(cell, row, "{stages} stages");
    }
}

#[test]
fn properties_at_a_gated_clock_are_said_where_its_edge_comes_through() {
    let of = |claims: &str| {
        let text = format!(
            "module top(input clk, e, d, output reg q); wire g;\n  \
             tc_clk_gating gate (.clk_i(clk), .en_i(e), .test_en_i(1'b0), .clk_o(g));\n  \
             always @(posedge g) q <= d;\n  {claims}\nendmodule\n"
        );
        let found = translate(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let model = blasted(&found);
        let simulator = Simulator::compile(&model.aig, model.aig.bad.iter().map(|bad| bad.lit));
        let mut lanes = simulator.lanes::<1>();
        lanes.reset(|_| [0]);
        // All valuations of the inputs except the clock.
        for (number, port) in model.inputs.iter().enumerate() {
            lanes.set_input(port.bits[0], number_bit::<1>(0, number));
        }
        lanes.eval();
        let broken = model
            .aig
            .bad
            .iter()
            .map(|bad| lanes.value(bad.lit)[0] & 0xf);
        broken.map(|lanes| lanes != 0).collect::<Vec<bool>>()
    };
    let always = of("assert property (@(posedge clk) e); assert property (@(posedge g) e);");
    assert_eq!(always, [true, false]);
    let inside = of("always @(posedge clk) assert (e); always @(posedge g) assert (e);");
    assert_eq!(inside, [true, false]);
    // A violation at an edge that passes the gate is still a violation.
    assert_eq!(of("assert property (@(posedge g) d);"), [true]);
}

#[test]
fn a_latch_in_a_file_for_a_known_cell_is_refused_with_the_advice_to_leave_the_file_out() {
    let of = |name: &str| {
        let text = format!(
            "module m(input clk, e, d, output reg q); wire g;\n  \
             {name} gate (.clk_i(clk), .en_i(e), .test_en_i(1'b0), .clk_o(g));\n  always @* q = g & d;\nendmodule\n\
             module {name}(input logic clk_i, en_i, test_en_i, output logic clk_o);\n  logic l;\n  \
             always_comb if (!clk_i) l = en_i | test_en_i;\n  assign clk_o = clk_i & l;\nendmodule\n"
        );
        translate(&text).expect_err("a latch").remove(0)
    };
    let known = of("tc_clk_gating");
    assert!(known.message.contains("latch"), "{known:?}");
    let help = "leave this file out: hyperkill knows the cell `tc_clk_gating`";
    assert_eq!(known.help.as_deref(), Some(help));
    assert_eq!(of("my_gate").help, None);
}

#[test]
fn a_gate_whose_falling_edge_matters_is_none() {
    let of = |edge: &str| {
        let text = format!(
            "module m(input clk, e, d, output logic q); logic on; always_latch if (!clk) on = e;
             wire g = clk & on; always_ff @({edge} g) q <= d; endmodule"
        );
        translate(&text)
            .map(|_| ())
            .map_err(|mut errors| errors.remove(0).message)
    };
    assert_eq!(of("posedge"), Ok(()));
    assert!(of("negedge").is_err());
}

#[test]
fn a_latch_that_opens_at_the_other_level_makes_no_gate() {
    for body in [
        "if (clk) on = e;",
        "if (!clk & e) on = e;",
        "if (!clk) on = e ^ on;",
    ] {
        let text = format!(
            "module m(input clk, e, d, output logic q); logic on; always_latch {body}
             wire g = clk & on; always_ff @(posedge g) q <= d; endmodule"
        );
        assert!(translate(&text).is_err(), "{body}");
    }
}
