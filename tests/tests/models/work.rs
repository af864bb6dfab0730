//! Counted work of complete runs: the test fails if the work of a model grows by more than a share, independent of the machine.
//!
//! The table `work.tsv` contains the recorded work of each run. `HYPERKILL_WORK=take cargo test … counted_work` records it again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hyperkill::{ExitCode, Io};
use serde_json::Value;

/// The largest growth that passes, as a share of the recorded number.
const SHARE: f64 = 0.15;

/// By column: the growth that counts as noise of small models, in the column's unit.
const SLACK: [(&str, u64); 8] = [
    ("gates", 20_000),
    ("nodes", 20_000),
    ("conflicts", 50),
    ("ticks", 50_000),
    ("calls", 20_000),
    ("clauses", 5_000),
    ("clauses certified", 2_000),
    ("calls certified", 10_000),
];

/// The models of this repository, each with the options of its run.
const MODELS: [(&str, &[&str]); 16] = [
    ("smv/beverage/model.smv", &[]),
    ("smv/beverage-20/model.smv", &[]),
    ("smv/car-alarm/model.smv", &[]),
    ("smv/fifo/model.smv", &[]),
    ("smv/traffic-light/model.smv", &[]),
    ("hyper/scheduler.smv", &[]),
    ("verilog/alu/model.v", &[]),
    ("verilog/arbiter/model.v", &[]),
    ("verilog/crc/model.v", &[]),
    ("verilog/debouncer/model.v", &["--bound", "40"]),
    ("verilog/handshake/model.v", &[]),
    ("verilog/lock/model.v", &[]),
    ("verilog/multiplier/model.v", &[]),
    ("verilog/traffic-light/model.v", &[]),
    ("verilog/uart-rx/model.v", &[]),
    ("verilog/vending/model.v", &[]),
];

/// Returns generated models, each with a name: two sizes of a counter with an enable, and of a token that places pass on by choice.
fn generated() -> Vec<(String, String)> {
    let counter = |bits: usize| {
        format!(
            "module counter(input clk, input rst, input en, output reg top);\n  reg [{}:0] n;\n  always @(posedge clk)\n    \
             if (rst) begin n <= 0; top <= 0; end\n    else if (en) begin n <= n + 1; top <= n == {}; end\nendmodule\n",
            bits - 1,
            (1_u64 << bits) - 3
        )
    };
    let token = |places: usize| {
        format!(
            "MODULE main\nIVAR stop : boolean;\nVAR at : 0..{last};\nASSIGN init(at) := 0;\n  next(at) := case stop : at; \
             at = {last} : {{0, at}}; TRUE : {{at, at + 1}}; esac;\nDEFINE out := at > {half};\n",
            last = places - 1,
            half = places / 2
        )
    };
    vec![
        ("counter-4.v".to_owned(), counter(4)),
        ("counter-6.v".to_owned(), counter(6)),
        ("token-6.smv".to_owned(), token(6)),
        ("token-24.smv".to_owned(), token(24)),
    ]
}

/// Returns the counts of a run on one thread, by column.
fn counted(model: &Path, options: &[&str]) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let (mut io, captured) = Io::captured("");
    let words = ["hyperkill", "--jobs", "1", "--seed", "1", "run"].map(OsString::from);
    let mut words = words.to_vec();
    words.extend([model.into(), "-o".into(), out.clone().into_os_string()]);
    words.extend(options.iter().map(OsString::from));
    let code = hyperkill::main(words, &mut io);
    let said = captured.stderr.text();
    assert!(code != ExitCode::Usage, "{}: {said}", model.display());
    let text = fs::read_to_string(out.join("timings.json"));
    let text = text.unwrap_or_else(|error| panic!("{}: {error}: {said}", model.display()));
    let timings: Value = serde_json::from_str(&text).expect("a document");
    let mut sums = BTreeMap::new();
    for part in timings["parts"].as_array().expect("parts") {
        let certifies = part["phase"] == "certify";
        for unit in ["gates", "nodes", "conflicts", "ticks", "calls", "clauses"] {
            let number = part["work"][unit].as_u64().unwrap_or(0);
            *sums.entry(unit.to_owned()).or_insert(0) += number;
            if certifies && ["calls", "clauses"].contains(&unit) {
                *sums.entry(format!("{unit} certified")).or_insert(0) += number;
            }
        }
    }
    sums
}

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/work.tsv")
}

/// Returns the rows of the table, by the name of the model.
fn recorded() -> BTreeMap<String, Vec<u64>> {
    let text = fs::read_to_string(table()).unwrap_or_default();
    let rows = text.lines().skip(1).map(|line| {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default().to_owned();
        (
            name,
            fields
                .map(|field| field.parse().expect("a number"))
                .collect(),
        )
    });
    rows.collect()
}

fn runs() -> BTreeMap<String, Vec<u64>> {
    let folder = tempfile::tempdir().expect("a folder");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut asked: Vec<(String, PathBuf, &[&str])> = Vec::new();
    for (name, options) in MODELS {
        let short = name
            .trim_end_matches("/model.smv")
            .trim_end_matches("/model.v");
        asked.push((short.to_owned(), models.join(name), options));
    }
    for (name, text) in generated() {
        let path = folder.path().join(&name);
        fs::write(&path, text).expect("a file");
        asked.push((name, path, &[]));
    }
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (asked, found) = (&asked, &found);
            scope.spawn(move || {
                for (name, path, options) in asked.iter().skip(half).step_by(2) {
                    let sums = counted(path, options);
                    let row = SLACK.map(|(unit, _)| sums.get(unit).copied().unwrap_or(0));
                    found
                        .lock()
                        .expect("rows")
                        .insert(name.clone(), row.to_vec());
                }
            });
        }
    });
    found.into_inner().expect("rows")
}

#[test]
fn counted_work_of_no_model_grows_by_more_than_a_share() {
    let found = runs();
    if std::env::var("HYPERKILL_WORK").is_ok_and(|how| how == "take") {
        let mut text = String::from("model");
        for (unit, _) in SLACK {
            write!(text, "\t{unit}").expect("a string");
        }
        for (name, row) in &found {
            let row: Vec<String> = row.iter().map(u64::to_string).collect();
            write!(text, "\n{name}\t{}", row.join("\t")).expect("a string");
        }
        fs::write(table(), text + "\n").expect("the table");
        return;
    }
    let recorded = recorded();
    let mut grown = Vec::new();
    for (name, row) in &found {
        let Some(before) = recorded.get(name) else {
            panic!("{name} is not in work.tsv: take it over with HYPERKILL_WORK=take");
        };
        for ((&now, &before), (unit, slack)) in row.iter().zip(before).zip(SLACK) {
            let allowed = (before as f64 * (1.0 + SHARE)) as u64 + slack;
            if now > allowed {
                grown.push(format!("{name}: {unit} {before}, now {now}"));
            }
        }
    }
    assert!(
        grown.is_empty(),
        "work has grown by more than {:.0} %:\n{}\nif that is worth it: HYPERKILL_WORK=take",
        SHARE * 100.0,
        grown.join("\n")
    );
    assert_eq!(
        found.len(),
        recorded.len(),
        "rows of work.tsv that nothing runs"
    );
}

#[test]
fn each_row_counts_something() {
    for (name, row) in recorded() {
        assert!(row.iter().sum::<u64>() > 0, "{name}");
    }
}
