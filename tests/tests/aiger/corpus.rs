//! Public AIGER files: all can be read, cut to their cone, given roles and written again.
//!
//! `HYPERKILL_MODELS` names the folder; see [`shared_models`]. A simulator in this test evaluates files gate by gate. The behaviour must
//! be equal before and after every round trip, and without the logic outside the cone. Truncated and damaged copies are refused with a
//! place or read as another circuit, without a panic.

use std::path::{Path, PathBuf};

use hyperkill_core::aig::{Cone, Node, Reset};
use hyperkill_core::aiger::{
    AigerError, NamesDecide, annotate, conditional_mutant, read, read_verbatim, write_ascii,
    write_binary,
};
use hyperkill_core::{Aig, Lit};
use hyperkill_tests::models::shared_models;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Returns all AIGER files below a folder, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "aag" || extension == "aig")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the values of a file's roots by step, each word with 64 random runs.
///
/// With a cone, all values outside of it are random at every step.
fn behaviour(aig: &Aig, cone: Option<&Cone>, seed: u64) -> Vec<Vec<u64>> {
    const STEPS: usize = 6;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut noise = ChaCha8Rng::seed_from_u64(!seed);
    let mut state: Vec<u64> = (aig.latches().iter())
        .map(|latch| match (latch.reset, rng.next_u64()) {
            (Reset::Zero, _) => 0,
            (Reset::One, _) => u64::MAX,
            (Reset::Free, any) => any,
        })
        .collect();
    let mut values = vec![0u64; aig.len()];
    let mut shown = Vec::new();
    for _ in 0..STEPS {
        let inputs: Vec<u64> = aig.inputs().iter().map(|_| rng.next_u64()).collect();
        for (var, node) in aig.nodes() {
            values[var.index()] = match node {
                _ if cone.is_some_and(|cone| !cone.contains(var)) => noise.next_u64(),
                Node::False => 0,
                Node::Input(i) => inputs[i as usize],
                Node::Latch(i) => state[i as usize],
                Node::And(a, b) => value(&values, a) & value(&values, b),
            };
        }
        shown.push(aig.roots().map(|root| value(&values, root)).collect());
        state = (aig.latches().iter())
            .map(|latch| value(&values, latch.next))
            .collect();
    }
    shown
}

fn value(values: &[u64], lit: Lit) -> u64 {
    values[lit.var().index()] ^ u64::from(lit.is_negated()).wrapping_neg()
}

/// Asserts that all parts are equal: nodes by number, names and comments. The operands of a gate may be exchanged. `trip` describes the
/// circuits.
fn assert_same(a: &Aig, b: &Aig, trip: &str) {
    let sorted = |(_, node)| match node {
        Node::And(a, b) => Node::And(a.min(b), a.max(b)),
        node => node,
    };
    let same = a.nodes().map(sorted).eq(b.nodes().map(sorted));
    assert!(same, "gates, {trip}");
    assert_eq!(a.inputs(), b.inputs(), "inputs, {trip}");
    assert_eq!(a.latches(), b.latches(), "latches, {trip}");
    assert_eq!(a.outputs, b.outputs, "outputs, {trip}");
    assert_eq!(a.bad, b.bad, "bad states, {trip}");
    assert_eq!(a.constraints, b.constraints, "constraints, {trip}");
    assert_eq!(a.justice, b.justice, "justice, {trip}");
    assert_eq!(a.fairness, b.fairness, "fairness, {trip}");
    assert_eq!(a.comments, b.comments, "comments, {trip}");
}

fn assert_located(error: &AigerError, bytes: &[u8], file: &str) {
    assert!(error.location.byte <= bytes.len(), "{file}: {error}");
    if let Some((line, column)) = error.location.line_column {
        let lines = bytes.split(|&byte| byte == b'\n').count();
        assert!(line >= 1 && line <= lines && column >= 1, "{file}: {error}");
    }
}

/// Checks all properties of a readable file, and returns its circuit with constants folded.
fn check(file: &str, bytes: &[u8], seed: u64) -> Result<Aig, AigerError> {
    let folded = read(bytes)?;
    let verbatim = read_verbatim(bytes)?;
    let expected = behaviour(&verbatim, None, seed);
    assert_eq!(expected, behaviour(&folded, None, seed), "{file}, folded");
    let cone = Cone::sequential(&folded, folded.roots());
    let within = behaviour(&folded, Some(&cone), seed);
    assert_eq!(expected, within, "{file}, cone of influence");
    for aig in [&folded, &verbatim] {
        for (what, written) in [("ascii", write_ascii(aig)), ("binary", write_binary(aig))] {
            let trip = format!("{file}, {what}");
            let again = read_verbatim(&written).unwrap_or_else(|e| panic!("{trip}: {e}"));
            // Inputs, latches and gates have this order in both files, so all numbers stay.
            assert_same(aig, &again, &trip);
        }
    }
    let model = conditional_mutant(folded.clone(), &NamesDecide)
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let back = read(&write_binary(&annotate(&model))).unwrap_or_else(|e| panic!("{file}: {e}"));
    let back = conditional_mutant(back, &NamesDecide).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert_eq!(model.inputs, back.inputs, "{file}");
    assert_eq!(model.choices, back.choices, "{file}");
    assert_eq!(model.outputs, back.outputs, "{file}");
    assert_eq!(model.selectors, back.selectors, "{file}");
    Ok(folded)
}

/// Reads truncated or modified copies. Returns how many of them were refused.
fn damage(file: &str, bytes: &[u8], seed: u64) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut refused = 0;
    for round in 0..6 {
        let mut copy = bytes.to_vec();
        // Half of the damage hits the first bytes, which contain the structure.
        let range = if round % 2 == 0 {
            bytes.len()
        } else {
            bytes.len().min(64)
        };
        let at = rng.random_range(0..range.max(1));
        if round < 3 {
            copy.truncate(at);
        } else if let Some(byte) = copy.get_mut(at) {
            *byte = rng.random_range(b' '..b'~');
        }
        for read in [read, read_verbatim] {
            if let Err(error) = read(&copy) {
                assert_located(&error, &copy, file);
                refused += 1;
            }
        }
    }
    refused
}

#[test]
fn every_file_survives_reading_writing_and_damage() {
    let Some(folder) = shared_models("AIGER files that other people wrote") else {
        return;
    };
    let files = files(&folder);
    assert!(!files.is_empty(), "no AIGER files in {}", folder.display());
    let results: Vec<_> = files
        .par_iter()
        .enumerate()
        .map(|(seed, path)| {
            let bytes = std::fs::read(path).expect("a readable file");
            let file = path.strip_prefix(&folder).unwrap_or(path).display();
            let file = file.to_string();
            let checked = check(&file, &bytes, seed as u64).map_err(|error| {
                assert_located(&error, &bytes, &file);
                format!("{file}: {error}")
            });
            (checked, damage(&file, &bytes, seed as u64))
        })
        .collect();
    let (mut circuits, mut gates, mut damaged) = (0, 0, 0);
    let mut refused = Vec::new();
    for (checked, refusals) in results {
        damaged += refusals;
        match checked {
            Ok(aig) => {
                circuits += 1;
                gates += aig.gate_count();
            }
            Err(error) => refused.push(error),
        }
    }
    println!("{circuits} circuits with {gates} gates; {damaged} damaged copies refused");
    for error in &refused {
        println!("refused: {error}");
    }
    // Collections may contain a few malformed files.
    assert!(refused.len() * 10 <= circuits, "{refused:#?}");
}
