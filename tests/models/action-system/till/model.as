% A till that counts to 10000: it takes coins of 1 and 5 and notes of 100, gives change, locks when it is full, and is emptied then.
type(cents, X) :- X in 0..10000.
type(coin, X) :- X in 0..5.
type(flag, X) :- X in 0..1.

var([total], cents).
var([locked], flag).

state_def([total, locked]).
init([0, 0]).

as :-
  actions (
    'insert'(C)::(locked #= 0 #/\ total + C #=< 10000) =>
      ( ((C #= 1) => (total := total + C))
        []
        ((C #= 5) => (total := total + C)) ),
    'note'::(locked #= 0 #/\ total #=< 9900) => (total := total + 100),
    % A fee of 5 is kept once there is enough in the till.
    'change'::(locked #= 0 #/\ total #>= 20) =>
      ( ((total #< 5000) => (total := total - 20))
        []
        ((total #>= 5000) => (total := total - 15)) ),
    'full'::(total #>= 9990 #/\ locked #= 0) => (locked := 1),
    % Only where nothing else can be done.
    'empty'::(total #> 0) => (total := 0; locked := 0)
  ),
  dood (
    [C:coin]:'insert'(C)
    [] 'note'
    [] 'change'
    [] 'full' // 'empty'
  ).
