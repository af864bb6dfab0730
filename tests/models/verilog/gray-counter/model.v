// Counts in Gray code; the conversion back reads its own result bit by bit.
module gray #(parameter N = 4) (
  input  wire         clk,
  input  wire         rst_n,
  input  wire         step,
  output wire [N-1:0] code,
  output wire [N-1:0] number
);
  reg [N-1:0] binary;
  assign code = binary ^ (binary >> 1);
  assign number = code ^ {1'b0, number[N-1:1]};
  always @(posedge clk, negedge rst_n)
    if (~rst_n) binary <= {N{1'b0}};
    else if (step) binary <= binary + 1;
endmodule
