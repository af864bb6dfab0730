//! The formula language as text: reading, printing, and error messages.

use crate::random::Vocabulary;
use hyperkill_core::sort::Value;
use hyperkill_formulas::ast::{Atom, Ltl};
use hyperkill_formulas::parser::{MAX_DEPTH, ParseErrorKind};
use hyperkill_formulas::{Formula, killing, parse};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn read(text: &str) -> Formula {
    parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

#[test]
fn killing_formulas_print_as_in_the_paper_and_read_back() {
    let table = [
        (
            killing::phi1(),
            "exists p. exists q. G (!mut[p] & mut[q] & I[p] = I[q]) & F (O[p] != O[q])",
        ),
        (
            killing::phi2(),
            "exists q. exists s. forall p. G (mut[q] & !mut[s] & I[s] = I[q]) \
             & (G (!mut[p] & I[p] = I[q]) -> F (O[p] != O[q]))",
        ),
        (
            killing::phi3(),
            "exists p. exists s. forall q. forall r. G (!mut[p] & mut[s] & I[s] = I[p]) \
             & (G (mut[q] & !mut[r] & I[q] = I[p] & I[r] = I[p]) -> F (O[q] != O[r]))",
        ),
        (
            killing::phi4(),
            "exists p. exists s. forall q. G (!mut[p] & mut[s] & I[s] = I[p]) \
             & (G (mut[q] & I[q] = I[p]) -> F (O[p] != O[q]))",
        ),
    ];
    for (formula, text) in table {
        assert_eq!(formula.to_string(), text);
        assert_eq!(read(text), formula);
    }
}

#[test]
fn symbols_read_like_words() {
    let pairs = [
        (
            "∃p∃q. □(¬mut[p] ∧ mut[q] ∧ I[p]=I[q]) ∧ ◇ O[p]≠O[q]",
            "exists p. exists q. G(!mut[p] & mut[q] & I[p] = I[q]) & F O[p] != O[q]",
        ),
        (
            "∀π.∃π'. (a[π] → ○b[π']) ↔ (⊤ ∨ ⊥ ⊕ a[π])",
            "forall π. exists π'. (a[π] -> X b[π']) <-> (true || false xor a[π])",
        ),
        ("∃p. a[p] == b[p] && a[p]", "exists p. a[p] = b[p] & a[p]"),
        (
            "∀p q ∃r. a[p] W b[q]",
            "forall p. forall q. exists r. a[p] W b[q]",
        ),
        // Operators where an operator is possible, names before a trace.
        (
            "exists p. Y Y[p] S S[p] & O O[p] = O[p] & H (H[p] T T[p])",
            "exists p. (Y \"Y\"[p]) S \"S\"[p] & O (O[p] = O[p]) & H (\"H\"[p] T \"T\"[p])",
        ),
        (
            "-- a comment\nexists p. -- and another\n  a[p]\n--end",
            "exists p.a[p]",
        ),
    ];
    for (symbols, words) in pairs {
        assert_eq!(read(symbols), read(words));
    }
}

#[test]
fn parentheses_are_printed_only_where_needed() {
    let already_minimal = [
        "exists p. a[p] & b[p] | c[p] & d[p]",
        "exists p. a[p] & (b[p] | c[p])",
        "exists p. (a[p] & b[p]) & c[p]",
        "exists p. a[p] -> b[p] -> c[p]",
        "exists p. (a[p] -> b[p]) -> c[p]",
        "exists p. a[p] U b[p] U c[p] & d[p]",
        "exists p. (a[p] U b[p]) R c[p] W wX d[p]",
        "exists p. a[p] <-> b[p] xor c[p] -> d[p]",
        "exists p. Y O (H Z a[p] S b[p]) T c[p] M d[p]",
        "forall p. forall q. I[p] = I[q] except {a, \"b c\"} & latches[p] != latches[q]",
        "exists p. (a[p] <-> b[p]) xor c[p]",
        "exists p. G F !X a[p]",
        "exists p. !(a[p] & b[p])",
        "exists p. !!a[p]",
        "exists p. out[p] = coff & n[p] != -5 & out[p] = in[p]",
        "exists p. !(out[p] != coff)",
        "exists p. bus[3][p] & top.core$1:x[0][2][p]",
        "exists p. \"X\"[p] & \"a b\"[p] & out[p] = \"true\" & \"say \\\"a\\\\b\\\"\"[p]",
        "exists p. F mut[p] | true",
    ];
    for text in already_minimal {
        assert_eq!(read(text).to_string(), text);
    }
    let spare = "exists p. (((a[p]) & ((b[p]))) | (c[p] & d[p]))";
    assert_eq!(
        read(spare).to_string(),
        "exists p. a[p] & b[p] | c[p] & d[p]"
    );
}

#[test]
fn every_formula_survives_printing_and_reading() {
    let vocabulary = Vocabulary {
        traces: vec!["p", "q", "π'", "_r2"],
        bits: vec![
            "a", "bus[3]", "X", "nd:c", "a b", "9lives", "", "\"", "bus[x]", "ü",
        ],
        typed: vec!["out", "exists", "top.state", "q[1][2]", "a]["],
        values: vec![
            Value::Int(0),
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Symbol("coff".to_owned()),
            Value::Symbol("TRUE".to_owned()),
            Value::Symbol("true".to_owned()),
            Value::Symbol("5".to_owned()),
            Value::Symbol("two words\n".to_owned()),
            Value::Symbol("U".to_owned()),
        ],
        equivalences: true,
    };
    for seed in 0..3000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let formula = vocabulary.formula(&mut rng, 1 + seed as usize % 40);
        let text = formula.to_string();
        assert_eq!(parse(&text), Ok(formula), "seed {seed}: {text}");
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let table = [
        (
            "",
            "line 1, column 1: expected `exists` or `forall`, found the end of the formula",
        ),
        (
            "a[p]",
            "line 1, column 1: expected `exists` or `forall`, found `a`",
        ),
        (
            "exists .",
            "line 1, column 8: expected a trace variable, found `.`",
        ),
        (
            "exists p a[p]",
            "line 1, column 10: expected `.` or a quantifier, found `a`",
        ),
        (
            "exists p. exists p. a[p]",
            "line 1, column 18: the trace variable `p` is bound twice",
        ),
        (
            "exists p. a[q]",
            "line 1, column 13: no quantifier binds the trace variable `q`",
        ),
        (
            "exists p.\n  a[p] &",
            "line 2, column 9: expected a formula, found the end of the formula",
        ),
        (
            "∃p. □ a[p] ∧ )",
            "line 1, column 14: expected a formula, found `)`",
        ),
        (
            "exists p. (a[p] b[p])",
            "line 1, column 17: expected an operator or `)`, found `b`",
        ),
        (
            "exists p. (a[p]",
            "line 1, column 16: expected an operator or `)`, found the end of the formula",
        ),
        (
            "exists p. a[p]) ",
            "line 1, column 15: expected an operator or the end of the formula, found `)`",
        ),
        (
            "exists p. a & b",
            "line 1, column 13: expected `[`, found `&`",
        ),
        (
            "exists p. a[p & b",
            "line 1, column 15: expected `]`, found `&`",
        ),
        (
            "exists p. a[3] & b",
            "line 1, column 16: expected `[`, found `&`",
        ),
        (
            "exists p. I[p] & a[p]",
            "line 1, column 16: expected `=` or `!=`, found `&`",
        ),
        (
            "exists p. I[p] = O[p]",
            "line 1, column 18: expected `I`, found `O`",
        ),
        (
            "exists p. a[p] = & b[p]",
            "line 1, column 18: expected a value or a signal, found `&`",
        ),
        (
            "exists p. a[p] = X",
            "line 1, column 18: expected a value or a signal, found `X`",
        ),
        (
            "exists p. X[p]",
            "line 1, column 12: expected a formula, found `[`",
        ),
        (
            "exists p. a[p] = 99999999999999999999",
            "line 1, column 18: the number is too large",
        ),
        (
            "exists p. \"a[p]",
            "line 1, column 16: expected a closing `\"`, found the end of the formula",
        ),
        (
            "exists p. a[p] @ b[p]",
            "line 1, column 16: expected an operator or the end of the formula, found `@`",
        ),
        (
            "exists p. mut",
            "line 1, column 14: expected `[`, found the end of the formula",
        ),
    ];
    for (text, message) in table {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = parse("∃p. a[p] ∧ b[q]").unwrap_err();
    assert_eq!((error.offset, error.line, error.column), (17, 1, 14));
    assert_eq!(error.kind, ParseErrorKind::Unbound("q".to_owned()));
}

#[test]
fn deep_nesting_is_an_error_and_never_a_stack_overflow() {
    let chains = [
        "(",
        "!",
        "G ",
        "a[p] -> ",
        "a[p] U (",
        "a[p] & (",
        "a[p] <-> X ",
        "(a[p] xor ",
    ];
    for chain in chains {
        let text = format!("exists p. {}a[p]", chain.repeat(100_000));
        let error = parse(&text).expect_err(chain);
        assert_eq!(error.kind, ParseErrorKind::TooDeep, "{chain}");
    }
    let deepest = format!("exists p. {}a[p]", "!".repeat(MAX_DEPTH - 1));
    assert_eq!(read(&deepest).to_string(), deepest);
    let beyond = format!("exists p. {}a[p]", "!".repeat(MAX_DEPTH));
    assert_eq!(parse(&beyond).unwrap_err().kind, ParseErrorKind::TooDeep);
}

#[test]
fn long_conjunctions_are_flat() {
    let text = format!("exists p. a[p]{}", " & a[p]".repeat(50_000));
    let formula = read(&text);
    assert!(matches!(&formula.body, Ltl::And(operands) if operands.len() == 50_001));
    assert_eq!(formula.to_string(), text);
}

#[test]
fn no_beginning_or_mutilation_of_a_formula_makes_the_parser_panic() {
    let text =
        "∃p∃q. □(¬mut[p] ∧ mut[q] ∧ I[p]=I[q]) ∧ ◇ O[p]≠O[q] U \"x\\\"\"[q] = -12 xor a[3][p]";
    let formula = read(text);
    assert!(
        formula
            .body
            .atoms()
            .contains(&&Atom::Selector(formula.prefix[0].1.clone()))
    );
    let boundaries: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    let mut rejected = 0;
    for &cut in &boundaries {
        rejected += usize::from(parse(&text[..cut]).is_err());
        for &end in boundaries.iter().filter(|&&end| end > cut).take(6) {
            let without = format!("{}{}", &text[..cut], &text[end..]);
            if let Err(error) = parse(&without) {
                assert!(without.is_char_boundary(error.offset), "{without}");
                rejected += 1;
            }
        }
    }
    assert!(rejected > 200, "{rejected}");
}
