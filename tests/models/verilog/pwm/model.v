// A pulse as long as its duty; the test logic is excluded from mutation.
module pwm (input clk, input rst, input [2:0] duty, output out, output [2:0] debug);
  reg [2:0] count;
  always @(posedge clk) if (rst) count <= 3'd0; else count <= count + 3'd1;
  assign out = count < duty;
  // hyperkill: off
  assign debug = count ^ 3'd5;
  // hyperkill: on
endmodule
