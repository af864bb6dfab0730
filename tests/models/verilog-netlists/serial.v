// A sender of bytes, bit by bit, in a module of its own below a counter of bits; registers start as declared.
module bits(input clk, input run, output reg [2:0] at, output last);
  initial at = 0;
  assign last = at == 3'd7;
  always @(posedge clk) if (run) at <= at + 1; else at <= 0;
endmodule

module serial(input clk, input start, input [7:0] data, output line, output busy);
  reg [7:0] shift;
  reg running;
  initial begin
    shift = 0;
    running = 0;
  end
  wire [2:0] at;
  wire last;
  bits counter(.clk(clk), .run(running), .at(at), .last(last));
  assign busy = running;
  assign line = running ? shift[0] : 1'b1;
  always @(posedge clk)
    if (running) begin
      shift <= shift >> 1;
      if (last) running <= 0;
    end else if (start) begin
      shift <= data;
      running <= 1;
    end
endmodule
