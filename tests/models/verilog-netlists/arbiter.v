// Grants two requests in turn; its asynchronous reset is active high.
module arbiter(input clk, input rst, input [1:0] req, output reg [1:0] grant);
  reg turn;
  always @(posedge clk or posedge rst)
    if (rst) begin
      grant <= 2'b00;
      turn <= 1'b1;
    end else begin
      casez ({turn, req})
        3'b?00: grant <= 2'b00;
        3'b0?1: grant <= 2'b01;
        3'b010: grant <= 2'b10;
        3'b11?: grant <= 2'b10;
        default: grant <= 2'b01;
      endcase
      if (|req) turn <= ~turn;
    end
endmodule
