// Cells of technologies that public designs use and do not define, each with the ports and the behaviour that its library documents:
// tech_cells_generic (pulp-platform; `tc_`, and `pulp_` and `cluster_` of its older versions) and prim (lowRISC).

// Clock gates: the enable is taken over while the clock is low.
module tc_clk_gating #(parameter bit IS_FUNCTIONAL = 1'b1)
  (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  wire enabled = en_i | test_en_i;
  hyperkill_clock_gate gate (clk_o, clk_i, enabled);
endmodule

module pulp_clock_gating (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  wire enabled = en_i | test_en_i;
  hyperkill_clock_gate gate (clk_o, clk_i, enabled);
endmodule

module cluster_clock_gating (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  wire enabled = en_i | test_en_i;
  hyperkill_clock_gate gate (clk_o, clk_i, enabled);
endmodule

module prim_clock_gating #(parameter bit NoFpgaGate = 1'b0, parameter bit FpgaBufGlobal = 1'b1)
  (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  wire enabled = en_i | test_en_i;
  hyperkill_clock_gate gate (clk_o, clk_i, enabled);
endmodule

// Cells on the paths of clocks and resets.
module tc_clk_buffer (input logic clk_i, output logic clk_o);
  assign clk_o = clk_i;
endmodule

module tc_clk_inverter (input logic clk_i, output logic clk_o);
  assign clk_o = ~clk_i;
endmodule

module tc_clk_and2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i & clk1_i;
endmodule

module tc_clk_xor2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i ^ clk1_i;
endmodule

module tc_clk_mux2 (input logic clk0_i, input logic clk1_i, input logic clk_sel_i, output logic clk_o);
  assign clk_o = clk_sel_i ? clk1_i : clk0_i;
endmodule

module pulp_clock_buffer (input logic clk_i, output logic clk_o);
  assign clk_o = clk_i;
endmodule

module pulp_clock_inverter (input logic clk_i, output logic clk_o);
  assign clk_o = ~clk_i;
endmodule

module pulp_clock_and2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i & clk1_i;
endmodule

module pulp_clock_xor2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i ^ clk1_i;
endmodule

module pulp_clock_mux2 (input logic clk0_i, input logic clk1_i, input logic clk_sel_i, output logic clk_o);
  assign clk_o = clk_sel_i ? clk1_i : clk0_i;
endmodule

module cluster_clock_buffer (input logic clk_i, output logic clk_o);
  assign clk_o = clk_i;
endmodule

module cluster_clock_inverter (input logic clk_i, output logic clk_o);
  assign clk_o = ~clk_i;
endmodule

module cluster_clock_and2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i & clk1_i;
endmodule

module cluster_clock_xor2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i ^ clk1_i;
endmodule

module cluster_clock_mux2 (input logic clk0_i, input logic clk1_i, input logic clk_sel_i, output logic clk_o);
  assign clk_o = clk_sel_i ? clk1_i : clk0_i;
endmodule

module tc_clk_or2 (input logic clk0_i, input logic clk1_i, output logic clk_o);
  assign clk_o = clk0_i | clk1_i;
endmodule

// A synchroniser: so many registers in a row.
module tc_sync #(parameter int unsigned Stages = 2, parameter bit ResetValue = 1'b0)
  (input logic clk_i, input logic rst_ni, input logic serial_i, output logic serial_o);
  logic [Stages-1:0] stages;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) stages <= {Stages{ResetValue}};
    else stages <= {stages, serial_i};
  assign serial_o = stages[Stages-1];
endmodule
