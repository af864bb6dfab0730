//! Several clocks, both edges, and clocks made by registers. The front end is compared with an independent event interpreter.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_frontend::{
    ClockOption, Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;

use crate::alone::{Asked, Compared, blasted, compare, options};

/// Returns `--clock` options.
pub(crate) fn clocks(asked: &[(&str, Option<u32>)]) -> Vec<ClockOption> {
    let clocks = asked.iter().map(|&(name, period)| ClockOption {
        name: name.to_owned(),
        period,
    });
    clocks.collect()
}

/// Reads a design without mutants; its registers start at 0.
pub(crate) fn read(
    text: &str,
    clocks: Vec<ClockOption>,
) -> Result<(ConditionalMutant, Vec<String>), Vec<Diagnostic>> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            clocks,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("design.v", text)], &options)?;
    Ok((blasted(&found), found.role_notes))
}

/// Returns the outputs as numbers, for each step with these inputs.
pub(crate) fn outputs(model: &ConditionalMutant, steps: &[Vec<(&str, u64)>]) -> Vec<Vec<u64>> {
    let simulator = Simulator::for_variant(model, Variant::Original);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let step = |inputs: &Vec<(&str, u64)>| {
        for input in 0..model.aig.inputs().len() {
            lanes.set_input_everywhere(input, false);
        }
        for port in &model.inputs {
            let value = inputs.iter().find(|(name, _)| *name == port.name);
            let value = value
                .unwrap_or_else(|| panic!("no value for `{}`", port.name))
                .1;
            for (i, &bit) in port.bits.iter().enumerate() {
                lanes.set_input_everywhere(bit, value >> i & 1 == 1);
            }
        }
        lanes.eval();
        let values = model.outputs.iter().map(|port| {
            let bits = port.bits.iter().enumerate();
            bits.fold(0, |sum, (i, &bit)| {
                sum | (lanes.value(model.aig.outputs[bit].lit)[0] & 1) << i
            })
        });
        let values = values.collect();
        lanes.step();
        values
    };
    steps.iter().map(step).collect()
}

#[test]
fn a_clock_may_be_a_bit_of_a_word_that_wires_join() {
    let inner = "module inner(input [2:0] c, input d, output reg p, q);
         always @(posedge c[1]) p <= d; always @(negedge c[2]) q <= p; endmodule";
    let joined = [
        ("wire [2:0] c; assign c = {b, a, d};", "c"),
        (
            "wire [2:0] c; assign c[2] = b; assign c[1:0] = {a, d};",
            "c",
        ),
        (
            "wire [4:0] c = {d, b, a, 2'b01}; wire [2:0] e = c[3:1];",
            "e",
        ),
        ("", "{b, a, 1'b0}"),
    ];
    let direct = "module m(input a, b, d, output reg p, q);
         always @(posedge a) p <= d; always @(negedge b) q <= p; endmodule";
    let step = |i: u64| vec![("a", i & 1), ("b", i >> 1 & 1), ("d", i >> 2 & 1)];
    let steps: Vec<_> = (0..64).map(|i| step((i * 0x9e37_79b9) >> 7)).collect();
    let (expected, _) = read(direct, Vec::new()).expect("a design");
    let expected = outputs(&expected, &steps);
    for (wires, port) in joined {
        let text = format!(
            "{inner} module m(input a, b, d, output p, q); {wires} inner i({port}, d, p, q); endmodule"
        );
        let (model, _) =
            read(&text, Vec::new()).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        assert_eq!(outputs(&model, &steps), expected, "{text}");
    }
}

/// Designs that join the clock `a` with values.
const JOINED: [&str; 3] = [
    "module m(input a, d, e, output reg q, output y); wire [2:0] w; assign w = {d & e, ~e, a};
       assign y = w[2]; always @(posedge w[0]) q <= w[1] ^ d; endmodule",
    "module m(input a, d, e, output reg [1:0] q); wire [3:0] w = {{d | e, a}, ~{e, d}}; wire [3:0] v = {w[1:0], w[3:2]};
       always @(posedge v[0]) q <= v[3:2] + {1'b0, v[1]}; endmodule",
    "module m(input a, d, e, output reg q, output y); wire [1:0] w; wire x; assign {x, w} = {d & e, a, !d};
       assign y = w[0] & x; always @(posedge w[1]) q <= x | e; endmodule",
];

#[test]
fn bits_joined_with_a_clock_have_mutants_that_mean_what_their_own_texts_mean() {
    for text in JOINED {
        let mut compared = Compared::default();
        compare("a design with a joined clock", text, &mut compared);
        let found = VerilogFrontend.translate(
            &[SourceFile::new("m.v", text)],
            &options(Asked::Mutants, false),
        );
        let catalogue = found.expect("a design").catalogue;
        let first = text.lines().next().unwrap_or_default();
        let joined = first.find('{').expect("a concatenation");
        let inside = |start: usize| text[start..].starts_with(['d', 'e', '~', '!']);
        let joined = catalogue.iter().filter(|(mutant, _)| {
            mutant.place.line == 1 && mutant.place.start > joined && inside(mutant.place.start)
        });
        assert!(joined.count() >= 3, "{text}");
        // Mutants replace no clock.
        let clock = |start: usize, end: usize| &text[start..end] == "a" && start > 20;
        let of_clock = |mutant: &Mutant| clock(mutant.place.start, mutant.place.end);
        assert!(
            !catalogue.iter().any(|(mutant, _)| of_clock(mutant)),
            "{text}"
        );
    }
}

#[test]
fn a_clock_that_is_a_bit_of_an_input_is_refused_with_a_way_out() {
    let text =
        "module m(input [1:0] c, input d, output reg q); always @(posedge c[0]) q <= d; endmodule";
    let errors = read(text, clocks(&[("c[0]", None)])).expect_err("no clock");
    assert_eq!(
        errors[0].message,
        "this clock is one bit of the wider input `c`"
    );
    let help = errors[0].help.as_deref().unwrap_or_default();
    assert!(
        help.contains("a module around the design") && help.contains("--one-clock"),
        "{help}"
    );
}

/// Returns the names of the test inputs.
pub(crate) fn inputs(model: &ConditionalMutant) -> Vec<&str> {
    model.inputs.iter().map(|port| port.name.as_str()).collect()
}
