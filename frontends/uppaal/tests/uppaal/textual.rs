//! Uppaal's textual format says what XML says.

use std::fmt::Write;

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile, Span};
use hyperkill_text::Excerpt;
use hyperkill_uppaal::document::{self, Nta, TemplateText};
use hyperkill_uppaal::syntax::Model;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton, typed, xta};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::corpus;
use crate::models::{LAMP, RICH};
use crate::reading::{assert_placed, cases, damaged};

/// Returns a model in the textual format; locations are called `s0`, `s1` and so on.
fn textual(nta: &Nta) -> String {
    let mut text = format!("{}\n", nta.declaration.plain);
    for template in &nta.templates {
        process(&mut text, template);
    }
    let _ = write!(text, "{}\n{}", nta.instantiation.plain, nta.system.plain);
    text
}

fn process(text: &mut String, template: &TemplateText) {
    let parameter = template.parameter.plain.trim();
    let _ = writeln!(text, "process {}({parameter}) {{", template.name);
    let _ = writeln!(text, "{}", template.declaration.plain);
    let said = |text: &Option<Excerpt>| {
        text.as_ref()
            .map_or("", |text| text.plain.trim())
            .to_owned()
    };
    let locations = template.locations.iter().enumerate();
    let states = locations.map(|(number, location)| {
        let invariant = said(&location.invariant);
        match (invariant.is_empty(), location.has_rate) {
            (true, false) => format!("s{number}"),
            (_, false) => format!("s{number} {{ {invariant}\n}}"),
            (_, true) => format!("s{number} {{ {invariant}\n; 1 }}"),
        }
    });
    let _ = writeln!(text, "state {};", states.collect::<Vec<_>>().join(", "));
    for (number, location) in template.locations.iter().enumerate() {
        if location.is_committed {
            let _ = writeln!(text, "commit s{number};");
        }
        if location.is_urgent {
            let _ = writeln!(text, "urgent s{number};");
        }
    }
    let _ = writeln!(text, "init s{};", template.initial);
    let mut last = None;
    let transitions = template.transitions.iter().map(|transition| {
        let source = match last == Some(transition.source) {
            true => String::new(),
            false => format!("s{} ", transition.source),
        };
        last = Some(transition.source);
        let arrow = match transition.controllable {
            Some((false, _)) => "-u->",
            _ => "->",
        };
        let mut labels = String::new();
        for (kind, label) in [
            ("select", said(&transition.select)),
            ("guard", said(&transition.guard)),
            ("sync", said(&transition.sync)),
            ("assign", transition.updates()),
        ] {
            let label = label.trim_end_matches([';', ',']);
            if !label.is_empty() {
                let _ = write!(labels, " {kind} {label}\n;");
            }
        }
        format!("{source}{arrow} s{} {{{labels} }}", transition.target)
    });
    let transitions = transitions.collect::<Vec<_>>().join(",\n");
    if !transitions.is_empty() {
        let _ = writeln!(text, "trans {transitions};");
    }
    text.push_str("}\n");
}

/// Returns the contents of a parsed model as text, without places and names of locations.
fn said(model: &Model) -> String {
    let mut model = model.clone();
    // Declarations beside the system line are global here.
    let beside = std::mem::take(&mut model.system.declarations);
    model.declarations.extend(beside);
    for template in &mut model.templates {
        for (number, location) in template.locations.iter_mut().enumerate() {
            location.name = format!("s{number}");
        }
    }
    let text = format!("{model:?}");
    let mut kept = String::new();
    let mut parts = text.split("Span {");
    kept.push_str(parts.next().unwrap_or(""));
    for part in parts {
        kept.push_str(part.split_once('}').map_or("", |(_, behind)| behind));
    }
    kept
}

/// Whether the textual format gives the same model as this text in XML; `None` if that is no model.
fn agrees(text: &str) -> Option<bool> {
    let nta = document::read(text).ok()?;
    let model = typed(text).ok()?.model;
    let written = textual(&nta);
    assert!(xta::is_xta(&written));
    Some(match typed(&written) {
        Ok(again) => {
            let (again, model) = (said(&again.model), said(&model));
            again == model
        }
        Err(_) => false,
    })
}

#[test]
fn the_textual_format_says_what_xml_says() {
    for text in [LAMP, RICH] {
        assert_eq!(agrees(text), Some(true));
    }
    let options = FrontendOptions::default();
    let nta = document::read(LAMP).expect("a model");
    let sources = vec![SourceFile::new("lamp.xta", textual(&nta))];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let ours = read(&sources, &options).expect("a model");
    let sources = vec![SourceFile::new("lamp.xml", LAMP)];
    let sources = UppaalFrontend.prepare(sources, &options).expect("a model");
    let theirs = read(&sources, &options).expect("a model");
    assert_eq!(ours.automaton.edges, theirs.automaton.edges);
    let operators = |model: &hyperkill_uppaal::Model| {
        let mutants = model.mutations.iter().map(|m| m.mutant.operator.clone());
        mutants.collect::<Vec<_>>()
    };
    assert_eq!(operators(&ours), operators(&theirs));
}

#[test]
fn models_of_others_say_the_same_in_the_textual_format() {
    let Some(files) = corpus::all("xml") else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so no model of others is read");
        return;
    };
    let (mut same, mut differ) = (0, Vec::new());
    for (file, text) in files {
        match agrees(&text) {
            Some(true) => same += 1,
            Some(false) => differ.push(file),
            None => {}
        }
    }
    println!("{same} say the same; others: {differ:#?}");
    assert!(same > 100 && differ.is_empty());
}

#[test]
fn textual_models_of_others_are_read() {
    for (file, text) in corpus::all("xta").unwrap_or_default() {
        let read = typed(&text);
        assert!(read.is_ok(), "{}: {read:?}", file.display());
    }
}

/// A bell that rings within five units, as the manual writes such models.
const BELL: &str = "// A bell.
clock x;
chan press, ring;
const int LATEST = 5;
process Bell(const int early) {
  int[0,3] count;
  state Idle, Rung { x <= LATEST }, Over;
  commit Over;
  init Idle;
  trans
    Idle -> Rung { select k : int[1,1]; guard x >= 1, count < 3; sync press?; assign x := 0, count := count + k; },
    Rung -u-> Idle { guard x >= early; sync ring!; },
         -> Over { guard x > early && count == 3; },
    Over -> Idle { };
}
B := Bell(2);
system B;
";

#[test]
fn old_and_new_ways_to_write_transitions_are_read() {
    let automaton = read_automaton(BELL, &FrontendOptions::default()).expect("a model");
    let named = |name: &str| {
        let edges = automaton.edges.iter();
        edges.filter(|edge| edge.action.name == name).count()
    };
    assert_eq!((named("press"), named("ring")), (3, 3));
    assert!(named("tau") > 0);
}

fn refusal(text: &str) -> (String, Span) {
    let sources = vec![SourceFile::new("model.xta", text)];
    let errors = UppaalFrontend
        .prepare(sources, &FrontendOptions::default())
        .expect_err(text);
    let span = errors[0].span.unwrap_or_default();
    (errors[0].message.clone(), span)
}

#[test]
fn what_is_wrong_is_said_at_its_place_in_the_textual_format() {
    for (from, to, message, place) in [
        ("init Idle;", "", "does not say where it starts", "Bell"),
        (
            "init Idle;",
            "init Idel;",
            "there is no location `Idel`",
            "Idel",
        ),
        (
            "init Idle;",
            "init Idle; init Rung;",
            "starts in one location",
            "init",
        ),
        (
            "Idle, Rung",
            "Idle, Idle, Rung",
            "two locations `Idle`",
            "Idle",
        ),
        (
            "Over -> Idle",
            "Gone -> Idle",
            "there is no location `Gone`",
            "Gone",
        ),
        (
            "sync ring!",
            "guard x > 0",
            "there are two `guard`",
            "guard",
        ),
        (
            "sync ring!",
            "probability 3",
            "behind a branch point only",
            "probability",
        ),
        (
            "commit Over",
            "branchpoint Over; commit Over",
            "two locations `Over`",
            "Over",
        ),
        ("count < 3", "cuont < 3", "`cuont` is not declared", "cuont"),
        (
            "x <= LATEST",
            "x <= 2147483648",
            "does not fit 32 bits",
            "2147483648",
        ),
        ("x >= early", "x - early >= early", "this is a clock", "x"),
        ("-u-> Idle", "-w-> Idle", "`u` is expected", "w"),
        ("sync press?", "sync press", "`!` is expected", ""),
        ("state Idle", "stat Idle", "`state` is expected", "}"),
        ("system B;", "system B", "`;` is expected", ""),
        ("system B;", "system B <;", "is expected", ";"),
    ] {
        let text = BELL.replacen(from, to, 1);
        assert_ne!(text, BELL, "{from}");
        let (said, span) = refusal(&text);
        assert!(said.contains(message), "{said}\n{to}");
        assert_eq!(span.of(&text), place, "{said}\n{to}");
    }
    let deep = BELL.replace(
        "x >= early",
        &format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
    );
    assert!(refusal(&deep).0.contains("inside one another"));
}

#[test]
fn damaged_textual_models_are_read_or_refused_at_a_place_but_never_more() {
    let rich = textual(&document::read(RICH).expect("a model"));
    let mut read_ones = 0;
    for seed in 0..cases(1500) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let text = damaged(&mut random, [BELL, rich.as_str()][(seed % 2) as usize]);
        if !xta::is_xta(&text) {
            continue;
        }
        let options = FrontendOptions::default();
        let source = vec![SourceFile::new("model.xta", text.as_str())];
        match UppaalFrontend.prepare(source, &options) {
            Err(errors) => assert_placed(errors, &text, &format!("seed {seed}")),
            Ok(sources) => match read(&sources, &options) {
                Err(errors) => assert_placed(errors, &sources[0].text, &format!("seed {seed}")),
                Ok(model) => {
                    read_ones += 1;
                    let own = read_automaton(&text, &options).expect("it was read");
                    assert_eq!(own.edges, model.automaton.edges, "seed {seed}");
                }
            },
        }
    }
    println!("{read_ones} are read");
    assert!(read_ones > 5);
}
