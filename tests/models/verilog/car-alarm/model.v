// A car alarm, untimed: what takes time in the timed model happens at the next step in which nothing else does.
//
// A car that is closed and locked goes on guard. If it is opened before it is unlocked, lights flash and a horn
// sounds. The horn stops first, then the lights; once the car is closed again it is on guard again. Unlocking ends
// everything at any time. Of events at once, the first one asked for counts.
// States are macros, so that each use of a number is mutated, as of a model without names for them.
`define OPEN_UNLOCKED 3'd0
`define CLOSED_UNLOCKED 3'd1
`define OPEN_LOCKED 3'd2
`define CLOSED_LOCKED 3'd3
`define ARMED 3'd4
`define ALARM 3'd5
`define FLASHING 3'd6
`define SILENT 3'd7

module car_alarm (
  input  wire clk,
  input  wire open,
  input  wire close,
  input  wire lock,
  input  wire unlock,
  output reg  armed,
  output reg  flash,
  output reg  sound,
  // The state, for the display of a workshop.
  output reg [2:0] display
);
  reg [2:0] state = `OPEN_UNLOCKED;
  initial {armed, flash, sound, display} = 6'd0;

  always @(posedge clk) begin
    case (state)
      `OPEN_UNLOCKED:
        if (close) state <= `CLOSED_UNLOCKED;
        else if (lock) state <= `OPEN_LOCKED;
      `CLOSED_UNLOCKED:
        if (open) state <= `OPEN_UNLOCKED;
        else if (lock) state <= `CLOSED_LOCKED;
      `OPEN_LOCKED:
        if (unlock) state <= `OPEN_UNLOCKED;
        else if (close) state <= `CLOSED_LOCKED;
      `CLOSED_LOCKED:
        if (unlock) state <= `CLOSED_UNLOCKED;
        else if (open) state <= `OPEN_LOCKED;
        else state <= `ARMED;
      `ARMED:
        if (unlock) state <= `CLOSED_UNLOCKED;
        else if (open) state <= `ALARM;
      `ALARM:
        if (unlock) state <= `OPEN_UNLOCKED;
        else state <= `FLASHING;
      `FLASHING:
        if (unlock) state <= `OPEN_UNLOCKED;
        else state <= `SILENT;
      `SILENT:
        if (unlock) state <= `OPEN_UNLOCKED;
        else if (close) state <= `ARMED;
    endcase
    {armed, flash, sound, display} <=
      {state == `ARMED, state == `ALARM || state == `FLASHING, state == `ALARM, state};
  end

  // The horn never sounds without the lights, and nothing does while the car is on guard.
  always @(posedge clk) assert (!sound || flash && !armed);
endmodule
