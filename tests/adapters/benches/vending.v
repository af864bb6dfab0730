// One customer, by hand: two coins and then two more, so that one comes back.
module bench;
  reg clk = 0, rst = 1;
  reg [1:0] coin = 0;
  wire served;
  wire [1:0] change;

  vending dut (.clk(clk), .rst(rst), .coin(coin), .served(served), .change(change));
  always #5 clk = ~clk;

  task check(input ok);
    if (ok !== 1'b1) begin
      $display("wrong at %0t", $time);
      $stop;
    end
  endtask

  initial begin
    @(negedge clk) rst = 0;
    coin = 2;
    @(negedge clk) check(!served && change == 0);
    @(negedge clk) check(served && change == 1);
    coin = 0;
    @(negedge clk) check(!served);
    $finish;
  end
endmodule
