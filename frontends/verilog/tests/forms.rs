//! Mutants in forms that the designs of `tests/models/verilog` do not have: each is what its own text means.

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::Simulator;
use hyperkill_core::system::Translation;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, NamePredicate, SourceFile, apply};
use hyperkill_verilog::VerilogFrontend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TEXTS: [&str; 4] = [
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

fn translate(text: &str, mutants: bool) -> Result<Translation, Vec<Diagnostic>> {
    let options = FrontendOptions {
        zero_init: true,
        operators: (!mutants).then(|| NamePredicate::new(|_| false)),
        ..FrontendOptions::default()
    };
    VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options)
}

fn blasted(found: &Translation) -> ConditionalMutant {
    bit_blast(&found.system).expect("a circuit").model
}

/// Outputs of a variant, step by step, on random inputs; choices are 0.
fn outputs(model: &ConditionalMutant, variant: Variant) -> Vec<Vec<u64>> {
    let simulator = Simulator::for_variant(model, variant);
    let mut lanes = simulator.lanes::<1>();
    lanes.reset(|_| [0]);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut seen = Vec::new();
    for _ in 0..40 {
        for input in 0..model.aig.inputs().len() {
            lanes.set_input_everywhere(input, false);
        }
        for &bit in model.inputs.iter().flat_map(|port| &port.bits) {
            lanes.set_input(bit, [rng.next_u64()]);
        }
        lanes.eval();
        let value = |lit: Lit| lanes.value(lit)[0];
        let bits = model.outputs.iter().flat_map(|port| &port.bits);
        seen.push(bits.map(|&bit| value(model.aig.outputs[bit].lit)).collect());
        lanes.step();
    }
    seen
}

#[test]
fn mutants_in_rare_forms_are_what_their_own_texts_mean() {
    let mut compared = 0;
    for text in TEXTS {
        let featured = translate(text, true).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let model = blasted(&featured);
        for (mutant, reason) in &featured.catalogue {
            if reason.is_some() {
                continue;
            }
            let own = apply(text, mutant).expect("the place fits");
            let alone = translate(&own, false);
            let alone =
                alone.unwrap_or_else(|errors| panic!("{}: {errors:?}\n{own}", mutant.operator));
            let position = model.selectors.iter().position(|s| s.id == mutant.id);
            let variant = Variant::Mutant(position.expect("a selector"));
            assert!(
                outputs(&model, variant) == outputs(&blasted(&alone), Variant::Original),
                "{} {:?} to {:?}\n{text}",
                mutant.operator,
                mutant.original,
                mutant.replacement
            );
            compared += 1;
        }
    }
    assert!(compared > 120, "{compared}");
}
