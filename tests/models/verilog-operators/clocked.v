// Registers with resets of all sorts. The clock's name is part of the names of resets.
module clocked (
  input c, clr, rst_c, set, arst_n, d, input [2:0] v,
  output reg low, high, two, asked, equal, kept, plain, output reg [2:0] n, m
);
  always @(posedge c or negedge arst_n)
    if (!arst_n) low <= 0;
    else low <= d;
  always @(posedge c, posedge clr) begin
    if (clr) high <= 1;
    else if (v[1]) high <= d;
  end
  always @(posedge c or posedge rst_c or posedge set)
    if (rst_c) two <= 1'b0;
    else if (set) two <= 1'b1;
    else two <= d ^ two;
  always @(posedge c or posedge clr) if (clr == 1'b1) asked <= 0; else asked <= !d;
  always @(posedge c or negedge arst_n) if (arst_n == 1'b0) equal <= 0; else equal <= v != 3'd2;
  always @(posedge c or negedge arst_n) if (~arst_n) kept <= 0; else if (d) kept <= ~kept;
  always @(posedge c) begin
    plain = d;
    if (clr) plain = 1'b0;
  end
  always @(posedge c) begin
    n <= n + 3'd1;
    if (clr) n <= 3'd0;
    m <= n;
  end
endmodule
