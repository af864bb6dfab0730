% Action systems by the semantics of [2, Fig. 3]: Prolog reads the file, and lists steps value by value.
%
%   swipl -q -g main -t halt fig3.pl < questions
%
% A question is a term `steps(File, States).`, a state a list in the order of `state_def`. For each step of each state a line is written:
% its number among the questions, the state, the label with its values, and the state after it.

:- module(fig3, [system/2, declared/3, alternatives/3, main/0]).

:- op(998, fx, actions).
:- op(998, fx, dood).
:- op(990, xfy, //).
:- op(980, xfy, <>).
:- op(970, xfy, =>).
:- op(960, xfx, :=).
:- op(790, xfx, ::).
:- op(740, yfx, #\/).
:- op(720, yfx, #/\).
:- op(710, fy, #\).
:- op(700, xfx, #=).
:- op(700, xfx, #\=).
:- op(700, xfx, #<).
:- op(700, xfx, #=<).
:- op(700, xfx, #>).
:- op(700, xfx, #>=).
:- op(700, xfx, in).
:- op(450, yfx, ..).

% Reading. The list `[]` is no operator in this Prolog, so that the choice is read as `<>`; and `[X:t] l(X)` as `[X:t]:l(X)`.

system(File, Clauses) :-
    read_file_to_codes(File, Codes, [encoding(utf8)]),
    phrase(rewritten(Rewritten), Codes),
    string_codes(Text, Rewritten),
    setup_call_cleanup(open_string(Text, Stream), clauses(Stream, Clauses), close(Stream)).

clauses(Stream, Clauses) :-
    read_term(Stream, Clause, [module(fig3)]),
    (   Clause == end_of_file
    ->  Clauses = []
    ;   Clauses = [Clause|Rest],
        clauses(Stream, Rest)
    ).

rewritten(Codes) --> "[", blanks, "]", !, { append(`<>`, Rest, Codes) }, rewritten(Rest).
rewritten(Codes) --> "]", blanks_, [C], { starts_name(C) }, !, { append(`]:`, [C|Rest], Codes) }, after(C, Rest).
rewritten([0'%|Codes]) --> "%", !, line(Codes).
rewritten([0'/, 0'*|Codes]) --> "/*", !, block(Codes).
rewritten([C|Codes]) --> [C], !, after(C, Codes).
rewritten([]) --> [].

after(0'', Codes) --> !, quoted(Codes).
after(_, Codes) --> rewritten(Codes).

quoted([0''|Codes]) --> "'", !, rewritten(Codes).
quoted([C|Codes]) --> [C], quoted(Codes).

line([0'\n|Codes]) --> "\n", !, rewritten(Codes).
line([C|Codes]) --> [C], !, line(Codes).
line([]) --> [].

block([0'*, 0'/|Codes]) --> "*/", !, rewritten(Codes).
block([C|Codes]) --> [C], block(Codes).

blanks --> [C], { code_type(C, space) }, !, blanks.
blanks --> [].

blanks_ --> [C], { code_type(C, space) }, blanks.

starts_name(0'').
starts_name(C) :- code_type(C, alpha).

% Declarations: the names of the state in their order, their ranges, and their initial values.

declared(Clauses, Names, Ranges) :-
    memberchk(state_def(Names), Clauses),
    maplist(range_of(Clauses), Names, Ranges).

range_of(Clauses, Name, Range) :-
    member(var(Variables, Type), Clauses),
    memberchk(Name, Variables),
    !,
    range_of_type(Clauses, Type, Range).

range_of_type(Clauses, Type, Low-High) :-
    member(Clause, Clauses),
    copy_term(Clause, (type(Type, X) :- Y in Low..High)),
    X == Y,
    !.

parts(Clauses, Actions, Block) :-
    member((as :- ActionsTerm, BlockTerm), Clauses),
    ActionsTerm =.. [actions|Given],
    maplist(conjuncts, Given, Lists),
    append(Lists, Actions),
    BlockTerm = dood(Block).

conjuncts((A, B), [A|Rest]) :- !, conjuncts(B, Rest).
conjuncts(A, [A]).

% Meaning.

in(Low-High, Value) :- Value >= Low, Value =< High.

% The relation of a command between the values before and after it.
related(skip, _, S, S).
related((Name := E), Names-Ranges, S0, S) :-
    value(E, Names, S0, Value),
    nth0(At, Names, Name),
    nth0(At, Ranges, Range),
    in(Range, Value),
    nth0(At, S0, _, Others),
    nth0(At, S, Value, Others).
related((G => B), D, S0, S) :-
    D = Names-_,
    holds(G, Names, S0),
    related(B, D, S0, S).
related((A ; B), D, S0, S) :-
    related(A, D, S0, S1),
    related(B, D, S1, S).
related((A <> B), D, S0, S) :-
    (   related(A, D, S0, S)
    ;   related(B, D, S0, S)
    ).

value(E, _, _, E) :- integer(E), !.
value(E, Names, S, Value) :- atom(E), !, nth0(At, Names, E), nth0(At, S, Value).
value(A + B, Names, S, V) :- value(A, Names, S, X), value(B, Names, S, Y), V is X + Y.
value(A - B, Names, S, V) :- value(A, Names, S, X), value(B, Names, S, Y), V is X - Y.
value(A * B, Names, S, V) :- value(A, Names, S, X), value(B, Names, S, Y), V is X * Y.
value(- A, Names, S, V) :- value(A, Names, S, X), V is - X.

holds(true, _, _) :- !.
holds(false, _, _) :- !, fail.
holds(A #/\ B, Names, S) :- !, holds(A, Names, S), holds(B, Names, S).
holds(A #\/ B, Names, S) :- !, ( holds(A, Names, S) -> true ; holds(B, Names, S) ).
holds(#\ A, Names, S) :- !, \+ holds(A, Names, S).
holds(Comparison, Names, S) :-
    Comparison =.. [Op, A, B],
    value(A, Names, S, X),
    value(B, Names, S, Y),
    memberchk(Op-Test, [(#=)-(=:=), (#\=)-(=\=), (#<)-(<), (#=<)-(=<), (#>)-(>), (#>=)-(>=)]),
    Goal =.. [Test, X, Y],
    call(Goal).

% What the loop does in a state.
does(P <> Q, System, S0, Event, S) :- !, ( does(P, System, S0, Event, S) ; does(Q, System, S0, Event, S) ).
does(P // Q, System, S0, Event, S) :- !,
    (   does(P, System, S0, Event, S)
    ;   \+ does(P, System, S0, _, _),
        does(Q, System, S0, Event, S)
    ).
does(Offer, System, S0, Event, S) :-
    System = sys(Clauses, Actions, D),
    D = Names-_,
    copy_term(Offer, Copy),
    (   Copy = Bound:Event
    ->  maplist(given(Clauses), Bound)
    ;   Event = Copy
    ),
    member(Action, Actions),
    copy_term(Action, (Event :: Guard => Body)),
    holds(Guard, Names, S0),
    related(Body, D, S0, S).

given(Clauses, X:Type) :-
    range_of_type(Clauses, Type, Low-High),
    between(Low, High, X).

main :-
    read(Question),
    main(0, Question).

main(_, end_of_file) :- !.
main(Number, steps(File, States)) :-
    system(File, Clauses),
    declared(Clauses, Names, Ranges),
    parts(Clauses, Actions, Block),
    System = sys(Clauses, Actions, Names-Ranges),
    memberchk(init(Initial), Clauses),
    format("~w ~w init~n", [Number, Initial]),
    forall(
        ( member(S0, States), does(Block, System, S0, Event, S) ),
        format("~w ~w ~w ~w~n", [Number, S0, Event, S])
    ),
    read(Next),
    After is Number + 1,
    main(After, Next).

% For constraint solvers: the alternatives of an action in normal form, choices outermost. Each is what it demands, and the values
% afterwards, as expressions over the values before.
alternatives(Clauses, Label, Found) :-
    declared(Clauses, Names, Ranges),
    parts(Clauses, Actions, _),
    findall(Parameters-alternative(Demands, Ends),
        ( member(Action, Actions),
          copy_term(Action, (Call :: Guard => Body)),
          Call =.. [Label|Parameters],
          path((Guard => Body), Names-Ranges, Names, Ends, Demands, []) ),
        Found).

path(skip, _, E, E) --> [].
path((Name := E), Names-Ranges, E0, Ends) -->
    { substituted(E, Names, E0, Value), nth0(At, Names, Name), nth0(At, Ranges, Low-High),
      nth0(At, E0, _, Others), nth0(At, Ends, Value, Others) },
    [Value #>= Low, Value #=< High].
path((G => B), D, E0, Ends) -->
    { D = Names-_, substituted(G, Names, E0, Condition) },
    [Condition],
    path(B, D, E0, Ends).
path((A ; B), D, E0, Ends) --> path(A, D, E0, E1), path(B, D, E1, Ends).
path((A <> _), D, E0, Ends) --> path(A, D, E0, Ends).
path((_ <> B), D, E0, Ends) --> path(B, D, E0, Ends).

substituted(E, _, _, E) :- ( var(E) ; integer(E) ), !.
substituted(E, Names, Values, Value) :- atom(E), nth0(At, Names, E), !, nth0(At, Values, Value).
substituted(E, Names, Values, Value) :-
    E =.. [Op|Parts],
    all_substituted(Parts, Names, Values, New),
    Value =.. [Op|New].

all_substituted([], _, _, []).
all_substituted([E|Es], Names, Values, [V|Vs]) :-
    substituted(E, Names, Values, V),
    all_substituted(Es, Names, Values, Vs).
