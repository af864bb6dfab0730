//! Tests of an event language read as calls; documents keep all ports.

use serde_json::Value;

use crate::formats::conforms;
use crate::support::{Place, hyperkill};
use hyperkill::ExitCode;

/// A purse that takes coins, and returns any part of them, with a receipt or without.
const PURSE: &str = "\
type(coin, X) :- X in 1..9.
type(sum, X) :- X in 0..9.
type(receipt, X) :- X in 0..1.
var([sum], sum).
state_def([sum]).
init([0]).
input(['put', 'peep']).
as :-
  actions (
    'put'(C)::(sum #= 0) => (sum := C),
    'peep'::(sum #> 3) => (skip),
    'give'(X, Y)::(sum #> 0) => ((X #=< sum) => (sum := sum - X))
  ),
  dood ( [C:coin]:'put'(C) [] 'peep' [] [X:coin, Y:receipt]:'give'(X, Y) ).
";

/// A run of the purse.
fn decided(options: &[&str]) -> Place {
    let place = Place::with("purse.as", PURSE);
    let (model, out) = (place.arg("purse.as"), place.arg("out"));
    let args = ["-q", "run", &model, "-o", &out];
    let ran = hyperkill(args.iter().chain(options));
    assert!(
        matches!(ran.code, ExitCode::Success | ExitCode::Undecided),
        "{ran:?}"
    );
    place
}

fn document(place: &Place, name: &str) -> Value {
    let text = std::fs::read_to_string(place.path("out").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The concatenation of a folder's files with this suffix.
fn texts(place: &Place, folder: &str, end: &str) -> String {
    let files = std::fs::read_dir(place.path("out").join(folder)).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files = files.filter(|file| file.to_string_lossy().ends_with(end));
    files
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

#[test]
fn tests_for_people_have_calls_and_documents_every_port() {
    let place = decided(&["--tests", "global"]);
    let read = texts(&place, "tests", ".txt");
    assert!(read.contains("put(") && read.contains("give("), "{read}");
    // Neither a list of eighteen answers, nor ports.
    assert!(read.contains("{give(1..9, 0..1)}"), "{read}");
    assert!(!read.contains("put.C"), "{read}");
    let suite = document(&place, "suite.json");
    let schema = hyperkill(["schema", "suite"])
        .expect(ExitCode::Success)
        .json();
    conforms(&suite, &schema, &schema, "suite");
    let events = suite["signature"]["events"].as_array().unwrap();
    assert_eq!(events.len(), 2, "{events:#?}");
    let step = &suite["tests"][0]["steps"][0];
    for port in ["event", "put.C"] {
        assert!(!step["inputs"][port].is_null(), "{step:#}");
    }
    for port in ["output", "give.X", "give.Y"] {
        assert!(!step["outputs"][port].is_null(), "{step:#}");
    }
    let report = std::fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(report.contains(" put("), "no test is named by its events");
    let listed = hyperkill(["list", &place.arg("purse.as"), "--signature"]);
    let listed = listed.expect(ExitCode::Success).text();
    assert!(listed.contains("give(give.X, give.Y)"), "{listed}");
    hyperkill(["-q", "certify", &place.arg("out")]).expect(ExitCode::Success);
}

#[test]
fn what_is_shown_of_a_mutant_has_calls() {
    let place = decided(&[]);
    let run = document(&place, "outcomes.json");
    let killed = run["results"].as_array().unwrap().iter();
    let killed = killed.filter(|result| !result["test"].is_null());
    let mut shown = String::new();
    for mutant in killed {
        let id = mutant["mutant"].as_str().unwrap();
        let page = hyperkill(["show", id, &place.arg("out")]).expect(ExitCode::Success);
        shown += &page.text();
    }
    assert!(shown.contains("put(") && shown.contains("give("), "{shown}");
    assert!(
        !shown.contains("put.C") && !shown.contains("give.X"),
        "{shown}"
    );
}

#[test]
fn tables_of_tests_have_calls_and_are_read_back() {
    let place = decided(&["--tests", "global"]);
    let (out, csv) = (place.arg("out"), place.arg("csv"));
    hyperkill(["-q", "export", &out, "--to", "csv", "-o", &csv]).expect(ExitCode::Success);
    let table = std::fs::read_to_string(place.path("csv/tests.csv")).unwrap();
    assert!(table.starts_with("event,output\n"), "{table}");
    assert!(table.contains("\nput("), "{table}");
    assert!(table.contains(",\"give("), "{table}");
    let scores = [out.clone(), place.arg("csv/tests.csv")].map(|suite| {
        let args = ["--format", "json", "score", &out, "--suite", &suite];
        let report = hyperkill(args).json();
        let mutants = report["mutants"].as_array().unwrap().clone();
        let result = |mutant: Value| [mutant["mutant"].clone(), mutant["result"].clone()];
        mutants.into_iter().map(result).collect::<Vec<_>>()
    });
    assert!(scores[0].iter().any(|[_, result]| result == "killed"));
    assert_eq!(scores[0], scores[1]);
    // Ports, as before, and names that are not events.
    for (text, wrong) in [
        ("event,put.C\nput,3\nwait,1\n", None),
        ("event\nput(3)\nwait\n", None),
        ("event\nput(10)\n", Some("there is no such event")),
        ("event\nput\n", Some("there is no such event")),
        ("event\n\"put(3)\n", Some("quotes")),
    ] {
        let file = place.path("mine.csv");
        std::fs::write(&file, text).unwrap();
        let ran = hyperkill(["score", &out, "--suite", &file.to_string_lossy()]);
        match wrong {
            None => assert_ne!(ran.code, ExitCode::Usage, "{text}: {ran:?}"),
            Some(why) => {
                let ran = ran.expect(ExitCode::Usage);
                assert!(ran.stderr.contains(why), "{text}: {ran:?}");
            }
        }
    }
}

#[test]
fn a_circuit_names_its_events() {
    let place = Place::with("purse.as", PURSE);
    let circuit = place.arg("purse.aag");
    let args = ["-q", "translate", &place.arg("purse.as"), "-o", &circuit];
    hyperkill(args).expect(ExitCode::Success);
    let text = std::fs::read_to_string(place.path("purse.aag")).unwrap();
    assert!(text.contains(r#""events":[{"port":"event","side":"inputs""#));
    let list = ["--format", "json", "list", &circuit, "--signature"];
    let table = hyperkill(list).expect(ExitCode::Success).json();
    assert_eq!(table["signature"]["events"][0]["events"][1]["label"], "put");
    // An event that the ports cannot express.
    let wrong = text.replacen(r#"{"label":"peep"}"#, r#"{"label":"peek"}"#, 1);
    std::fs::write(place.path("purse.aag"), wrong).unwrap();
    let ran = hyperkill(["list", &circuit]).expect(ExitCode::InvalidModel);
    assert!(ran.stderr.contains("other labels"), "{ran:?}");
}
