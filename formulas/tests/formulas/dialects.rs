//! The languages of other tools: the meaning of each sign, writing and reading, and the formulas distributed with these tools.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::random::Vocabulary;
use hyperkill_core::sort::Value;
use hyperkill_formulas::ast::{Atom, Operand};
use hyperkill_formulas::parser::ParseErrorKind;
use hyperkill_formulas::{Dialect, Formula, parse};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn read(dialect: Dialect, text: &str) -> Formula {
    let formula = dialect.read(text);
    formula.unwrap_or_else(|e| panic!("{dialect}: {text}\n{e}"))
}

#[test]
fn each_language_says_the_same_in_its_own_words() {
    use Dialect::{AutoHyper, HyperQb1, HyperQb2, MCHyper};
    let table = [
        (
            MCHyper,
            r#"Forall (Exists (G (Eq (AP "x<0>" 0) (AP "x<0>" 1))))"#,
            r#"forall p. exists q. G ("x<0>"[p] = "x<0>"[q])"#,
        ),
        (
            MCHyper,
            r#"(Forall (Forall (Implies (G (SameInputsExcept 0 1 ["a"])) (EqualOn 0 1 ["b","c"]))))"#,
            "forall p. forall q. G (I[p] = I[q] except {a}) -> b[p] = b[q] & c[p] = c[q]",
        ),
        (
            MCHyper,
            r#"Exists (Exists (WUntil (Neq (AP "a" 0) (AP "a" 1)) (Neg (SameState 0 1))))"#,
            "exists p q. (a[p] != a[q]) W !(latches[p] = latches[q])",
        ),
        (
            MCHyper,
            r#"Exists (Exists (GreaterOn 0 1 ["a","b"]))"#,
            "exists p q. a[p] & !a[q] | a[p] = a[q] & b[p] & !b[q]",
        ),
        (
            HyperQb1,
            "forall A. exists B. (G (a[A] /\\ ~b[B]) \\/ *x[A]=3*) -> F *x[A] = x[B]*",
            "forall A. exists B. G (a[A] & !b[B]) | x[A] = 3 -> F (x[A] = x[B])",
        ),
        (
            HyperQb1,
            "exists A. *P[2][A] = P[2][A]* U halt-x[A]",
            "exists A. P[2][A] = P[2][A] U \"halt-x\"[A]",
        ),
        (
            HyperQb2,
            "Forall A . Exists B . F(halt[A]) -> G(x[A] = x[B])",
            "forall A. exists B. F halt[A] -> G (x[A] = x[B])",
        ),
        // `=` binds loosest, then `->`, `|`, `&`, `U`, `R`.
        (
            HyperQb2,
            "Exists A . a[A] & b[A] = c[A] | d[A]",
            "exists A. a[A] & b[A] <-> c[A] | d[A]",
        ),
        (
            HyperQb2,
            "Exists A . F(l[A]=5) = F(l[A]=6)",
            "exists A. F (l[A] = 5) <-> F (l[A] = 6)",
        ),
        (
            HyperQb2,
            "Exists A . a[A] U b[A] R c[A]",
            "exists A. a[A] U (b[A] R c[A])",
        ),
        (
            HyperQb2,
            "Exists A . a[A] R b[A] U c[A]",
            "exists A. (a[A] R b[A]) U c[A]",
        ),
        (
            HyperQb2,
            "Exists A . (w[A]) & (v[A]=#b101)",
            "exists A. w[A] & (v[A] = 5)",
        ),
        // Names may begin with the letters of operators.
        (
            HyperQb2,
            "Exists A . G(FAIL[A] | GOAL[A] | X[A])",
            "exists A. G (FAIL[A] | GOAL[A] | \"X\"[A])",
        ),
        (
            AutoHyper,
            "forall A. exists B. G!{a}_A & ({x=3}_A <-> {x}_A = {x}_B)",
            "forall A. exists B. G !a[A] & (x[A] = 3 <-> x[A] = x[B])",
        ),
        (
            AutoHyper,
            "exists A. (*act=1*_A <-> *p-q*_A)",
            "exists A. act[A] = 1 <-> \"p-q\"[A]",
        ),
        (
            AutoHyper,
            "exists A. F {x = 1 | !y}_A",
            "exists A. F (x[A] = 1 | !y[A])",
        ),
    ];
    for (dialect, text, ours) in table {
        let expected = parse(ours).unwrap_or_else(|e| panic!("{ours}\n{e}"));
        assert_eq!(read(dialect, text), expected, "{dialect}: {text}");
    }
}

#[test]
fn errors_point_at_the_character() {
    use Dialect::{AutoHyper, HyperQb1, HyperQb2, MCHyper};
    let table = [
        (
            MCHyper,
            r#"Forall (G (AP "a" 1))"#,
            "line 1, column 19: no quantifier binds the trace variable `1`",
        ),
        (
            MCHyper,
            r#"Forall (Gee (AP "a" 0))"#,
            "line 1, column 9: expected a formula, found `Gee`",
        ),
        (
            MCHyper,
            r#"Forall (G (AP "a" 0)"#,
            "line 1, column 21: expected `)`, found the end of the formula",
        ),
        (
            HyperQb1,
            "forall A. G(x[B])",
            "line 1, column 15: no quantifier binds the trace variable `B`",
        ),
        (
            HyperQb1,
            "forall A. *x[A]=3",
            "line 1, column 11: expected `*` with its other `*`, found `*`",
        ),
        (
            HyperQb2,
            "Forall A . x[A] &",
            "line 1, column 18: expected a formula, found the end of the formula",
        ),
        (
            HyperQb2,
            "Forall A . x[A] ) ",
            "line 1, column 17: expected an operator or the end of the formula, found `)`",
        ),
        (
            HyperQb2,
            "Forall A . 3 & x[A]",
            "line 1, column 12: expected a formula, not a value, found `3`",
        ),
        (
            AutoHyper,
            "forall A. {x}",
            "line 1, column 14: expected `_` and a trace variable, found the end of the formula",
        ),
        (
            AutoHyper,
            "forall A. forall A. {x}_A",
            "line 1, column 18: the trace variable `A` is bound twice",
        ),
    ];
    for (dialect, text, message) in table {
        let error = dialect.read(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{dialect}: {text}");
    }
}

#[test]
fn asynchronous_formulas_are_read_to_their_end_and_called_by_their_name() {
    let text = "Forall A . Exists B . A t . E u . G(a[A][t] = b[B][u])";
    let error = Dialect::HyperQb2.read(text).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::Asynchronous("t".to_owned()));
    assert_eq!(error.column, 23);
    let broken = Dialect::HyperQb2
        .read("Forall A . A t . G(a[A][t]")
        .unwrap_err();
    assert!(matches!(broken.kind, ParseErrorKind::Unexpected { .. }));
}

/// Returns whether a language can express all atoms of a formula.
fn sayable(dialect: Dialect, formula: &Formula) -> bool {
    formula.body.atoms().into_iter().all(|atom| match atom {
        Atom::Signal(_) => true,
        Atom::Equal(_, Operand::Signal(_)) => true,
        Atom::Equal(..) => dialect != Dialect::MCHyper,
        _ => false,
    })
}

#[test]
fn what_is_written_in_a_language_is_read_again() {
    let vocabulary = Vocabulary {
        traces: vec!["p", "q", "r"],
        bits: vec!["a", "b[3]", "FG", "Until"],
        typed: vec!["n"],
        values: (0..3).map(Value::Int).collect(),
        equivalences: true,
    };
    for dialect in Dialect::ALL {
        let mut written = 0;
        for seed in 0..4000 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let formula = vocabulary.formula(&mut rng, 1 + seed as usize % 12);
            let Ok(text) = dialect.write(&formula) else {
                continue;
            };
            assert!(
                dialect == Dialect::Hyperkill
                    || sayable(dialect, &formula)
                    || dialect == Dialect::MCHyper
            );
            written += 1;
            let again = read(dialect, &text);
            assert_eq!(
                again.prefix, formula.prefix,
                "{dialect}, seed {seed}: {text}"
            );
            // Equivalent operators may be rewritten once; the result is then stable.
            let settled = dialect
                .write(&again)
                .unwrap_or_else(|e| panic!("{dialect}, seed {seed}: {e}"));
            assert_eq!(
                read(dialect, &settled),
                again,
                "{dialect}, seed {seed}: {text}\n{settled}"
            );
        }
        println!("{dialect}: {written} of 4000 can be written");
        assert!(written > 200, "{dialect}: {written}");
    }
}

/// Returns the folder of the formulas of other tools, if `HYPERKILL_MODELS` names one.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("HYPERKILL_MODELS").map(|root| Path::new(&root).join("hyper"));
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        let why = "SKIPPED: HYPERKILL_MODELS names no folder with `hyper` in it";
        let _ = writeln!(std::io::stderr(), "{why}");
    }
    found
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn every_formula_that_came_with_hyperqb_and_autohyper_is_read() {
    let Some(folder) = folder() else { return };
    let mut found = Vec::new();
    files(&folder, "hq", &mut found);
    let (mut synchronous, mut asynchronous) = (0, 0);
    let mut refused = Vec::new();
    for path in &found {
        let text = std::fs::read_to_string(path).expect("text");
        let dialect = match Dialect::guess(&text) {
            // A file without a sign of its own belongs to the tool of its folder.
            Dialect::Hyperkill => Dialect::HyperQb1,
            other => other,
        };
        match dialect.read(&text) {
            Ok(formula) => {
                synchronous += 1;
                let written = dialect.write(&formula);
                if let Ok(written) = written {
                    assert_eq!(
                        read(dialect, &written).body,
                        formula.body,
                        "{}",
                        path.display()
                    );
                }
            }
            Err(error) if matches!(error.kind, ParseErrorKind::Asynchronous(_)) => {
                asynchronous += 1
            }
            Err(error) => refused.push(format!("{} ({dialect}): {error}", path.display())),
        }
    }
    println!("{synchronous} synchronous, {asynchronous} asynchronous");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(synchronous > 60);
}

#[test]
fn every_call_of_mchyper_is_read_and_written_again() {
    let Some(folder) = folder() else { return };
    let path = folder.join("mchyper/formulas.json");
    let text = std::fs::read_to_string(path).expect("text");
    let mut read_ones = 0;
    // One JSON string per formula.
    for line in text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("\"formula\": \""))
    {
        let json = line.trim_end_matches(',').trim_end_matches('"');
        let formula = json.replace("\\\"", "\"").replace("\\\\", "\\");
        let tree = read(Dialect::MCHyper, &formula);
        let written = Dialect::MCHyper.write(&tree).expect("its own language");
        assert_eq!(read(Dialect::MCHyper, &written), tree, "{formula}");
        let ours = tree.to_string();
        assert_eq!(read(Dialect::Hyperkill, &ours), tree, "{ours}");
        read_ones += 1;
    }
    assert!(read_ones >= 37, "{read_ones}");
}
