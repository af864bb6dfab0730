//! What a mutant is does not depend on what other mutants there are: read alone, as its own text, it is a design or not as it is
//! in the family, and has the same outputs.

use std::path::PathBuf;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::system::Translation;
use hyperkill_core::{ConditionalMutant, Lit, Reset};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, NamePredicate, SourceFile, apply};
use hyperkill_verilog::VerilogFrontend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Reasons to set a mutant aside whose text is a design: what it does is not followed.
const NOT_FOLLOWED: &[&str] = &[
    "it would change the width or sign",
    "it would select outside the bounds",
    "which reads it and does not wait for it",
];

/// The designs under `tests/models/verilog`.
fn models() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/verilog");
    let entries = std::fs::read_dir(folder).expect("the models are there");
    let mut found: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let text = std::fs::read_to_string(path.join("model.v")).expect("a model");
            (path.to_string_lossy().into_owned(), text)
        })
        .collect();
    found.sort();
    assert!(found.len() >= 25);
    found
}

fn options() -> FrontendOptions {
    FrontendOptions {
        zero_init: true,
        ..FrontendOptions::default()
    }
}

fn translate(text: &str, mutants: bool) -> Result<Translation, Vec<Diagnostic>> {
    let options = FrontendOptions {
        operators: (!mutants).then(|| NamePredicate::new(|_| false)),
        ..options()
    };
    VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options)
}

fn blasted(found: &Translation) -> ConditionalMutant {
    bit_blast(&found.system).expect("a circuit").model
}

/// Outputs of a variant, step by step, on random inputs by name; `None` if something is not decided by the inputs.
fn outputs(model: &ConditionalMutant, variant: Variant, seed: u64) -> Vec<Vec<bool>> {
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
                lanes.set_input(bit, [rng.next_u64()]);
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

/// Whether something of a circuit is not decided by its inputs: one of its own text has no counterpart for it.
fn is_free(model: &ConditionalMutant) -> bool {
    let mut latches = model.aig.latches().iter().enumerate();
    !model.choices.is_empty()
        || latches.any(|(i, latch)| {
            latch.reset == Reset::Free && model.selectors.iter().all(|s| s.latch != i)
        })
}

/// What was compared.
#[derive(Default)]
struct Compared {
    designs: usize,
    invalid: usize,
}

/// Compares all mutants of a text with their own texts.
fn compare(name: &str, text: &str, compared: &mut Compared) {
    let featured = translate(text, true).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let model = blasted(&featured);
    for (mutant, reason) in &featured.catalogue {
        // Its own text says that a test begins with another reset.
        if mutant.operator == "RSP" {
            continue;
        }
        let own = apply(text, mutant).expect("the place fits");
        let alone = match (translate(&own, false), reason) {
            (Ok(alone), None) => alone,
            (Err(_), Some(_)) => {
                compared.invalid += 1;
                continue;
            }
            (Ok(_), Some(reason)) => {
                // Nothing assigns the variable any more.
                let undriven = translate(&own, false).is_ok_and(|alone| {
                    let mut notes = alone.role_notes.iter();
                    notes.any(|note| note.starts_with("nothing drives"))
                });
                let known = undriven || NOT_FOLLOWED.iter().any(|known| reason.contains(known));
                assert!(known, "{name} {}: {reason}\n{own}", mutant.id);
                continue;
            }
            (Err(errors), None) => panic!("{name} {}: {errors:?}\n{own}", mutant.id),
        };
        let alone = blasted(&alone);
        if is_free(&alone) {
            continue;
        }
        let mut selectors = model.selectors.iter();
        let index = selectors
            .position(|s| s.id == mutant.id)
            .expect("a selector");
        let family = outputs(&model, Variant::Mutant(index), 3);
        assert!(
            family == outputs(&alone, Variant::Original, 3),
            "{name} {} at line {}: {:?} to {:?}\n{own}",
            mutant.id,
            mutant.place.line,
            mutant.original,
            mutant.replacement
        );
        compared.designs += 1;
    }
}

#[test]
fn mutants_of_whole_designs_are_what_their_own_texts_mean() {
    let mut compared = Compared::default();
    for (name, text) in models() {
        compare(&name, &text, &mut compared);
    }
    assert!(compared.designs > 1000, "{}", compared.designs);
    assert!(compared.invalid > 20, "{}", compared.invalid);
}

/// A module of one clock and a few inputs with this inside.
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
        "reg [7:0] u; always @* case (a[1:0]) 0: begin y <= u; u <= a; end 1: begin u <= b; y <= 0; end default: begin u <= 1; y <= u; end endcase",
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
        "function [7:0] f(input [7:0] v, input integer n); integer i; begin f = 0; for (i = 0; i < n; i = i + 1) f = f + v[i]; end endfunction always @* y = f(a, 3 + 1);",
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
        "wire [1:0] u, v, w; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = w[0]; assign w[0] = s; assign w[1] = u[0]; always @* y = {u, v, w};",
        "reg [1:0] u, v; always @* begin u[0] = a[0]; u[1] = v[0]; end always @* begin v[0] = b[0]; v[1] = u[0]; end always @* y = {v, u};",
        "wire [1:0] u, v; assign u[0] = a[0]; assign u[1] = v[0]; assign v[0] = b[0]; assign v[1] = u[0]; reg [1:0] k, l; always @(posedge clk) begin k <= u; l <= v; y <= {k, l}; end",
        "wire [1:0] u; assign u[0] = a[0]; assign u[1] = u[0]; always @* y = u;",
        "wire [3:0] u; assign u[0] = a[0]; assign u[1] = u[0] ^ b[1]; assign u[2] = u[1] | b[2]; assign u[3] = u[2] & u[0]; always @* y = u;",
        "wire [7:0] k = 0; wire [7:0] u, v; assign u = k[0] ? v : a; assign v = k[1] ? u : b; always @* y = u + v;",
        // One bit after the other.
        "wire [3:0] u, v; assign u = {v[2:0], a[0]}; assign v = {u[2:0], b[0]}; always @* y = {u, v};",
        "wire [3:0] u, v; assign u = {v[2:0], a[0]}; assign v = {u[2], u[1:0], b[0]}; always @* y = {u, v};",
    ]);
    assert!(compared.designs > 50, "{}", compared.designs);
    assert!(compared.invalid > 2, "{}", compared.invalid);
}
