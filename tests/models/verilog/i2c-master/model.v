// Drives the two wires of a bus: start, four bits from the highest down, an acknowledge bit, stop. The wires are open
// drain: `release_*` lets them go, `*_in` is what others make of them. Each bit takes four phases.
`define PHASES 2'd3
module i2c_master (
  input  wire       clk,
  input  wire       rst,
  input  wire       go,
  input  wire [3:0] data,
  input  wire       sda_in,
  output reg        release_scl,
  output reg        release_sda,
  output reg        done,
  output reg        nack
);
  parameter [2:0] IDLE = 0, START = 1, DATA = 2, ACK = 3, STOP = 4;
  reg [2:0] state;
  reg [1:0] phase;
  reg [1:0] left;
  reg [3:0] shift;
  wire last = phase == `PHASES;

  always @(posedge clk or posedge rst) begin
    if (rst) begin
      state <= IDLE;
      phase <= 2'd0;
      left <= 2'd0;
      shift <= 4'd0;
      release_scl <= 1'b1;
      release_sda <= 1'b1;
      done <= 1'b0;
      nack <= 1'b0;
    end else begin
      done <= 1'b0;
      phase <= phase + 2'd1;
      case (state)
        IDLE: begin
          phase <= 2'd0;
          if (go) begin
            state <= START;
            shift <= data;
            nack <= 1'b0;
          end
        end
        START: begin
          if (phase == 2'd1) release_sda <= 1'b0;
          if (last) begin
            release_scl <= 1'b0;
            left <= 2'd3;
            state <= DATA;
          end
        end
        DATA: begin
          case (phase)
            2'd0: release_sda <= shift[3];
            2'd1: release_scl <= 1'b1;
            `PHASES: begin
              release_scl <= 1'b0;
              shift <= {shift[2:0], 1'b0};
              left <= left - 2'd1;
              if (left == 2'd0) state <= ACK;
            end
            default: ;
          endcase
        end
        ACK: begin
          case (phase)
            2'd0: release_sda <= 1'b1;
            2'd1: release_scl <= 1'b1;
            2'd2: nack <= sda_in;
            default: begin
              release_scl <= 1'b0;
              state <= STOP;
            end
          endcase
        end
        default: begin
          if (phase == 2'd0) release_sda <= 1'b0;
          if (phase == 2'd1) release_scl <= 1'b1;
          if (last) begin
            release_sda <= 1'b1;
            done <= 1'b1;
            state <= IDLE;
          end
        end
      endcase
    end
  end
endmodule
`undef PHASES
