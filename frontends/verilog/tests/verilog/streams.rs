//! Streaming concatenations as values and as targets, compared with IEEE 1800-2017 §11.4.14.

use crate::alone::{Compared, compare};
use crate::systemverilog::{refused, run};

/// Returns the slices of a word in reverse order. The slice from the right end becomes the first one; the last slice has the remaining
/// bits.
fn reversed(value: u64, width: u32, slice: u32) -> u64 {
    let (mut out, mut low) = (0, 0);
    while low < width {
        let count = slice.min(width - low);
        out = out << count | value >> low & ((1 << count) - 1);
        low += count;
    }
    out
}

pub(crate) const STREAMS: &str = "
module m(input [10:0] a, input [7:0] b, output [10:0] o, p, q, output [15:0] w, output [7:0] r);
  typedef logic [2:0] three_t;
  assign o = {<<{a}};
  assign p = {<<4{a}};
  assign q = {<<three_t{a}};
  assign w = {<<byte{b, 3'b101}};
  function automatic logic [7:0] turned(input [7:0] v); return {<<2{v}}; endfunction
  wire [7:0] v; assign v = {>>4{b}};
  assign r = turned(b) ^ v;
endmodule";

#[test]
fn a_stream_has_its_slices_in_reverse_order_and_stands_at_the_left() {
    let found = run(STREAMS);
    found.check("o", |of| reversed(of("a"), 11, 1));
    found.check("p", |of| reversed(of("a"), 11, 4));
    found.check("q", |of| reversed(of("a"), 11, 3));
    found.check("w", |of| reversed(of("b") << 3 | 5, 11, 8) << 5);
    found.check("r", |of| reversed(of("b"), 8, 2) ^ of("b"));
}

const UNPACKED: &str = "
module m(input clk, input [11:0] a, input [7:0] b, input [1:0] i, output logic [11:0] o, p, q, output logic [7:0] u, v, w, x,
         output logic [3:0][1:0] y, output logic [7:0] z, r, s);
  typedef logic [3:0] nibble_t;
  typedef struct packed {logic [4:0] head; logic [2:0] tail;} t;
  t field;
  assign {<<{o}} = a;
  assign {<<nibble_t{p[7:0], p[11:8]}} = a;
  assign {>>3{q[3:0], q[11:4]}} = a;
  assign {<<2{u}} = a;
  assign {>>{v[6:0], v[7]}} = {<<4{a}};
  always_comb {<<4{field.tail, field.head}} = b;
  assign w = field;
  always_comb begin {<<{x}} = {b[3:0] + 4'd3, b[7:4]}; {>>{x[1:0]}} = {1'b0, b[0], b[7:2]}; end
  always_comb begin y = '0; {<<{y[i]}} = b; end
  always_comb {<<16{z}} = b;
  assign {<<byte{r, s}} = {b, a[7:0]};
endmodule";

#[test]
fn the_parts_of_a_stream_take_the_leftmost_bits_of_a_value() {
    let found = run(UNPACKED);
    found.check("o", |of| reversed(of("a"), 12, 1));
    found.check("p", |of| {
        let bits = reversed(of("a"), 12, 4);
        bits >> 4 | (bits & 15) << 8
    });
    found.check("q", |of| of("a") >> 8 | (of("a") & 255) << 4);
    found.check("u", |of| reversed(of("a") >> 4, 8, 2));
    found.check("v", |of| {
        let bits = reversed(of("a"), 12, 4) >> 4;
        bits >> 1 | (bits & 1) << 7
    });
    found.check("w", |of| {
        let bits = reversed(of("b"), 8, 4);
        (bits & 31) << 3 | bits >> 5
    });
    found.check("x", |of| {
        let sum = (of("b") + 3) & 15;
        reversed(sum << 4 | of("b") >> 4, 8, 1) & !3 | of("b") & 1
    });
    found.check("y", |of| reversed(of("b") >> 6, 2, 1) << (2 * of("i")));
    found.check("z", |of| of("b"));
    found.check("r", |of| of("a") & 255);
    found.check("s", |of| of("b"));
}

#[test]
fn a_stream_that_is_no_target_is_refused_at_its_place() {
    for (text, message) in [
        (
            "{<<{o}} = a[6:0];",
            "this target takes 8 bits of a value that has 7",
        ),
        (
            "{<<3{o}} = a;",
            "slices of 3 bits do not divide the 8 bits of this target; tools disagree about the rest",
        ),
        (
            "{<<0{o}} = a;",
            "the slices of this streaming concatenation have no bits",
        ),
        (
            "{>>{o[3:0], {<<{o[7:4]}}}} = a;",
            "a streaming concatenation is supported only as the whole target of an assignment",
        ),
        (
            "{o[3:0], {<<{o[7:4]}}} = a;",
            "a streaming concatenation is supported only as the whole target of an assignment",
        ),
    ] {
        for head in ["assign", "always_comb"] {
            let text =
                format!("module m(input [8:0] a, output logic [7:0] o);\n{head} {text}\nendmodule");
            assert_eq!(refused(&text), (message.to_owned(), 2), "{text}");
        }
    }
}

#[test]
fn mutants_beside_a_stream_as_target_are_what_their_own_texts_mean() {
    let text =
        "module m(input clk, input [7:0] a, b, input s, output logic [7:0] o, p, output [7:0] q);
        always_ff @(posedge clk) if (s) {<<2{o[3:0], o[7:4]}} <= a + b; else {>>{o}} <= {<<4{b}};
        always_comb {<<{p}} = s ? a & 8'h3c : {b[3:0], a[7:4]};
        assign {<<4{q}} = a - 1;
        endmodule";
    let mut compared = Compared::default();
    compare("streams", text, &mut compared);
    assert!(compared.designs > 20, "{}", compared.designs);
}
