//! Mutants of Verilog as texts, by all operators in all places: each changes only its place, Icarus Verilog and yosys accept it, and the
//! circuit of yosys equals our circuit of the mutant.
//!
//! The texts are those of `tests/models/verilog-operators`, and a part of the mutants of `tests/models/verilog`. Tests of the front end
//! compare all texts with their mutants in the family on random inputs.
//!
//! Both programs are searched on the path; without one of them its tests pass with a printed notice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Translation;
use hyperkill_core::{Aig, ConditionalMutant, Reset};
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, NamePredicate, SourceFile, apply,
};
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::models;
use hyperkill_tests::peers::{Icarus, Yosys};
use hyperkill_tests::verilog::theirs;
use hyperkill_verilog::VerilogFrontend;
use hyperkill_verilog::lexer::{Kind, Token, lex};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A design with its valid mutants.
struct Mutated {
    name: String,
    text: String,
    model: ConditionalMutant,
    mutants: Vec<Mutant>,
}

impl Mutated {
    fn read(file: &Path) -> Mutated {
        let text = fs::read_to_string(file).expect("a design");
        // Choices become inputs, since other tools only know inputs.
        let text = text.replace("hyperkill: nd", "");
        let name = file.to_string_lossy().into_owned();
        let found = translated(&text, true);
        let found = found.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let valid = found.catalogue.into_iter().filter(|one| one.1.is_none());
        Mutated {
            model: bit_blast(&found.system).expect("a circuit").model,
            mutants: valid.map(|(mutant, _)| mutant).collect(),
            name,
            text,
        }
    }

    fn own_text(&self, mutant: &Mutant) -> String {
        apply(&self.text, mutant).expect("the place fits")
    }

    fn describe(&self, mutant: &Mutant) -> String {
        format!(
            "{}:{}: {} {:?} to {:?}",
            self.name, mutant.place.line, mutant.operator, mutant.original, mutant.replacement
        )
    }

    /// Returns the circuit of the design with this mutant on.
    fn circuit(&self, mutant: &Mutant) -> Aig {
        let mut aig = self.model.aig.clone();
        for selector in &self.model.selectors {
            let reset = match selector.id == mutant.id {
                true => Reset::One,
                false => Reset::Zero,
            };
            aig.set_reset(selector.latch, reset);
        }
        aig
    }

    /// Whether the circuit of a mutant contains no choices, which other tools do not know.
    fn is_without_choices(&self, mutant: &Mutant) -> bool {
        let own = translated(&self.own_text(mutant), false);
        let own = own.unwrap_or_else(|errors| panic!("{}: {errors:?}", self.describe(mutant)));
        let model = bit_blast(&own.system).expect("a circuit").model;
        let mut latches = model.aig.latches().iter();
        model.choices.is_empty() && latches.all(|latch| latch.reset != Reset::Free)
    }
}

fn translated(text: &str, mutants: bool) -> Result<Translation, Vec<Diagnostic>> {
    let options = FrontendOptions {
        // All operators, including those that are off by default.
        operators: Some(NamePredicate::new(move |_| mutants)),
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options)
}

fn files(folder: &str, file: Option<&str>) -> Vec<PathBuf> {
    let entries = fs::read_dir(models::folder().join(folder)).expect("the models are there");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let mut paths: Vec<PathBuf> = paths
        .map(|path| file.map_or(path.clone(), |file| path.join(file)))
        .collect();
    paths.sort();
    paths
}

/// Returns the designs written for this test, with all their mutants.
fn written() -> Vec<Mutated> {
    let files = files("verilog-operators", None);
    assert!(files.len() >= 10);
    files.iter().map(|file| Mutated::read(file)).collect()
}

/// Returns the designs written for this test and the other ones; of the latter every `stride`-th mutant.
fn all(stride: usize) -> Vec<Mutated> {
    let mut found = written();
    for file in files("verilog", Some("model.v")) {
        let mut design = Mutated::read(&file);
        let mutants = design.mutants.into_iter();
        design.mutants = mutants.step_by(stride).collect();
        found.push(design);
    }
    assert!(found.len() >= 35);
    found
}

/// Returns the tokens of a text, without comments and line breaks.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = lex(0, text);
    tokens.retain(|token| !matches!(token.kind, Kind::Newline | Kind::Remark));
    tokens
}

#[test]
fn a_mutant_changes_the_tokens_at_its_place_and_no_others() {
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for design in all(1) {
        let before = tokens(&design.text);
        for mutant in &design.mutants {
            let own = design.own_text(mutant);
            let place = &mutant.place;
            let what = || format!("{}\n{own}", design.describe(mutant));
            let after = tokens(&own);
            let same = |a: &[Token], b: &[Token]| {
                let words = |tokens: &[Token]| -> Vec<(Kind, String)> {
                    let words = tokens
                        .iter()
                        .map(|token| (token.kind, token.text.to_string()));
                    words.collect()
                };
                words(a) == words(b)
            };
            // Outside of the place, tokens are equal.
            let left = before.iter().filter(|t| t.span.end <= place.start).count();
            let right = before.iter().filter(|t| t.span.start >= place.end).count();
            assert!(left + right <= after.len(), "{}", what());
            assert!(same(&before[..left], &after[..left]), "{}", what());
            let rests = (
                &before[before.len() - right..],
                &after[after.len() - right..],
            );
            assert!(same(rests.0, rests.1), "{}", what());
            // Inside of the place, tokens differ.
            let inside = (
                &before[left..before.len() - right],
                &after[left..after.len() - right],
            );
            assert!(!same(inside.0, inside.1), "{}", what());
            assert!(!inside.0.is_empty(), "{}", what());

            let lines: Vec<&str> = design.text[..place.start].split('\n').collect();
            let column = lines.last().map_or(0, |line| line.chars().count()) + 1;
            assert_eq!(
                (place.line, place.column),
                (lines.len(), column),
                "{}",
                what()
            );
            *by.entry(mutant.operator.clone()).or_default() += 1;
        }
    }
    println!("{by:?}");
    let operators: BTreeSet<String> = VerilogFrontend
        .operators()
        .into_iter()
        .map(|operator| operator.name)
        .collect();
    assert_eq!(by.into_keys().collect::<BTreeSet<_>>(), operators);
}

/// Returns the text with a number added to all names that are visible outside of modules, so that many texts form one design.
fn numbered(text: &str, number: usize) -> String {
    let tokens = tokens(text);
    let mut names = BTreeSet::new();
    for two in tokens.windows(2) {
        let declares = ["module", "package"]
            .iter()
            .any(|word| two[0].is_word(word));
        if declares {
            names.insert(two[1].text.clone());
        }
    }
    let mut made = String::new();
    let mut at = 0;
    for token in tokens.iter().filter(|token| token.kind == Kind::Word) {
        if names.contains(&token.text) || token.text.starts_with("u_") {
            made.push_str(&text[at..token.span.end]);
            made.push_str(&format!("_{number}"));
            at = token.span.end;
        }
    }
    made.push_str(&text[at..]);
    made
}

/// Joins the texts of the mutants of all designs that satisfy `kept`. Returns the text, and for each part the line after it and its
/// description.
fn together(
    designs: &[Mutated],
    kept: impl Fn(&Mutated) -> bool,
) -> (String, Vec<(usize, String)>) {
    let mut text = String::new();
    let mut ends = Vec::new();
    let mut lines = 1;
    for design in designs.iter().filter(|design| kept(design)) {
        for mutant in &design.mutants {
            let own = numbered(&design.own_text(mutant), ends.len()) + "\n";
            lines += own.matches('\n').count();
            text += &own;
            ends.push((lines, design.describe(mutant)));
        }
    }
    (text, ends)
}

/// Returns the description of the part that contains a line. `ends` are those of `together`.
fn owner(ends: &[(usize, String)], line: usize) -> &str {
    let found = ends.iter().find(|(end, _)| line < *end);
    found.map_or("nobody", |(_, what)| what)
}

#[test]
fn icarus_accepts_the_texts_of_mutants() {
    let Some(icarus) = Icarus::find("texts of Verilog mutants") else {
        return;
    };
    let (text, ends) = together(&all(1), |_| true);
    assert!(ends.len() > 2000, "{}", ends.len());
    let said = icarus
        .complaints(&text)
        .unwrap_or_else(|error| panic!("{error}"));
    let wrong = said.lines().map(|line| {
        let number = line
            .split(':')
            .nth(1)
            .and_then(|number| number.parse().ok());
        format!(
            "{}\n    {line}",
            number.map_or("?", |number| owner(&ends, number))
        )
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} texts", ends.len());
}

/// Whether yosys 0.23 reads the design; it does not read `return`.
fn yosys_reads(design: &Mutated) -> bool {
    !design.text.contains("return")
}

#[test]
fn yosys_accepts_the_texts_of_mutants() {
    let Some(yosys) = Yosys::find("texts of Verilog mutants") else {
        return;
    };
    let (text, ends) = together(&all(20), yosys_reads);
    assert!(ends.len() > 900, "{}", ends.len());
    let files = [("all.v".to_owned(), text.into_bytes())];
    let script = "read_verilog -sv all.v; hierarchy; proc";
    if let Err(error) = yosys.make(&files, script, &[]) {
        let said = error.to_string();
        let line = said.split("all.v:").nth(1).and_then(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            rest[..end].parse().ok()
        });
        panic!("{}: {said}", line.map_or("?", |line| owner(&ends, line)));
    }
    println!("{} texts", ends.len());
}

/// Whether this mutant changes the kind of an assignment, so that a register is assigned by `<=` and by `=`. After `<=`, the value of `=`
/// is final for yosys, but not for simulators.
fn mixes(design: &Mutated, mutant: &Mutant) -> bool {
    let own = design.own_text(mutant);
    let target = own[..mutant.place.start].trim_end();
    let name = target
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    let is_given = |by: &str| name.is_some_and(|name| own.contains(&format!("{name} {by} ")));
    mutant.operator == "BNB" && is_given("<=") && is_given("=")
}

/// The number of mutants of each operator that are compared.
const OF_EACH: usize = 3;

#[test]
fn circuits_of_mutants_are_proved_equal_to_what_yosys_makes_of_their_texts() {
    let Some(yosys) = Yosys::find("circuits of Verilog mutants") else {
        return;
    };
    let designs = written();
    let mut by: BTreeMap<&str, Vec<(&Mutated, &Mutant)>> = BTreeMap::new();
    for design in designs.iter().filter(|design| yosys_reads(design)) {
        for mutant in &design.mutants {
            by.entry(&mutant.operator)
                .or_default()
                .push((design, mutant));
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut chosen = Vec::new();
    for mutants in by.values_mut() {
        mutants.shuffle(&mut rng);
        let with = mutants
            .iter()
            .filter(|(design, mutant)| !mixes(design, mutant))
            .filter(|(design, mutant)| design.is_without_choices(mutant));
        chosen.extend(with.take(OF_EACH).copied());
    }
    let texts: Vec<String> = (chosen.iter())
        .map(|(design, mutant)| design.own_text(mutant))
        .collect();
    assert!(texts.len() >= 50, "{}", texts.len());
    let mut wrong = Vec::new();
    for ((design, mutant), theirs) in chosen.iter().zip(theirs(&yosys, &texts)) {
        if let Err(what) = proved_equal(&design.circuit(mutant), &theirs) {
            wrong.push(format!("{}: {what}", design.describe(mutant)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} mutants by {} operators", chosen.len(), by.len());
}
