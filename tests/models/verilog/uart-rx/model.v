// Receives what uart-tx sends: samples each bit in the second of its two steps.
module uart_rx (
  input  wire       clk,
  input  wire       rst_n,
  input  wire       line,
  output reg  [3:0] data,
  output reg        valid,
  output reg        error
);
  reg [2:0] index;
  reg       active, half, parity;

  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      {index, active, half, parity} <= 6'b0;
      data  <= 4'b0;
      valid <= 1'b0;
      error <= 1'b0;
    end else begin
      valid <= 1'b0;
      error <= 1'b0;
      if (!active) begin
        if (!line) begin
          active <= 1'b1;
          half   <= 1'b1;
          index  <= 3'd0;
          parity <= 1'b0;
        end
      end else begin
        half <= ~half;
        if (half) begin
          index <= index + 3'd1;
          case (index)
            3'd0: active <= ~line;
            3'd1, 3'd2, 3'd3, 3'd4: begin
              data   <= {line, data[3:1]};
              parity <= parity ^ line;
            end
            3'd5: parity <= parity ^ line;
            default: begin
              active <= 1'b0;
              valid  <= line & ~parity;
              error  <= ~line | parity;
            end
          endcase
        end
      end
    end
endmodule
