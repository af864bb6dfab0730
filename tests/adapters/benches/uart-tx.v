// Sends one byte, by hand, and looks at the line in the middle of each bit.
module bench;
  reg clk = 0, rst_n = 0, start = 0;
  reg [3:0] data = 4'b0110;
  wire line, busy;
  reg [6:0] seen;
  integer i;

  uart_tx dut (.clk(clk), .rst_n(rst_n), .start(start), .data(data), .line(line), .busy(busy));
  always #5 clk = ~clk;

  initial begin
    @(negedge clk) rst_n = 1;
    start = 1;
    @(negedge clk) start = 0;
    for (i = 0; i < 7; i = i + 1) begin
      seen[i] = line;
      repeat (2) @(negedge clk);
    end
    // Stop, parity, the bits from the highest down, start.
    if (seen !== 7'b1_0_0110_0) begin
      $display("sent %b", seen);
      $stop;
    end
    $finish;
  end
endmodule
