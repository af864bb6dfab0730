// A car alarm, untimed: what takes time in the timed model happens at the next step.
//
// A car that is closed and locked guards itself. If it is opened before it is unlocked, lights flash and a horn
// sounds. The lights stop first, then the horn; once the car is closed again it is on guard again. Unlocking ends
// everything at any time.
// Events and phases are macros, so that each use of a number is mutated, as of a model without names for them.
`define OPEN 3'd1
`define CLOSE 3'd2
`define LOCK 3'd3
`define UNLOCK 3'd4
`define OFF 3'd0
`define GUARD 3'd1
`define ALARM 3'd2
`define FADING 3'd3
`define SPENT 3'd4

module car_alarm (
  input  wire       clk,
  input  wire [2:0] event_code,
  output reg        armed,
  output reg        flash,
  output reg        sound
);
  reg closed = 1'b0;
  reg locked = 1'b0;
  reg [2:0] phase = `OFF;
  reg [2:0] coming;

  initial begin
    armed = 1'b0;
    flash = 1'b0;
    sound = 1'b0;
  end

  // Doors and locks as this event leaves them.
  wire shut   = event_code == `CLOSE || closed && event_code != `OPEN;
  wire bolted = event_code == `LOCK || locked && event_code != `UNLOCK;

  always @* begin
    coming = phase;
    if (!bolted)
      coming = `OFF;
    else
      case (phase)
        `OFF:     if (shut) coming = `GUARD;
        `GUARD:   if (!shut) coming = `ALARM;
        `ALARM:   coming = `FADING;
        `FADING:  coming = `SPENT;
        default: if (shut) coming = `GUARD;
      endcase
  end

  always @(posedge clk) begin
    closed <= shut;
    locked <= bolted;
    phase  <= coming;
    armed  <= coming == `GUARD;
    flash  <= coming == `ALARM;
    sound  <= coming == `ALARM || coming == `FADING;
  end

  // The lights never flash without the horn, and never while the car is on guard.
  always @(posedge clk) assert (!flash || sound && !armed);
endmodule
