// A stack of four bits-pairs, with blocking and non-blocking assignments in one block.
module stack (input clk, input rst, input push, input pop, input [1:0] in, output [1:0] top, output [2:0] depth);
  reg [1:0] cells [3:0];
  reg [2:0] level;
  reg [2:0] lower;
  assign depth = level;
  // A net of its own, since Icarus Verilog 11 reads an index `a - 1` without wrapping it to the width of `a`.
  wire [1:0] last = level[1:0] - 2'd1;
  assign top = level == 0 ? 2'd0 : cells[last];
  integer i;
  always @(posedge clk) begin
    lower = level;
    if (rst) begin
      level <= 0;
      for (i = 0; i < 4; i = i + 1) cells[i] <= 2'd0;
    end else begin
      if (pop && lower != 0) lower = lower - 3'd1;
      if (push && lower < 3'd4) begin
        cells[lower[1:0]] <= in;
        lower = lower + 3'd1;
      end
      level <= lower;
    end
  end
endmodule
