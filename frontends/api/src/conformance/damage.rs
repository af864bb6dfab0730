//! Checks that damaged texts are read, or refused with places inside them, without a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::findings::{Findings, Model};
use super::random::Random;
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;

pub(super) fn check(model: &Model<'_>, damaged: usize, found: &mut Findings) {
    for seed in 0..damaged {
        let random = &mut Random(seed as u64);
        let mut sources = model.sources.to_vec();
        let Some(source) = (!sources.is_empty()).then(|| random.below(sources.len())) else {
            return;
        };
        sources[source].text = text(&sources[source].text, seed, random);
        let run = || {
            let prepared = model.frontend.prepare(sources.clone(), model.options);
            prepared.and_then(|sources| {
                let translated = model.frontend.translate(&sources, model.options);
                translated.map(drop)
            })
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Err(_) => found.must(false, || {
                format!("seed {seed}: it panics on\n{}", sources[source].text)
            }),
            Ok(Ok(())) => {}
            Ok(Err(errors)) => {
                found.seen.refused += 1;
                found.must(!errors.is_empty(), || {
                    format!("seed {seed}: it is refused without an error")
                });
                for error in &errors {
                    diagnostic(error, &sources, seed, found);
                }
            }
        }
    }
}

/// Returns a damaged text. With an even `seed` it is cut off at a random place; otherwise a random piece is missing, or there twice.
fn text(text: &str, seed: usize, random: &mut Random) -> String {
    let mut cut = || {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (a, b) = (cut(), cut());
    let (a, b) = (a.min(b), a.max(b));
    match seed % 4 {
        0 | 2 => text[..b].to_owned(),
        1 => [&text[..a], &text[b..]].concat(),
        _ => [&text[..b], &text[a..]].concat(),
    }
}

fn diagnostic(error: &Diagnostic, sources: &[SourceFile], seed: usize, found: &mut Findings) {
    let message = &error.message;
    found.must(!message.is_empty() && !message.ends_with('.'), || {
        format!("seed {seed}: `{message}` is empty or ends with a full stop")
    });
    let labels = error.labels.iter().map(|label| label.span);
    for span in error.span.into_iter().chain(labels) {
        let inside = sources.get(span.file).is_some_and(|source| {
            span.start <= span.end && source.text.get(span.start..span.end).is_some()
        });
        found.must(inside, || {
            format!("seed {seed}: `{message}` is at {span:?}, which is no place of the text")
        });
    }
}
