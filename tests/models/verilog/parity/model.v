// A tree of modules that instantiate themselves, chosen by generate if.
module parity #(parameter W = 6) (input [W-1:0] in, output out);
  generate
    if (W == 1) assign out = in[0];
    else begin : split
      wire low, high;
      parity #(.W(W / 2)) l (.in(in[W/2-1:0]), .out(low));
      parity #(.W(W - W / 2)) h (.in(in[W-1:W/2]), .out(high));
      assign out = low ^ high;
    end
  endgenerate
endmodule
module parity_top (input [5:0] word, input odd, output flag);
  wire even;
  parity #(6) tree (word, even);
  assign flag = even ^ odd;
endmodule
