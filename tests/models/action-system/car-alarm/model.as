% The car alarm of [2]: Listing 1, and the rest by its figure 1 and its numbers.
%
% aState: 0 flash, 1 flash and sound, 2 armed, 3 closed and locked, 4 closed and unlocked, 5 open and locked, 6 open and unlocked,
% 7 silent and open. The other variables say which outputs are due.
type(enum_State, X) :- X in 0..7.
type(enum_Alarm, X) :- X in 0..6.
type(enum_Armed, X) :- X in 0..5.
type(enum_Origin, X) :- X in 0..2.
type(bit, X) :- X in 0..1.
type(int, X) :- X in 0..270.

var([aState], enum_State).
var([fromAlarm], enum_Alarm).
var([fromArmed], enum_Armed).
var([fromClosedAndLocked_OR_fromSilentAndOpen], enum_Origin).
var([flashOn, soundOn], bit).

state_def([aState, fromAlarm, fromArmed, fromClosedAndLocked_OR_fromSilentAndOpen, flashOn, soundOn]).

init([6, 0, 0, 0, 0, 0]).

as :-
  actions (
    'after'(Wait_time)::(true) =>
      (
        ((Wait_time #= 20 #/\ aState #= 3) =>
          (aState := 2; fromClosedAndLocked_OR_fromSilentAndOpen := 1))
        []
        ((Wait_time #= 30 #/\ aState #= 1 #/\ fromArmed #= 4) =>
          (aState := 0; fromAlarm := 4; fromArmed := 0))
        []
        ((Wait_time #= 270 #/\ aState #= 0 #/\ fromAlarm #= 2) =>
          (aState := 7; fromAlarm := 1; fromArmed := 0))
      ),
    'Close'::(true) =>
      (
        ((aState #= 6 #/\ fromAlarm #= 0) =>
          (aState := 4))
        []
        ((aState #= 5) =>
          (aState := 3))
        []
        ((aState #= 7 #/\ fromAlarm #\= 1) =>
          (aState := 2; fromClosedAndLocked_OR_fromSilentAndOpen := 2))
      ),
    'Open'::(true) =>
      (
        ((aState #= 4 #/\ fromArmed #\= 1) =>
          (aState := 6; fromArmed := 0))
        []
        ((aState #= 3) =>
          (aState := 5))
        []
        ((aState #= 2 #/\ fromClosedAndLocked_OR_fromSilentAndOpen #= 0) =>
          (aState := 1; fromArmed := 5))
      ),
    'Lock'::(true) =>
      (
        ((aState #= 6 #/\ fromAlarm #= 0) =>
          (aState := 5))
        []
        ((aState #= 4 #/\ fromArmed #\= 1) =>
          (aState := 3; fromArmed := 0))
      ),
    'Unlock'::(true) =>
      (
        ((aState #= 5) =>
          (aState := 6))
        []
        ((aState #= 3) =>
          (aState := 4))
        []
        ((aState #= 2 #/\ fromClosedAndLocked_OR_fromSilentAndOpen #= 0) =>
          (aState := 4; fromArmed := 1))
        []
        ((aState #= 1 #/\ fromArmed #= 2) =>
          (aState := 6; fromArmed := 0))
        []
        ((aState #= 1 #/\ fromArmed #= 4) =>
          (aState := 6; fromAlarm := 3; fromArmed := 0))
        []
        ((aState #= 0 #/\ fromAlarm #= 4) =>
          (aState := 6; fromAlarm := 3))
        []
        ((aState #= 0 #/\ fromAlarm #= 2) =>
          (aState := 6; fromAlarm := 5))
        []
        ((aState #= 7 #/\ fromAlarm #= 1) =>
          (aState := 6; fromAlarm := 5))
        []
        ((aState #= 7 #/\ fromAlarm #\= 1) =>
          (aState := 6))
      ),
    'AlarmArmed_SetOn'::(true) =>
      (
        ((fromClosedAndLocked_OR_fromSilentAndOpen #= 1) =>
          (fromClosedAndLocked_OR_fromSilentAndOpen := 0))
        []
        ((fromClosedAndLocked_OR_fromSilentAndOpen #= 2) =>
          (fromClosedAndLocked_OR_fromSilentAndOpen := 0))
      ),
    'AlarmArmed_SetOff'::(true) =>
      (
        ((fromArmed #= 1) =>
          (fromArmed := 0))
        []
        ((fromArmed #= 5) =>
          (fromArmed := 2))
      ),
    'AcousticAlarm_SetOn'::(true) =>
      (
        ((fromArmed #= 2 #/\ soundOn #= 0) =>
          (fromArmed := 3; soundOn := 1))
        []
        ((fromArmed #= 3 #/\ soundOn #= 0) =>
          (fromArmed := 4; soundOn := 1))
      ),
    'AcousticAlarm_SetOff'::(true) =>
      (
        ((fromAlarm #= 4) =>
          (fromAlarm := 2; soundOn := 0))
        []
        ((fromAlarm #= 3) =>
          (fromAlarm := 5; soundOn := 0))
        []
        ((fromAlarm #= 6) =>
          (fromAlarm := 0; soundOn := 0))
      ),
    'OpticalAlarm_SetOn'::(true) =>
      (
        ((fromArmed #= 2 #/\ flashOn #= 0) =>
          (fromArmed := 3; flashOn := 1))
        []
        ((fromArmed #= 3 #/\ flashOn #= 0) =>
          (fromArmed := 4; flashOn := 1))
      ),
    'OpticalAlarm_SetOff'::(true) =>
      (
        ((fromAlarm #= 1) =>
          (fromAlarm := 0; flashOn := 0))
        []
        ((fromAlarm #= 3) =>
          (fromAlarm := 6; flashOn := 0))
        []
        ((fromAlarm #= 5) =>
          (fromAlarm := 0; flashOn := 0))
      )
  ),
  dood (
    'Lock'
    [] 'Unlock'
    [] 'Close'
    [] 'Open'
    [] [X:int]:'after'(X)
    [] 'AlarmArmed_SetOn'
    [] 'AlarmArmed_SetOff'
    [] 'AcousticAlarm_SetOn'
    [] 'AcousticAlarm_SetOff'
    [] 'OpticalAlarm_SetOn'
    [] 'OpticalAlarm_SetOff'
  ).
