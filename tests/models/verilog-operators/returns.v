// What yosys 0.23 does not read: `return`, blocks' own variables with values, and counting by `++`.
module returns (input clk, input [3:0] a, b, output logic [3:0] x, y, output logic z, output logic [3:0] up, down);
  function automatic [3:0] f(input [3:0] v);
    if (v == 3) return~v;
    return-v;
  endfunction
  function automatic g(input [3:0] v);
    return!v;
  endfunction
  assign x = f(a) + b;
  assign z = g(b) ^ a[0];
  always_comb begin
    y = a;
    y += 3;
    if (b[0]) y &= b;
    y++;
  end
  always_ff @(posedge clk) begin
    if (a[3]) up <= up + 1;
    else up <= up - b;
    down <= up;
  end
endmodule
