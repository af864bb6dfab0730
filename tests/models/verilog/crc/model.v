// A CRC of five bits over one bit a step, its polynomial in a loop.
module crc5 (input clk, input clear, input valid, input d, output reg [4:0] crc);
  reg [4:0] next;
  reg feedback;
  integer i;
  always @* begin
    feedback = d ^ crc[4];
    next = {crc[3:0], 1'b0};
    for (i = 0; i < 5; i = i + 1)
      if (i == 0 || i == 2) next[i] = next[i] ^ feedback;
  end
  always @(posedge clk)
    if (clear) crc <= 5'h1f;
    else if (valid) crc <= next;
endmodule
