//! Models with modules, processes, arrays and constraints have the same meaning as equivalent models in one module of assignments.
//!
//! Each pair must have equally many states and layers, and the same invariants. The front end's interpreter is tested on the constructs
//! of the equivalent models; the numbers come from NuSMV 2.5.4.

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{ConditionalMutant, Reset, SelectorId};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile, apply,
};
use hyperkill_smv::ast::VarKind;
use hyperkill_smv::{SmvFrontend, flat, parser};
use hyperkill_tests::reachable::{Reachable, reachable};

/// Returns the circuit of a text with all variables observed and mutants of these operators.
fn circuit(text: &str, operators: &'static [&'static str]) -> (ConditionalMutant, Vec<Mutant>) {
    let parsed = parser::parse(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let flat = flat::flatten(&parsed.program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let variables = flat.declarations.iter();
    let variables = variables.filter(|(kind, _)| *kind != VarKind::Input);
    let options = FrontendOptions {
        operators: Some(NamePredicate::names(operators.iter().copied())),
        roles: RoleOptions {
            outputs: Some(NamePredicate::names(
                variables.map(|(_, declaration)| declaration.name.text.clone()),
            )),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = [SourceFile::new("model.smv", text)];
    let translation =
        (SmvFrontend.translate(&sources, &options)).unwrap_or_else(|errors| panic!("{errors:?}"));
    let circuit = bit_blast(&looking_ahead(&translation.system))
        .expect("a circuit")
        .model;
    let live = translation.catalogue.into_iter();
    let live = live.filter(|(_, rejected)| rejected.is_none());
    (circuit, live.map(|(mutant, _)| mutant).collect())
}

fn count(text: &str) -> Reachable {
    reachable(&circuit(text, &[]).0, 2_000).expect("few states")
}

/// Counts the reachable states of one mutant.
fn count_mutant(circuit: &ConditionalMutant, mutant: SelectorId) -> Reachable {
    let mut alone = keep_mutants(circuit, &[mutant]);
    for selector in std::mem::take(&mut alone.selectors) {
        alone.aig.set_reset(selector.latch, Reset::One);
    }
    reachable(&alone, 2_000).expect("few states")
}

#[test]
fn a_mutant_without_an_assignment_has_the_states_of_its_plain_source() {
    let texts = [
        "MODULE main VAR x : 0..2; y : 0..2; z : 0..2; u : boolean;
         ASSIGN y := (x + 1) mod 3; init(x) := 0; next(x) := (x + 1) mod 3;
           init(z) := 0; next(z) := next(y) = 2 ? x : next(y); init(u) := FALSE; next(u) := next(y) = y;
         INVARSPEC z != x
         INVARSPEC !u",
        "MODULE main VAR x : boolean; y : boolean; z : boolean; v : boolean; u : boolean;
         ASSIGN y := x & v; z := y xor x; init(x) := FALSE; next(x) := next(v) != y; next(v) := !v;
           init(u) := FALSE; next(u) := next(z) | next(y) & u;
         INVARSPEC !(x & z)
         INVARSPEC x -> v",
    ];
    let mut other = 0;
    for text in texts {
        let (featured, mutants) = circuit(text, &["MA"]);
        let original = count(text);
        for (index, mutant) in mutants.iter().enumerate() {
            let plain = apply(text, mutant).expect("a mutated text");
            let found = count_mutant(&featured, SelectorId(index));
            assert_eq!(found, count(&plain), "{plain}");
            other += usize::from(found != original);
        }
    }
    assert!(other > 5, "{other}");
}

/// Asserts that both models have `states` states in `layers` layers, the same deadlocks, and the same verdicts on their invariants.
fn same(modular: &str, written_out: &str, states: usize, layers: usize) {
    let (modular, written_out) = (count(modular), count(written_out));
    assert_eq!(modular, written_out);
    assert_eq!((modular.states, modular.layers), (states, layers));
    assert!(!modular.bad.is_empty(), "nothing to compare");
}

#[test]
fn instances_share_what_they_are_given() {
    same(
        "MODULE main
         VAR a : digit(TRUE); b : digit(a.carry & a.on); on : boolean;
         INVARSPEC a.n <= b.n
         INVARSPEC !(a.n = 2 & b.n = 2 & a.carry)
         MODULE digit(tick)
         VAR n : 0..2; on : boolean;
         DEFINE carry := tick & n = 2;
         ASSIGN init(n) := 0; init(on) := TRUE; next(on) := on;
           next(n) := case tick : (n + 1) mod 3; TRUE : n; esac;",
        "MODULE main
         VAR an : 0..2; aon : boolean; bn : 0..2; bon : boolean; on : boolean;
         INVARSPEC an <= bn
         INVARSPEC !(an = 2 & bn = 2 & an = 2)
         ASSIGN init(an) := 0; init(bn) := 0; init(aon) := TRUE; init(bon) := TRUE;
           next(aon) := aon; next(bon) := bon; next(an) := (an + 1) mod 3;
           next(bn) := an = 2 & aon ? (bn + 1) mod 3 : bn;",
        18,
        9,
    );
}

#[test]
fn one_process_moves_at_a_time() {
    same(
        "MODULE main
         VAR free : boolean; p : process worker(free); q : process worker(free);
         ASSIGN init(free) := TRUE;
         INVARSPEC !(p.busy & q.busy)
         INVARSPEC p.busy | q.busy | free
         MODULE worker(free)
         VAR busy : boolean;
         ASSIGN init(busy) := FALSE;
           next(busy) := case free : TRUE; busy : {TRUE, FALSE}; TRUE : FALSE; esac;
           next(free) := case free : FALSE; busy : next(busy) ? FALSE : TRUE; TRUE : free; esac;",
        "MODULE main
         IVAR who : {m, p, q};
         VAR free : boolean; pb : boolean; qb : boolean;
         INVARSPEC !(pb & qb)
         INVARSPEC pb | qb | free
         ASSIGN init(free) := TRUE; init(pb) := FALSE; init(qb) := FALSE;
           next(pb) := case who != p : pb; free : TRUE; pb : {TRUE, FALSE}; TRUE : FALSE; esac;
           next(qb) := case who != q : qb; free : TRUE; qb : {TRUE, FALSE}; TRUE : FALSE; esac;
           next(free) := case who = m : free; free : FALSE; who = p & pb : !next(pb);
             who = q & qb : !next(qb); TRUE : free; esac;",
        3,
        2,
    );
}

#[test]
fn computed_indices_choose_among_elements_of_nested_arrays() {
    same(
        "MODULE main
         VAR i : 0..1; j : 0..1; a : array 0..1 of array 0..1 of 0..2;
         DEFINE here := a[i][j];
         ASSIGN next(a[0][0]) := here; next(a[1][0]) := a[j][i]; next(a[0][1]) := a[0][1]; next(a[1][1]) := 2;
           init(a[0][0]) := 0; init(a[1][0]) := 1; init(a[0][1]) := 2; init(a[1][1]) := 2;
         INVARSPEC here != 1
         INVARSPEC a[1][1] = 2",
        "MODULE main
         VAR i : 0..1; j : 0..1; a00 : 0..2; a01 : 0..2; a10 : 0..2; a11 : 0..2;
         DEFINE here := i = 0 ? j = 0 ? a00 : a01 : j = 0 ? a10 : a11;
         ASSIGN next(a00) := here; next(a10) := j = 0 ? i = 0 ? a00 : a01 : i = 0 ? a10 : a11;
           next(a01) := a01; next(a11) := 2;
           init(a00) := 0; init(a10) := 1; init(a01) := 2; init(a11) := 2;
         INVARSPEC here != 1
         INVARSPEC a11 = 2",
        32,
        3,
    );
}

#[test]
fn constraints_say_what_assignments_say() {
    same(
        "MODULE main
         VAR x : 0..3; y : 0..3; w : boolean;
         INIT x = 0 & y in {1, 2}
         INVAR w <-> x < y
         TRANS next(x) = (x + 1) mod 4 | next(x) = x & next(y) != y
         TRANS next(y) in {y, 0}
         INVARSPEC w | x > 0
         INVARSPEC !(x = 3 & w)",
        "MODULE main
         IVAR up : boolean; drop : boolean;
         VAR x : 0..3; y : 0..3; w : boolean;
         ASSIGN init(x) := 0; init(y) := {1, 2}; w := x < y;
           next(y) := drop ? 0 : y;
           next(x) := up | !drop | y = 0 ? (x + 1) mod 4 : x;
         INVARSPEC w | x > 0
         INVARSPEC !(x = 3 & w)",
        12,
        4,
    );
}

#[test]
fn coming_values_of_inputs_and_of_choices_can_be_read() {
    same(
        "MODULE main
         VAR i : 0..2; w : 0..2; x : 0..2; y : 0..2;
         ASSIGN w := {i, 1}; init(x) := 0; init(y) := 0;
           next(x) := next(i); next(y) := next(w);
         INVARSPEC x = 0 | x = i
         INVARSPEC y = w | x = 0
         INVARSPEC y != 2",
        "MODULE main
         VAR i : 0..2; w : 0..2; x : 0..2; y : 0..2; first : boolean;
         INIT x = 0 & y = 0
         INVAR w = i | w = 1
         TRANS next(x) = next(i) & next(y) = next(w)
         INIT first
         TRANS next(first) = first
         INVARSPEC x = 0 | x = i
         INVARSPEC y = w | x = 0
         INVARSPEC y != 2",
        9,
        2,
    );
}
