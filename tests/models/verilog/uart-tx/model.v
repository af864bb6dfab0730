// Sends bytes of four bits: a start bit, the bits from the lowest up, parity, a stop bit. Each takes two steps.
module uart_tx (
  input  wire       clk,
  input  wire       rst_n,
  input  wire       start,
  input  wire [3:0] data,
  output reg        line,
  output wire       busy
);
  localparam [2:0] IDLE = 3'd0, BEGIN = 3'd1, BITS = 3'd2, PARITY = 3'd3, STOP = 3'd4;
  reg [2:0] state;
  reg [3:0] shift;
  reg [1:0] count;
  reg       parity, half;

  assign busy = state != IDLE;

  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      state  <= IDLE;
      line   <= 1'b1;
      shift  <= 4'd0;
      count  <= 2'd0;
      parity <= 1'b0;
      half   <= 1'b0;
    end else begin
      half <= busy & ~half;
      case (state)
        IDLE:
          if (start) begin
            shift  <= data;
            parity <= ^data;
            line   <= 1'b0;
            state  <= BEGIN;
          end
        BEGIN:
          if (half) begin
            line  <= shift[0];
            shift <= shift >> 1;
            count <= 2'd0;
            state <= BITS;
          end
        BITS:
          if (half) begin
            if (count == 2'd3) begin
              line  <= parity;
              state <= PARITY;
            end else begin
              line  <= shift[0];
              shift <= shift >> 1;
              count <= count + 2'd1;
            end
          end
        PARITY:
          if (half) begin
            line  <= 1'b1;
            state <= STOP;
          end
        default:
          if (half) state <= IDLE;
      endcase
    end
endmodule
