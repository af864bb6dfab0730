// One round of SHA-1 (FIPS 180-4 §6.1) on words of 8 bits: functions, rotations, a schedule of four rounds.
module sha1_round (
  input  wire       clk,
  input  wire       load,
  input  wire [7:0] w,
  output wire [7:0] digest
);
  reg [7:0] a, b, c, d, e;
  reg [1:0] t;

  function [7:0] rotate(input [7:0] x, input integer by);
    rotate = (x << by) | (x >> (8 - by));
  endfunction

  function [7:0] mixed(input [1:0] t, input [7:0] b, c, d);
    case (t)
      2'd0: mixed = (b & c) | (~b & d);
      2'd2: mixed = (b & c) | (b & d) | (c & d);
      default: mixed = b ^ c ^ d;
    endcase
  endfunction

  function [7:0] constant(input [1:0] t);
    case (t)
      2'd0: constant = 8'h99;
      2'd1: constant = 8'ha1;
      2'd2: constant = 8'hdc;
      2'd3: constant = 8'hd6;
    endcase
  endfunction

  always @(posedge clk)
    if (load) begin
      {a, b, c, d, e} <= 40'h01_89_fe_76_f0;
      t <= 2'd0;
    end else begin
      a <= rotate(a, 5) + mixed(t, b, c, d) + e + constant(t) + w;
      b <= a;
      c <= rotate(b, 6);
      d <= c;
      e <= d;
      t <= t + 2'd1;
    end

  assign digest = a ^ e;
endmodule
