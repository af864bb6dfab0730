//! The models of \[0\] as they were rebuilt, and the rows of their tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use hyperkill_core::budget::Budget;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::verdict::Verdict;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile};
use hyperkill_uppaal::UppaalFrontend;
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::xml::escaped;
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;

/// A model of the list, and its rows: operator, mutants, how many of them violate a guideline, and the counts of each preset.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) xml: String,
    pub(crate) rows: Vec<Row>,
}

pub(crate) type Row = (String, usize, usize, BTreeMap<&'static str, [usize; 3]>);

/// Returns the models of the list; `None` if it is not there.
pub(crate) fn listed() -> Option<Vec<Listed>> {
    let folder = std::env::var("HYPERKILL_MODELS").ok()?;
    let file = Path::new(&folder).join("uppaal/basile_sources/MODELS.md");
    let text = std::fs::read_to_string(file).ok()?;
    let sections = text.split("\n## ").skip(1);
    let models = sections.filter_map(|section| {
        let name = section.lines().next()?.to_owned();
        let block = section.split("```").nth(1)?;
        let rows = section.lines().filter_map(row);
        Some(Listed {
            xml: xml(&name, block),
            rows: rows.collect(),
            name,
        })
    });
    Some(models.collect())
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [
        _,
        operator,
        mutants,
        violating,
        verifytga,
        strict,
        definition7,
        _,
    ] = cells.as_slice()
    else {
        return None;
    };
    let counts = |cell: &str| -> Option<[usize; 3]> {
        let counts: Vec<usize> = cell
            .split('/')
            .filter_map(|count| count.parse().ok())
            .collect();
        counts.try_into().ok()
    };
    let presets = [
        ("verifytga", verifytga),
        ("strict", strict),
        ("definition7", definition7),
    ];
    let presets = presets.map(|(name, cell)| Some((name, counts(cell)?)));
    let presets = presets.into_iter().collect::<Option<BTreeMap<_, _>>>()?;
    let (mutants, violating) = (mutants.parse().ok()?, violating.parse().ok()?);
    Some(((*operator).to_owned(), mutants, violating, presets))
}

/// Returns a model of the list as a file of Uppaal.
fn xml(name: &str, block: &str) -> String {
    let (mut locations, mut edges, mut clocks) = (String::new(), String::new(), String::new());
    let (mut first, mut channels) = (None, Vec::new());
    for line in block.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["clocks", names @ ..] => clocks = names.join(", "),
            ["loc", id, invariant, rest @ ..] => {
                first.get_or_insert((*id).to_owned());
                let label = label("invariant", invariant);
                let urgent = if rest.contains(&"urgent") {
                    "<urgent/>"
                } else {
                    ""
                };
                let _ = write!(
                    locations,
                    "<location id=\"{id}\"><name>{id}</name>{label}{urgent}</location>\n    "
                );
            }
            ["edge", from, to, action, guard, resets, lock @ ..] => {
                let set: Vec<String> = resets
                    .split(',')
                    .filter(|r| *r != "-")
                    .map(|r| format!("{r} = 0"))
                    .collect();
                let mut update = set;
                let mut guard = if *guard == "-" {
                    String::new()
                } else {
                    (*guard).to_owned()
                };
                if let [test, rest @ ..] = lock {
                    if *test != "-" {
                        guard = match guard.is_empty() {
                            true => format!("lock == {test}"),
                            false => format!("{guard} && lock == {test}"),
                        };
                    }
                    update.extend(rest.first().map(|value| format!("lock = {value}")));
                }
                let sync = if *action == "tau!" { "-" } else { action };
                let channel = action.trim_end_matches(['!', '?']).to_owned();
                if sync != "-" && !channels.contains(&channel) {
                    channels.push(channel);
                }
                let guard = if guard.is_empty() { "-" } else { &guard };
                let update = update.join(", ");
                let update = if update.is_empty() { "-" } else { &update };
                let _ = write!(
                    edges,
                    "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>{}{}{}</transition>\n    ",
                    label("guard", guard),
                    label("synchronisation", sync),
                    label("assignment", update),
                );
            }
            _ => {}
        }
    }
    let channels = match channels.is_empty() {
        true => String::new(),
        false => format!("chan {};", channels.join(", ")),
    };
    let lock = if block.contains("- 1") {
        "int[0,1] lock = 0;"
    } else {
        ""
    };
    let first = first.unwrap_or_default();
    format!(
        "<nta>\n<declaration>{channels}</declaration>\n<template>\n<name>{name}</name>\n\
         <declaration>clock {clocks}; {lock}</declaration>\n{locations}<init ref=\"{first}\"/>\n{edges}</template>\n\
         <system>system {name};</system>\n</nta>\n"
    )
}

fn label(kind: &str, text: &str) -> String {
    match text {
        "-" => String::new(),
        text => format!("<label kind=\"{kind}\">{}</label>", escaped(text)),
    }
}

#[test]
fn the_tables_of_the_case_studies_come_out_operator_by_operator() {
    let Some(models) = listed() else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so the tables are not computed");
        return;
    };
    assert!(models.len() >= 5);
    for model in models.iter().filter(|model| !model.rows.is_empty()) {
        for preset in [Preset::VerifyTga, Preset::Strict, Preset::Definition7] {
            let counted = counted(&model.xml, preset);
            let mut sum = Counts::default();
            for (operator, counts) in &counted {
                sum.mutants += counts.mutants;
                sum.violating += counts.violating;
                (0..3).for_each(|index| sum.verdicts[index] += counts.verdicts[index]);
                println!("{} {} {operator}: {counts:?}", model.name, preset.name());
            }
            for (operator, mutants, violating, presets) in &model.rows {
                let found = match operator.as_str() {
                    "total" => sum,
                    operator => counted.get(operator).copied().unwrap_or_default(),
                };
                let expected = Counts {
                    mutants: *mutants,
                    violating: *violating,
                    verdicts: presets[preset.name()],
                };
                assert_eq!(
                    found,
                    expected,
                    "{} {} {operator}",
                    model.name,
                    preset.name()
                );
            }
        }
    }
}

/// Counts of mutants of an operator: all, violating a guideline, and killed, equivalent and inconsistent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) mutants: usize,
    pub(crate) violating: usize,
    pub(crate) verdicts: [usize; 3],
}

/// Returns the counts of each operator for a model. Every verdict is checked.
pub(crate) fn counted(xml: &str, preset: Preset) -> BTreeMap<String, Counts> {
    let options = FrontendOptions {
        processes: ProcessOptions {
            semantics: Some(preset.name().to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    };
    let sources = vec![SourceFile::new("model.xml", xml)];
    let sources = UppaalFrontend
        .prepare(sources, &options)
        .expect("options fit");
    let decider = UppaalDecision.read(&sources, &options);
    let decider = decider.unwrap_or_else(|errors| panic!("{errors:#?}\n{xml}"));
    let rechecker = UppaalRecheck
        .read(&sources, &options)
        .expect("the same model");
    let read = hyperkill_uppaal::read(&sources, &options).expect("the same model");
    let violating = read.mutations.iter().filter(|m| m.meaning.is_some());
    let violating: BTreeSet<MutantId> = violating.map(|m| m.mutant.id.clone()).collect();
    let mut counted: BTreeMap<String, Counts> = BTreeMap::new();
    let budget = Budget::unlimited();
    for (mutant, problem) in &rechecker.contents().catalogue {
        let direction = match mutant.path.ends_with('?') {
            true => " input",
            false => " output",
        };
        let mut operator = mutant.operator.clone();
        if operator == "TAD" {
            operator.push_str(direction);
        }
        let verdict = decider.decide(&mutant.id, None, &budget);
        assert_eq!(*problem, None, "{mutant:?}");
        let checked = rechecker.recheck(&mutant.id, &verdict, &budget);
        assert_eq!(checked, Ok(()), "{mutant:?}\n{verdict:?}");
        let index = match &verdict {
            Verdict::Killed(kill) => {
                let (test, id) = (&kill.model_run, &mutant.id);
                let strength = decider.kills(test, id).expect("the test that was found");
                let checked = rechecker.recheck_kill(test, id, strength, &budget);
                assert_eq!(checked, Ok(()), "{mutant:?}");
                0
            }
            Verdict::Equivalent(_) => 1,
            Verdict::Inconsistent(_) => 2,
            other => panic!("{mutant:?}: {other:?}"),
        };
        let counts = counted.entry(operator).or_default();
        counts.mutants += 1;
        counts.verdicts[index] += 1;
        if violating.contains(&mutant.id) {
            counts.violating += 1;
            assert_ne!(index, 0, "{mutant:?} violates a guideline and is killed");
        }
    }
    counted
}
