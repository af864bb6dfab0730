//! Damaged texts get errors that lie in the text, and never a panic.

use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, NamePredicate, apply};
use hyperkill_smv::{parser, printer};
use rand::RngExt;

use crate::random::{generator, pick};
use crate::support::{model, translate};

/// Pieces of text that damage the structure more than single characters do.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "case",
    "esac",
    ";",
    ":",
    "next(",
    "--",
    "/--",
    "ε",
    "\0",
    "9999999999",
    "99999999999999999999",
    "-",
    "..",
    "union",
    "MODULE main",
    "ASSIGN",
    "VAR",
    "DEFINE",
    "!",
    "in",
    " / 0",
    "* 1000000000 * 1000000000 * 1000000000",
    "\n",
    "-- @nd\n",
    "0ud8_1",
    "?",
    "x.y[3]",
];

/// A model with modules, processes, arrays, words, constraints and specifications.
const EVERYTHING: &str = "\
MODULE main
CONSTANTS other;
VAR a : array 0..2 of 0..3; i : 0..2; w : unsigned word[4]; s : signed word[3]; k : {x, 1, 2};
  p : process cell(a[0], self, i + 1); q : process cell(a[1], p, 2); free : boolean; value : 0..3;
FROZENVAR f : {x, y};
IVAR go : boolean;
DEFINE pair := [w[1:0], w[3:2]]; far := a[i]; p.late := q.n;
ASSIGN init(free) := TRUE; next(free) := next(i) = 0 | go; next(a[2]) := (far + 1) mod 4;
  next(w) := go ? w << i : (pair[0] :: pair[1]); next(s) := signed(extend(unsigned(s), 2)[3:1]) + swconst(-1, 3);
  next(k) := k = x ? {1, 2} : x;
INIT i < 2
INVAR count(free, go_ahead, TRUE) >= 1
TRANS next(i) = i | next(i) = max(i, 1)
DEFINE go_ahead := bool(i) xor word1(free) = 0ub1_1;
FAIRNESS running
SPEC AG (free -> ABF 0..3 far = 1) & A [free U E [TRUE BU 0..2 !free]]
LTLSPEC NAME l := G (free U X !free) | H O free
INVARSPEC toint(w) + abs(toint(s)) <= 19
COMPUTE MIN [free, !free]
PSLSPEC always {free; !free} |-> far = 1;
MODULE cell(value, other, limit)
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := case value < limit & running : min(value, 3); TRUE : n; esac;
  next(value) := other.value = n ? 0 : value;
COMPASSION (n = 0, n = 1)
";

fn damaged(seed: u64, text: &str) -> String {
    let rng = &mut generator(seed);
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        match rng.random_range(0..4) {
            0 => bytes[at] = rng.random(),
            1 => {
                let end = (at + rng.random_range(1..30)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let end = (at + rng.random_range(1..40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                bytes.splice(at..at, pick(rng, PIECES).bytes());
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn lies_in(text: &str, error: &Diagnostic) -> bool {
    let spans = error
        .span
        .iter()
        .chain(error.labels.iter().map(|l| &l.span));
    let lines = LineIndex::new(text);
    spans.into_iter().all(|span| {
        let inside = text.get(span.start..span.end).is_some();
        inside && lines.line_column(span.start) <= lines.line_column(span.end)
    })
}

#[test]
fn the_model_of_everything_is_translated_with_all_its_mutants() {
    let options = FrontendOptions {
        operators: Some(NamePredicate::new(|_| true)),
        ..FrontendOptions::default()
    };
    let translation = translate(EVERYTHING, &options).unwrap();
    assert!(
        translation.catalogue.len() > 200,
        "{}",
        translation.catalogue.len()
    );
    assert_eq!(translation.system.invariants.len(), 1);
}

#[test]
fn damaged_models_are_refused_or_translated_but_never_panic() {
    let (mut accepted, mut refused) = (0, 0);
    let repository = ["beverage", "car-alarm", "fifo", "elevator"].map(model);
    let texts = repository.into_iter().chain([EVERYTHING.to_owned()]);
    for (i, text) in texts.enumerate() {
        for seed in 0..600 {
            let seed = 10_000 * i as u64 + seed;
            let text = damaged(seed, &text);
            let options = FrontendOptions {
                operators: seed.is_multiple_of(4).then(|| NamePredicate::new(|_| true)),
                ..FrontendOptions::default()
            };
            if let Ok(parsed) = parser::parse(&text) {
                let printed = printer::program(&parsed.program);
                let again = parser::parse(&printed)
                    .unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{printed}"));
                assert_eq!(printer::program(&again.program), printed, "seed {seed}");
            }
            match translate(&text, &options) {
                Ok(translation) => {
                    accepted += 1;
                    for (mutant, _) in &translation.catalogue {
                        assert!(apply(&text, mutant).is_ok(), "seed {seed}: {mutant:?}");
                    }
                }
                Err(errors) => {
                    refused += 1;
                    assert!(!errors.is_empty(), "seed {seed}");
                    for error in errors {
                        assert!(lies_in(&text, &error), "seed {seed}: {error:?}");
                    }
                }
            }
        }
    }
    // Both ways must be walked for the test to mean something.
    assert!(accepted > 300 && refused > 1_000, "{accepted} {refused}");
}
