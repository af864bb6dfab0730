//! Files outside of a model's folders: models and the options beside them cannot read or write them without `--allow-outside`.

use std::fs;

use hyperkill::ExitCode;

use crate::support::{LOCK, Place, TOGGLE, hyperkill};

/// A design that includes a file by this name.
fn including(name: &str) -> String {
    format!(
        "module m(input clock, input go, output reg on);\n`include \"{name}\"\n  always @(posedge clock) on <= go ^ `INVERTED;\nendmodule\n"
    )
}

/// A design with a memory that is initialised from this file.
fn reading(name: &str) -> String {
    format!(
        "module m(input clock, input at, output reg on);\n  reg memory [0:1];\n  initial $readmemb(\"{name}\", \
        memory);\n  always @(posedge clock) on <= memory[at];\nendmodule\n"
    )
}

const DEFINES: &str = "`define INVERTED 1'b1\n";
const CONTENTS: &str = "0 1\n";

/// A folder with a model folder, files beside it, and links between both.
fn place() -> Place {
    let place = Place::with("secret.vh", DEFINES);
    fs::write(place.path("secret.txt"), CONTENTS).unwrap();
    for folder in ["model/inner", "library", "here"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    fs::write(place.path("model/inner/inside.vh"), DEFINES).unwrap();
    fs::write(place.path("model/inside.txt"), CONTENTS).unwrap();
    fs::write(place.path("library/shared.vh"), DEFINES).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("../secret.vh", place.path("model/link.vh")).unwrap();
        symlink("..", place.path("model/up")).unwrap();
        symlink("inner/inside.vh", place.path("model/fine.vh")).unwrap();
    }
    place
}

#[test]
fn includes_and_contents_of_memories_stay_in_the_folders_of_the_model() {
    let place = place();
    let model = place.arg("model/m.v");
    let secret = place.arg("secret.vh");
    let mut outside = vec![
        including("../secret.vh"),
        including(&secret),
        reading("../secret.txt"),
    ];
    let mut inside = vec![
        including("inner/inside.vh"),
        including("../model/inner/inside.vh"),
        including(&place.arg("model/inner/inside.vh")),
        reading("inside.txt"),
    ];
    if cfg!(unix) {
        outside.push(including("link.vh"));
        outside.push(including("up/secret.vh"));
        outside.push(reading("up/secret.txt"));
        inside.push(including("fine.vh"));
        inside.push(including("up/model/inner/inside.vh"));
    }
    for text in inside {
        fs::write(&model, &text).unwrap();
        hyperkill(["list", &model]).expect(ExitCode::Success);
    }
    for text in outside {
        fs::write(&model, &text).unwrap();
        for command in [
            &["list", &model][..],
            &["run", &model, "-o", &place.arg("out")],
            &["translate", &model],
            &["verify", "--totality", &model],
        ] {
            let ran = hyperkill(command).expect(ExitCode::InvalidModel);
            for part in ["--allow-outside", "-I", "secret", "m.v:"] {
                assert!(ran.stderr.contains(part), "{part}: {text} {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("INVERTED 1"), "{}", ran.stderr);
        }
        hyperkill(["list", &model, "--allow-outside"]).expect(ExitCode::Success);
    }
    // A missing file gives the message for missing files.
    fs::write(&model, including("../nothing.vh")).unwrap();
    let ran = hyperkill(["list", &model]);
    assert!(ran.stderr.contains("is not found"), "{}", ran.stderr);
}

#[test]
fn folders_of_options_may_be_read_and_not_what_lies_beside_them() {
    let place = place();
    let (model, library) = (place.arg("model/m.v"), place.arg("library"));
    fs::write(&model, including("shared.vh")).unwrap();
    hyperkill(["list", &model, "-I", &library]).expect(ExitCode::Success);
    fs::write(&model, including("../secret.vh")).unwrap();
    hyperkill(["list", &model, "-I", &library]).expect(ExitCode::InvalidModel);
    let all = place.arg("");
    hyperkill(["list", &model, "-I", &all]).expect(ExitCode::Success);
}

#[cfg(unix)]
#[test]
fn a_model_that_is_a_link_may_read_beside_itself_and_beside_its_end() {
    let place = place();
    fs::write(place.path("model/m.v"), including("inner/inside.vh")).unwrap();
    let link = place.arg("here/m.v");
    std::os::unix::fs::symlink("../model/m.v", &link).unwrap();
    std::os::unix::fs::symlink("../model/inner", place.path("here/inner")).unwrap();
    hyperkill(["list", &link]).expect(ExitCode::Success);
    fs::write(place.path("model/m.v"), including("../secret.vh")).unwrap();
    hyperkill(["list", &link]).expect(ExitCode::InvalidModel);
}

#[test]
fn the_options_beside_a_model_name_files_in_its_folder_only() {
    let place = place();
    fs::write(place.path("model/x.aag"), TOGGLE).unwrap();
    fs::write(place.path("model/lock.smv"), LOCK).unwrap();
    let formula = "exists p. exists q. F O[p] != O[q]";
    fs::write(place.path("secret.txt"), "not for you").unwrap();
    fs::write(place.path("model/formula"), formula).unwrap();
    let options = place.path("model/hyperkill.toml");
    let (circuit, model) = (place.arg("model/x.aag"), place.arg("model/lock.smv"));
    for (key, path, command) in [
        ("formula-file", "secret.txt", &["verify", &circuit][..]),
        ("formula-file", "secret.txt", &["check", &circuit]),
        ("include", "", &["list", &model]),
        ("out", "elsewhere", &["run", &model]),
        ("out", "x.aig", &["translate", &model]),
        ("emit", "library", &["list", &model]),
        ("witness", "here", &["verify", &circuit]),
    ] {
        let absolute = place.arg(path).replace('\\', "/");
        let through = format!("{}/../{path}", place.arg("model").replace('\\', "/"));
        for path in [absolute, through] {
            fs::write(&options, format!("{key} = '{path}'\n")).unwrap();
            let ran = hyperkill(command).expect(ExitCode::Usage);
            for part in ["hyperkill.toml", key, "--allow-outside"] {
                assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
            }
            assert!(!ran.stderr.contains("not for you"), "{}", ran.stderr);
        }
    }
    let before = fs::read_dir(place.path("")).unwrap().count();
    assert_eq!(before, 5, "nothing was written");
    fs::write(
        &options,
        format!("formula-file = '{}'\n", place.arg("model/formula")),
    )
    .unwrap();
    let ran = hyperkill(["check", &circuit]);
    assert!(!ran.stderr.contains("outside"), "{ran:?}");
    fs::write(
        &options,
        format!("formula-file = '{}'\n", place.arg("secret.txt")),
    )
    .unwrap();
    let ran = hyperkill(["check", &circuit, "--allow-outside"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("secret.txt"), "{ran:?}");
    // The user's own command line may name any file.
    let out = place.arg("said");
    fs::write(&options, "").unwrap();
    hyperkill(["run", &model, "-o", &out, "--sample", "1"]).expect(ExitCode::Success);
}

#[test]
fn the_options_beside_a_model_cannot_allow_themselves_anything() {
    let place = place();
    fs::write(place.path("model/m.v"), including("../secret.vh")).unwrap();
    for text in ["allow-outside = true\n", "allow-outside = false\n"] {
        fs::write(place.path("model/hyperkill.toml"), text).unwrap();
        let ran = hyperkill(["list", &place.arg("model/m.v")]).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("command line only"), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_of_a_model_lead_its_options_nowhere_else() {
    let place = place();
    let model = place.arg("model/lock.smv");
    fs::write(&model, LOCK).unwrap();
    // A link to a file that does not exist yet.
    std::os::unix::fs::symlink("../new.aig", place.path("model/new.aig")).unwrap();
    for out in ["new.aig", "up/new.aig", "up/model/../new.aig"] {
        let out = place.arg(&format!("model/{out}"));
        fs::write(
            place.path("model/hyperkill.toml"),
            format!("out = '{out}'\n"),
        )
        .unwrap();
        let ran = hyperkill(["translate", &model]).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("--allow-outside"), "{ran:?}");
        assert!(!place.path("new.aig").exists());
    }
}

/// Whether Yosys is installed; prints a warning if not.
fn has_yosys() -> bool {
    let there = std::process::Command::new("yosys")
        .arg("-V")
        .output()
        .is_ok();
    if !there {
        // Written directly, since the test harness captures output.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"SKIPPED: includes of models that yosys reads (not installed)\n",
        );
    }
    there
}

#[test]
fn what_yosys_would_include_is_looked_at_first() {
    if !has_yosys() {
        return;
    }
    let place = place();
    let model = place.arg("model/m.v");
    for (text, code) in [
        (including("../secret.vh"), ExitCode::InvalidModel),
        (reading("../secret.txt"), ExitCode::InvalidModel),
        (including("inner/inside.vh"), ExitCode::Success),
    ] {
        fs::write(&model, text).unwrap();
        let ran = hyperkill(["list", &model, "--via", "yosys"]).expect(code);
        assert_eq!(
            ran.stderr.contains("--allow-outside"),
            code != ExitCode::Success
        );
    }
}
