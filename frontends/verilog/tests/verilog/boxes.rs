//! Modules whose inside is not looked at: which ports are choices, which are observed, what an unknown function is, and what is refused.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::system::{InputRole, Translation};
use hyperkill_frontend::boxes::{BoxKind, BoxOption, Boxes};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, HardwareOptions, SourceFile};
use hyperkill_verilog::VerilogFrontend;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const OBSERVED: BoxKind = BoxKind::Choices { observed: true };
const UNOBSERVED: BoxKind = BoxKind::Choices { observed: false };

/// Reads texts, the last `stubs` of which stand in for missing modules, with one module that is a box.
fn translate(
    texts: &[&str],
    stubs: usize,
    module: Option<(&str, BoxKind)>,
) -> Result<Translation, Diagnostic> {
    let files = texts.iter().enumerate();
    let files: Vec<SourceFile> = files
        .map(|(i, text)| SourceFile::new(format!("{i}.sv"), *text))
        .collect();
    let modules = module.map(|(name, kind)| BoxOption {
        name: name.to_owned(),
        kind,
    });
    let options = FrontendOptions {
        hardware: HardwareOptions {
            top: Some("m".to_owned()),
            boxes: Boxes {
                modules: modules.into_iter().collect(),
                stubs,
            },
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&files, &options);
    found.map_err(|errors| errors[0].clone())
}

fn read(texts: &[&str], module: (&str, BoxKind)) -> Translation {
    let found = translate(texts, 0, Some(module));
    found.unwrap_or_else(|error| panic!("{error:?}\n{}", texts.join("\n")))
}

fn of_role(found: &Translation, role: InputRole) -> Vec<String> {
    let inputs = found.system.inputs.iter();
    let inputs = inputs.filter(|input| input.role == role && !input.name.ends_with("@reset"));
    inputs.map(|input| input.name.clone()).collect()
}

fn outputs(found: &Translation) -> Vec<&str> {
    let outputs = found.system.outputs.iter();
    outputs.map(|output| output.name.as_str()).collect()
}

fn blasted(found: &Translation) -> ConditionalMutant {
    bit_blast(&found.system).expect("a circuit").model
}

const MISSING: &str = "module m (input clk, input [3:0] a, b, output [3:0] y);
  wire [3:0] q;
  pll #(.N(3)) u (.clk(clk), .d(a & b), .q(q));
  assign y = q ^ a;
endmodule";

#[test]
fn what_a_missing_module_drives_is_a_choice_and_what_it_receives_is_observed() {
    let found = read(&[MISSING], ("pll", OBSERVED));
    assert_eq!(of_role(&found, InputRole::Choice), ["u.q"]);
    assert_eq!(outputs(&found), ["y", "u.clk", "u.d"]);
    let unobserved = read(&[MISSING], ("pll", UNOBSERVED));
    assert_eq!(outputs(&unobserved), ["y"]);
    assert!(
        found
            .role_notes
            .iter()
            .any(|note| note == "`u.q` is a choice: it is an output of the black box `pll`")
    );
}

#[test]
fn a_module_that_is_there_says_itself_which_ports_are_outputs() {
    let inside = "module pll #(parameter N = 1) (input clk, input [3:0] d, output reg [3:0] q, input [1:0] left);
      reg [3:0] r = 0; initial q = 5; always @(posedge clk) q <= d + N; unknown_cell c (.x(r));
    endmodule";
    let found = read(&[MISSING, inside], ("pll", OBSERVED));
    assert_eq!(of_role(&found, InputRole::Choice), ["u.q", "u.left"]);
    assert_eq!(outputs(&found), ["y", "u.clk", "u.d", "u.left"]);
    assert!(found.system.states.is_empty());
    // What the box does has no mutants.
    assert!(
        found
            .catalogue
            .iter()
            .all(|(mutant, _)| mutant.place.file == "0.sv")
    );
}

#[test]
fn a_mutant_of_what_a_box_receives_shows_at_the_box_only() {
    for (kind, shows) in [(OBSERVED, true), (UNOBSERVED, false)] {
        let found = read(&[MISSING], ("pll", kind));
        let changed = |(mutant, _): &&(hyperkill_core::mutant::Mutant, _)| {
            mutant.operator == "BOR" && mutant.original == "a & b"
        };
        let at = found
            .catalogue
            .iter()
            .position(|entry| changed(&&entry.clone()));
        let at = at.expect("an operator to exchange");
        let place = found.catalogue[..at]
            .iter()
            .filter(|(_, why)| why.is_none());
        let selector = hyperkill_core::SelectorId(place.count());
        let model = blasted(&found);
        let seen = |variant: Variant| -> Vec<u64> {
            let simulator = Simulator::for_variant(&model, variant);
            let mut lanes = simulator.lanes::<1>();
            lanes.reset(|_| [0]);
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            for input in 0..model.aig.inputs().len() {
                lanes.set_input(input, [rng.next_u64()]);
            }
            lanes.eval();
            let bits = model.outputs.iter().flat_map(|port| &port.bits);
            bits.map(|&bit| lanes.value(model.aig.outputs[bit].lit)[0])
                .collect()
        };
        let differs = seen(Variant::Original) != seen(Variant::Mutant(selector));
        assert_eq!(differs, shows);
    }
}

#[test]
fn an_unknown_function_gives_equal_values_for_equal_inputs_at_all_times() {
    let text = "module m (input clk, input [1:0] a, b, output [2:0] x, y, output reg [2:0] z);
      f u (.i(a), .o(x)); f v (.i(b), .o(y));
      always @(posedge clk) z <= x;
    endmodule";
    let found = read(&[text], ("f", BoxKind::Function));
    assert_eq!(of_role(&found, InputRole::Test), ["f@function", "a", "b"]);
    assert_eq!(of_role(&found, InputRole::Choice), Vec::<String>::new());
    assert_eq!(outputs(&found), ["x", "y", "z"]);
    let model = blasted(&found);
    let simulator = Simulator::for_variant(&model, Variant::Original);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|latch| {
        assert!(latch < model.aig.latches().len());
        [0]
    });
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut table = 0u64;
    for step in 0..40 {
        let mut given = [
            rng.random_range(0..1u64 << 12),
            rng.random_range(0..4),
            rng.random_range(0..4),
        ];
        if step == 0 {
            table = given[0];
        } else {
            given[0] = rng.random_range(0..1u64 << 12);
        }
        for (port, value) in model.inputs.iter().zip(given) {
            for (i, &bit) in port.bits.iter().enumerate() {
                lanes.set_input_everywhere(bit, value >> i & 1 == 1);
            }
        }
        lanes.eval();
        let value = |name: &str| -> u64 {
            let port = model
                .outputs
                .iter()
                .find(|port| port.name == name)
                .expect("an output");
            let bits = port.bits.iter().enumerate();
            bits.map(|(i, &bit)| (lanes.value(model.aig.outputs[bit].lit)[0] & 1) << i)
                .sum()
        };
        let entry = |input: u64| table >> (3 * input) & 7;
        assert_eq!(value("x"), entry(given[1]), "step {step}");
        assert_eq!(value("y"), entry(given[2]), "step {step}");
        lanes.step();
    }
}

#[test]
fn a_register_behind_an_unknown_function_is_unknown_after_a_reset() {
    let text = "module m (input clk, rst, a, output reg q);
      wire o; f u (.i(a), .o(o));
      always @(posedge clk) if (rst) q <= o; else q <= a;
    endmodule";
    let options = FrontendOptions {
        operators: Some(hyperkill_frontend::NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            top: Some("m".to_owned()),
            resets: vec![hyperkill_frontend::ResetOption {
                name: "rst".to_owned(),
                active: Some(true),
                steps: Some(2),
            }],
            boxes: Boxes {
                modules: vec![BoxOption {
                    name: "f".to_owned(),
                    kind: BoxKind::Function,
                }],
                stubs: 0,
            },
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options);
    let system = found.unwrap_or_else(|errors| panic!("{errors:?}")).system;
    let register = system.states.iter().find(|state| state.name == "q");
    let init = &register.expect("a register").init;
    assert_eq!(*init, hyperkill_core::system::Init::Free);
}

#[test]
fn instances_with_other_parameters_are_other_functions() {
    let text = "module m (input a, b, output [3:0] y);
      f #(1) u (.i(a), .o(y[0])); f #(2) v (.i(a), .o(y[1])); f #(1) w (.i(b), .o(y[2])); f #(.N(2)) x (.i(b), .o(y[3]));
    endmodule";
    let found = read(&[text], ("f", BoxKind::Function));
    let tables = of_role(&found, InputRole::Test);
    let tables = tables.iter().filter(|name| name.contains("@function"));
    assert_eq!(tables.count(), 3);
}

#[test]
fn a_file_that_stands_in_defines_modules_and_has_no_mutants() {
    let broken = "`default_nettype wire
      module pll (input clk, input [3:0] d, output [3:0] q); $unreadable %%; endmodule
      `default_nettype none
      module other (input x, output y); assign y = !x; endmodule";
    let stub = "module pll #(parameter N = 1) (input clk, input [3:0] d, output [3:0] q); assign q = d + N; endmodule";
    let found = translate(&[MISSING, broken, stub], 1, None);
    let found = found.unwrap_or_else(|error| panic!("{error:?}"));
    assert!(of_role(&found, InputRole::Choice).is_empty());
    assert!(!found.catalogue.is_empty());
    assert!(
        found
            .catalogue
            .iter()
            .all(|(mutant, _)| mutant.place.file == "0.sv")
    );
}

#[test]
fn a_design_without_outputs_is_observed_at_its_boxes() {
    let text = "module m (input a, b); reg r; sink s (.d(a & b)); endmodule";
    assert_eq!(outputs(&read(&[text], ("sink", OBSERVED))), ["s.d"]);
}

#[test]
fn boxes_that_have_no_meaning_are_refused_with_what_helps() {
    let refused = |text: &str, module: Option<(&str, BoxKind)>| {
        let error = translate(&[text], 0, module).err();
        let error = error.unwrap_or_else(|| panic!("this is not refused\n{text}"));
        (error.message, error.help.unwrap_or_default())
    };
    let (message, help) = refused(MISSING, None);
    assert_eq!(message, "there is no module `pll`");
    for option in ["--stub", "--blackbox pll", "--function pll"] {
        assert!(help.contains(option), "{help}");
    }
    let chain =
        "module m (input a, output y); wire n; p u (.i(a), .o(n)); p v (.i(n), .o(y)); endmodule";
    let (message, help) = refused(chain, Some(("p", BoxKind::Function)));
    assert!(
        message.contains("`n` is connected to `u.o` and `v.i`"),
        "{message}"
    );
    assert!(help.contains("--stub"), "{help}");
    let partly = "module m (input a, output y); wire [1:0] n; assign n[0] = a; p u (.o(n)); assign y = n[1]; endmodule";
    let (message, _) = refused(partly, Some(("p", OBSERVED)));
    assert!(message.contains("driven and undriven bits"), "{message}");
    for text in [
        "module m (input a, output y); p u (.*); endmodule",
        "module m (input a, output y); p u [1:0] (.i(a), .o(y)); endmodule",
    ] {
        assert!(refused(text, Some(("p", OBSERVED))).1.contains("--stub"));
    }
    let (message, _) = refused(MISSING, Some(("pl", OBSERVED)));
    assert_eq!(message, "there is no module `pll`");
    let unused = "module m (input a, output y); assign y = a; endmodule";
    let (message, _) = refused(unused, Some(("p", BoxKind::Function)));
    assert_eq!(
        message,
        "--function p: the design has no instance of this module"
    );
    assert!(
        refused(unused, Some(("m", OBSERVED)))
            .0
            .contains("this is the top module")
    );
    let wide = "module m (input [15:0] a, output y); p u (.i(a), .o(y)); endmodule";
    let (message, help) = refused(wide, Some(("p", BoxKind::Function)));
    assert!(
        message.contains("16 bits") && help.contains("--blackbox"),
        "{message} {help}"
    );
}

#[test]
fn a_net_between_boxes_alone_is_a_choice_whoever_drives_it() {
    let text = "module m (input clk, d, output reg q, output y); wire fb, c;
      pll u (.i(clk), .fbo(fb), .fbi(fb), .o(c)); gate v (.a(c), .b(d));
      always @(posedge c) q <= d; assign y = fb;
    endmodule
    module gate (input a, b); endmodule";
    let found = read(&[text], ("pll", OBSERVED));
    assert_eq!(of_role(&found, InputRole::Choice), ["fb"]);
    assert_eq!(of_role(&found, InputRole::Test), ["clk", "d"]);
    assert_eq!(outputs(&found), ["q", "y", "u.i"]);
}

#[test]
fn heads_let_boxes_be_connected_to_each_other() {
    let text =
        "module m (input a, output y); wire n; p u (.i(a), .o(n)); p v (.i(n), .o(y)); endmodule";
    let head = "module p (input i, output o); endmodule";
    let found = read(&[text, head], ("p", OBSERVED));
    assert_eq!(of_role(&found, InputRole::Choice), ["v.o", "u.o"]);
    assert_eq!(outputs(&found), ["y", "u.i", "v.i"]);
}
