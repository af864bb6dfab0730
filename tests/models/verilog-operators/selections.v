// Bits, parts, elements, words put together and first values.
module selections (
  input clk, we, input [7:0] a, input [2:0] i, input [1:0] at, from, input [7:0] data,
  output bit_, shifted, known, output [3:0] part, moving, down, output [7:0] word, joined, output reg [7:0] turned,
  output reg [3:0] first = 4'd6, output [7:0] table_
);
  reg [7:0] store [0:3];
  reg [7:0] fixed [0:3];
  reg [1:8] back;
  integer k;
  initial begin
    for (k = 0; k < 4; k = k + 1) fixed[k] = k * 3;
    fixed[2] = 8'd7;
    back = 8'h5a;
    store[0] = 0; store[1] = 1; store[2] = 2; store[3] = 3;
  end
  assign bit_ = a[i];
  assign shifted = a[i - 3'd1] ^ store[at][i];
  assign known = a[3] & back[2];
  assign part = a[6:3];
  assign moving = a[from +: 4] ^ 4'd3;
  assign down = data[from + 4 -: 4];
  assign word = store[from] + 8'd1;
  assign joined = {a[3:0], {2{i[0]}}, 2'b01} & {8{we}};
  assign table_ = fixed[at];
  always @* for (k = 0; k < 8; k = k + 1) turned[k] = a[7 - k] ^ we;
  always @(posedge clk) begin
    if (we) store[at] <= data;
    first <= {first[2:0], first[3] ^ a[0]};
    back[1:4] <= back[5:8];
    back[5 + from] <= a[0];
  end
endmodule
