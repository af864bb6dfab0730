// Two directions with a timer; the names of the states are macros.
`define GREEN 2'd0
`define YELLOW 2'd1
`define RED 2'd2
`define IS(light, colour) ((light) == (colour))
module traffic (input clk, input rst, input car, output reg [1:0] main_light, output reg [1:0] side_light);
  reg [2:0] timer;
  always @(posedge clk)
    if (rst) begin
      main_light <= `GREEN;
      side_light <= `RED;
      timer <= 3'd0;
    end else begin
      timer <= timer + 3'd1;
      if (`IS(main_light, `GREEN)) begin
        if (car && timer >= 3'd3) begin
          main_light <= `YELLOW;
          timer <= 3'd0;
        end
      end else if (`IS(main_light, `YELLOW)) begin
        main_light <= `RED;
        side_light <= `GREEN;
        timer <= 3'd0;
      end else if (`IS(side_light, `GREEN)) begin
        if (timer == 3'd2) side_light <= `YELLOW;
      end else begin
        side_light <= `RED;
        main_light <= `GREEN;
        timer <= 3'd0;
      end
    end
endmodule
