//! Damaged texts get errors that lie in the text, and never a panic.

use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, apply};
use rand::RngExt;

use crate::random::{generator, pick};
use crate::support::{model, translate};

/// Pieces that damage structure more than single characters do.
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
fn damaged_models_are_refused_or_translated_but_never_panic() {
    let (mut accepted, mut refused) = (0, 0);
    for (i, name) in ["beverage", "car-alarm", "fifo", "elevator"]
        .iter()
        .enumerate()
    {
        let text = model(name);
        for seed in 0..600 {
            let seed = 10_000 * i as u64 + seed;
            let text = damaged(seed, &text);
            match translate(&text, &FrontendOptions::default()) {
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
