//! Self-contained run folders: changes of the model files do not change the output of commands on a run.

use std::fs;
use std::path::Path;

use hyperkill::ExitCode;
use hyperkill::documents::{Digests, to_text};
use serde_json::Value;

use crate::corruption::forge;
use crate::support::{DRINKS, LOCK, Place, TOGGLE, contents, hyperkill, hyperkill_with};
use crate::timed::DOOR;

/// A counter with an included file, a memory file, and options that change its meaning.
const COUNTER: &str = "\
`include \"sub/limit.vh\"
module counter #(parameter W = 2) (input clk, input rst, input go, output reg [W-1:0] n, output full);
  reg [W-1:0] most [0:1];
  initial $readmemh(\"most.hex\", most);
  always @(posedge clk)
    if (rst) n <= 0;
    else if (go)
`ifdef DOWN
      n <= n - 1;
`else
      n <= n + 1;
`endif
  assign full = n == `LIMIT & n != most[0];
endmodule
";

/// The output of commands on a run that need its model, and the files that they write.
fn said(place: &Place, form: &str) -> Vec<String> {
    let (out, to) = (place.arg("out"), place.arg("exported"));
    let mut said = vec![
        hyperkill(["certify", &out])
            .expect(ExitCode::Success)
            .text(),
    ];
    if !form.is_empty() {
        hyperkill(["export", &out, "--to", form, "-o", &to]).expect(ExitCode::Success);
        for (name, bytes) in contents(Path::new(&to)) {
            said.push(format!(
                "{}\n{}",
                name.display(),
                String::from_utf8_lossy(&bytes)
            ));
        }
        fs::remove_dir_all(&to).unwrap();
    }
    let ids = place.json("out/mutants.json");
    let id = ids["mutants"][0]["id"].as_str().unwrap();
    said.push(
        hyperkill(["show", id, &out])
            .expect(ExitCode::Success)
            .text(),
    );
    said.push(hyperkill(["status", &out]).expect(ExitCode::Success).text());
    said
}

/// Deletes everything in a place except the run folder.
fn delete_models(place: &Place) {
    for entry in fs::read_dir(place.path("")).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("out") => {}
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
}

/// Corrupts and deletes each copy in a run folder; commands must detect it.
fn is_noticed(place: &Place) {
    let out = place.arg("out");
    let copies = contents(&place.path("out/sources"));
    assert!(!copies.is_empty());
    for (name, bytes) in copies {
        let path = place.path("out/sources").join(&name);
        let spoilt = [&bytes[..], b" "].concat();
        fs::write(&path, spoilt).unwrap();
        let to = place.arg("exported");
        for command in [
            &["certify", &out][..],
            &["export", &out, "--to", "vcd", "-o", &to],
        ] {
            let ran = hyperkill(command).expect(ExitCode::Evidence);
            let said = format!("{}{}", ran.text(), ran.stderr);
            assert!(said.contains(&*name.to_string_lossy()), "{said}");
        }
        assert!(!place.path("exported").exists());
        fs::remove_file(&path).unwrap();
        hyperkill(["certify", &out]).expect(ExitCode::Evidence);
        fs::write(&path, bytes).unwrap();
    }
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

/// A model with its files, options of the run, and a form to export its tests to.
type Kind = (
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
    &'static str,
);

const KINDS: [Kind; 6] = [
    (&[("lock.smv", LOCK)], &["-D", "last=2"], "smv"),
    (
        &[("drinks.smv", DRINKS)],
        &["--outputs", "out", "--tests", "local"],
        "vcd",
    ),
    (
        &[
            ("counter.v", COUNTER),
            ("sub/limit.vh", "`define LIMIT 3\n"),
            ("most.hex", "1 2\n"),
        ],
        &[
            "-P", "W=3", "-D", "DOWN", "--reset", "rst=1:2", "--assume", "go | rst",
        ],
        "verilog-testbench",
    ),
    (&[("x.aag", TOGGLE)], &["--nd", "mood"], ""),
    (&[("door.tfsm", DOOR)], &[], ""),
    (
        &[
            (
                "a/half.v",
                "module half(input a, output y); assign y = ~a; endmodule\n",
            ),
            (
                "b/half.v",
                "module top(input a, input clk, output reg y); wire n; half h(a, n); always @(posedge clk) y <= n; endmodule\n",
            ),
        ],
        &["--top", "top"],
        "vcd",
    ),
];

#[test]
fn what_happens_to_the_model_beside_a_run_changes_nothing() {
    for (files, options, form) in KINDS {
        let place = Place::with("nothing", "");
        let mut args = vec!["run".to_owned()];
        for (name, text) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            if name.ends_with(".v") || files.len() == 1 {
                args.push(place.arg(name));
            }
        }
        args.extend(["-o".to_owned(), place.arg("out")]);
        args.extend(options.iter().map(|&option| option.to_owned()));
        hyperkill(&args).expect(ExitCode::Success);
        let before = said(&place, form);
        for (name, _) in files {
            fs::write(place.path(name), "no model at all").unwrap();
        }
        assert_eq!(said(&place, form), before, "{files:?} edited");
        delete_models(&place);
        assert_eq!(said(&place, form), before, "{files:?} deleted");
        // The place of the folder does not matter either.
        fs::create_dir(place.path("far")).unwrap();
        fs::rename(place.path("out"), place.path("far/out")).unwrap();
        hyperkill(["certify", &place.arg("far/out")]).expect(ExitCode::Success);
        fs::rename(place.path("far/out"), place.path("out")).unwrap();
        is_noticed(&place);
    }
}

#[test]
fn a_model_from_standard_input_is_kept_too() {
    let place = Place::with("nothing", "");
    let out = place.arg("out");
    let run = ["run", "-", "--language", "smv", "-o", &out];
    hyperkill_with(run, LOCK).expect(ExitCode::Success);
    assert_eq!(said(&place, "smv").len(), said(&place, "smv").len());
    is_noticed(&place);
}

#[test]
fn options_of_a_file_beside_the_model_are_those_of_the_run() {
    let place = Place::with("lock.smv", LOCK);
    fs::write(
        place.path("hyperkill.toml"),
        "tests = 'local'\nno-minimise = true\nseed = 3\n[define]\nlast = 1\n",
    )
    .unwrap();
    let out = place.arg("out");
    hyperkill(["run", &place.arg("lock.smv"), "-o", &out]).expect(ExitCode::Success);
    let before = said(&place, "smv");
    let asked = place.json("out/asked.json");
    let options: Vec<&str> = (asked["options"].as_array().unwrap().iter())
        .map(|option| option.as_str().unwrap())
        .collect();
    for option in [
        "--tests=local",
        "--no-minimise",
        "--seed=3",
        "--timeout=60s",
    ] {
        assert!(options.contains(&option), "{options:?}");
    }
    assert_eq!(asked["version"], env!("CARGO_PKG_VERSION"));
    fs::write(place.path("hyperkill.toml"), "[define]\nlast = 2\n").unwrap();
    assert_eq!(said(&place, "smv"), before);
    delete_models(&place);
    assert_eq!(said(&place, "smv"), before);
}

#[test]
fn an_option_may_be_repeated_and_not_be_contradicted() {
    let place = Place::with("lock.smv", LOCK);
    let (out, to) = (place.arg("out"), place.arg("to"));
    hyperkill(["run", &place.arg("lock.smv"), "-D", "last=2", "-o", &out])
        .expect(ExitCode::Success);
    delete_models(&place);
    let export = ["export", &out, "--to", "smv", "-o", &to, "-D"];
    hyperkill(export.iter().chain(&["last=2"])).expect(ExitCode::Success);
    let ran = hyperkill(export.iter().chain(&["last=1"])).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("with `-D last=2`"), "{ran:?}");
}

#[test]
fn a_copy_leads_nowhere_else() {
    let place = Place::with("lock.smv", LOCK);
    let out = place.arg("out");
    hyperkill(["run", &place.arg("lock.smv"), "-o", &out]).expect(ExitCode::Success);
    let text = fs::read_to_string(place.path("out/mutants.json")).unwrap();
    let mut table: Value = serde_json::from_str(&text).unwrap();
    for elsewhere in ["../lock.smv", "sources/../../lock.smv", "sources/"] {
        table["reading"]["sources"][0]["copy"] = elsewhere.into();
        fs::write(place.path("out/mutants.json"), table.to_string()).unwrap();
        let to = place.arg("to");
        let export = ["export", &out, "--to", "smv", "-o", &to];
        hyperkill(export).expect(ExitCode::Evidence);
    }
}

/// Removes the copies, as in a folder of an earlier release.
fn without_copies(place: &Place) {
    let without = |reading: &mut Value| {
        for source in reading["sources"].as_array_mut().unwrap() {
            let source = source.as_object_mut().unwrap();
            source.remove("copy");
            source.remove("asked_as");
        }
    };
    let mut table = place.json("out/mutants.json");
    without(&mut table["reading"]);
    let mut suite = place.json("out/suite.json");
    without(&mut suite["model"]["reading"]);
    for (name, document) in [("mutants.json", &table), ("suite.json", &suite)] {
        let text = to_text(document).unwrap();
        forge(place, Path::new(name), text.as_bytes());
    }
    let digests = fs::read(place.path("out/digests.json")).unwrap();
    let mut digests: Digests = serde_json::from_slice(&digests).unwrap();
    let is_new = |name: &str| name == "asked.json" || name.starts_with("sources/");
    digests.files.retain(|listed| !is_new(&listed.file));
    let text = to_text(&digests).unwrap();
    fs::write(place.path("out/digests.json"), text).unwrap();
    fs::remove_dir_all(place.path("out/sources")).unwrap();
    fs::remove_file(place.path("out/asked.json")).unwrap();
}

#[test]
fn the_folder_of_an_earlier_release_has_its_model_read_where_it_was() {
    let place = Place::with("counter.v", COUNTER);
    fs::create_dir(place.path("sub")).unwrap();
    fs::write(place.path("sub/limit.vh"), "`define LIMIT 3\n").unwrap();
    fs::write(place.path("most.hex"), "1 2\n").unwrap();
    let (model, out, to) = (place.arg("counter.v"), place.arg("out"), place.arg("to"));
    hyperkill(["run", &model, "-o", &out, "--zero-init"]).expect(ExitCode::Success);
    without_copies(&place);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    let export = ["export", &out, "--to", "vcd", "-o", &to];
    hyperkill(export).expect(ExitCode::Success);
    let ran = hyperkill(["resume", &out]).expect(ExitCode::Usage);
    assert!(
        ran.stderr.contains("does not record its options"),
        "{ran:?}"
    );
    fs::write(place.path("sub/limit.vh"), "`define LIMIT 2\n").unwrap();
    let ran = hyperkill(["certify", &out]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("limit.vh has changed"), "{ran:?}");
    fs::remove_file(place.path("counter.v")).unwrap();
    let ran = hyperkill(["certify", &out]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--model"), "{ran:?}");
}
