// A button counts as pressed after three equal samples; tasks do the counting.
module debouncer (input clk, input rst_n, input button, output reg pressed, output reg edge_seen);
  reg [1:0] count;
  task sample(input now, inout [1:0] n);
    if (now == pressed) n = 2'd0;
    else n = n + 2'd1;
  endtask
  reg [1:0] next;
  always @* begin
    next = count;
    sample(button, next);
  end
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      count <= 0; pressed <= 0; edge_seen <= 0;
    end else begin
      edge_seen <= 0;
      count <= next;
      if (next == 2'd3) begin
        pressed <= button;
        edge_seen <= button;
        count <= 0;
      end
    end
endmodule
