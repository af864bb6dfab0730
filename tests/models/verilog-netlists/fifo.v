// A queue of two words of two bits, with a synchronous reset.
module fifo(input clk, input rst, input push, input pop, input [1:0] in, output [1:0] out, output full, output empty);
  reg [1:0] mem [0:1];
  reg head, tail;
  reg [1:0] count;
  assign full = count == 2;
  assign empty = count == 0;
  assign out = empty ? 2'd0 : mem[head];
  wire pushes = push & ~full;
  wire pops = pop & ~empty;
  always @(posedge clk)
    if (rst) begin
      head <= 0;
      tail <= 0;
      count <= 0;
    end else begin
      if (pushes) begin
        mem[tail] <= in;
        tail <= ~tail;
      end
      if (pops) head <= ~head;
      count <= count + pushes - pops;
    end
endmodule
