//! Meaning of operators, compared with NuSMV: complete tables over small operands.
//!
//! NuSMV is searched on the path; without it the tests pass with a printed notice. For each value of a table an `INVARSPEC` denies the
//! value, so NuSMV's verdicts give the table.

use std::io::Write;
use std::process::Command;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::paths::looking_ahead;
use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile};
use hyperkill_smv::SmvFrontend;
use hyperkill_tests::peers::skipped;
use hyperkill_tests::reachable::reachable;

const VARIABLES: &str = "MODULE main
VAR w : word[3]; v : word[3]; s : signed word[3]; t : signed word[3]; m : -3..3; n : 0..3; b : boolean;
  k : {x, y, 1, 2}; e : {x, z}; a : array 0..3 of 0..1;
";

/// An expression, the variables that it reads with their values, and the possible values of the expression.
struct Row {
    expression: &'static str,
    operands: &'static [&'static str],
    results: Vec<String>,
}

fn values(variable: &str) -> Vec<String> {
    let unsigned = || (0..8).map(|n| format!("0ud3_{n}")).collect();
    let list = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
    match variable {
        "w" | "v" => unsigned(),
        "s" | "t" => (-4..4).map(|n| format!("swconst({n}, 3)")).collect(),
        "m" => (-3..=3).map(|n| n.to_string()).collect(),
        "n" => (0..=3).map(|n| n.to_string()).collect(),
        "b" => list(&["TRUE", "FALSE"]),
        "k" => list(&["x", "y", "1", "2"]),
        "e" => list(&["x", "z"]),
        _ => list(&["0", "1"]),
    }
}

fn row(
    expression: &'static str,
    operands: &'static [&'static str],
    results: impl IntoIterator<Item = String>,
) -> Row {
    Row {
        expression,
        operands,
        results: results.into_iter().collect(),
    }
}

fn unsigned(width: u32) -> Vec<String> {
    (0..1 << width).map(|n| format!("0ud{width}_{n}")).collect()
}

fn signed(width: u32) -> Vec<String> {
    let half = 1i64 << (width - 1);
    (-half..half)
        .map(|n| format!("swconst({n}, {width})"))
        .collect()
}

fn numbers(low: i64, high: i64) -> Vec<String> {
    (low..=high).map(|n| n.to_string()).collect()
}

fn truths() -> Vec<String> {
    vec!["TRUE".to_owned(), "FALSE".to_owned()]
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for expression in [
        "w + v",
        "w - v",
        "w * v",
        "w & v",
        "w | v",
        "w xor v",
        "w xnor v",
        "w -> v",
        "w <-> v",
        "v = 0ud3_0 ? w : w / v",
        "v = 0ud3_0 ? w : w mod v",
        "b ? w : v",
    ] {
        let operands: &[&str] = if expression.starts_with('b') {
            &["b", "w", "v"]
        } else {
            &["w", "v"]
        };
        rows.push(row(expression, operands, unsigned(3)));
    }
    for expression in [
        "s + t",
        "s - t",
        "s * t",
        "s & t",
        "s xor t",
        "t = swconst(0, 3) ? s : s / t",
        "t = swconst(0, 3) ? s : s mod t",
    ] {
        rows.push(row(expression, &["s", "t"], signed(3)));
    }
    for expression in ["w < v", "w <= v", "w > v", "w >= v", "w = v", "w != v"] {
        rows.push(row(expression, &["w", "v"], truths()));
    }
    for expression in ["s < t", "s <= t", "s > t", "s >= t", "s = t"] {
        rows.push(row(expression, &["s", "t"], truths()));
    }
    for expression in ["w << n", "w >> n", "w << v[1:0]"] {
        let operands: &[&str] = if expression.contains('v') {
            &["w", "v"]
        } else {
            &["w", "n"]
        };
        rows.push(row(expression, operands, unsigned(3)));
    }
    for expression in ["s << n", "s >> n"] {
        rows.push(row(expression, &["s", "n"], signed(3)));
    }
    rows.push(row("!w", &["w"], unsigned(3)));
    rows.push(row("-w", &["w"], unsigned(3)));
    rows.push(row("!s", &["s"], signed(3)));
    rows.push(row("-s", &["s"], signed(3)));
    rows.push(row("w[2:1]", &["w"], unsigned(2)));
    rows.push(row("s[2:1]", &["s"], unsigned(2)));
    rows.push(row("w[1:0] :: s", &["w", "s"], unsigned(5)));
    rows.push(row("extend(w, 2)", &["w"], unsigned(5)));
    rows.push(row("extend(s, 2)", &["s"], signed(5)));
    rows.push(row("resize(w, 5)", &["w"], unsigned(5)));
    rows.push(row("resize(s, 5)", &["s"], signed(5)));
    rows.push(row("resize(w, 2)", &["w"], unsigned(2)));
    rows.push(row("resize(s, 2)", &["s"], signed(2)));
    rows.push(row("resize(s, 1)", &["s"], signed(1)));
    rows.push(row("signed(w)", &["w"], signed(3)));
    rows.push(row("unsigned(s)", &["s"], unsigned(3)));
    rows.push(row("toint(w)", &["w"], numbers(-1, 8)));
    rows.push(row("toint(s)", &["s"], numbers(-5, 5)));
    rows.push(row("toint(b)", &["b"], numbers(-1, 2)));
    rows.push(row("bool(m)", &["m"], truths()));
    rows.push(row("bool(w[1:1])", &["w"], truths()));
    rows.push(row("word1(b)", &["b"], unsigned(1)));
    rows.push(row(
        "count(b, bool(w[0:0]), bool(w[1:1]))",
        &["b", "w"],
        numbers(-1, 4),
    ));
    rows.push(row("n = 0 ? m : m / n", &["m", "n"], numbers(-4, 4)));
    rows.push(row("m = 0 ? m : n mod m", &["m", "n"], numbers(-4, 4)));
    rows.push(row("n = 0 ? m : m mod n", &["m", "n"], numbers(-4, 4)));
    rows.push(row("m = 0 ? m : m mod m", &["m"], numbers(-4, 4)));
    rows.push(row("k = n", &["k", "n"], truths()));
    rows.push(row("k = e", &["k", "e"], truths()));
    rows.push(row("k in {x, 1, 3}", &["k"], truths()));
    rows.push(row("k in 1..3", &["k"], truths()));
    rows.push(row("n in {x, 1, 3}", &["n"], truths()));
    rows.push(row("{n, 1} in {1, m}", &["n", "m"], truths()));
    rows.push(row("(b ? {1, 2} : n) in {1, 2}", &["b", "n"], truths()));
    rows.push(row("1..2 in {n, m, 2}", &["n", "m"], truths()));
    rows.push(row(
        "b ? n : e",
        &["b", "n", "e"],
        ["x", "z", "0", "1", "2", "3"].map(str::to_owned),
    ));
    rows.push(row(
        "a[n]",
        &["n", "a[0]", "a[1]", "a[2]", "a[3]"],
        numbers(0, 1),
    ));
    rows.push(row(
        "a[v[1:0]]",
        &["v", "a[0]", "a[1]", "a[2]", "a[3]"],
        numbers(0, 1),
    ));
    rows.push(row("sizeof(w :: w)", &["w"], numbers(5, 7)));
    rows.push(row("uwconst(5, 3)", &["w"], unsigned(3)));
    rows.push(row("uwconst(-4, 3)", &["w"], unsigned(3)));
    rows.push(row("uwconst(-1, 3)", &["w"], unsigned(3)));
    rows.push(row("-0sd3_3", &["w"], signed(3)));
    rows.push(row("0sb3_101", &["w"], signed(3)));
    rows
}

/// Returns a model with one invariant for each value of the table. It says that the expression does not have this value, for given values
/// of its operands.
fn model(row: &Row) -> String {
    let mut guards = vec![String::new()];
    for operand in row.operands {
        guards = (guards.iter())
            .flat_map(|guard| {
                let all = values(operand).into_iter();
                all.map(move |value| format!("{guard}{operand} = {value} & "))
            })
            .collect();
    }
    let mut text = VARIABLES.to_owned();
    for guard in guards {
        for result in &row.results {
            let expression = row.expression;
            text += &format!("INVARSPEC !({guard}({expression}) = {result})\n");
        }
    }
    text
}

/// Returns NuSMV's verdicts on the invariants of a text, in their order; `None` without NuSMV.
fn nusmv(text: &str) -> Option<Vec<bool>> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("a written file");
    let output = Command::new("NuSMV").arg(file.path()).output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let lines = answer
        .lines()
        .filter(|line| line.starts_with("-- invariant"));
    Some(lines.map(|line| line.ends_with("is true")).collect())
}

/// Returns our verdicts on the invariants of a text, in their order.
fn ours(text: &str) -> Vec<bool> {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| false)),
        roles: RoleOptions {
            outputs: Some(NamePredicate::names(["b"])),
            ..RoleOptions::default()
        },
        ..FrontendOptions::default()
    };
    let translation = SmvFrontend
        .translate(&[SourceFile::new("table.smv", text)], &options)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let circuit = bit_blast(&looking_ahead(&translation.system))
        .expect("a circuit")
        .model;
    let found = reachable(&circuit, 10).expect("few states");
    found.bad.into_iter().map(|bad| !bad).collect()
}

#[test]
fn tables_of_operators_are_those_of_nusmv() {
    if nusmv("MODULE main\nVAR x : boolean;\n").is_none() {
        skipped("tables of operators", "NuSMV is not installed");
        return;
    }
    let mut wrong = Vec::new();
    for row in rows() {
        let text = model(&row);
        let expected = nusmv(&text).unwrap_or_default();
        let specs = text.lines().filter(|line| line.starts_with("INVARSPEC"));
        let specs: Vec<&str> = specs.collect();
        assert_eq!(expected.len(), specs.len(), "{}", row.expression);
        let found = ours(&text);
        let first = (0..specs.len()).find(|i| found[*i] != expected[*i]);
        if let Some(i) = first {
            wrong.push(format!(
                "{}: {} is {} for NuSMV",
                row.expression, specs[i], expected[i]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Models with indices in names, or with a symbol named like an instance.
const NAMES: [&str; 12] = [
    "MODULE main VAR PIN[0] : 0..1; b : boolean; ASSIGN next(PIN[0]) := b ? 1 : 0;",
    "MODULE main VAR a[0][0] : 0..1; a[0][1] : 0..1; ASSIGN init(a[0][0]) := 1; next(a[0][0]) := a[0][1];",
    "MODULE main VAR a[-1] : 0..3; ASSIGN init(a[-1]) := 2; next(a[-1]) := a[-1] > 0 ? a[-1] - 1 : 3;",
    "MODULE main VAR a[0].x : 0..1; p.q[2] : boolean; ASSIGN init(a[0].x) := 0; next(a[0].x) := p.q[2] ? 1 : 0;",
    "MODULE main VAR x : boolean; DEFINE a[0] := x; a[1] := !x; ASSIGN init(x) := TRUE; next(x) := a[0] & a[1];",
    "MODULE main VAR a : array 0..1 of boolean; a[2] : boolean; ASSIGN init(a[2]) := TRUE; next(a[2]) := a[0] & a[2];",
    "MODULE m(x) VAR y : boolean; ASSIGN init(y) := FALSE; next(y) := x;
     MODULE main VAR a[0] : m(TRUE); a[1] : m(a[0].y);",
    "MODULE m VAR PIN[0] : boolean; ASSIGN init(PIN[0]) := TRUE; next(PIN[0]) := !PIN[0];
     MODULE k(p) VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := p.PIN[0]; MODULE main VAR p : m; q : k(p);",
    "MODULE main VAR a[01] : boolean; ASSIGN init(a[1]) := FALSE; next(a[1]) := TRUE;",
    "MODULE main VAR a[0] : array 0..1 of 0..3; ASSIGN init(a[0][1]) := 0; next(a[0][1]) := a[0][0];",
    "MODULE m(s) VAR y : boolean; ASSIGN init(y) := FALSE; next(y) := s = idle;
     MODULE main VAR idle : m(s); s : {idle, busy}; ASSIGN init(s) := busy; next(s) := idle.y ? busy : idle;",
    "MODULE k(p, s) VAR z : boolean; ASSIGN init(z) := FALSE; next(z) := p.y & s = p;
     MODULE m VAR y : boolean; ASSIGN init(y) := FALSE; next(y) := !y;
     MODULE main VAR idle : m; q : k(idle, s); s : {idle, busy}; ASSIGN init(s) := idle; next(s) := q.z ? busy : idle;",
];

/// Returns the number of states that NuSMV reaches, as it prints it; `None` without NuSMV, or if it refuses the model.
fn states(text: &str) -> Option<String> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("a written file");
    let mut command = Command::new("NuSMV");
    let output = command.arg("-r").arg(file.path()).output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = answer
        .lines()
        .find_map(|l| l.strip_prefix("reachable states: "))?;
    line.split_whitespace().next().map(str::to_owned)
}

#[test]
fn names_with_indices_and_names_of_instances_mean_what_they_mean_for_nusmv() {
    if nusmv("MODULE main\nVAR x : boolean;\n").is_none() {
        skipped("names with indices", "NuSMV is not installed");
        return;
    }
    for text in NAMES {
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| false)),
            roles: RoleOptions {
                outputs: Some(NamePredicate::new(|_| true)),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let translation = SmvFrontend
            .translate(&[SourceFile::new("names.smv", text)], &options)
            .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let circuit = bit_blast(&translation.system).expect("a circuit").model;
        let found = reachable(&circuit, 1_000).expect("few states");
        assert_eq!(Some(found.states.to_string()), states(text), "{text}");
    }
}
