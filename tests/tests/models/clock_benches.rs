//! Test benches for designs with several clocks, in Icarus Verilog: they drive the clocks as the tests require, pass on the design, and
//! fail on each definitely killed mutant.

use std::fs;

use crate::verilog_benches::bench_tells_mutants_from;
use hyperkill_tests::peers::Icarus;

/// A queue of two words between unrelated clocks: Gray pointers, each synchronised through two registers of the other clock.
const FIFO: &str = "\
module fifo(input w, input r, input rst, input put, input get, input [1:0] d, output full, output empty, output [1:0] q);
  reg [1:0] words [0:1];
  reg [1:0] wp, rp, wp1, wp2, rp1, rp2;
  wire [1:0] wb = {wp[1], wp[1] ^ wp[0]};
  wire [1:0] rb = {rp[1], rp[1] ^ rp[0]};
  wire [1:0] wn = wb + 2'd1;
  wire [1:0] rn = rb + 2'd1;
  assign full = wp == ~rp2;
  assign empty = rp == wp2;
  assign q = words[rb[0]];
  always @(posedge w or posedge rst)
    if (rst) begin wp <= 0; rp1 <= 0; rp2 <= 0; end
    else begin
      rp1 <= rp;
      rp2 <= rp1;
      if (put & ~full) wp <= {wn[1], wn[1] ^ wn[0]};
    end
  always @(posedge w) if (put & ~full) words[wb[0]] <= d;
  always @(posedge r or posedge rst)
    if (rst) begin rp <= 0; wp1 <= 0; wp2 <= 0; end
    else begin
      wp1 <= wp;
      wp2 <= wp1;
      if (get & ~empty) rp <= {rn[1], rn[1] ^ rn[0]};
    end
endmodule
";

/// A design that reads a word at each edge of the clock: a at the rising edge, b at the falling edge.
const DDR: &str = "\
module ddr(input clk, input rst_n, input [1:0] a, input [1:0] b, output [1:0] up, output [1:0] down, output reg same);
  reg [1:0] p, n;
  assign up = p;
  assign down = n;
  always @(posedge clk or negedge rst_n) if (!rst_n) p <= 0; else p <= a + n;
  always @(negedge clk or negedge rst_n) if (!rst_n) n <= 1; else n <= b ^ p;
  always @(negedge clk) same <= p == n;
endmodule
";

/// A counter whose bits clock registers; one of these clocks another.
const DIVIDER: &str = "\
module divider(input clk, input rst, input en, input [1:0] d, output reg [1:0] count, output reg [1:0] slow, output reg [1:0] slower,
               output reg late);
  wire half = count[0];
  wire other = ~count[1];
  initial {slow, slower} = 0;
  always @(posedge clk or posedge rst) if (rst) count <= 0; else if (en) count <= count + 1;
  always @(posedge half) slow <= d + count;
  always @(negedge other) slower <= slower + slow;
  always @(posedge slow[0] or posedge rst) if (rst) late <= 0; else late <= ~late ^ slower[0];
endmodule
";

/// A design with both edges of one clock, one edge of another, and a clock made by a register.
const MIXED: &str = "\
module mixed(input a, input b, input rst, input i, input [1:0] d, output reg [1:0] x, output reg [1:0] y, output reg [1:0] z,
             output reg t, output sum);
  assign sum = ^{x, y, z, i};
  always @(posedge a or posedge rst) if (rst) x <= 0; else x <= d - y;
  always @(negedge a or posedge rst) if (rst) t <= 0; else t <= t ^ x[0];
  always @(posedge t) z <= x + d;
  always @(negedge b) if (i) y <= x | z; else y <= y + 2'd1;
endmodule
";

#[test]
fn benches_with_several_clocks_tell_mutants_from_designs() {
    let Some(icarus) = Icarus::find("benches with several clocks") else {
        return;
    };
    let cases: [(&str, &str, &[&str]); 7] = [
        ("fifo", FIFO, &[]),
        ("fifo", FIFO, &["--clock", "w:2", "--clock", "r:3"]),
        ("ddr", DDR, &[]),
        ("divider", DIVIDER, &[]),
        ("mixed", MIXED, &[]),
        ("mixed", MIXED, &["--clock", "a:3", "--clock", "b:2"]),
        ("mixed", MIXED, &["--clock", "a"]),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (number, (name, text, options)) in cases.into_iter().enumerate() {
        let design = folder.path().join(format!("{name}.v"));
        fs::write(&design, text).expect("written");
        let program = format!("clocks.{number}");
        let seen = bench_tells_mutants_from(&icarus, &program, &design, options, 3);
        println!("{name} {}: {} mutants fail", options.join(" "), seen.told);
        assert!(seen.told > 3, "{name}");
    }
}
