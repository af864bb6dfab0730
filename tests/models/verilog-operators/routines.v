// Functions and tasks, in modules, packages and outside of both.
package lib;
  localparam [3:0] STEP = 4'd5;
  function automatic [3:0] ahead(input [3:0] x);
    ahead = x + 4'd1;
  endfunction
endpackage
function automatic [3:0] u_behind(input [3:0] x);
  if (x == 0) u_behind = 4'd9;
  else u_behind=x-1;
endfunction
module routines (
  input logic clk, input logic [3:0] a, b, input logic [7:0] v,
  output logic [3:0] next, back, most, least, count, output logic odd, output logic [3:0] sum, steps, output logic [1:0] state
);
  typedef enum logic [1:0] {IDLE, RUN, DONE} phase;
  phase now, then_;
  function automatic [3:0] flipped(input [3:0] x);
    flipped = ~x;
  endfunction
  function [3:0] larger(input [3:0] x, y);
    begin
      if (x > y) larger = x;
      else larger = y;
    end
  endfunction
  function [3:0] ones(input [7:0] x);
    integer k;
    begin
      ones = 0;
      for (k = 0; k < 8; k = k + 1) if (x[k]) ones = ones + 1;
    end
  endfunction
  function none(input [3:0] x);
    none = !x;
  endfunction
  task add(input [3:0] x, y, output [3:0] z);
    begin
      z = x + y;
      if (z[3]) z = z ^ 4'd1;
    end
  endtask
  assign next = lib::ahead(a) ^ lib::STEP;
  assign back = u_behind(b);
  assign most = larger(a, b - 4'd2);
  assign least = flipped(larger(~a, ~b));
  assign count = ones(v);
  assign odd = none(a) | none(b);
  always_comb add(a, b ^ 4'd3, sum);
  always_ff @(posedge clk) begin
    if (a[0]) steps <= steps - 4'd1;
    now <= then_;
  end
  always_comb begin
    then_ = now;
    case (now)
      IDLE: if (a[1]) then_ = RUN;
      RUN: then_ = DONE;
      default: if (b[1]) then_ = IDLE;
    endcase
  end
  assign state = now;
endmodule
