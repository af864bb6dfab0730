//! Mutants that make several changes. The text with all the changes, read alone, is a valid design iff the mutant is valid, and has the
//! same outputs.

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::higher_order::{Combination, Known, combinations};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_frontend::{Frontend, SourceFile, apply};
use hyperkill_verilog::VerilogFrontend;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::alone::{Asked, Compared, NOT_FOLLOWED, blasted, is_free, models, options, outputs};

/// Compares mutants of this many changes with the translations of their own texts: `most` of them, drawn at random.
fn compare(name: &str, text: &str, changes: usize, most: usize, compared: &mut Compared) {
    let sources = [SourceFile::new("m.v", text)];
    let asked = options(Asked::Mutants, false);
    let single = VerilogFrontend.translate(&sources, &asked);
    let single = single.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let catalogue = single.catalogue.iter();
    let valid = catalogue.filter(|(_, reason)| reason.is_none());
    let model = ConditionalMutant {
        mutants: valid.map(|(mutant, _)| mutant.clone()).collect(),
        ..blasted(&single)
    };
    let mut all: Vec<Combination> = combinations(&model, changes).take(20_000).collect();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(7));
    all.truncate(most);
    let ids = |one: &Combination| -> Vec<MutantId> {
        let parts = one.parts().iter();
        parts
            .map(|part| model.selectors[part.0].id.clone())
            .collect()
    };
    let ids: Vec<Vec<MutantId>> = all.iter().map(ids).collect();
    let made = VerilogFrontend.combined(&sources, &asked, &ids);
    let made = made.expect("Verilog has a circuit of its own for them");
    let made = made.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    let circuit = bit_blast(&made.system).expect("a circuit").model;
    let known = Known::of(&model);
    for (one, problem) in all.iter().zip(&made.problems) {
        let mutant = one.described(&known).expect("all places are known");
        let text = apply(text, &mutant).expect("the places fit");
        let own = [SourceFile::new("m.v", text.clone())];
        let alone = VerilogFrontend.translate(&own, &options(Asked::Alone, false));
        let alone = match (alone, problem) {
            (Ok(alone), None) => blasted(&alone),
            (Ok(_), Some(reason)) => {
                let mut known = NOT_FOLLOWED
                    .iter()
                    .chain(&["simulators may take either", "a `case` without branches"]);
                assert!(
                    known.any(|known| reason.contains(known)),
                    "{name} {}: {reason}\n{text}",
                    mutant.id
                );
                compared.invalid += 1;
                continue;
            }
            (Err(_), Some(_)) => {
                compared.invalid += 1;
                continue;
            }
            (Err(errors), None) => panic!("{name} {}: {errors:?}\n{text}", mutant.id),
        };
        let index = circuit.selectors.iter().position(|s| s.id == mutant.id);
        let variant = Variant::Mutant(SelectorId(index.expect("a selector")));
        if outputs(&circuit, variant, 3) == outputs(&alone, Variant::Original, 3) {
            compared.designs += 1;
            continue;
        }
        assert!(is_free(&alone), "{name} {}\n{text}", mutant.id);
        compared.free += 1;
    }
}

/// Returns a module with these items.
fn module(items: &str) -> String {
    format!(
        "module m (input clk, input [3:0] a, b, input s, t, output reg [3:0] y, z);\n{items}\nendmodule\n"
    )
}

/// Places in which one change contains, repeats, jumps over or counts the place of another one.
const MEETING: [&str; 11] = [
    "always @* begin y = a - b; z = ~(a + (b & (a ^ 4'd3))); end",
    "function [3:0] f(input [3:0] v, w); f = v > w ? v - w : v & w; endfunction
     always @* begin y = f(a + b, f(b, a)); z = f(y, 4'd2) | b; end",
    "integer i; always @* begin y = 0; z = 1; for (i = 0; i < 3; i = i + 1) begin y = y + (a >> i); z = z ^ y; end end",
    "integer i, n; always @* begin n = 2; y = 0; for (i = 0; i < n + 1; i = i + 1) y = y + a; z = y & n; end",
    "always @* begin z = b; case (a) 0: y = 1; 1: y = a + b; 2: begin y = 3; z = 2; end default: y = b - a; endcase end",
    "always @* begin y = 0; z = 0; case (a[1:0]) 0: y = 1; 1: z = b; 2: begin y = b; if (s) z = a; end 3: z = 3; endcase end",
    "initial y = 5; reg [3:0] k = 2; always @(posedge clk) begin if (s) y <= y + k; else y <= y - 1; z <= y; k = k + a; end",
    "always @(posedge clk) begin y <= a; if (t) begin y <= z; z <= y; end else z = b + y; end",
    "wire [3:0] k; assign k[0] = a[0]; assign k[1] = k[0] ^ b[1]; assign k[2] = k[1] | b[2]; assign k[3] = k[2] & k[0];
     always @* begin y = k; z = s ? k + 1 : k; end",
    "always @* begin z = 0; case (s) 1'b0: y = a; default: begin y = b; z = a; end endcase end",
    "function automatic [3:0] f(input integer n, input [3:0] v); if (n == 0) f = v; else f = f(n - 1, v) + (b ** 2); endfunction
     always @* begin y = f(2, a); z = (a ** 3) + 1; end",
];

#[test]
fn two_changes_that_meet_are_what_their_own_text_means() {
    let mut compared = Compared::default();
    for items in MEETING {
        compare(items, &module(items), 2, 120, &mut compared);
    }
    assert!(compared.designs > 500, "{}", compared.designs);
    assert!(compared.free * 10 < compared.designs, "{}", compared.free);
}

#[test]
fn three_changes_that_meet_are_what_their_own_text_means() {
    let mut compared = Compared::default();
    for items in MEETING {
        compare(items, &module(items), 3, 40, &mut compared);
    }
    assert!(compared.designs > 150, "{}", compared.designs);
}

#[test]
fn two_changes_of_whole_designs_are_what_their_own_texts_mean() {
    let designs = models("verilog", Some("model.v"));
    let operators = models("verilog-operators", None);
    let mut compared = Compared::default();
    for (name, text) in designs.iter().chain(&operators) {
        compare(name, text, 2, 8, &mut compared);
    }
    assert!(compared.designs > 150, "{}", compared.designs);
}
