// A Gray counter on the falling edge; nothing initialises it but an option.
module gray(input clk, input step, output [2:0] code, output odd);
  reg [2:0] n;
  always @(negedge clk) if (step) n <= n + 1;
  assign code = n ^ (n >> 1);
  assign odd = ^n;
endmodule
