% A lift with three floors: buttons call it, it goes towards calls, opens there and closes again.
type(floor, X) :- X in 0..2.
type(called, X) :- X in 0..1.
type(door, X) :- X in 0..1.
type(direction, X) :- X in 0..2.

var([at], floor).
var([call0, call1, call2], called).
var([open], door).

state_def([at, call0, call1, call2, open]).
init([0, 0, 0, 0, 0]).
input(['call']).

as :-
  actions (
    'call'(F)::(open #= 0) =>
      ( ((F #= 0 #/\ call0 #= 0) => (call0 := 1))
        []
        ((F #= 1 #/\ call1 #= 0) => (call1 := 1))
        []
        ((F #= 2 #/\ call2 #= 0) => (call2 := 1)) ),
    'opens'::(open #= 0) =>
      ( ((at #= 0 #/\ call0 #= 1) => (call0 := 0; open := 1))
        []
        ((at #= 1 #/\ call1 #= 1) => (call1 := 0; open := 1))
        []
        ((at #= 2 #/\ call2 #= 1) => (call2 := 0; open := 1)) ),
    'closes'::(open #= 1) => (open := 0),
    % Up or down, whichever way a call waits.
    'moves'(To)::(open #= 0 #/\ call0 + call1 + call2 #> 0) =>
      ( ( ((at #< 2 #/\ (call2 #= 1 #\/ (at #= 0 #/\ call1 #= 1))) => (at := at + 1))
          []
          ((at #> 0 #/\ (call0 #= 1 #\/ (at #= 2 #/\ call1 #= 1))) => (at := at - 1)) );
        ((To #= at) => (skip)) )
  ),
  dood (
    % Who can open opens, before the lift goes on.
    'closes' // 'opens' // ([F:floor]:'call'(F) [] [T:floor]:'moves'(T))
  ).
