% Algorithms 1 and 2 of [2] by the constraint solver of SWI-Prolog.
%
%   swipl -q -g main -t halt tests/bench/action_systems.pl < questions
%
% A question is `original(File).`, or `mutant(Name, File).` of the last original. For each mutant a line is written: its name; `none` (no
% unsafe state at all), `unreached` (none is reached), the number of events to the nearest, or `gave-up`; and the seconds of processor
% time of both algorithms. There is no `//` here.

:- use_module(library(clpfd)).
:- use_module(library(time)).
:- use_module('../../frontends/action-systems/tests/action_systems/fig3', [system/2, declared/3, alternatives/3]).

% Seconds for one mutant.
limit(20).

main :-
    read(Question),
    main(Question).

main(end_of_file) :- !.
main(original(File)) :- !,
    loaded(File, Original),
    nb_setval(original, Original),
    read(Next),
    main(Next).
main(mutant(Name, File)) :-
    nb_getval(original, Original),
    loaded(File, Mutant),
    limit(Limit),
    statistics(cputime, T0),
    catch(call_with_time_limit(Limit, unsafe(Original, Mutant, Found)), time_limit_exceeded, Found = gave_up),
    statistics(cputime, T1),
    (   Found = action(Label)
    ->  catch(call_with_time_limit(Limit, reached(Original, Mutant, Label, Result)), time_limit_exceeded, Result = gave_up)
    ;   Result = Found
    ),
    statistics(cputime, T2),
    First is T1 - T0, Second is T2 - T1,
    format("~w ~w ~3f ~3f~n", [Name, Result, First, Second]),
    read(Next),
    main(Next).

% A system: names and ranges of its state, its initial values, and for each label the ranges of its parameters and its alternatives.
loaded(File, sys(Names, Ranges, Initial, Actions)) :-
    system(File, Clauses),
    declared(Clauses, Names, Ranges),
    memberchk(init(Initial), Clauses),
    fig3:parts(Clauses, _, Block),
    findall(action(Label, Of, Alternatives),
        ( offer(Block, Label, Types),
          maplist(fig3:range_of_type(Clauses), Types, Of),
          alternatives(Clauses, Label, Alternatives) ),
        Actions).

offer(Block, Label, Types) :- Block =.. ['<>', P, Q], !, ( offer(P, Label, Types) ; offer(Q, Label, Types) ).
offer(Bound:Call, Label, Types) :- !, Call =.. [Label|_], findall(T, member(_:T, Bound), Types).
offer(Label, Label, []).

within(X, Low-High) :- X in Low..High.

% An alternative over variables for the values before and after, and the parameters.
over(sys(Names, _, _, _), Alternative, Before, Parameters, After, All) :-
    copy_term(Alternative, Parameters-alternative(Demands, Ends)),
    maplist(condition(Names, Before), Demands, Conditions),
    maplist(ends(Names, Before), Ends, After, Equations),
    append(Conditions, Equations, All).

condition(Names, Before, Demand, Condition) :-
    fig3:substituted(Demand, [true, false|Names], [0 #= 0, 0 #= 1|Before], Condition).
ends(Names, Before, End, After, After #= Value) :- fig3:substituted(End, Names, Before, Value).

conjunction([], 0 #= 0).
conjunction([C|Cs], C #/\ Rest) :- conjunction(Cs, Rest).

% The constraint of Theorem 4.1 for an action.
nonrefine(Original, Mutant, Label, Before, Parameters) :-
    Original = sys(_, Ranges, _, Actions),
    Mutant = sys(_, _, _, Mutated),
    memberchk(action(Label, Of, Own), Mutated),
    memberchk(action(Label, _, Theirs), Actions),
    maplist(within, Before, Ranges),
    same_length(After, Before),
    maplist(within, After, Ranges),
    same_length(Parameters, Of),
    maplist(within, Parameters, Of),
    member(Alternative, Own),
    over(Mutant, Alternative, Before, Parameters, After, Can),
    maplist(call, Can),
    forall_negated(Theirs, Original, Before, Parameters, After),
    append(Before, Parameters, Variables),
    labeling([ff, bisect], Variables).

forall_negated([], _, _, _, _).
forall_negated([Alternative|Rest], Original, Before, Parameters, After) :-
    over(Original, Alternative, Before, Parameters, After, All),
    conjunction(All, Both),
    #\ Both,
    forall_negated(Rest, Original, Before, Parameters, After).

% Algorithm 1.
unsafe(Original, Mutant, Found) :-
    Mutant = sys(_, _, _, Mutated),
    (   member(action(Label, _, _), Mutated),
        \+ \+ nonrefine(Original, Mutant, Label, _, _)
    ->  Found = action(Label)
    ;   Found = none
    ).

% Algorithm 2.
reached(Original, Mutant, Label, Result) :-
    Original = sys(_, Ranges, Initial, _),
    same_length(Initial, Ranges),
    search([Initial-0], [Initial], Original, Mutant, Label, Result).

search([], _, _, _, _, unreached).
search([State-Depth|Queue], Visited, Original, Mutant, Label, Result) :-
    (   \+ \+ nonrefine(Original, Mutant, Label, State, _)
    ->  Result = Depth
    ;   findall(Next, successor(Original, State, Next), Found),
        sort(Found, Sorted),
        subtract(Sorted, Visited, New),
        Deeper is Depth + 1,
        findall(Next-Deeper, member(Next, New), Entries),
        append(Queue, Entries, Rest),
        append(New, Visited, Known),
        search(Rest, Known, Original, Mutant, Label, Result)
    ).

successor(Original, State, Next) :-
    Original = sys(_, _, _, Actions),
    member(action(_, Of, Alternatives), Actions),
    same_length(Parameters, Of),
    maplist(within, Parameters, Of),
    member(Alternative, Alternatives),
    over(Original, Alternative, State, Parameters, Next, All),
    maplist(call, All),
    label(Parameters).
