//! A model in each netlist language, with most features of the language.

/// Two modules with latches that rise, and names in brackets.
pub(crate) const BLIF: &str = "\
.model top
.inputs clk en x[0] x[1]
.outputs q[1] q[0] c
.subckt inc a=q[0] b=q[1] e=en s0=d0 s1=d1 co=c0
.latch d0 q[0] re clk 0
.latch d1 q[1] re clk 2
.names c0 x[0] \\
 x[1] c
1-1 1
11- 1
.end
.model inc
.inputs a b e
.outputs s0 s1 co
.names a e s0
10 1
01 1
.names a e g # carry
11 1
.names b g s1
10 1
01 1
.names b g co
11 1
.end
";

/// An adder and a register with an asynchronous reset, as yosys writes them.
pub(crate) const JSON: &str = r#"{ "creator": "somebody", "modules": { "top": { "attributes": { "top": "1" },
 "ports": { "clk": { "direction": "input", "bits": [ 2 ] }, "rst": { "direction": "input", "bits": [ 3 ] },
  "a": { "direction": "input", "bits": [ 4, 5 ] }, "q": { "direction": "output", "bits": [ 6, 7 ] } },
 "cells": {
  "sum": { "hide_name": 0, "type": "$add", "parameters": { "A_SIGNED": "0", "A_WIDTH": "00010",
    "B_SIGNED": "0", "B_WIDTH": "10", "Y_WIDTH": "10" },
   "attributes": { "src": "x.v:1" }, "port_directions": { "A": "input", "B": "input", "Y": "output" },
   "connections": { "A": [ 4, 5 ], "B": [ 6, "1" ], "Y": [ 8, 9 ] } },
  "state": { "type": "$adff", "parameters": { "ARST_POLARITY": "1", "ARST_VALUE": "01", "CLK_POLARITY": "1", "WIDTH": "10" },
   "attributes": { }, "connections": { "ARST": [ 3 ], "CLK": [ 2 ], "D": [ 8, 9 ], "Q": [ 6, 7 ] } } },
 "netnames": { "q": { "hide_name": 0, "bits": [ 6, 7 ], "attributes": { "init": "0x" } } } } } }"#;

/// Registers, gates of several inputs, constants and a table, with names before their definition.
pub(crate) const BENCH: &str = "\
# a counter
INPUT(en)
INPUT(x[0])
INPUT( x[1] )
OUTPUT(q0)
OUTPUT(full)

q0 = DFF(d0)
q1 = DFF(d1)
d0 = XOR(q0, en)
carry = AND(q0, en, one)
one = vdd
d1 = LUT 0x6 (q1, carry)
none = NOR(x[0], x[1])
some = NOT(none)
full = NAND(q0, q1, some)
";
