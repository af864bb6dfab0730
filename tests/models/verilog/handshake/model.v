// A slave that may take its time: when it is ready is a choice, marked on its line.
module handshake (
  input  clk,
  input  rst_n,
  input  request,
  input  ready, // hyperkill: nd
  output reg busy,
  output reg done
);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {busy, done} <= 2'b00;
    else begin
      done <= 1'b0;
      if (!busy) busy <= request;
      else if (ready) begin
        busy <= 1'b0;
        done <= 1'b1;
      end
    end
endmodule
