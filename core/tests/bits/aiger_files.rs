//! AIGER files: written files are read back, malformed ones are refused with their location, and nothing panics.

use std::io::Write;

use crate::random::{self, Size};
use hyperkill_core::aig::{Aig, Reset};
use hyperkill_core::aiger::{read, read_verbatim, write_ascii, write_binary};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn a_written_file_read_and_written_again_has_the_same_bytes() {
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = Size::small(&mut rng);
        let aig = random::circuit(&mut rng, &size);
        let (ascii, binary) = (write_ascii(&aig), write_binary(&aig));
        for file in [&ascii, &binary] {
            for again in [read(file).unwrap(), read_verbatim(file).unwrap()] {
                assert_eq!(write_ascii(&again), ascii, "seed {seed}");
                assert_eq!(write_binary(&again), binary, "seed {seed}");
                assert_same_contents(&again, &aig);
            }
        }
    }
}

/// Compares everything except gate numbers.
fn assert_same_contents(a: &Aig, b: &Aig) {
    fn names<'a>(aig: &'a Aig) -> Vec<Option<&'a str>> {
        let inputs = aig.inputs().iter().map(|input| &input.name);
        let latches = aig.latches().iter().map(|latch| &latch.name);
        let signals = [&aig.outputs, &aig.bad, &aig.constraints, &aig.fairness];
        let signals = signals.into_iter().flatten().map(|signal| &signal.name);
        let justice = aig.justice.iter().map(|justice| &justice.name);
        let all = inputs.chain(latches).chain(signals).chain(justice);
        all.map(Option::as_deref).collect::<Vec<Option<&'a str>>>()
    }
    fn resets(aig: &Aig) -> Vec<Reset> {
        aig.latches().iter().map(|latch| latch.reset).collect()
    }
    assert_eq!(names(a), names(b));
    assert_eq!(resets(a), resets(b));
    assert_eq!(a.comments, b.comments);
    for seed in 0..4 {
        let mut left = ChaCha8Rng::seed_from_u64(seed);
        let mut right = ChaCha8Rng::seed_from_u64(seed);
        assert_eq!(
            random::run(a, &mut left, 4),
            random::run(b, &mut right, 4),
            "behaviour differs"
        );
    }
}

/// Returns the ASCII file with other, sparse variable numbers and its gates in any order.
fn scrambled(aig: &Aig, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let text = String::from_utf8(write_ascii(aig)).unwrap();
    let text = text.trim_end_matches('\n');
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let mut numbers: Vec<usize> = (1..3 * aig.len() + 5).collect();
    numbers.shuffle(rng);
    let renumber = |code: &str| {
        let code: usize = code.parse().unwrap();
        if code < 2 {
            code
        } else {
            2 * numbers[code / 2] + code % 2
        }
    };
    let header: Vec<usize> = lines[0]
        .split(' ')
        .skip(1)
        .map(|n| n.parse().unwrap())
        .collect();
    let count = |i: usize| header.get(i).copied().unwrap_or(0);
    let signals = count(3) + count(5) + count(6);
    let sizes = 1 + count(1) + count(2) + signals;
    let gates =
        sizes + count(7) + aig.justice.iter().map(|j| j.lits.len()).sum::<usize>() + count(8);
    for (i, line) in lines[..gates + count(4)].iter_mut().enumerate().skip(1) {
        if !(sizes..sizes + count(7)).contains(&i) {
            let codes: Vec<String> = line.split(' ').map(|c| renumber(c).to_string()).collect();
            *line = codes.join(" ");
        }
    }
    lines[gates..gates + count(4)].shuffle(rng);
    let mut fields = header;
    fields[0] = 3 * aig.len() + 5;
    let fields: Vec<String> = fields.iter().map(usize::to_string).collect();
    lines[0] = format!("aag {}", fields.join(" "));
    (lines.join("\n") + "\n").into_bytes()
}

#[test]
fn ascii_gates_may_come_in_any_order_under_any_numbers() {
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = Size::small(&mut rng);
        let mut aig = random::circuit(&mut rng, &size);
        aig.comments.clear();
        let again = read(&scrambled(&aig, &mut rng)).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_same_contents(&again, &aig);
    }
}

#[test]
fn a_second_reader_accepts_what_is_written() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = Size {
            inputs: 3,
            latches: 3,
            gates: 60,
        };
        let mut aig = random::circuit(&mut rng, &size);
        for signal in aig
            .bad
            .iter_mut()
            .chain(&mut aig.constraints)
            .chain(&mut aig.fairness)
        {
            signal.name = None;
        }
        aig.justice
            .iter_mut()
            .for_each(|justice| justice.name = None);
        let (ascii, binary) = (write_ascii(&aig), write_binary(&aig));
        let config = flussab_aiger::ascii::Config::default();
        let parser = flussab_aiger::ascii::Parser::<u32>::from_read(&ascii[..], config).unwrap();
        let ours = parser.parse().unwrap();
        let config = flussab_aiger::binary::Config::default();
        let parser = flussab_aiger::binary::Parser::<u32>::from_read(&binary[..], config).unwrap();
        let binary = flussab_aiger::aig::Aig::from(parser.parse().unwrap());
        for theirs in [ours, binary] {
            assert_eq!(theirs.inputs.len(), aig.inputs().len());
            assert_eq!(theirs.and_gates.len(), aig.gate_count());
            let resets: Vec<Option<bool>> = aig
                .latches()
                .iter()
                .map(|l| l.reset.as_constant())
                .collect();
            let read: Vec<Option<bool>> = theirs.latches.iter().map(|l| l.initialization).collect();
            assert_eq!(read, resets, "seed {seed}");
            let mut bytes = Vec::new();
            {
                let mut writer = flussab::DeferredWriter::from_write(&mut bytes);
                flussab_aiger::ascii::Writer::<u32>::new(&mut writer).write_aig(&theirs);
                writer.flush().unwrap();
            }
            assert_eq!(
                String::from_utf8(bytes).unwrap(),
                String::from_utf8(ascii.clone()).unwrap(),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn old_files_and_three_field_resets_are_read() {
    let old = read(
        b"aag 7 2 1 2 4\n2\n4\n6 8\n6\n7\n8 4 10\n10 13 15\n12 2 6\n14 3 7\ni0 enable\nl0 q\n",
    )
    .unwrap();
    assert_eq!((old.inputs().len(), old.gate_count()), (2, 4));
    assert_eq!(old.latches()[0].reset, Reset::Zero);
    assert!(old.bad.is_empty() && old.justice.is_empty());
    let new = read(b"aag 3 0 3 0 0 1 0 0 0\n2 4 1\n4 6 4\n6 7 0\n7\nb0 never\n").unwrap();
    let resets: Vec<Reset> = new.latches().iter().map(|latch| latch.reset).collect();
    assert_eq!(resets, [Reset::One, Reset::Free, Reset::Zero]);
    assert_eq!(new.bad[0].name.as_deref(), Some("never"));
}

#[test]
fn a_property_needs_no_gate_and_no_latch() {
    let aig =
        read(b"aag 1 1 0 0 0 2 1 1 1\n2\n2\n3\n1\n1\n2\n2\nb1 x\nc0 y\nj0 z\nf0 w\n").unwrap();
    assert_eq!(aig.bad.len(), 2);
    assert_eq!(aig.constraints[0].name.as_deref(), Some("y"));
    assert_eq!(aig.justice[0].lits.len(), 1);
}

#[test]
fn names_that_are_not_utf8_stay_different() {
    let aig = read(b"aag 2 2 0 0 0\n2\n4\ni0 \xfc\ni1 \xf6\nc\n\xe9\n").unwrap();
    assert_eq!(aig.inputs()[0].name.as_deref(), Some("ü"));
    assert_eq!(aig.inputs()[1].name.as_deref(), Some("ö"));
    assert_eq!(aig.comments, ["é"]);
}

#[test]
fn malformed_files_are_refused_with_their_place() {
    let cases: [(&[u8], &str); 32] = [
        (
            b"",
            "line 1, column 1 (header): the file ends where `aag` or `aig` should follow",
        ),
        (
            b"aig",
            "line 1, column 4 (header): the file ends where a single space should follow",
        ),
        (
            b"p cnf 1 1\n",
            "line 1, column 1 (header): expected `aag` or `aig`, found `p`",
        ),
        (
            b"aag 1 0 0 0\n",
            "line 1, column 12 (header): expected a single space, found end of line",
        ),
        (
            b"aag  1 0 0 0 0\n",
            "line 1, column 5 (header): expected the maximum variable, found ` `",
        ),
        (
            b"aag 1 1 0 0 0 0 0 0 0 0\n",
            "line 1, column 22 (header): expected end of line, found ` `",
        ),
        (
            b"aag 99999999999 0 0 0 0\n",
            "line 1, column 5 (header): number too large: at most 2147483647 is possible here",
        ),
        (
            b"aag 1 1 1 0 0\n2\n",
            "line 1, column 1 (header): maximum variable 1 does not fit 1 inputs + 1 latches + 0 and-gates",
        ),
        (
            b"aig 3 1 1 0 0\n2\n",
            "line 1, column 1 (header): maximum variable 3 does not fit 1 inputs + 1 latches + 0 and-gates",
        ),
        (
            b"aag 2147483647 2147483647 0 0 0\n",
            "line 2, column 1 (inputs): the file ends where a literal should follow",
        ),
        (
            b"aag 2147483647 0 0 0 2147483647\n2",
            "line 2, column 2 (and-gates): the file ends where a single space should follow",
        ),
        (
            b"aag 0 0 0 2000000000 0\n",
            "line 2, column 1 (outputs): the file ends where a literal should follow",
        ),
        (
            b"aag 1 0 0 0 0 0 0 1\n1000000\n",
            "line 2, column 1 (justice properties): number too large: at most 8 is possible here",
        ),
        (
            b"aig 2000000000 2000000000 0 0 0\n",
            "line 1, column 1 (header): number too large: at most 65536 is possible here",
        ),
        (
            b"aig 2000000000 0 0 0 2000000000\n\x01\x01",
            "byte 34 (and-gates): the file ends where a gate's delta should follow",
        ),
        (
            b"aag 1 1 0 0 0\n3\n",
            "line 2, column 1 (inputs): literal 3 cannot be defined: it is constant or complemented",
        ),
        (
            b"aag 1 1 0 0 0\n0\n",
            "line 2, column 1 (inputs): literal 0 cannot be defined: it is constant or complemented",
        ),
        (
            b"aag 2 2 0 0 0\n2\n2\n",
            "line 3, column 1 (inputs): literal 2 is defined twice",
        ),
        (
            b"aag 2 1 1 0 0\n2\n2 2\n",
            "line 3, column 1 (latches): literal 2 is defined twice",
        ),
        (
            b"aag 3 1 0 0 2\n2\n4 2 2\n4 2 3\n",
            "line 4, column 1 (and-gates): literal 4 is defined twice",
        ),
        (
            b"aag 1 1 0 1 0\n2\n4\n",
            "line 3, column 1 (outputs): number too large: at most 3 is possible here",
        ),
        (
            b"aag 3 1 0 1 0\n2\n7\n",
            "line 3, column 1 (outputs): literal 7 is used but not defined",
        ),
        (
            b"aag 3 0 1 0 0\n2 7\n",
            "line 2, column 3 (latches): literal 7 is used but not defined",
        ),
        (
            b"aag 3 1 0 0 1\n2\n6 2 4\n",
            "line 3, column 1 (and-gates): literal 4 is used but not defined",
        ),
        (
            b"aag 3 1 0 0 2\n2\n4 2 7\n6 5 3\n",
            "line 3, column 1 (and-gates): combinational cycle through 4 ← 6",
        ),
        (
            b"aag 1 0 0 0 1\n2 2 2\n",
            "line 2, column 1 (and-gates): combinational cycle through 2",
        ),
        (
            b"aig 1 0 0 0 1\n\x00\x00",
            "byte 14 (and-gates): and-gate 2 must have smaller operands: delta 0 is impossible",
        ),
        (
            b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\x01",
            "byte 14 (and-gates): number too large: at most 4294967295 is possible here",
        ),
        (
            b"aag 2 0 1 0 0\n2 2 4\n",
            "line 2, column 5 (latches): reset 4 of latch 2 must be 0, 1 or 2",
        ),
        (
            b"aag 1 1 0 0 0\n2\ni0 a\ni0 b\n",
            "line 4, column 1 (symbol table): symbol `i0` is named twice",
        ),
        (
            b"aag 1 1 0 0 0\n2\no0 a\n",
            "line 3, column 1 (symbol table): symbol `o0` names nothing: there are 0 outputs",
        ),
        (
            b"aag 1 1 0 0 0\n2\nx0 a\n",
            "line 3, column 1 (symbol table): expected a symbol, a comment or the end of the file, found `x0`",
        ),
    ];
    for (file, message) in cases {
        let error = read(file).map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with(message),
            "{}: {error}",
            file.escape_ascii()
        );
    }
}

#[test]
fn every_truncation_is_refused_or_read_as_a_shorter_file() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let size = Size {
        inputs: 3,
        latches: 3,
        gates: 20,
    };
    let mut aig = random::circuit(&mut rng, &size);
    aig.comments.clear();
    for file in [write_ascii(&aig), write_binary(&aig)] {
        let complete = read(&file).unwrap();
        for length in 0..file.len() {
            // Only the symbol table is optional, so a readable prefix contains all gates.
            if let Ok(shorter) = read(&file[..length]) {
                assert_eq!(shorter.gate_count(), complete.gate_count());
            }
        }
    }
}

#[test]
fn mutated_files_are_refused_or_read_but_never_panic() {
    let mut refused = 0;
    let mut accepted = 0;
    for seed in 0..8000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = Size::small(&mut rng);
        let aig = random::circuit(&mut rng, &size);
        let mut file = if rng.random() {
            write_ascii(&aig)
        } else {
            write_binary(&aig)
        };
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..file.len());
            match rng.random_range(0..5) {
                0 => file[at] = rng.random(),
                1 => file[at] = b"0123456789 \nailo"[rng.random_range(0..16)],
                2 if file.len() > 1 => drop(file.remove(at)),
                3 => file.insert(at, b"0123456789 \ncbjf"[rng.random_range(0..16)]),
                _ => file.truncate(at.max(1)),
            }
        }
        match read(&file) {
            Ok(aig) => {
                accepted += 1;
                let written = write_binary(&aig);
                let again = read(&written).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                assert_eq!(write_binary(&again), written, "seed {seed}");
            }
            Err(error) => {
                refused += 1;
                assert!(error.location.byte <= file.len(), "seed {seed}: {error}");
            }
        }
    }
    assert!(refused > 1000 && accepted > 1000, "{refused} / {accepted}");
}
