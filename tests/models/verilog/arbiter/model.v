// Grants one of four requests, the next one in turn first: a generate loop builds the rotations.
module arbiter (
  input  wire       clk,
  input  wire       rst,
  input  wire [3:0] request,
  output reg  [3:0] grant
);
  reg [1:0] last;
  wire [3:0] chosen [0:3];
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : turn
      wire [3:0] rotated = {request, request} >> (i + 1);
      wire [3:0] first = rotated & (~rotated + 4'd1);
      assign chosen[i] = ({first, first} << (i + 1)) >> 4;
    end
  endgenerate
  integer k;
  always @(posedge clk)
    if (rst) begin
      grant <= 4'b0;
      last <= 2'd3;
    end else begin
      grant <= chosen[last];
      for (k = 0; k < 4; k = k + 1)
        if (chosen[last][k]) last <= k[1:0];
    end
endmodule
