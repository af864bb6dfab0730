// Signed and unsigned arithmetic, shifts and comparisons, chosen by a code.
module alu (
  input  wire [3:0]        op,
  input  wire signed [5:0] a,
  input  wire signed [5:0] b,
  output reg  signed [5:0] y,
  output wire              zero,
  output wire              negative
);
  wire [5:0] ua = a, ub = b;
  always @(*) begin
    case (op)
      4'h0: y = a + b;
      4'h1: y = a - b;
      4'h2: y = a & b;
      4'h3: y = a | b;
      4'h4: y = a ^ b;
      4'h5: y = ~(a | b);
      4'h6: y = {5'd0, a < b};
      4'h7: y = {5'd0, ua < ub};
      4'h8: y = a << ub[2:0];
      4'h9: y = ua >> ub[2:0];
      4'ha: y = a >>> ub[2:0];
      4'hb: y = a * b;
      4'hc: y = -a;
      default: y = 6'sd0;
    endcase
  end
  assign zero = ~|y;
  assign negative = y[5];
endmodule
