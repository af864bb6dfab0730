// A quotient and a remainder, signed, with the divisor 0 handled.
module divider (input signed [4:0] a, input signed [3:0] b, output signed [4:0] quotient, output signed [4:0] rest);
  assign quotient = b == 0 ? -5'sd1 : a / b;
  assign rest = b == 0 ? a : a % b;
endmodule
