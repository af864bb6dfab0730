//! Walks of GraphWalker and AltWalker: walks of an independent interpreter are read, and it can follow the written ones.

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_efsm::MachineFrontend;
use hyperkill_frontend::{Diagnostic, EventOptions, Frontend, FrontendOptions, Inputs, SourceFile};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value as Json;

use crate::random::cases;
use crate::walker::Walker;
use crate::walks::{random, shop};

/// A step of a walk: the id of its edge if it is one, its event, and model, id and name of the vertex it comes to.
pub(crate) struct Taken {
    edge: Option<String>,
    pub(crate) event: String,
    model: String,
    vertex: String,
    name: String,
}

/// Returns the steps of a random walk from the start of the models.
pub(crate) fn random_walk(walker: &Walker, rng: &mut ChaCha8Rng) -> Vec<Taken> {
    let mut place = walker.start();
    let mut taken = Vec::new();
    for _ in 0..rng.random_range(1..14) {
        let moves = walker.moves(&place);
        let Some((edge, (event, name, next))) = moves.choose(rng).cloned() else {
            break;
        };
        place = next;
        taken.push(Taken {
            edge,
            event,
            model: walker.model_name(place.model).to_owned(),
            vertex: place.vertex.clone().expect("a vertex"),
            name,
        });
    }
    taken
}

/// Returns the elements of a walk: for each step its edge, if it has one, and its vertex. Each has its model, its id and its name.
fn elements(walk: &[Taken]) -> Vec<[&str; 3]> {
    let mut found = Vec::new();
    for step in walk {
        if let Some(edge) = &step.edge {
            found.push([&*step.model, edge, &step.event]);
        }
        found.push([&step.model, &step.vertex, &step.name]);
    }
    found
}

/// Returns the walk as AltWalker writes it: one list in JSON.
fn as_list(walk: &[Taken]) -> String {
    let steps: Vec<Json> = elements(walk)
        .into_iter()
        .map(|[model, id, name]| serde_json::json!({"id": id, "modelName": model, "name": name}))
        .collect();
    serde_json::to_string_pretty(&steps).expect("JSON")
}

/// Returns the walk as GraphWalker writes it: one object per line, with models and ids if `verbose`, otherwise with names alone.
fn as_lines(walk: &[Taken], verbose: bool) -> String {
    let lines = elements(walk).into_iter().map(|[model, id, name]| {
        let line = match verbose {
            true => serde_json::json!({"modelName": model, "currentElementID": id, "currentElementName": name,
                "data": [{"x": 1}], "properties": []}),
            false => serde_json::json!({ "currentElementName": name }),
        };
        format!("{line}\n")
    });
    lines.collect()
}

pub(crate) fn read(source: &SourceFile, walk: &str) -> Result<Vec<Inputs>, Vec<Diagnostic>> {
    let sources = std::slice::from_ref(source);
    let options = FrontendOptions::default();
    let read = MachineFrontend::GraphWalker.read_walk(sources, &options, walk);
    read.map(|inputs| inputs.expect("walks"))
}

fn events(inputs: Vec<Inputs>) -> Vec<String> {
    let mut events = Vec::new();
    for step in inputs {
        let [(port, event)] = step.as_slice() else {
            panic!("{step:?}");
        };
        assert_eq!(port, "event");
        events.push(event.to_string());
    }
    events
}

#[test]
fn walks_are_read_as_the_events_of_an_interpreter_of_its_own() {
    let mut sources = vec![shop()];
    sources.extend((0..cases(150)).map(random));
    let mut read_so = 0;
    for (seed, source) in sources.iter().enumerate() {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed as u64);
        let walker = Walker::new(&source.text);
        for _ in 0..4 {
            let walk = random_walk(&walker, rng);
            if walk.is_empty() {
                continue;
            }
            let what = format!("seed {seed}, {}\n{}", as_list(&walk), source.text);
            let expected: Vec<&str> = walk.iter().map(|step| step.event.as_str()).collect();
            let only_one = |inputs: &[Inputs]| inputs.iter().all(Vec::is_empty);
            for text in [as_list(&walk), as_lines(&walk, true)] {
                let inputs = read(source, &text).unwrap_or_else(|e| panic!("{e:#?}\n{what}"));
                match only_one(&inputs) {
                    true => assert_eq!(inputs.len(), expected.len(), "{what}"),
                    false => assert_eq!(events(inputs), expected, "{what}"),
                }
                read_so += 1;
            }
            let inputs = read(source, &as_lines(&walk, false));
            let inputs = inputs.unwrap_or_else(|e| panic!("{e:#?}\n{what}"));
            if !only_one(&inputs) {
                assert_eq!(events(inputs), expected, "{what}");
            }
        }
    }
    println!("{read_so} walks read");
    assert!(read_so > 500, "{read_so}");
}

#[test]
fn a_test_is_written_as_a_walk_that_can_be_walked() {
    let mut written = 0;
    for seed in 0..cases(150) {
        let source = match seed {
            0 => shop(),
            seed => random(seed),
        };
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let walker = Walker::new(&source.text);
        let walk = random_walk(&walker, rng);
        let steps: Vec<Step> = (walk.iter())
            .map(|step| Step {
                inputs: vec![("event".to_owned(), Value::Symbol(step.event.clone()))],
                outputs: vec![("done".to_owned(), Value::bool(true))],
                ..Step::default()
            })
            .collect();
        let text = MachineFrontend::GraphWalker
            .write_walk(
                std::slice::from_ref(&source),
                &FrontendOptions::default(),
                &steps,
            )
            .unwrap_or_else(|e| panic!("seed {seed}: {e:#?}\n{}", source.text))
            .expect("a walk");
        let elements: Vec<Json> = serde_json::from_str(&text).expect("JSON");
        let mut elements = elements.iter();
        let mut place = walker.start();
        for step in &walk {
            let mut next = || {
                elements
                    .next()
                    .map(|element| element["id"].as_str().expect("an id"))
            };
            let first = next().unwrap_or_else(|| panic!("seed {seed}: {text} is too short"));
            let moves = walker.moves(&place).into_iter();
            let (edge, (_, _, there)) = moves
                .filter(|(_, (event, ..))| *event == step.event)
                .find(|(edge, (.., there))| match edge {
                    Some(edge) => edge == first,
                    None => there.vertex.as_deref() == Some(first),
                })
                .unwrap_or_else(|| panic!("seed {seed}: no {first} in {text}\n{}", source.text));
            if edge.is_some() {
                assert_eq!(next(), there.vertex.as_deref(), "seed {seed}: {text}");
            }
            place = there;
        }
        assert_eq!(elements.next(), None, "seed {seed}: {text}");
        written += walk.len();
    }
    println!("{written} steps");
    assert!(written > 600, "{written}");
}

/// A model with two edges of one name, one of them without a name, and one that ends a range.
const CHOICE: &str = r#"{ "models": [ { "name": "M.json", "startElementId": "v", "actions": ["n = 0;"],
  "vertices": [ { "id": "v", "name": "v_A" }, { "id": "w", "name": "v_B" } ],
  "edges": [ { "id": "e", "name": "go", "sourceVertexId": "v", "targetVertexId": "v" },
             { "id": "f", "name": "go", "sourceVertexId": "v", "targetVertexId": "w" },
             { "id": "g", "sourceVertexId": "w", "targetVertexId": "v", "actions": ["n++;"] } ] } ] }"#;

#[test]
fn of_edges_with_one_name_the_one_is_written_that_a_test_sees() {
    let source = SourceFile::new("m.json", CHOICE);
    let step = |event: &str, vertex: &str| Step {
        inputs: vec![("event".to_owned(), Value::Symbol(event.to_owned()))],
        outputs: vec![
            ("done".to_owned(), Value::bool(true)),
            (
                "reached.vertex".to_owned(),
                Value::Symbol(vertex.to_owned()),
            ),
        ],
        ..Step::default()
    };
    let options = FrontendOptions {
        events: EventOptions {
            ranges: vec![("n".to_owned(), (0, 1))],
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let written = |steps: &[Step]| {
        let sources = std::slice::from_ref(&source);
        let text = MachineFrontend::GraphWalker.write_walk(sources, &options, steps);
        text.map(|text| text.expect("a walk").split_whitespace().collect::<String>())
    };
    let start = step("M.json.v_A", "v_A");
    let walk = written(&[start.clone(), step("go", "v_B"), step("g", "v_A")]).expect("a walk");
    let of =
        |id: &str, name: &str| format!(r#"{{"id":"{id}","modelName":"M.json","name":"{name}"}}"#);
    let expected = [
        of("v", "v_A"),
        of("f", "go"),
        of("w", "v_B"),
        of("g", ""),
        of("v", "v_A"),
    ];
    assert_eq!(walk, format!("[{}]", expected.join(",")));
    // GraphWalker omits a suffix that it takes for an extension.
    let read = MachineFrontend::GraphWalker.read_walk(
        std::slice::from_ref(&source),
        &options,
        &walk.replace("M.json", "M"),
    );
    let read = events(read.expect("a walk").expect("walks"));
    assert_eq!(read, ["M.json.v_A", "go", "g"]);
    let refused = written(&[start, step("g", "v_A")]).expect_err("no walk");
    assert_eq!(
        refused[0].message,
        "step 1 is refused, and walks have no such steps"
    );
}

/// Reads a walk that is no walk of a model. Returns the text at the place of the error, and its message.
fn refused(source: &SourceFile, walk: &str) -> (String, String) {
    let options = FrontendOptions {
        events: EventOptions {
            ranges: match source.text == CHOICE {
                true => vec![("n".to_owned(), (0, 1))],
                false => Vec::new(),
            },
            ..EventOptions::default()
        },
        ..FrontendOptions::default()
    };
    let read = MachineFrontend::GraphWalker.read_walk(std::slice::from_ref(source), &options, walk);
    let error = read.expect_err(walk).into_iter().next().expect("an error");
    let span = error.span.expect("a place");
    assert_eq!(span.file, 1, "behind the sources");
    (span.of(walk).to_owned(), error.message)
}

/// Returns a walk with elements of these names, one per line.
fn named(names: &[&str]) -> String {
    let lines = names
        .iter()
        .map(|name| format!("{{\"currentElementName\":\"{name}\"}}\n"));
    lines.collect()
}

#[test]
fn errors_of_walks_are_at_the_steps_that_are_wrong() {
    let shop = shop();
    let begin = ["e_OpenShop", "v_Home"];
    let at = |name: &str| format!("{{\"currentElementName\":\"{name}\"}}");
    for (names, place, message) in [
        (
            &["v_Home"][..],
            at("v_Home"),
            "walks of the model begin with `e_OpenShop` (e0)",
        ),
        (
            &["e_OpenShop", "v_Thanks"],
            at("v_Thanks"),
            "the edge before leads to `v_Home` (v0)",
        ),
        (
            &["e_OpenShop", "v_Shop"],
            "\"v_Shop\"".to_owned(),
            "there is no element with the name `v_Shop`",
        ),
        (
            &["e_OpenShop", "v_Home", "e_Back"],
            at("e_Back"),
            "this leads from `Shop.v_Cart`, and the walk is at `v_Home`",
        ),
        (
            &["e_OpenShop", "v_Home", "v_Payment"],
            at("v_Payment"),
            "the walk is at `v_Home`, which has no state in common with this vertex",
        ),
        (
            &[
                "e_OpenShop",
                "v_Home",
                "e_ShowCart",
                "v_Cart",
                "v_Cart",
                "e_Empty",
            ],
            at("e_Empty"),
            "the guard does not hold here: `global.items` is 0",
        ),
    ] {
        let (found, said) = refused(&shop, &named(names));
        assert_eq!((found, said.as_str()), (place, message));
    }
    let walk = r#"[{"id": "e0", "modelName": "Shop"}, {"id": "v9", "modelName": "Shop"}]"#;
    let expected = (
        "\"v9\"".to_owned(),
        "there is no element with the id `v9`".to_owned(),
    );
    assert_eq!(refused(&shop, walk), expected);
    let walk = r#"[{"id": "e0", "modelName": "Market"}]"#;
    assert_eq!(refused(&shop, walk).1, "there is no model `Market`");
    let walk = r#"[{"id": "e0", "modelName": "Shop", "name": "e_Close"}]"#;
    assert_eq!(
        refused(&shop, walk),
        (
            "\"e_Close\"".to_owned(),
            "`e0` is not called `e_Close`".to_owned()
        )
    );
    for (walk, message) in [
        ("[]", "a walk without a step"),
        ("[{}]", "a step without `id` and `name`"),
        ("[{\"id\": 3}]", "a string is expected"),
        ("[{\"id\": \"e0\"}", "this is no walk: "),
        (
            "{\"currentElementName\": \"e_OpenShop\"}\n{\"cur",
            "this is no walk: ",
        ),
    ] {
        let (_, said) = refused(&shop, walk);
        assert!(said.starts_with(message), "{walk}: {said}");
    }
    let round = ["v_A", "go", "v_B", "g", "v_A"];
    let twice = [&round[..], &round[1..]].concat();
    let choice = SourceFile::new("m.json", CHOICE);
    assert_eq!(
        refused(&choice, &named(&twice)),
        (
            at("g"),
            "this step takes a variable out of its range".to_owned()
        )
    );
    let model = |name: &str| {
        let vertex = r#"{ "id": "v", "name": "v", "sharedState": "S" }"#;
        format!(r#"{{ "name": "{name}", "startElementId": "v", "vertices": [ {vertex} ] }}"#)
    };
    let three = format!(
        "{{ \"models\": [ {}, {}, {} ] }}",
        model("A"),
        model("B"),
        model("C")
    );
    let three = SourceFile::new("m.json", three);
    assert_eq!(
        refused(&three, &named(&["v", "v"])),
        (
            at("v"),
            "this step is ambiguous: it may be `B.v` or `C.v`".to_owned()
        )
    );
    let starts = SourceFile::new("m.json", three.text.replacen("\"S\"", "\"T\"", 1));
    let again = [["A", "v"], ["B", "v"]].map(|[model, name]| {
        format!("{{\"modelName\":\"{model}\",\"currentElementName\":\"{name}\"}}\n")
    });
    assert_eq!(
        refused(&starts, &again.concat()),
        (
            again[1].trim().to_owned(),
            "the walk begins again here, in the model `B`".to_owned()
        )
    );
    // A walk that ends on an edge ends before it.
    let ends = [&begin[..], &["e_ShowCart"]].concat();
    assert_eq!(
        events(read(&shop, &named(&ends)).expect("a walk")),
        ["e_OpenShop"]
    );
}
