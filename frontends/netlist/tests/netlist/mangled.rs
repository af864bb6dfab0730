//! Damaged texts: they are read or refused, and errors have places in them.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, apply};
use hyperkill_netlist::NetlistFrontend;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::models::{BENCH, BLIF, JSON};

/// Words that mean something in some language.
const WORDS: [&str; 31] = [
    ".names",
    ".latch",
    ".subckt inc",
    ".model",
    ".end",
    ".gate",
    "\\\n",
    "\n",
    "re",
    "q[0]",
    "1-",
    "\"x\"",
    "\"$mul\"",
    "\"$pmux\"",
    "\"$mem_v2\"",
    "[ ]",
    "{ }",
    "1000000000",
    "4294967296",
    "-1",
    "4",
    "\"S\": [ 4 ],",
    "\"bits\"",
    "ε",
    "\"$_DFFE_PN0P_\"",
    "INPUT(",
    "= DFF(",
    "= LUT 0x8",
    "NAND",
    "vdd",
    ", ",
];

fn mangled(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.random_range(1..=6) {
        let at = rng.random_range(0..characters.len());
        match rng.random_range(0..4) {
            0 => {
                characters.remove(at);
            }
            1 => {
                let word = WORDS.choose(rng).expect("words");
                characters.splice(at..at, word.chars());
            }
            2 => {
                let end = (at + rng.random_range(1..30)).min(characters.len());
                characters.drain(at..end);
            }
            _ => {
                let from = rng.random_range(0..characters.len());
                let to = (from + rng.random_range(1..80)).min(characters.len());
                let part: Vec<char> = characters[from..to].to_vec();
                characters.splice(at..at, part);
            }
        }
        if characters.is_empty() {
            break;
        }
    }
    characters.into_iter().collect()
}

fn survives(frontend: &dyn Frontend, text: &str, seed: u64) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let text = mangled(text, &mut rng);
    let sources = [SourceFile::new("damaged", text.as_str())];
    let options = FrontendOptions::default();
    let seen = frontend.hardware(&sources, &options);
    match frontend.translate(&sources, &options) {
        Ok(translation) => {
            for (mutant, _) in &translation.catalogue {
                apply(&text, mutant).expect("a mutant is in its text");
            }
            assert!(seen.is_ok());
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                let span = error.span.unwrap_or_default();
                assert!(
                    span.start <= span.end && span.end <= text.len(),
                    "{error:?}\n{text}"
                );
            }
            false
        }
    }
}

#[test]
fn damaged_blif_is_read_or_refused() {
    let read = (0..6000)
        .filter(|&seed| survives(&NetlistFrontend::Blif, BLIF, seed))
        .count();
    assert!((100..5900).contains(&read), "{read} are read");
}

#[test]
fn damaged_netlists_of_iscas_are_read_or_refused() {
    let read = (0..6000)
        .filter(|&seed| survives(&NetlistFrontend::Bench, BENCH, seed))
        .count();
    assert!((100..5900).contains(&read), "{read} are read");
}

#[test]
fn what_is_wrong_in_a_netlist_of_iscas_is_said_where_it_is() {
    let cases = [
        ("INPUT(a)\ny = FOO(a)\n", "FOO", "there is no gate"),
        ("INPUT(a)\ny = NOT(a, a)\n", "NOT", "1 input, not 2"),
        ("INPUT(a)\ny = AND(a,)\n", "AND", "a net is missing"),
        ("INPUT(a)\ny = AND(a a)\n", "a)", "commas"),
        ("INPUT(a)\ny = LUT 0x10 (a)\n", "0x10", "more bits"),
        ("INPUT(a)\ny = LUT 12 (a)\n", "12", "0x8"),
        ("INPUT(a)\ny = high\n", "high", "none of the constants"),
        ("WIRE(a)\n", "WIRE", "neither INPUT nor OUTPUT"),
        (
            "INPUT(a)\nAND(a, b)\n",
            "AND",
            "not a statement of a netlist",
        ),
    ];
    for (text, at, message) in cases {
        let sources = [SourceFile::new("wrong.bench", text)];
        let errors = NetlistFrontend::Bench.translate(&sources, &FrontendOptions::default());
        let errors = errors.expect_err(text);
        let span = errors[0].span.expect("a place");
        assert!(errors[0].message.contains(message), "{errors:?}");
        assert!(text[span.start..].starts_with(at), "{errors:?}\n{text}");
    }
    let two = ["a.bench", "b.bench"].map(|name| SourceFile::new(name, "INPUT(a)\n"));
    let errors = NetlistFrontend::Bench.translate(&two, &FrontendOptions::default());
    assert!(
        errors.expect_err("two files")[0]
            .message
            .contains("one file")
    );
}

#[test]
fn damaged_json_is_read_or_refused() {
    let read = (0..6000)
        .filter(|&seed| survives(&NetlistFrontend::Yosys, JSON, seed))
        .count();
    assert!((100..5900).contains(&read), "{read} are read");
}

#[test]
fn models_inside_models_do_not_take_all_memory() {
    // Each model holds two of the next one: 2^40 gates.
    let mut text = String::new();
    for level in 0..40 {
        text += &format!(
            ".model m{level}\n.inputs a\n.outputs y\n.subckt m{0} a=a y=b\n.subckt m{0} a=b y=y\n.end\n",
            level + 1
        );
    }
    text += ".model m40\n.inputs a\n.outputs y\n.names a y\n0 1\n.end\n";
    let sources = [SourceFile::new("deep.blif", text)];
    let errors = NetlistFrontend::Blif.translate(&sources, &FrontendOptions::default());
    let errors = errors.expect_err("too many");
    assert!(errors[0].message.contains("more than"), "{errors:?}");
}
