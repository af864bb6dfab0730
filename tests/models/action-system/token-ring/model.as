% Three stations pass a token. Who has it and wants to send may send, or passes it on; a message takes the station that it is for.
type(station, X) :- X in 0..2.
type(flag, X) :- X in 0..1.

var([token], station).
var([want0, want1, want2], flag).

state_def([token, want0, want1, want2]).
init([0, 0, 0, 0]).

as :-
  actions (
    'want'(S)::(true) =>
      ( ((S #= 0 #/\ want0 #= 0) => (want0 := 1))
        []
        ((S #= 1 #/\ want1 #= 0) => (want1 := 1))
        []
        ((S #= 2 #/\ want2 #= 0) => (want2 := 1)) ),
    'send'(From, To)::(From #= token #/\ From #\= To) =>
      ( ((From #= 0 #/\ want0 #= 1) => (want0 := 0))
        []
        ((From #= 1 #/\ want1 #= 1) => (want1 := 0))
        []
        ((From #= 2 #/\ want2 #= 1) => (want2 := 0)) ),
    % The token goes round, and may be kept once by whoever has nothing to send.
    'pass'::(true) =>
      ( ((token #< 2) => (token := token + 1))
        []
        ((token #= 2) => (token := 0))
        []
        ((want0 + want1 + want2 #= 0) => (token := token)) )
  ),
  dood (
    [S:station]:'want'(S)
    [] [F:station, T:station]:'send'(F, T)
    [] 'pass'
  ).
