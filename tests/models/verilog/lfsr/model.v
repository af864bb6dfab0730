// A shift register with feedback, its taps a parameter; starts from its initial value.
module lfsr #(parameter [4:0] TAPS = 5'b10100) (input clk, input enable, output [4:0] value, output bit_out);
  reg [4:0] state = 5'd1;
  assign value = state;
  assign bit_out = state[0];
  always_ff @(posedge clk)
    if (enable) state <= {state[3:0], ^(state & TAPS)};
endmodule
