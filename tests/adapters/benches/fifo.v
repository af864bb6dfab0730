// What somebody might write by hand for the queue: fill it, empty it, look at the flags. Fails with a status other than 0.
module bench;
  reg clk = 0, rst = 1, push = 0, pop = 0;
  reg [1:0] din = 0;
  wire [1:0] dout;
  wire full, empty;
  integer i;

  fifo dut (.clk(clk), .rst(rst), .push(push), .pop(pop), .din(din), .dout(dout), .full(full), .empty(empty));
  always #5 clk = ~clk;

  task check(input ok);
    if (ok !== 1'b1) begin
      $display("wrong at %0t", $time);
      $stop;
    end
  endtask

  initial begin
    @(negedge clk) rst = 0;
    check(empty && !full);
    for (i = 0; i < 4; i = i + 1) begin
      push = 1; din = i;
      @(negedge clk);
      check(!empty);
    end
    push = 0;
    check(full);
    for (i = 0; i < 4; i = i + 1) begin
      check(dout == i);
      pop = 1;
      @(negedge clk);
    end
    pop = 0;
    check(empty && !full);
    $finish;
  end
endmodule
