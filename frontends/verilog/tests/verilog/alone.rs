//! A mutant does not depend on other mutants. The text of a mutant, read alone, is a valid design iff the mutant in the family is valid,
//! and has the same outputs.

use std::path::PathBuf;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::system::Translation;
use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile, apply,
};
use hyperkill_verilog::VerilogFrontend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Reasons for which a mutant is set aside although its text is a design: the front end does not follow these changes.
pub(super) const NOT_FOLLOWED: &[&str] = &[
    "it would change the width or sign",
    "it would select outside the bounds",
    "which reads it and does not wait for it",
    NEW_LATCH,
];
/// The reason for which a mutant is set aside that makes a latch, unless its block is one in the design.
const NEW_LATCH: &str = "it would make a latch of a block that is none";

/// Returns the files in a folder of `tests/models` with their texts; with `file`, this file of each of its folders.
pub(super) fn models(name: &str, file: Option<&str>) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models");
    let entries = std::fs::read_dir(folder.join(name)).expect("the models are there");
    let mut found: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let path = file.map_or(path.clone(), |file| path.join(file));
            let text = std::fs::read_to_string(&path).expect("a model");
            (path.to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    found
}

/// The request to the front end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The design without mutants.
    Alone,
    /// The design with its mutants.
    Mutants,
}

fn translate(
    sources: &[SourceFile],
    asked: Asked,
    resets: bool,
) -> Result<Translation, Vec<Diagnostic>> {
    VerilogFrontend.translate(sources, &options(asked, resets))
}

/// Returns the options for a request.
pub(super) fn options(asked: Asked, resets: bool) -> FrontendOptions {
    FrontendOptions {
        // All operators, including operators that are off by default.
        operators: Some(NamePredicate::new(move |_| asked == Asked::Mutants)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: !resets,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    }
}

pub(super) fn blasted(found: &Translation) -> ConditionalMutant {
    bit_blast(&found.system).expect("a circuit").model
}

/// Returns the outputs of a variant on random inputs, step by step; choices are 0. Some runs have inputs that are rarely 1 or rarely 0, so
/// that a reset is not active at every other step.
pub(super) fn outputs(model: &ConditionalMutant, variant: Variant, seed: u64) -> Vec<Vec<bool>> {
    let simulator = Simulator::for_variant(model, variant);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = Vec::new();
    for _ in 0..40 {
        for input in 0..model.aig.inputs().len() {
            lanes.set_input_everywhere(input, false);
        }
        for port in &model.inputs {
            for &bit in &port.bits {
                let (even, also) = (rng.next_u64(), rng.next_u64() & rng.next_u64());
                let (seldom, often) = (0xffff << 32, 0xffff << 48);
                let word = even & !seldom & !often | even & also & seldom | (even | also) & often;
                lanes.set_input(bit, [word]);
            }
        }
        lanes.eval();
        let value = |lit: Lit| lanes.value(lit)[0];
        let ports = model.outputs.iter().flat_map(|port| &port.bits);
        let words: Vec<u64> = ports
            .map(|&bit| value(model.aig.outputs[bit].lit))
            .collect();
        seen.push(
            words
                .iter()
                .flat_map(|word| (0..64).map(move |i| word >> i & 1 == 1))
                .collect(),
        );
        lanes.step();
    }
    seen
}

/// Whether a circuit has choices or free initial values. In a mutant's own text these have no counterpart in the family.
pub(super) fn is_free(model: &ConditionalMutant) -> bool {
    let mut latches = model.aig.latches().iter().enumerate();
    !model.choices.is_empty()
        || latches.any(|(i, latch)| {
            latch.reset == Reset::Free && model.selectors.iter().all(|s| s.latch != i)
        })
}

/// The counts of a comparison.
#[derive(Default)]
pub(crate) struct Compared {
    pub(crate) designs: usize,
    pub(crate) free: usize,
    pub(crate) invalid: usize,
}

/// Compares all mutants of a text with the translations of their own texts.
pub(crate) fn compare(name: &str, text: &str, compared: &mut Compared) {
    compare_files(name, &[SourceFile::new("m.v", text)], compared);
}

/// Compares all mutants of files with the translations of their own texts.
fn compare_files(name: &str, sources: &[SourceFile], compared: &mut Compared) {
    // The text of a mutant with another reset level begins its tests with another reset, so such mutants are compared without resets.
    for (resets, compares) in [
        (true, (|operator| operator != "RSP") as fn(&str) -> bool),
        (false, |operator| operator == "RSP"),
    ] {
        let featured = translate(sources, Asked::Mutants, resets);
        let featured = featured.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let model = blasted(&featured);
        for (mutant, reason) in &featured.catalogue {
            if compares(&mutant.operator) {
                compare_one(
                    name,
                    sources,
                    resets,
                    &model,
                    mutant,
                    reason.as_deref(),
                    compared,
                );
            }
        }
    }
}

fn compare_one(
    name: &str,
    sources: &[SourceFile],
    resets: bool,
    model: &ConditionalMutant,
    mutant: &Mutant,
    reason: Option<&str>,
    compared: &mut Compared,
) {
    let mut own = sources.to_vec();
    let file = own.iter_mut().find(|file| file.name == mutant.place.file);
    let file = file.expect("a file of the design");
    file.text = apply(&file.text, mutant).expect("the place fits");
    let text = file.text.clone();
    let alone = match (translate(&own, Asked::Alone, resets), reason) {
        (Ok(alone), None) => alone,
        (Err(_), Some(_)) => {
            compared.invalid += 1;
            return;
        }
        (Ok(alone), Some(reason)) => {
            // The mutant removes the only assignment of the variable.
            let mut notes = alone.role_notes.iter();
            let undriven = notes.any(|note| note.ends_with("nothing assigns it"));
            // In a mutant a race is an error; in a design it is a warning.
            let mut warnings = alone.warnings.iter().map(|warning| &warning.message);
            let races = warnings.any(|message| message.contains("gets its value by `=`"));
            let raced = races && reason.contains("simulators may take either");
            // Within one block, races are only reported for exchanges.
            let raced = raced
                || ["BNB", "BNC"].contains(&mutant.operator.as_str())
                    && reason.contains("is read after");
            let known =
                undriven || raced || NOT_FOLLOWED.iter().any(|known| reason.contains(known));
            assert!(known, "{name} {}: {reason}\n{text}", mutant.id);
            compared.invalid += usize::from(reason.contains(NEW_LATCH));
            return;
        }
        // The mutant removes the only assignment of a register that makes a clock.
        (Err(errors), None) if errors[0].message.contains("made by logic or a register") => {
            compared.invalid += 1;
            return;
        }
        (Err(errors), None) => panic!("{name} {}: {errors:?}\n{text}", mutant.id),
    };
    let alone = blasted(&alone);
    let mut selectors = model.selectors.iter();
    let index = selectors.position(|s| s.id == mutant.id);
    let family = outputs(
        model,
        Variant::Mutant(SelectorId(index.expect("a selector"))),
        3,
    );
    if family == outputs(&alone, Variant::Original, 3) {
        compared.designs += 1;
        return;
    }
    // Free initial values and choices have no counterpart.
    assert!(
        is_free(&alone),
        "{name} {} at line {}: {:?} to {:?}\n{text}",
        mutant.id,
        mutant.place.line,
        mutant.original,
        mutant.replacement
    );
    compared.free += 1;
}

#[test]
fn mutants_of_whole_designs_are_what_their_own_texts_mean() {
    let designs = models("verilog", Some("model.v"));
    assert!(designs.len() >= 25);
    let mut compared = Compared::default();
    for (name, text) in designs {
        compare(&name, &text, &mut compared);
    }
    assert!(compared.designs > 1000, "{}", compared.designs);
    assert!(compared.invalid > 20, "{}", compared.invalid);
    assert!(compared.free * 20 < compared.designs, "{}", compared.free);
}

#[test]
fn mutants_by_all_operators_in_all_places_are_what_their_own_texts_mean() {
    let designs = models("verilog-operators", None);
    assert!(designs.len() >= 10);
    let mut compared = Compared::default();
    for (name, text) in designs {
        compare(&name, &text, &mut compared);
    }
    assert!(compared.designs > 700, "{}", compared.designs);
    assert!(compared.free * 20 < compared.designs, "{}", compared.free);
}

/// Forms that the design files do not contain.
const RARE_FORMS: [&str; 4] = [
    "typedef struct packed {logic [2:0] x; logic y;} t;
     module m(input clk, input [2:0] a, input b, input [1:0] i, output [3:0] o, output [3:0] p, output q, r);
       t s; logic [3:0] w [0:3] = '{1, 2, 3, 4}, n [0:3];
       always_comb s = '{a + 1, ~b};
       assign o = s;
       always_comb begin n = b ? w : '{default: 4'd3}; n[i] = 5'(a); end
       always_ff @(posedge clk) w <= n;
       assign p = w[i];
       assign q = a inside {1, [3:5]} && a ==? 3'b1?0;
       assign r = signed'(a) < 2;
     endmodule",
    "module m(input [7:0] a, input [2:0] k, output logic [7:0] o, p, output logic [1:0] c);
       always_comb foreach (o[i]) o[i] = a[7 - i] & ~k[0];
       always_comb begin p = a; for (int i = 0, j = 7; i < 8; i++, j--) if (i != k) p[i] = p[i] ^ a[j]; end
       always_comb case (k) inside 1, [3:4]: c = 1; 3'b11?: c = 2; default: c = a[1:0] + 1; endcase
     endmodule",
    "primitive mux(y, s, a, b); output y; input s, a, b; table 0 1 ?:1; 0 0 ?:0; 1 ? 1:1; 1 ? 0:0; endtable endprimitive
     module m(input [3:0] a, b, input s, output [3:0] y, z, output u, v, w);
       tri0 [3:0] t; assign t = s ? a + 1 : 4'bz; assign y = t;
       and g [3:0] (z, a, b); mux (u, s, a[0] ^ b[0], b[1]);
       wand v; assign v = a[1] | s; assign v = b[1]; tri1 w; bufif1 (w, a[2] & b[2], s == 1);
     endmodule",
    "typedef union packed {logic [7:0] b; struct packed {logic [3:0] h, l;} n;} t;
     module m(input [7:0] a, input [3:0] d, output [7:0] p, output [3:0] o);
       function [3:0] f(input [3:0] x, input [3:0] y = 2); f = x - y; endfunction
       t v; always_comb begin v.b = a; if (d > 3) v.n.l = f(d); else v.n.h = f(d, 1); end
       assign p = v; assign o = $countones(a) + (2'd1 + $bits(d));
     endmodule",
];

#[test]
fn mutants_in_rare_forms_are_what_their_own_texts_mean() {
    let mut compared = Compared::default();
    for text in RARE_FORMS {
        compare("a rare form", text, &mut compared);
    }
    assert!(compared.designs > 120, "{}", compared.designs);
}

#[test]
fn mutants_in_files_that_are_included_more_than_once_are_in_all_their_places() {
    let included = |name: &str, text: &str| SourceFile {
        included: Some(name.to_owned()),
        ..SourceFile::new(name, text)
    };
    let sources = [
        SourceFile::new(
            "m.v",
            "module n(input [3:0] a, output [3:0] y);\n`include \"f.vh\"\nassign y = f(a);\nendmodule
             module m(input [3:0] a, b, output [3:0] y, z, w);\n`include \"f.vh\"
             n inner(a, y); assign z = f(b) ^ 4'd1;\nassign w =\n`include \"e.vh\"\n;endmodule\n",
        ),
        included(
            "f.vh",
            "function [3:0] f(input [3:0] x); if (x > 2) f = x + 4'd2; else f = ~x; endfunction\n",
        ),
        included("e.vh", "a & (b | 4'd1)\n"),
    ];
    let mut compared = Compared::default();
    compare_files("included files", &sources, &mut compared);
    assert!(compared.designs > 20, "{}", compared.designs);
}

/// Returns a module with one clock, a few inputs and this body.
fn module(inside: &str) -> String {
    format!(
        "module m (input clk, input [7:0] a, input [7:0] b, input s, input t, output reg [7:0] y);\n{inside}\nendmodule\n"
    )
}

fn compare_all(insides: &[&str]) -> Compared {
    let mut compared = Compared::default();
    for inside in insides {
        compare(inside, &module(inside), &mut compared);
    }
    compared
}

#[test]
fn assignments_in_blocks_without_memory_come_when_their_own_texts_say() {
    let compared = compare_all(&[
        "always @* if (s) y = a; else y = b;",
        "always @* if (s) y <= a; else y <= b;",
        "always @* if (s) y = a; else y <= b;",
        "always @* begin y = b; if (s) y = a; end",
        "always @* begin y = b; if (s) y = a; if (t) y = a + 1; end",
        "always @* begin y = b; if (s) begin y = a; if (t) y[3:0] = 7; end end",
        "always @* begin y = 0; y[a[2:0]] = s; end",
        "reg [7:0] u; always @* begin u = a & b; y = u | s; end",
        "reg [7:0] u; always @* begin u <= a & b; y <= u | s; end",
        "reg [7:0] u; always @* begin y <= u | s; u <= a & b; end",
        "reg [7:0] u; always @* begin y <= u | s; if (t) u <= a; else u <= b; end",
        "reg [7:0] u; always @* begin if (s) u = a; else u = b; y = u; end",
        "reg [7:0] u; always @* begin if (s) u = a; else u = b; if (s) y = u; else y = ~u; end",
        "reg [7:0] u; always @* begin u = a; if (s) u = b; y = u + 1; end",
        "reg [7:0] u; always @* case (a[1:0]) 0: begin y <= u; u <= a; end 1: begin u <= b; y <= 0; end default: begin u \
        <= 1; y <= u; end endcase",
        "reg [7:0] u; always @(a or b or s) begin u = a & b; y = u | s; end",
        "reg [7:0] u; always @(a or b or s or u) begin u = a & b; y = u | s; end",
        "reg [7:0] u; always_comb begin u = a & b; if (s) u = b; y = u | s; end",
        "reg [7:0] u [0:3]; always @* begin u[0] = a; u[1] = b; u[2] = 3; u[3] = 0; y = u[a[1:0]]; end",
        "reg [7:0] u [0:3]; integer i; always @* begin for (i = 0; i < 4; i = i + 1) u[i] = a + i; u[b[1:0]] = 9; y = u[s]; end",
        "reg [7:0] u; function [7:0] f(input [7:0] v); f = v + u; endfunction always @* begin u = a; y = f(b); end",
        "task add(input [7:0] v, output [7:0] w); reg [7:0] k; begin k = v + 1; w = k; end endtask always @* add(a, y);",
        "always @* case (a[2:0]) 0: y = 1; 1: y = a; 2, 3: y = b; 4: begin y = 3; if (s) y = 4; end default: y = 0; endcase",
    ]);
    assert!(compared.designs > 200, "{}", compared.designs);
    assert!(compared.invalid > 50, "{}", compared.invalid);
}

#[test]
fn mutants_of_what_loops_count_with_turn_as_often_as_their_own_texts_say() {
    let compared = compare_all(&[
        "integer i; always @* begin y = 0; i = 0; while (i < 4) begin y = y + a[i]; i = i + 1; end end",
        "integer i, n; always @* begin y = 0; n = 4; for (i = 0; i < n; i = i + 1) y = y + a[i]; end",
        "integer i, n; always @(posedge clk) begin n = 4; y <= 0; for (i = 0; i < n; i = i + 1) y[i] <= a[i]; end",
        "integer n; always @(posedge clk) begin n = 2 + 1; y = 0; repeat (n) y = y + a; end",
        "integer i; initial begin y = 0; i = 0; while (i < 3) begin y = y + i; i = i + 1; end end always @(posedge clk) y <= y + a;",
        "function [7:0] f(input [7:0] v, input integer n); integer i; begin f = 0; for (i = 0; i < n; i = i + 1) f = f + \
        v[i]; end endfunction always @* y = f(a, 3 + 1);",
        "parameter P = 1; always @* begin if (P) y = a; else if (s) y = b; end",
        "parameter P = 8; always @* begin if (P == 8) y = a; end",
        "integer i; always @* begin for (i = 0; i < 8; i = i + 1) if (i == 3) y[i] = s; else y[i] = a[i]; end",
        "integer i; always @* begin for (i = 0; i < 8; i = i + 1) if (i < 8) y[i] = a[i]; end",
    ]);
    assert!(compared.designs > 80, "{}", compared.designs);
    assert!(compared.invalid > 20, "{}", compared.invalid);
}

#[test]
fn two_mutants_that_close_a_cycle_together_are_designs_each() {
    let compared = compare_all(&[
        "wire [1:0] u, v; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = u[0]; always @* y = {u, v};",
        "wire [1:0] u, v, w; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = w[0]; assign w[0] \
        = s; assign w[1] = u[0]; always @* y = {u, v, w};",
        "reg [1:0] u, v; always @* begin u[0] = a[0]; u[1] = v[0]; end always @* begin v[0] = b[0]; v[1] = u[0]; end always @* y = {v, u};",
        "wire [1:0] u, v; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = u[0]; reg [1:0] k, l; \
        always @(posedge clk) begin k <= u; l <= v; y <= {k, l}; end",
        "wire [1:0] u; assign u[0] = a[0]; assign u[1] = u[0]; always @* y = u;",
        "wire [3:0] u; assign u[0] = a[0]; assign u[1] = u[0] ^ b[1]; assign u[2] = u[1] | b[2]; assign u[3] = u[2] & \
        u[0]; always @* y = u;",
        "wire [7:0] k = 0; wire [7:0] u, v; assign u = k[0] ? v : a; assign v = k[1] ? u : b; always @* y = u + v;",
        // A tree in one vector: an index that is changed chooses a node elsewhere in it.
        "wire [6:0] n; assign n[6:3] = a[3:0]; genvar k; for (k = 0; k < 3; k = k + 1) begin : g assign n[k] = n[2 * k + 1] ^ \
        ~n[2 * k + 2]; end always @* y = n;",
        // The original never takes a branch in which mutants may close a cycle.
        "localparam P = 1; wire [3:0] u, v; assign u = P ? a : v + b; assign v = P ? u ^ b : a; always @* y = {u, v};",
        "parameter E = 0; wire u, v; assign u = E && v; assign v = u | s; always @* y = v;",
        "parameter E = 0; wire u, v; assign u = v || !E; assign v = u ^ s; always @* y = v;",
        "parameter E = 0; wire [3:0] u, v; assign u = {4{E[0]}} & v; assign v = u + a; always @* y = v;",
        "parameter E = 0; wire [3:0] u, v; assign u = v & {4{E[0]}}; assign v = u + a; always @* y = v;",
        // Nothing reads the value that only a mutant has.
        "parameter W = 4; wire [1:0] u, v; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = u[0]; \
        always @* begin y = a + u; if (W == 4) y = b; end",
        // Bits depend on each other one by one, without a combinational cycle.
        "wire [3:0] u, v; assign u = {v[2:0], a[0]}; assign v = {u[2:0], b[0]}; always @* y = {u, v};",
        "wire [3:0] u, v; assign u = {v[2:0], a[0]}; assign v = {u[2], u[1:0], b[0]}; always @* y = {u, v};",
    ]);
    assert!(compared.designs > 50, "{}", compared.designs);
    assert!(compared.invalid > 2, "{}", compared.invalid);
}

#[test]
fn values_of_single_mutants_are_read_after_the_tick_by_latches_and_on_derived_clocks() {
    // The mutant that reads `v[1]` or `v[0]` in place of `v[2]` meets a bit that is being found, so that its value is found apart.
    let compared = compare_all(&[
        "reg r = 0, k = 0; always @(posedge clk) begin r <= s; k <= s; end wire [2:0] v; assign v = {r, k, v[2]}; \
        reg l; always @* if (t) l = v[0]; always @* y = {7'd0, v[0]};",
        "reg r = 0, k = 0, h = 0; always @(posedge clk) begin r <= s; k <= s; h <= ~h; end wire [2:0] v; \
        assign v = {r, k, v[2]}; always @(posedge h) y <= {7'd0, v[0]};",
        "reg r = 0, k = 0; always @(posedge clk) begin r <= s; k <= s ^ t; end wire [2:0] v; assign v = {r, k, v[2]}; \
        always_latch if (t) y = {7'd0, v[0]};",
    ]);
    assert!(compared.designs > 10, "{}", compared.designs);
}

#[test]
fn a_missing_reset_of_a_register_that_its_block_also_assigns_at_once_keeps_its_value() {
    let compared = compare_all(&[
        "always @(posedge clk or posedge s) if (s) y <= 3; else begin y = a; if (t) y <= b; end",
        "reg [7:0] k; always @(posedge clk or posedge s) if (s) begin k <= 1; y <= 3; end else begin k = a; y <= k; if (t) k <= b; end",
    ]);
    assert!(compared.designs > 10, "{}", compared.designs);
}

#[test]
fn two_unknown_values_of_a_mutant_differ_where_mutants_open_a_branch_between_them() {
    // The mutant that turns twice reads outside of `k`: that value is not the one of `u`.
    let text = module(
        "wire [0:0] k = 0; reg p, u, v; integer i, n;
         always @* begin if (1'b1) p = 0; else p = 1'bx; u = 1'bx; n = 1; v = 0; for (i = 0; i < n; i = i + 1) v = k[i]; end
         always @* y = v & ~u;",
    );
    let made = translate(&[SourceFile::new("m.v", text)], Asked::Mutants, false).expect("a design");
    let model = blasted(&made);
    let turns_twice = |(mutant, _): &&(Mutant, Option<String>)| {
        mutant.original == "1" && mutant.replacement == "2"
    };
    let (mutant, _) = made.catalogue.iter().find(turns_twice).expect("a mutant");
    let index = model.selectors.iter().position(|s| s.id == mutant.id);
    let variant = Variant::Mutant(SelectorId(index.expect("a selector")));
    let simulator = Simulator::for_variant(&model, variant);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for input in 0..model.aig.inputs().len() {
        lanes.set_input(input, [rng.next_u64()]);
    }
    lanes.eval();
    let bits = model.outputs.iter().flat_map(|port| &port.bits);
    let mut bits = bits.map(|&bit| lanes.value(model.aig.outputs[bit].lit)[0]);
    assert!(bits.any(|lanes| lanes != 0), "`y` is 0 whatever is unknown");
}

#[test]
fn mutants_of_recursive_functions_are_in_all_calls() {
    let compared = compare_all(&[
        "function automatic [7:0] f(input integer n, input [7:0] v); if (n == 0) f = v; else f = f(n >> 1, v) - (n == 2 ? 8'd0 : b); \
        endfunction always @* y = f(2, a);",
        "function automatic [7:0] f(input integer n, input [7:0] v); if (n == 0) f = v; else f = ~f(n >> 1, v); endfunction \
        always @* y = f(2, a);",
        "function automatic [7:0] f(input integer n, input [7:0] v); if (n == 0) f = v; else f = f(n - 1, v) + 1; endfunction \
        always @* y = f(2, a);",
        "function automatic [7:0] f(input integer n, input [7:0] v); begin f = v; if (n > 0) begin f = f(n - 1, v ^ b); f = f + n; end end \
        endfunction always @* y = f(2, a);",
    ]);
    assert!(compared.designs > 20, "{}", compared.designs);
}

#[test]
fn a_statement_included_in_a_function_and_elsewhere_has_one_mutant() {
    let included = SourceFile {
        included: Some("i.vh".to_owned()),
        ..SourceFile::new("i.vh", "y = y + a;\n")
    };
    let text = "module m(input [2:0] a, b, output reg [2:0] z); reg [2:0] y;
        function [2:0] f; input [2:0] a; reg [2:0] y; begin y = 1;\n`include \"i.vh\"\nf = y; end endfunction
        always @* begin y = b;\n`include \"i.vh\"\nz = f(b); end endmodule";
    let mut compared = Compared::default();
    compare_files(
        "included",
        &[SourceFile::new("m.v", text), included],
        &mut compared,
    );
    assert!(compared.designs > 8, "{}", compared.designs);
}

#[test]
fn branches_are_exchanged_only_with_their_whole_text() {
    let compared = compare_all(&[
        "always @* case (s) 0: (* full_case *) case (t) 0: y = a; 1: y = b; endcase 1: case (t) 0: y = b; 1: y = 3; endcase endcase",
        "always @* case (s) 0: unique case (t) 0: y = a; default: y = b; endcase 1: y = b; endcase",
        "always @* case (s)\n`define K 2'd1\n0: y = a ^ `K;\n`undef K\n`define K 2'd2\n1: y = a & `K; endcase",
        "always @* case (s)\n`ifdef F\n0: y = a;\n`else\n0: y = b;\n`endif\n1: y = 3; endcase",
        "always @* case (s) 0: begin y = a; end 1: begin\n`ifdef F\ny = 1;\n`endif\ny = b; end endcase",
    ]);
    assert!(compared.designs > 20, "{}", compared.designs);
}

#[test]
fn generate_blocks_without_a_name_are_numbered_in_their_scope() {
    // IEEE 1800-2017 §27.6: the constructs of a scope, each alternative with the number of its construct.
    let items = "genvar k;
        if (1) begin reg p = 0; always @(posedge clk) p <= s; end
        for (k = 0; k < 2; k = k + 1) begin : named if (k == 1) begin reg q = 0; always @(posedge clk) q <= t; end end
        if (0) begin end else if (1) begin reg r = 0; always @(posedge clk) r <= t; end
        always @* y = {genblk1.p, named[1].genblk1.q, genblk3.r};";
    let nested = "genvar k;
        if (1) for (k = 0; k < 2; k = k + 1) begin : g reg w = 0; always @(posedge clk) w <= s; end
        for (k = 0; k < 2; k = k + 1) if (k == 1) begin reg v = 0; always @(posedge clk) v <= s; end
        if (1) begin reg u = 0; always @(posedge clk) u <= t; end
        always @* y = {genblk2[1].genblk1.v, genblk3.u};";
    let taken = "wire genblk1 = s; if (1) begin reg x = 0; always @(posedge clk) x <= t; end always @* y = {genblk1, genblk01.x};";
    for items in [items, nested, taken] {
        let sources = [SourceFile::new("m.v", module(items))];
        translate(&sources, Asked::Alone, false).unwrap_or_else(|errors| panic!("{errors:?}"));
    }
}
