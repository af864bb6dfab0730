// A queue of four words in a memory, with one more bit in the pointers to tell full from empty.
module fifo #(parameter WIDTH = 2, parameter DEPTH = 4, parameter BITS = 2) (
  input  wire             clk,
  input  wire             rst,
  input  wire             push,
  input  wire             pop,
  input  wire [WIDTH-1:0] din,
  output wire [WIDTH-1:0] dout,
  output wire             full,
  output wire             empty
);
  reg [WIDTH-1:0] store [0:DEPTH-1];
  reg [BITS:0] head, tail;

  assign empty = head == tail;
  assign full  = head[BITS-1:0] == tail[BITS-1:0] && head[BITS] != tail[BITS];
  assign dout  = empty ? {WIDTH{1'b0}} : store[tail[BITS-1:0]];

  always @(posedge clk or posedge rst)
    if (rst) begin
      head <= 0;
      tail <= 0;
    end else begin
      if (push && !full) head <= head + 1'b1;
      if (pop && !empty) tail <= tail + 1'b1;
    end

  always @(posedge clk)
    if (push && !full) store[head[BITS-1:0]] <= din;
endmodule
