//! The case studies of \[0\] that its prose gives (`tests/models/uppaal`): first order by operator, second order by pairs of operators.

use std::collections::BTreeMap;
use std::fmt::Write;

use hyperkill_core::budget::Budget;
use hyperkill_core::verdict::Verdict;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};
use hyperkill_uppaal_decide::UppaalDecision;
use hyperkill_uppaal_recheck::UppaalRecheck;
use serde_json::Value;

use crate::pairs;
use crate::regions::{Says, refines};
use crate::tables::{Counts, counted};

/// A model of the list with the expected results of its mutants.
pub(crate) struct Study {
    name: &'static str,
    pub(crate) xml: &'static str,
    expected: &'static str,
}

macro_rules! study {
    ($name:literal) => {
        Study {
            name: $name,
            xml: include_str!(concat!(
                "../../../../../tests/models/uppaal/",
                $name,
                "/model.xml"
            )),
            expected: include_str!(concat!(
                "../../../../../tests/models/uppaal/",
                $name,
                "/expected.json"
            )),
        }
    };
}

pub(crate) const WFAS: Study = study!("wfas");
pub(crate) const MUTEX: Study = study!("mutex");
pub(crate) const COFFEE: Study = study!("coffee");
pub(crate) const HOTEL: Study = study!("hotel");
/// The car alarm. The drawings of \[0\] are not at hand and the model was rebuilt without them, so none of the results of \[0\] is expected
/// of it.
pub(crate) const CAR_ALARM: &str =
    include_str!("../../../../../tests/models/uppaal/car-alarm/model.xml");

impl Study {
    fn expected(&self) -> Value {
        serde_json::from_str(self.expected).expect("a manifest")
    }
}

fn number(value: &Value) -> usize {
    let number = value.as_u64().and_then(|number| number.try_into().ok());
    number.unwrap_or_else(|| panic!("{value} is no number"))
}

/// Returns the numbers of killed, equivalent and inconsistent mutants in a list.
fn triple(value: &Value) -> [usize; 3] {
    std::array::from_fn(|index| number(&value[index]))
}

#[test]
fn the_tables_of_the_case_studies_come_out_without_other_models() {
    for study in [WFAS, MUTEX, COFFEE, HOTEL] {
        let expected = study.expected();
        for preset in [Preset::VerifyTga, Preset::Strict, Preset::Definition7] {
            let rows = expected["operators"].as_array().expect("rows").iter();
            let rows = rows.map(|row| {
                let counts = Counts {
                    mutants: number(&row["mutants"]),
                    violating: number(&row["violating"]),
                    verdicts: triple(&row[preset.name()]),
                };
                (row["operator"].as_str().expect("a name").to_owned(), counts)
            });
            let rows: BTreeMap<String, Counts> = rows.collect();
            let found = counted(study.xml, preset);
            assert_eq!(found, rows, "{} {}", study.name, preset.name());
            if preset != Preset::VerifyTga {
                continue;
            }
            // The figures that [0] prints in its text.
            let sum = |of: fn(&Counts) -> usize| found.values().map(of).sum::<usize>();
            let needless = sum(|counts| counts.verdicts[1] + counts.verdicts[2]);
            let percent = (100 * sum(|counts| counts.violating) + needless / 2) / needless;
            let printed = &expected["printed"];
            assert_eq!(percent, number(&printed["percent"]), "{}", study.name);
            assert_eq!(sum(|counts| counts.mutants), number(&printed["mutants"]));
        }
    }
}

fn second_order() -> FrontendOptions {
    FrontendOptions {
        order: Some(2),
        ..pairs::options()
    }
}

fn prepared(study: &Study) -> Vec<SourceFile> {
    let sources = vec![SourceFile::new("model.xml", study.xml)];
    UppaalFrontend
        .prepare(sources, &second_order())
        .expect("options fit")
}

type Pairs = BTreeMap<String, [usize; 3]>;

/// Returns the counts by pairs of operators that the manifest records: of regions, one mutant after the other.
fn recorded(study: &Study) -> Pairs {
    let expected = study.expected();
    let rows = expected["order_2"].as_array().expect("rows").iter();
    let rows = rows.map(|row| {
        let operator = row["operator"].as_str().expect("a name");
        (operator.to_owned(), triple(&row["verifytga"]))
    });
    rows.collect()
}

/// Returns the counts by pairs of operators, decided by families of zones; each verdict is checked without zones.
fn decided(study: &Study) -> Pairs {
    let (options, sources) = (second_order(), prepared(study));
    let decider = UppaalDecision.read(&sources, &options).expect("a model");
    let rechecker = UppaalRecheck.read(&sources, &options).expect("a model");
    let budget = Budget::unlimited();
    let mut counts = Pairs::new();
    for (mutant, problem) in &rechecker.contents().catalogue {
        assert_eq!(*problem, None);
        let verdict = decider.decide(&mutant.id, None, &budget);
        let checked = rechecker.recheck(&mutant.id, &verdict, &budget);
        assert_eq!(checked, Ok(()), "{} {mutant:?}", study.name);
        let index = match verdict {
            Verdict::Killed(_) => 0,
            Verdict::Equivalent(_) => 1,
            Verdict::Inconsistent(_) => 2,
            other => panic!("{} {mutant:?}: {other:?}", study.name),
        };
        counts.entry(mutant.operator.clone()).or_default()[index] += 1;
    }
    counts
}

#[test]
fn pairs_of_changes_of_mutex_and_hotel_are_decided_as_by_regions() {
    for study in [MUTEX, HOTEL] {
        assert_eq!(decided(&study), recorded(&study), "{}", study.name);
    }
}

#[test]
fn pairs_of_changes_of_coffee_are_decided_as_by_regions() {
    assert_eq!(decided(&COFFEE), recorded(&COFFEE));
}

#[test]
#[ignore = "takes half a minute: 14,711 mutants, each verdict checked without zones"]
fn pairs_of_changes_of_wfas_are_decided_as_by_regions() {
    assert_eq!(decided(&WFAS), recorded(&WFAS));
}

#[test]
fn the_guidelines_detect_as_much_of_second_order_coffee_as_is_printed() {
    let (side, firsts) = pairs::firsts(COFFEE.xml);
    let counts = firsts
        .iter()
        .map(|first| pairs::counted(&pairs::family(first), &side));
    let counts = counts.fold(pairs::Counts::default(), pairs::Counts::and);
    println!("{counts:?}, {:.1} %", counts.percent());
    assert_eq!(counts.percent().round(), 65.0);
}

/// The counts by pairs of operators by regions. `UPDATE_EXPECTED=1` writes them into the manifests; zones are not asked.
#[test]
#[ignore = "takes a minute: 21,400 mutants, region by region"]
fn the_manifests_record_what_regions_say_of_pairs_of_changes() {
    for study in [MUTEX, HOTEL, COFFEE, WFAS] {
        let (options, sources) = (second_order(), prepared(&study));
        let model = read(&sources, &options).expect("a model");
        let rules = Preset::VerifyTga.rules();
        let mut counts = Pairs::new();
        for mutation in &model.mutations {
            let text = apply(&sources[0].text, &mutation.mutant).expect("its place is there");
            let mutant = read_automaton(&text, &options).expect("a model");
            let index = match refines(&mutant, &model.automaton, rules) {
                Says::Fails(_) => 0,
                Says::Refines => 1,
                Says::Inconsistent => 2,
                other => panic!("{} {:?}: {other:?}", study.name, mutation.mutant),
            };
            let operator = mutation.mutant.operator.clone();
            counts.entry(operator).or_default()[index] += 1;
        }
        if std::env::var("UPDATE_EXPECTED").is_ok_and(|value| value == "1") {
            update(&study, &counts);
        } else {
            assert_eq!(counts, recorded(&study), "{}", study.name);
        }
    }
}

fn update(study: &Study, counts: &Pairs) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/models/uppaal/");
    let kept = study.expected.split(",\n  \"order_2\"").next();
    let mut text = kept.unwrap_or_default().trim_end().to_owned();
    text = text.trim_end_matches('}').trim_end().to_owned();
    text.push_str(",\n  \"order_2\": [\n");
    let rows = counts.iter().map(|(operator, [killed, equivalent, inconsistent])| {
        let mutants = killed + equivalent + inconsistent;
        format!(
            "    {{\"operator\": \"{operator}\", \"mutants\": {mutants}, \"verifytga\": [{killed}, {equivalent}, {inconsistent}]}}"
        )
    });
    let rows: Vec<String> = rows.collect();
    let _ = writeln!(text, "{}\n  ]\n}}", rows.join(",\n"));
    let file = format!("{folder}{}/expected.json", study.name);
    std::fs::write(file, text).expect("the manifest can be written");
}

/// The expected results for the car alarm: counts by regions of our own drawing, and beside them the numbers printed in \[0\] for another
/// one.
const CAR_ALARM_EXPECTED: &str =
    include_str!("../../../../../tests/models/uppaal/car-alarm/expected.json");

type Rows = BTreeMap<String, [usize; 3]>;

/// Returns the options of the car alarm, which is completed with a sink, as in \[0\].
fn completed(preset: Preset) -> FrontendOptions {
    FrontendOptions {
        processes: ProcessOptions {
            totalise: Some("sink".to_owned()),
            semantics: Some(preset.name().to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Returns the car alarm with shorter times in the same order, so that regions are few.
fn short_car_alarm() -> String {
    let times = [("300", "5"), ("30", "3"), ("20", "2")];
    times
        .into_iter()
        .fold(CAR_ALARM.to_owned(), |text, (long, short)| {
            let text = text.replace(&format!("= {long}<"), &format!("= {short}<"));
            assert!(!text.contains(&format!("= {long}<")));
            text
        })
}

fn prepared_text(text: &str, options: &FrontendOptions) -> Vec<SourceFile> {
    let sources = vec![SourceFile::new("model.xml", text)];
    let sources = UppaalFrontend.prepare(sources, options);
    sources.expect("options fit")
}

/// Returns the counts by operator that the manifest of the car alarm records for a preset.
fn expected_of_car_alarm(preset: Preset) -> Rows {
    let expected: Value = serde_json::from_str(CAR_ALARM_EXPECTED).expect("a manifest");
    let rows = expected["operators"].as_array().expect("rows").iter();
    let rows = rows.map(|row| {
        let operator = row["operator"].as_str().expect("a name");
        (operator.to_owned(), triple(&row[preset.name()]))
    });
    rows.collect()
}

/// Returns the counts of verdicts by operator, decided by zones. Each verdict is checked without zones.
fn decided_rows(text: &str, preset: Preset) -> Rows {
    let options = completed(preset);
    let sources = prepared_text(text, &options);
    let decider = UppaalDecision.read(&sources, &options).expect("a model");
    let rechecker = UppaalRecheck.read(&sources, &options).expect("a model");
    let budget = Budget::unlimited();
    let mut counts = Rows::new();
    for (mutant, _) in &rechecker.contents().catalogue {
        let verdict = decider.decide(&mutant.id, None, &budget);
        let checked = rechecker.recheck(&mutant.id, &verdict, &budget);
        assert_eq!(checked, Ok(()), "{mutant:?}");
        let index = match verdict {
            Verdict::Killed(_) => 0,
            Verdict::Equivalent(_) => 1,
            Verdict::Inconsistent(_) => 2,
            other => panic!("{mutant:?}: {other:?}"),
        };
        counts.entry(mutant.operator.clone()).or_default()[index] += 1;
    }
    counts
}

/// Returns the counts of verdicts by operator, decided by regions.
fn rows_by_regions(text: &str, preset: Preset) -> Rows {
    let options = completed(preset);
    let sources = prepared_text(text, &options);
    let model = read(&sources, &options).expect("a model");
    let mut counts = Rows::new();
    for mutation in &model.mutations {
        let mutant = &mutation.mutant;
        let text = apply(&sources[0].text, mutant).expect("its place is there");
        let changed = read_automaton(&text, &options).expect("a model");
        let index = match refines(&changed, &model.automaton, preset.rules()) {
            Says::Fails(_) => 0,
            Says::Refines => 1,
            Says::Inconsistent => 2,
            other => panic!("{mutant:?}: {other:?}"),
        };
        counts.entry(mutant.operator.clone()).or_default()[index] += 1;
    }
    counts
}

const PRESETS: [Preset; 3] = [Preset::VerifyTga, Preset::Strict, Preset::Definition7];

#[test]
fn mutants_of_the_car_alarm_are_decided_as_its_manifest_says() {
    for preset in PRESETS {
        let expected = expected_of_car_alarm(preset);
        assert_eq!(
            decided_rows(CAR_ALARM, preset),
            expected,
            "{}",
            preset.name()
        );
        let short = decided_rows(&short_car_alarm(), preset);
        assert_eq!(short, expected, "{} with short times", preset.name());
    }
}

/// Zones are not asked. The rows are printed as the manifest has them.
#[test]
fn the_manifest_of_the_car_alarm_records_what_regions_say() {
    let found = PRESETS.map(|preset| rows_by_regions(&short_car_alarm(), preset));
    for operator in found[0].keys() {
        let columns = PRESETS.iter().zip(&found);
        let columns =
            columns.map(|(preset, rows)| format!("\"{}\": {:?}", preset.name(), rows[operator]));
        let columns: Vec<String> = columns.collect();
        println!(
            "    {{\"operator\": \"{operator}\", {}}},",
            columns.join(", ")
        );
    }
    for (preset, rows) in PRESETS.into_iter().zip(found) {
        assert_eq!(rows, expected_of_car_alarm(preset), "{}", preset.name());
    }
}
