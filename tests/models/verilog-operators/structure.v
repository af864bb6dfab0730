// Instances, gates, generated parts and nets with values of their own.
module inverter #(parameter W = 1) (input [W-1:0] a, output [W-1:0] y);
  assign y = ~a;
endmodule
module pass (input logic [1:0] a, output logic [1:0] y);
  assign y = a;
endmodule
module structure #(parameter N = 4) (
  input [3:0] a, b, input s, output [3:0] y, g, wired, tri_, output z, w, x, v, u, output [1:0] short_, all
);
  localparam HALF = N / 2;
  wire [3:0] sum = a + b;
  inverter #(.W(4)) named (.a(sum ^ 4'd2), .y(y));
  inverter placed (s, z);
  inverter parts (.a(a[0] & s), .y(w));
  pass by_name (.a(sum[1:0]), .y(short_));
  generate if (N > 1) begin : outer
    wire [1:0] a = b[3:2];
    wire [1:0] y;
    pass same (.a, .y);
    assign all = y;
  end else begin : never
    assign all = a & b;
  end endgenerate
  genvar i;
  generate for (i = 0; i < N; i = i + 1) begin : lane
    if (i < HALF) assign g[i] = a[i] ^ b[N - 1 - i];
    else assign g[i] = a[i] & s;
  end endgenerate
  and (x, a[0], b[0], s);
  nor either (v, a[1], b[1] & s);
  xor #1 (u, ~s, a[2]);
  wand [3:0] joined = a | b;
  assign joined = {4{s}};
  assign wired = joined;
  tri [3:0] free = a - b;
  assign tri_ = free;
endmodule
