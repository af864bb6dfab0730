//! Types, parameters and values of SystemVerilog: outputs of modules compared with values derived from IEEE 1800-2017.

use std::collections::BTreeMap;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alone::{Compared, compare};
use crate::streams::STREAMS;

fn translate(texts: &[&str], options: FrontendOptions) -> Result<Translation, Vec<Diagnostic>> {
    let files = texts.iter().enumerate();
    let files: Vec<SourceFile> = files
        .map(|(i, text)| SourceFile::new(format!("{i}.sv"), *text))
        .collect();
    VerilogFrontend.translate(&files, &options)
}

fn options(top: &str) -> FrontendOptions {
    FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        hardware: HardwareOptions {
            top: Some(top.to_owned()),
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Outputs of a module without state on 64 random inputs. Reads out of bounds give all 0 in half of them, and all 1 in the others.
pub(crate) struct Run {
    inputs: BTreeMap<String, Vec<u64>>,
    outputs: BTreeMap<String, Vec<u64>>,
}

impl Run {
    fn of(texts: &[&str], options: FrontendOptions) -> Run {
        let found = translate(texts, options);
        let found = found.unwrap_or_else(|errors| panic!("{errors:?}\n{}", texts.join("\n")));
        let model = bit_blast(&found.system).expect("a circuit").model;
        let simulator = Simulator::for_variant(&model, Variant::Original);
        let mut lanes = simulator.lanes::<1>();
        lanes.reset(|_| [0]);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut inputs = BTreeMap::new();
        for port in &model.inputs {
            let mut values = vec![0; 64];
            for (i, &bit) in port.bits.iter().enumerate() {
                let lane = rng.next_u64();
                lanes.set_input(bit, [lane]);
                for (at, value) in values.iter_mut().enumerate() {
                    *value |= (lane >> at & 1) << i;
                }
            }
            inputs.insert(port.name.clone(), values);
        }
        for &bit in model.choices.iter().flat_map(|port| &port.bits) {
            lanes.set_input(bit, [u64::MAX << 32]);
        }
        lanes.eval();
        let mut outputs = BTreeMap::new();
        for port in &model.outputs {
            let mut values = vec![0; 64];
            for (i, &bit) in port.bits.iter().enumerate() {
                let lane = lanes.value(model.aig.outputs[bit].lit)[0];
                for (at, value) in values.iter_mut().enumerate() {
                    *value |= (lane >> at & 1) << i;
                }
            }
            outputs.insert(port.name.clone(), values);
        }
        Run { inputs, outputs }
    }

    /// Compares an output with its expected value, a function of the inputs by name.
    pub(crate) fn check(&self, output: &str, expected: impl Fn(&dyn Fn(&str) -> u64) -> u64) {
        for at in 0..64 {
            let input = |name: &str| self.inputs[name][at];
            assert_eq!(
                self.outputs[output][at],
                expected(&input),
                "`{output}` with {:?}",
                (self.inputs.iter())
                    .map(|(name, values)| format!("{name}={}", values[at]))
                    .collect::<Vec<_>>()
            );
        }
    }

    /// Checks the values of an output by a condition on them and on the inputs by name.
    pub(crate) fn check_where(
        &self,
        output: &str,
        holds: impl Fn(&dyn Fn(&str) -> u64, u64) -> bool,
    ) {
        for at in 0..64 {
            let input = |name: &str| self.inputs[name][at];
            let value = self.outputs[output][at];
            assert!(holds(&input, value), "`{output}` is {value}, run {at}");
        }
    }
}

pub(crate) fn run(text: &str) -> Run {
    Run::of(&[text], options("m"))
}

/// Returns the first error of a text, with its line.
pub(crate) fn refused(text: &str) -> (String, usize) {
    let errors = match translate(&[text], options("m")) {
        Err(errors) => errors,
        Ok(_) => panic!("this is not refused\n{text}"),
    };
    let span = errors[0].span.unwrap_or_else(|| panic!("{errors:?}"));
    let line = text[..span.start].matches('\n').count() + 1;
    (errors[0].message.clone(), line)
}

const TYPED_PARAMETERS: &str = "
module m #(parameter logic [3:0] A = 20, parameter logic B = 2, parameter byte S = 8'hff, parameter byte unsigned T = 8'hff,
           parameter int unsigned U = 32'hffff_fffe, parameter integer I = 32'hffff_fffe, parameter signed N = 4'd9,
           parameter longint L = 5, parameter shortint H = 16'h8000)
    (input [3:0] a, output [7:0] o, output [1:0] p, output [6:0] q, output [15:0] w);
  assign o = {A, a};
  assign p = {B, a[0]};
  assign q = {S < 0, T < 0, U < 0, I < 0, N < 0, U > a, H < 0};
  assign w = {$bits(A), 2'b0} + $bits(L) + $bits(H) + $bits(S);
endmodule";

#[test]
fn a_parameter_with_a_type_has_its_width_and_sign() {
    let found = run(TYPED_PARAMETERS);
    found.check("o", |of| 4 << 4 | of("a"));
    found.check("p", |of| of("a") & 1);
    found.check("q", |_| 0b100_1111);
    found.check("w", |_| (4 << 2) + 64 + 16 + 8);
}

const UNSIGNED_VARIABLES: &str = "
module m(input [31:0] a, input [7:0] b, output [4:0] o);
  int unsigned x; int y; byte unsigned u; byte s;
  assign x = a; assign y = a; assign u = b; assign s = b;
  assign o = {x < 0, y < 0, u < 0, s < 0, int'(u) == b};
endmodule";

#[test]
fn a_variable_that_is_said_to_be_unsigned_is() {
    let found = run(UNSIGNED_VARIABLES);
    found.check("o", |of| (of("a") >> 31) << 3 | (of("b") >> 7) << 1 | 1);
}

const PARTS: &str = "
package p;
  typedef enum logic [1:0] {RED = 1, GREEN, BLUE} colour_t;
  typedef struct packed {logic [2:0] high; colour_t colour; logic low;} pixel_t;
  localparam pixel_t DARK = '{high: 3'd1, colour: BLUE, low: 1'b0};
endpackage
module inner #(parameter p::pixel_t P = p::DARK, parameter int unsigned K [3] = '{7, 8, 9}, parameter type T = p::pixel_t)
    (input [1:0] i, input T t, output T o, output [7:0] k, output [P.high-1:0] wide);
  assign o = T'(P ^ t);
  assign k = K[1] + K[i % 3];
  assign wide = '1;
endmodule
module m(input [1:0] i, input [5:0] t, output [5:0] o, p, output [7:0] k, l, output [3:0] x, output [1:0] y);
  import p::*;
  localparam pixel_t BRIGHT = '{colour: GREEN, low: 1'b1, default: 3'd2};
  wire w;
  wire [1:0] v;
  inner one (.i(i), .t(t), .o(o), .k(k), .wide(w));
  inner #(.P(BRIGHT), .K('{3, 2, 1}), .T(logic [5:0])) two (.i(i), .t(t), .o(p), .k(l), .wide(v));
  assign x = {w, v, BRIGHT.colour == GREEN};
  assign y = DARK.colour;
endmodule";

#[test]
fn instances_have_parameters_of_their_own_that_are_structs_arrays_and_types() {
    let found = run(PARTS);
    let third = |of: &dyn Fn(&str) -> u64| of("i") % 3;
    found.check("o", |of| 0b00_1110 ^ of("t"));
    found.check("p", |of| 0b01_0101 ^ of("t"));
    found.check("k", |of| 8 + 7 + third(of));
    found.check("l", |of| 2 + 3 - third(of));
    found.check("x", |_| 0b1111);
    found.check("y", |_| 3);
}

const SHAPES: &str = "
module m(input [7:0] a, output [7:0] o, output [3:0] c, output [2:0] r);
  localparam struct {int unsigned width; int unsigned turns [2];} C = '{width: 3, turns: '{2, 5}};
  localparam logic [0:3] ROW = 4'b1000;
  logic [C.width-1:0] x;
  assign x = a;
  assign o = {x, {5{1'b0}}};
  logic [3:0] n; assign c = n;
  always_comb begin n = 0; for (int i = C.turns[0]; i < C.turns[1]; i++) n += a[i]; end
  if (C.turns[1] == 5) begin : five assign r = {ROW[0], ROW[3], ROW[0:1] == 2'b10}; end
endmodule";

#[test]
fn parts_of_parameters_shape_a_design() {
    let found = run(SHAPES);
    found.check("o", |of| (of("a") % 8) << 5);
    found.check("c", |of| u64::from((of("a") >> 2 & 7).count_ones()));
    found.check("r", |_| 0b101);
}

const ENUMS: &str = "
typedef logic [2:0] three_t;
typedef enum three_t {P = 5, Q} named_t;
module m(input [2:0] a, output [7:0] w, output [4:0] s, output [3:0] n);
  typedef enum logic {NO, YES} bit_t;
  typedef enum logic signed [2:0] {LOW = -3, NEXT} signed_t;
  typedef enum byte {B0 = 127} byte_t;
  typedef enum int unsigned {BIG = 32'hffff_ffff} big_t;
  typedef enum {I0 = -1, I1} plain_t;
  typedef enum logic [3:0] {A[2] = 4, B[3:1]} many_t;
  bit_t b; assign b = bit_t'(a[0]);
  assign w = $bits(bit_t) + $bits(signed_t) + $bits(byte_t) + $bits(big_t) + $bits(plain_t) + $bits(named_t);
  assign s = {LOW < 0, NEXT == -2, BIG > 0, I1 == 0, b == YES};
  assign n = a == Q ? A1 : a == P ? B3 : B1;
endmodule";

#[test]
fn names_of_an_enum_count_on_in_its_base() {
    let found = run(ENUMS);
    found.check("w", |_| 1 + 3 + 8 + 32 + 32 + 3);
    found.check("s", |of| 0b11110 | of("a") & 1);
    found.check("n", |of| match of("a") {
        6 => 5,
        5 => 6,
        _ => 8,
    });
}

const STRUCTS: &str = "
module m(input [15:0] a, input [1:0] i, output [3:0] o, output [15:0] p, output [2:0] s, output signed [7:0] e);
  typedef struct packed signed {logic [2:0] x; logic y;} signed_t;
  typedef struct {logic [3:0] v [4]; } array_t;
  typedef logic signed [3:0] nibble_t;
  typedef union packed {logic [15:0] all; nibble_t [3:0] parts; struct packed {logic [7:0] h, l;} halves;} any_t;
  signed_t t; assign t = a[3:0];
  array_t r; assign r = '{v: '{a[3:0], a[7:4], a[11:8], a[15:12]}};
  any_t u;
  always_comb begin u.all = a; u.halves.l = ~a[7:0]; u.parts[3] = 4'd6; end
  assign o = r.v[i];
  assign p = u;
  assign s = {t < 0, t.x < 0, t.y};
  // An element of a named type that is signed is signed (IEEE 1800-2017 7.4.1).
  assign e = u.parts[i];
endmodule";

#[test]
fn the_first_part_of_a_struct_is_the_most_significant_one() {
    let found = run(STRUCTS);
    let union = |a: u64| 6 << 12 | a & 0xf00 | !a & 0xff;
    found.check("o", |of| of("a") >> (4 * of("i")) & 15);
    found.check("p", |of| union(of("a")));
    found.check("s", |of| (of("a") >> 3 & 1) << 2 | of("a") & 1);
    found.check("e", |of| {
        let element = union(of("a")) >> (4 * of("i")) & 15;
        element | if element > 7 { 0xf0 } else { 0 }
    });
}

const ROUTINES: &str = "
package list;
  typedef logic [3:0] list_t [4];
  function automatic list_t sorted(input list_t l);
    list_t s = l;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 3; j++)
        if (s[j] > s[j + 1]) begin logic [3:0] t; t = s[j]; s[j] = s[j + 1]; s[j + 1] = t; end
    return s;
  endfunction
  function automatic int less(int a, int b = 3); return a - b; endfunction
endpackage
module m(input [15:0] a, output [15:0] o, output [7:0] p, q, output [3:0] k);
  import list::*;
  list_t l, s, r;
  assign l = '{a[3:0], a[7:4], a[11:8], a[15:12]};
  assign s = sorted(.l(l));
  assign o = {s[0], s[1], s[2], s[3]};
  assign p = less(.b(1), .a(a[3:0]));
  assign q = less(a[3:0]);
  task automatic turn(input list_t from, output list_t to); for (int i = 0; i < 4; i++) to[i] = from[3 - i]; endtask
  always_comb turn(.to(r), .from(l));
  assign k = r[0];
  localparam list_t FIXED = sorted('{3, 1, 2, 0});
  if (FIXED[3] != 3) $error(\"not sorted\");
endmodule";

#[test]
fn routines_take_and_return_arrays_and_have_arguments_by_name() {
    let found = run(ROUTINES);
    found.check("o", |of| {
        let mut all: Vec<u64> = (0..4).map(|i| of("a") >> (4 * i) & 15).collect();
        all.sort_unstable();
        all.iter().fold(0, |word, one| word << 4 | one)
    });
    found.check("p", |of| (of("a") % 16).wrapping_sub(1) & 0xff);
    found.check("q", |of| (of("a") % 16).wrapping_sub(3) & 0xff);
    found.check("k", |of| of("a") >> 12);
}

const PATTERNS: &str = "
module m(input [3:0] a, input s, output [11:0] o, p, output [7:0] q, output [3:0] f);
  typedef struct packed {logic [3:0] x, y, z;} t;
  typedef logic [1:0][3:0] pair_t;
  typedef struct packed {pair_t both; logic [3:0] one;} deep_t;
  t u; deep_t d;
  assign u = s ? '0 : '{y: a, default: 4'd9};
  assign o = u;
  assign p = t'{a, 4'd1, ~a};
  assign q = pair_t'{2{a}};
  assign d = '{both: '{0: a, 1: 4'd2}, one: 4'd3};
  assign f = d.both[1] ^ d.both[0];
endmodule";

#[test]
fn patterns_take_their_type_from_what_they_are_given_to_or_from_their_name() {
    let found = run(PATTERNS);
    found.check("o", |of| match of("s") {
        1 => 0,
        _ => 9 << 8 | of("a") << 4 | 9,
    });
    found.check("p", |of| of("a") << 8 | 1 << 4 | !of("a") & 15);
    found.check("q", |of| of("a") * 17);
    found.check("f", |of| 2 ^ of("a"));
}

const SELECTIONS: &str = "
module m(input [35:0] a, input [1:0] i, j, output [1:0] o, output logic p);
  typedef struct packed {logic [2:0] f; logic v;} t;
  t [2:0][2:0] all;
  assign all = a;
  for (genvar k = 0; k < 2; k++) begin : g assign o[k] = all[k][k + 1].f[1:0] == 2'b11; end
  always_comb p = i < 3 && j < 3 ? all[i][j].v : 1'b0;
endmodule";

#[test]
fn a_part_is_selected_after_several_indices() {
    let found = run(SELECTIONS);
    let part = |a: u64, i: u64, j: u64| a >> (4 * (3 * i + j)) & 15;
    found.check("o", |of| {
        let bit = |k: u64| u64::from(part(of("a"), k, k + 1) >> 1 & 3 == 3);
        bit(1) << 1 | bit(0)
    });
    found.check("p", |of| match (of("i"), of("j")) {
        (i, j) if i < 3 && j < 3 => part(of("a"), i, j) & 1,
        _ => 0,
    });
}

#[test]
fn each_element_of_an_array_at_the_top_is_a_port() {
    let found = run(
        "module m(input [3:0] a [2], input b [1:0][3], output logic [4:0] o [1:2]);
           always_comb begin o[1] = a[0] + a[1]; o[2] = {b[1][2], b[0][0], b[0][1], b[0][2], a[1][0]}; end
         endmodule",
    );
    found.check("o[1]", |of| of("a[0]") + of("a[1]"));
    found.check("o[2]", |of| {
        let bits = ["b[1][2]", "b[0][0]", "b[0][1]", "b[0][2]"];
        let high = bits.iter().fold(0, |word, name| word << 1 | of(name));
        high << 1 | of("a[1]") & 1
    });
}

#[test]
fn files_may_come_in_any_order() {
    let module = "module m import p::*; (input t a, output t o); u_t b; assign b = a; assign o = b + ONE; endmodule";
    let package =
        "package p; typedef logic [2:0] t; localparam t ONE = 9; endpackage typedef p::t u_t;";
    for texts in [[module, package], [package, module]] {
        let found = Run::of(&texts, options("m"));
        found.check("o", |of| (of("a") + 1) % 8);
    }
}

#[test]
fn an_imported_function_knows_the_names_of_its_package() {
    let found = run("
        package p;
          typedef enum logic [1:0] {NO = 1, YES} t;
          function automatic logic yes(longint unsigned of, shortint unsigned from = 1); return of - from == YES; endfunction
        endpackage
        module m import p::yes; (input [1:0] a, output [1:0] o);
          for (genvar i = 0; i < 2; ++i) begin : g assign o[i] = yes(a, i); end
        endmodule");
    found.check("o", |of| {
        u64::from(of("a") == 3) << 1 | u64::from(of("a") == 2)
    });
}

#[test]
fn macros_paste_comments_and_go_on_after_those_of_one_line() {
    let found = run(
        "`define FLIP(x, y = 1'b0) \\
           `ifndef NONE \\
           /``* synopsys keep `\"x`\" **``/ \\
           `endif \\
           // flips \\
           (x ^ y)
         typedef struct packed {logic free; logic [1:0] rest;} t;
         module m(input [2:0] a, output [2:0] o); assign o = `FLIP(a, t'{free: 1'b1, default: 2'd1}); endmodule",
    );
    found.check("o", |of| of("a") ^ 0b101);
}

#[test]
fn a_macro_that_no_source_asks_for_is_a_warning() {
    let mut options = options("m");
    options.constants = vec![("SYNTHESIS".to_owned(), String::new())];
    let found = translate(
        &["module m(input a, output o); assign o = a; endmodule"],
        options,
    );
    let found = found.expect("a design");
    let messages: Vec<&str> = (found.warnings.iter())
        .map(|warning| warning.message.as_str())
        .collect();
    assert_eq!(
        messages,
        ["-D SYNTHESIS: the sources ask for no macro of this name"]
    );
}

#[test]
fn a_parameter_without_default_must_be_set() {
    let text =
        "module m #(parameter int P, Q)(input a, output [3:0] o);\nassign o = P + Q; endmodule";
    let (message, line) = refused(text);
    assert_eq!(
        message,
        "nobody sets the parameter `P`, which has no default"
    );
    assert_eq!(line, 1);
    let mut set = options("m");
    set.hardware.parameters = vec![
        ("P".to_owned(), "3".to_owned()),
        ("Q".to_owned(), "4".to_owned()),
    ];
    let found = Run::of(&[text], set);
    found.check("o", |_| 7);
}

fn with_parameters(top: &str, parameters: &[(&str, &str)]) -> FrontendOptions {
    let mut set = options(top);
    let parameters = parameters.iter();
    let parameters = parameters.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    set.hardware.parameters = parameters.collect();
    set
}

#[test]
fn an_option_sets_a_type_by_its_name_or_its_text() {
    let text = "package p; typedef struct packed {logic [1:0] k; logic [5:0] v;} t; endpackage
         module m #(parameter type T = logic, localparam int W = $bits(T))(input T a, output [5:0] o, output [7:0] w);
         assign o = a.v; assign w = W; endmodule";
    for (given, width) in [
        ("p::t", 8),
        ("struct packed {logic [5:0] v; logic [2:0] k;}", 9),
        ("struct packed {p::t k; logic [5:0] v;}", 14),
    ] {
        let found = Run::of(&[text], with_parameters("m", &[("T", given)]));
        let low = if width == 9 { 3 } else { 0 };
        found.check("o", |of| of("a") >> low & 63);
        found.check("w", |_| width);
    }
    for (name, given, expected) in [
        ("T", "3", "`T` is a type, and is set to a value"),
        ("U", "p::t", "-P U: `m` has no such parameter"),
    ] {
        let found = translate(&[text], with_parameters("m", &[(name, given)]));
        let errors = found.expect_err("a wrong option");
        assert_eq!(errors[0].message, expected);
    }
}

#[test]
fn an_option_sets_a_type_with_signing_and_bounds() {
    let text = "package p; typedef logic [2:0] t; endpackage
         typedef logic signed [4:0] s;
         module m #(parameter type T = logic)(input [7:0] a, output [7:0] w, output negative);
         T v; assign v = a; assign w = $bits(T); assign negative = v < 0; endmodule";
    for (given, width, signed) in [
        ("byte unsigned", 8, false),
        ("byte signed", 8, true),
        ("byte", 8, true),
        ("int signed", 32, true),
        ("int unsigned", 32, false),
        ("integer unsigned", 32, false),
        ("shortint unsigned", 16, false),
        ("longint", 64, true),
        ("time", 64, false),
        ("logic [7:0]", 8, false),
        ("logic signed [7:0]", 8, true),
        ("reg unsigned [3:0]", 4, false),
        ("bit", 1, false),
        ("bit signed [2:0]", 3, true),
        ("logic [1:0][2:0]", 6, false),
        ("p::t", 3, false),
        ("p::t [1:0]", 6, false),
        ("s", 5, true),
        ("s [2:0]", 15, false),
    ] {
        let found = Run::of(&[text], with_parameters("m", &[("T", given)]));
        found.check("w", |_| width);
        let sign = width.min(8) - 1;
        let negative = |a: u64| u64::from(signed && width <= 8 && a >> sign & 1 == 1);
        found.check("negative", |of| negative(of("a")));
    }
    for given in [
        "byte [1:0]",
        "int unsigned signed",
        "logic [1:0] 3",
        "unsigned",
    ] {
        let found = translate(&[text], with_parameters("m", &[("T", given)]));
        let errors = found.expect_err("no type");
        assert!(errors[0].message.starts_with("-P "), "{errors:?}");
    }
}

#[test]
fn an_option_sets_parameters_of_an_interface_that_a_port_is() {
    let text = "interface bus #(parameter int W = 0, parameter type T = logic); logic [W-1:0] d; T t; modport in(input d, t);
         endinterface
         module m(bus.in i, bus.in k, output [7:0] o, p);
         assign o = $bits(i.d) + 16 * $bits(k.d); assign p = $bits(i.t) + 16 * $bits(k.t); endmodule";
    let given = [("i.W", "3"), ("k.W", "5"), ("k.T", "logic [3:0]")];
    let found = Run::of(&[text], with_parameters("m", &given));
    found.check("o", |_| 3 + 16 * 5);
    found.check("p", |_| 1 + 16 * 4);
    for (name, expected) in [
        ("i.V", "-P i.V: `bus` has no such parameter"),
        (
            "o.W",
            "-P o.W: `m` has no port of an interface of this name",
        ),
    ] {
        let found = translate(&[text], with_parameters("m", &[(name, "1")]));
        let errors = found.expect_err("a wrong option");
        assert_eq!(errors[0].message, expected);
    }
}

#[test]
fn a_bound_below_0_without_a_sign_is_that_of_simulators() {
    // Verilator 5.006 says that the vector has 2 bits.
    let text = "module m #(parameter int unsigned W = 0)(input a, output [3:0] o); logic [W-1:0] v; assign v = a;
         assign o = $bits(v); endmodule";
    run(text).check("o", |_| 2);
    let warnings = translate(&[text], options("m")).expect("a model").warnings;
    let about = warnings.iter().filter(|w| w.message.contains("-1 and 0"));
    assert_eq!(about.count(), 1, "{warnings:?}");
}

#[test]
fn parts_of_vectors_of_vectors_have_variable_places() {
    let text = "
        module m(input [3:0][2:0] a, input signed [2:0] i, input [5:0] d, output [5:0] o, p, q, output logic [3:0][2:0] w,
          output logic [0:3][2:0] u);
          typedef struct packed {logic [1:0] k; logic [3:0][2:0] v; logic l;} t;
          t s; assign s = '{2'b10, a, 1'b1};
          assign o = a[i +: 2]; assign p = a[i -: 2]; assign q = s.v[i +: 2];
          always_comb begin w = a; w[i +: 2] = d; end
          always_comb begin u = a; u[i +: 2] = d; end
        endmodule";
    let found = run(text);
    // Elements outside are unknown: half of the runs read 0 there, the others 1. Only elements inside are checked, and what is assigned.
    let place = |of: &dyn Fn(&str) -> u64| {
        let i = of("i") as i64;
        if i > 3 { i - 8 } else { i }
    };
    let element = |word: u64, at: i64| (word >> (3 * at)) & 7;
    let inside = |at: i64| (0..4).contains(&at);
    for (name, down) in [("o", 0), ("p", 1)] {
        found.check_where(name, |of, value| {
            let low = place(of) - down;
            [0, 1]
                .into_iter()
                .all(|k| !inside(low + k) || element(value, k) == element(of("a"), low + k))
        });
    }
    found.check_where("q", |of, value| {
        let low = place(of);
        !(inside(low) && inside(low + 1))
            || [0, 1]
                .into_iter()
                .all(|k| element(value, k) == element(of("a"), low + k))
    });
    let written = |word: u64, at: i64, value: u64| match inside(at) {
        true => word & !(7 << (3 * at)) | value << (3 * at),
        false => word,
    };
    found.check("w", |of| {
        let (low, d) = (place(&of), of("d"));
        written(written(of("a"), low, d & 7), low + 1, d >> 3)
    });
    // Element `k` of `[0:3]` is the one at the place `3 - k`; the first one of a part is the most significant.
    found.check("u", |of| {
        let (first, d) = (place(&of), of("d"));
        written(written(of("a"), 3 - first, d >> 3), 2 - first, d & 7)
    });
}

#[test]
fn a_path_leads_to_a_routine_of_a_block_or_an_instance() {
    let text = "
        module sub #(parameter int K = 1)(input a); function automatic logic [3:0] add(logic [3:0] v); return v + K; endfunction
        endmodule
        module m #(parameter int W = 2)(input [3:0] a, output [3:0] o, p);
          if (W == 2) begin : g
            function automatic logic [3:0] one(logic [3:0] v); return v ^ 5; endfunction
          end else begin : g
            function automatic logic [3:0] one(logic [3:0] v); return v; endfunction
          end
          sub #(3) s(a[0]);
          assign o = g.one(a); assign p = s.add(a);
        endmodule";
    let found = run(text);
    found.check("o", |of| of("a") ^ 5);
    found.check("p", |of| (of("a") + 3) & 15);
}

#[test]
fn a_real_number_may_be_a_parameter_that_reaches_no_logic() {
    let text = "module pll #(parameter real F = 1.5, parameter G = 2.5e3)(input a, output o); assign o = a; endmodule
         module m #(parameter real F = 12.5)(input a, output o); pll #(.F(F), .G(-3.0)) p(a, o); endmodule";
    run(text).check("o", |of| of("a"));
    let (message, line) = refused(
        "module m #(parameter real F = 1.5)(input a, output [3:0] o);\nassign o = F; endmodule",
    );
    assert_eq!(
        message,
        "a parameter that is a real number reaches logic here: not supported"
    );
    assert_eq!(line, 2);
}

#[test]
fn what_a_design_refuses_is_said_in_its_own_words() {
    let (message, line) = refused(
        "module m #(parameter P = 1)(input a, output o); assign o = a;\nif (P < 2) begin : g\n\
         $fatal(1, \"P is too small\");\nend endmodule",
    );
    assert_eq!(
        message,
        "the design refuses its parameters by `$fatal`: P is too small"
    );
    assert_eq!(line, 3);
}

#[test]
fn mutants_in_such_forms_are_what_their_own_texts_mean() {
    let mut compared = Compared::default();
    let clocked = "
        module m(input clk, input [1:0] i, input [3:0] a, output logic [3:0] o, output [3:0] p, output logic [2:0] q);
          localparam logic [3:0] TABLE [4] = '{1, 2 + 1, 7, 12};
          localparam logic [3:0][1:0] PACKED = '{2'd1, 2'd2, 2'd0, 2'd3};
          localparam int SHAPE [2] = '{2, 3};
          logic [SHAPE[1]-1:0] n;
          assign p = TABLE[i] + PACKED[i];
          always_ff @(posedge clk) o <= TABLE[a[1:0]] ^ a;
          always_comb begin n = 0; for (int k = 0; k < SHAPE[0]; k++) n[k] = a[k] & SHAPE[i[0]] > 2; end
          always_ff @(posedge clk) q <= {<<2{n}};
        endmodule";
    let texts = [
        UNSIGNED_VARIABLES,
        PARTS,
        SHAPES,
        ENUMS,
        STRUCTS,
        ROUTINES,
        STREAMS,
        PATTERNS,
        SELECTIONS,
        clocked,
    ];
    for text in texts {
        compare("such a form", text, &mut compared);
    }
    assert!(compared.designs > 150, "{}", compared.designs);
}

#[test]
fn a_table_has_mutants_unless_it_shapes_the_design() {
    let text = "
        module m(input [1:0] i, output [3:0] o, p);
          localparam logic [3:0] TABLE [4] = '{11, 12, 13, 14};
          localparam logic [3:0] FIXED [4] = '{3, 5, 6, 7};
          localparam W = FIXED[0];
          wire [W-1:0] w; assign w = '1;
          assign o = TABLE[i];
          assign p = FIXED[i] ^ w;
        endmodule";
    let found = translate(
        &[text],
        FrontendOptions {
            hardware: HardwareOptions {
                top: Some("m".to_owned()),
                ..HardwareOptions::default()
            },
            ..FrontendOptions::default()
        },
    );
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
    let changed: Vec<&str> = (found.catalogue.iter())
        .map(|(mutant, _)| mutant.original.as_str())
        .collect();
    for number in ["11", "12", "13", "14"] {
        assert!(changed.contains(&number), "{number} in {changed:?}");
    }
    for number in ["3", "5", "6", "7"] {
        assert!(!changed.contains(&number), "{number} in {changed:?}");
    }
}
