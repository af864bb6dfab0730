// A lock with a code of three digits; what is assumed of the keys is said.
module lock (input clk, input rst_n, input [1:0] key, input press, output open, output alarm);
  reg [1:0] right;
  reg [1:0] wrong;
  assign open = right == 2'd3;
  assign alarm = &wrong;
  function expected(input [1:0] at, input [1:0] key);
    expected = at == 0 && key == 2 || at == 1 && key == 0 || at == 2 && key == 3;
  endfunction
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      right <= 2'd0;
      wrong <= 2'd0;
    end else if (press && !open && !alarm) begin
      if (expected(right, key)) right <= right + 1;
      else begin
        right <= 2'd0;
        wrong <= wrong + 1;
      end
    end
  always @* assume (key != 2'd1 || !press);
  always @* assert (!(open && alarm));
endmodule
