// Branches: plain, with overlapping labels, with don't-cares, without a default.
module choices (
  input clk, input [2:0] s, input [3:0] a, b,
  output reg [3:0] plain, listed, output reg [1:0] first, asked, open, output reg [3:0] stored, local_
);
  always @* case (s)
    3'd0: plain = a;
    3'd1: plain = b; // a comment
    3'd2, 3'd3: begin
      plain = a ^ b; // another one
    end
    default: plain = 4'd6;
  endcase
  always @* begin
    listed = 4'd1;
    case (s) 0: listed = a; 1: if (a[0]) listed = b; 2: ; 5: listed = ~a; endcase
  end
  always @* casez (s)
    3'b1??: first = 1;
    3'b?1?: first = 2;
    3'b??1: first = 3;
    default: first = 0;
  endcase
  always @* case (1'b1) s[0]: asked = 1; s[1]: asked = 2; a[3]: asked = b[1:0]; default: asked = 0; endcase
  always @* begin
    open = 0;
    casex (a) 4'b1xx0: open = 1; 4'bx01x: open = 2; endcase
  end
  always @(posedge clk) case (s[1:0])
    0: stored <= a;
    1: begin stored <= b; if (s[2]) stored <= 4'd2; end
    2: stored <= stored + 1;
  endcase
  always @* case (a[1:0])
    0: local_ = b;
    default: begin : inner
      reg [3:0] t;
      t = b + 4'd1;
      local_ = t & a;
    end
  endcase
endmodule
