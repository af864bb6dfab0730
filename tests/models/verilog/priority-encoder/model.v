// The number of the highest bit that is set: casez with don't-cares.
module priority_encoder (input logic [3:0] request, output logic [1:0] index, output logic valid);
  always_comb begin
    valid = 1'b1;
    casez (request)
      4'b1???: index = 2'd3;
      4'b01??: index = 2'd2;
      4'b001?: index = 2'd1;
      4'b0001: index = 2'd0;
      default: begin
        index = 2'd0;
        valid = 1'b0;
      end
    endcase
  end
endmodule
