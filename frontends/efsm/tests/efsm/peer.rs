//! GraphWalker itself as a peer, where its command line is: its walks are runs of the model as it is read here, with the data that it
//! prints, and walks of ours replay in it by `predefined_path`.
//!
//! `HYPERKILL_GW` names the program, `gw` otherwise. It has to know `offline --gw` (version 4.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use hyperkill_core::sort::Value;
use hyperkill_core::suite::Step;
use hyperkill_efsm::{MachineFrontend, read_models};
use hyperkill_frontend::{Frontend, FrontendOptions, Inputs, SourceFile};
use hyperkill_guarded::interpret::{Occurrence, State, after, idle, initial, steps};
use hyperkill_guarded::model::{Model, check};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value as Json, json};

use crate::random::cases;
use crate::walk_files::{random_walk, read};
use crate::walker::{Js, Walker};
use crate::walks::{random, shop, variables};

/// Returns the name of GraphWalker's command line program, if it is installed.
fn graphwalker() -> Option<String> {
    let program = std::env::var("HYPERKILL_GW").unwrap_or_else(|_| "gw".to_owned());
    let version = Command::new(&program).arg("--version").output();
    let is_here = |out: std::process::Output| {
        String::from_utf8_lossy(&out.stdout).contains("graphwalker version")
    };
    let found = version.is_ok_and(is_here);
    if !found {
        // Not by `eprintln!`, which the harness keeps from who passes.
        let why = format!("there is no GraphWalker: `{program}`");
        let _ = writeln!(std::io::stderr(), "SKIPPED: walks of GraphWalker ({why})");
    }
    found.then_some(program)
}

/// An element of a walk that GraphWalker prints.
struct Printed {
    model: String,
    id: String,
    name: String,
    /// The variables of the model, and those with `global.`, behind the actions of the element.
    data: BTreeMap<String, String>,
}

impl Printed {
    /// Whether the element is an edge: in the tests' models, its id begins with `e`.
    fn is_edge(&self) -> bool {
        self.id.starts_with('e')
    }
}

/// A walk that GraphWalker printed: its lines as text, and as elements.
struct Printout {
    lines: String,
    elements: Vec<Printed>,
}

/// Runs GraphWalker on a file, and returns its walk of at most `most` elements.
fn walk_of(program: &str, file: &Json, seed: u64, most: usize) -> Printout {
    // Tests run at once.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("walk-{}-{number}.json", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file.to_string()).expect("a file");
    let mut command = Command::new(program);
    command.args(["--debug", "DEBUG", "offline", "--verbose", "--seed"]);
    command.arg(seed.to_string()).arg("--gw").arg(&path);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("GraphWalker");
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let mut found = Printout {
        lines: String::new(),
        elements: Vec::new(),
    };
    let mut global = BTreeMap::new();
    for line in output.lines() {
        let line = line.expect("text");
        if let Some((_, data)) = line.split_once(" Data: '") {
            let data = data.trim_end_matches('\'').split(", ");
            let data = data.filter_map(|entry| entry.split_once(": "));
            let data = data.filter(|(name, _)| name.starts_with("global."));
            global = data.map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        }
        if line.starts_with("{\"") {
            found.lines += &format!("{line}\n");
            found.elements.push(printed(&line, &global));
        }
        if found.elements.len() == most {
            break;
        }
    }
    let _ = child.kill();
    child.wait().expect("an end");
    let _ = std::fs::remove_file(&path);
    found
}

/// Reads a line of a walk: the element, and the data after it. `global` has the variables that other lines set.
fn printed(line: &str, global: &BTreeMap<String, String>) -> Printed {
    let line: Json = serde_json::from_str(line).expect("JSON");
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let mut data = global.clone();
    for (name, value) in (line["data"].as_array().into_iter().flatten())
        .flat_map(|entry| entry.as_object().into_iter().flatten())
        .filter(|(name, _)| *name != "JsonContext")
    {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        data.insert(name.clone(), value);
    }
    Printed {
        model: text("modelName"),
        id: text("currentElementID"),
        name: text("currentElementName"),
        data,
    }
}

/// Returns the variables of a state that GraphWalker prints in the model `of`: its own and the global ones, with their values.
fn data(model: &Model<'_>, state: &State, of: &str) -> BTreeMap<String, String> {
    let all = variables(model, state).into_iter();
    all.filter_map(|(name, value)| {
        let value = match value {
            Js::Bool(value) => value.to_string(),
            Js::Number(value) => value.to_string(),
            Js::Text(value) => value,
        };
        match name.split_once('.') {
            None | Some(("global", _)) => Some((name, value)),
            Some((owner, local)) => (owner == of).then(|| (local.to_owned(), value)),
        }
    })
    .collect()
}

/// Follows a walk of GraphWalker with the reader of walks and the interpreter. Returns the number of equal values, and the state at the
/// end.
fn follow(model: &Model<'_>, source: &SourceFile, walk: &Printout) -> (usize, State) {
    let what = || format!("{}\n{}", walk.lines, source.text);
    let inputs = read(source, &walk.lines).unwrap_or_else(|e| panic!("{e:#?}\n{}", what()));
    let transition = model.transition().expect("transitions");
    let mut state = initial(model);
    let (mut elements, mut compared) = (walk.elements.iter(), 0);
    for input in inputs {
        let event = match input.as_slice() {
            [] => 0,
            [(_, event)] => {
                let mut events = 0..model.events.len();
                let event = event.to_string();
                let event = events.find(|index| model.action(*index).name.text == event);
                event.expect("an event of the model")
            }
            _ => panic!("{input:?}"),
        };
        let offer = Occurrence {
            event,
            values: Vec::new(),
        };
        let first = elements.next().expect("an element");
        let is_taken = |state: &State| {
            let name = state[transition].to_string();
            match first.is_edge() {
                true => name.split('#').next() == Some(&first.id),
                false => name.ends_with(&format!(" {}.{}", first.model, first.id)),
            }
        };
        let last = match first.is_edge() {
            true => elements.next().expect("a vertex"),
            false => first,
        };
        // Edges of two models may have the same id.
        let next: BTreeSet<State> = after(model, &state, &offer)
            .into_iter()
            .filter(is_taken)
            .map(|next| idle(model, &next))
            .collect();
        assert_eq!(next.len(), 1, "{} to {}: {}", first.id, last.id, what());
        state = next.into_iter().next().expect("a state");
        let ours = data(model, &state, &last.model);
        assert_eq!(ours, last.data, "at {} of {}", last.id, what());
        compared += ours.len();
    }
    assert!(
        elements.next().is_none_or(Printed::is_edge),
        "not all of it is read: {}",
        what()
    );
    (compared, state)
}

/// Returns the JSON of a source, with a generator for all of its models. Only the first start element stays: when a generator has stopped,
/// GraphWalker begins again at the start element of another model. A run has no such step.
fn with_generator(source: &SourceFile, generator: &str) -> Json {
    let start = Walker::new(&source.text).start().model;
    let mut file: Json = serde_json::from_str(&source.text).expect("JSON");
    let models = file["models"].as_array_mut().expect("models");
    for (index, model) in models.iter_mut().enumerate() {
        model["generator"] = json!(generator);
        if index != start {
            let model = model.as_object_mut().expect("a model");
            model.remove("startElementId");
        }
    }
    file
}

fn of_case(case: u64) -> SourceFile {
    match case % 2 {
        0 => shop(),
        _ => random(case),
    }
}

#[test]
fn walks_of_graphwalker_are_runs_of_the_model_with_the_data_that_it_prints() {
    let Some(program) = graphwalker() else {
        return;
    };
    let (mut elements, mut values, mut ended) = (0, 0, 0);
    let count = cases(3);
    for case in 0..count {
        let source = of_case(case);
        let length = ChaCha8Rng::seed_from_u64(case).random_range(2..60);
        let covers = case % 16 == 0;
        let generator = match covers {
            true => "random(edge_coverage(100))".to_owned(),
            false => format!("random(length({length}))"),
        };
        let file = with_generator(&source, &generator);
        let walk = walk_of(&program, &file, case + 1, 400);
        let what = || format!("case {case}, {}\n{file}", walk.lines);
        assert!(!walk.elements.is_empty(), "{}", what());
        let system = read_models(&source, &[]).expect("a model");
        let model = check(&system).expect("a model");
        let (compared, end) = follow(&model, &source, &walk);
        if !covers && walk.elements.len() < length {
            // GraphWalker has found no edge.
            let transition = model.transition().expect("transitions");
            let further = steps(&model, &end);
            let mut further = further.iter().map(|(_, next)| next[transition].to_string());
            let edge = further.find(|name| !name.starts_with("to "));
            assert_eq!(edge, None, "{}", what());
            ended += 1;
        }
        elements += walk.elements.len();
        values += compared;
    }
    println!(
        "{count} walks, {elements} elements, {values} values; {ended} walks end where no edge can be taken"
    );
    assert!(values > 0);
}

/// The generator of `java.util.Random`, which GraphWalker chooses with.
struct JavaRandom(u64);

impl JavaRandom {
    const MASK: u64 = (1 << 48) - 1;

    fn new(seed: u64) -> JavaRandom {
        JavaRandom((seed ^ 0x5_DEEC_E66D) & Self::MASK)
    }

    /// Returns the next random number of 31 bits.
    fn bits(&mut self) -> u64 {
        self.0 = (self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB)) & Self::MASK;
        self.0 >> 17
    }

    fn below(&mut self, bound: u64) -> u64 {
        let bits = self.bits();
        if bound.is_power_of_two() {
            return (bound * bits) >> 31;
        }
        let (mut bits, mut rest) = (bits, bits % bound);
        while bits - rest + (bound - 1) >= 1 << 31 {
            bits = self.bits();
            rest = bits % bound;
        }
        rest
    }
}

/// A random choice between vertices of one shared state: the number of vertices, and the indices of those that continue the walk.
struct Choice {
    among: u64,
    wanted: BTreeSet<u64>,
}

/// The part of a walk that GraphWalker replays.
struct Offered {
    /// The number of replayed vertices and edges.
    elements: usize,
    choices: Vec<Choice>,
}

/// The number of seeds that are tried, at most; walks with more choices are cut.
const MOST_SEEDS: u64 = 1 << 22;

fn find<'j>(list: &'j Json, id: &str) -> &'j Json {
    let mut list = list.as_array().into_iter().flatten();
    list.find(|element| element["id"] == id)
        .expect("an element")
}

/// Returns the prefix of a walk that GraphWalker offers, and the choices that it has to make. GraphWalker does not return at once to the
/// vertex of another model from which the walk came if an edge is enabled, nor to a vertex with the same name as this one.
fn offered(file: &Json, walker: &Walker, walk: &[[String; 3]]) -> Offered {
    let models = file["models"].as_array().expect("models");
    let mut place = walker.start();
    let mut last: Option<&Json> = None;
    let mut found = Offered {
        elements: 0,
        choices: Vec::new(),
    };
    let mut seeds = 1_u64;
    while let Some([model, id, _]) = walk.get(found.elements) {
        let moves = walker.moves(&place);
        let wanted = moves.iter().find(|(edge, (.., next))| {
            let taken = edge.as_deref().or(next.vertex.as_deref());
            taken == Some(id) && walker.model_name(next.model) == model
        });
        let (edge, (.., next)) = wanted.expect("a step of the walk");
        let can_stay = moves.iter().any(|(edge, _)| edge.is_some());
        let here = place.vertex.as_deref();
        let here = here.map(|vertex| find(&models[place.model]["vertices"], vertex));
        if let Some(here) = here.filter(|here| here["sharedState"].is_string()) {
            // Whether it stays, and where it goes otherwise.
            let mut candidates: Vec<(bool, usize, &Json)> = Vec::new();
            for (index, other) in models.iter().enumerate() {
                if index == place.model {
                    candidates.extend(can_stay.then_some((true, index, here)));
                    continue;
                }
                let vertices = other["vertices"].as_array().into_iter().flatten();
                let sharing = vertices
                    .filter(|vertex| vertex["sharedState"] == here["sharedState"])
                    .filter(|vertex| vertex["properties"]["blocked"] != true)
                    .filter(|vertex| last != Some(vertex) || !can_stay);
                candidates.extend(sharing.map(|vertex| (vertex == here, index, vertex)));
            }
            let wanted = candidates.iter().enumerate().filter(|(_, candidate)| {
                let (stays, index, vertex) = candidate;
                match edge {
                    Some(_) => *stays,
                    None => !stays && *index == next.model && vertex["id"] == *id,
                }
            });
            let wanted: BTreeSet<u64> = wanted.map(|(index, _)| index as u64).collect();
            let among = candidates.len() as u64;
            if wanted.is_empty() && (edge.is_none() || among > 0) {
                let to = find(&models[next.model]["vertices"], id);
                assert!(last == Some(to) || to == here, "{walk:?}\n{file}");
                return found;
            }
            if among > 0 {
                last = edge.is_none().then_some(here);
                seeds = seeds.saturating_mul(among.div_ceil(wanted.len() as u64));
                if seeds > MOST_SEEDS / 16 {
                    return found;
                }
                found.choices.push(Choice { among, wanted });
            }
        }
        found.elements += 1 + usize::from(edge.is_some());
        place = next.clone();
    }
    found
}

/// Returns a seed with which GraphWalker makes these choices.
fn seed_of(choices: &[Choice]) -> u64 {
    let chooses = |seed: &u64| {
        let mut random = JavaRandom::new(*seed);
        choices
            .iter()
            .all(|choice| choice.wanted.contains(&random.below(choice.among)))
    };
    (1..MOST_SEEDS).find(chooses).expect("a seed")
}

/// Returns the file with the edges of a walk as the predefined paths of its models. Each path has one edge more, so that none is at its end
/// before the walk is.
fn with_path(source: &SourceFile, walker: &Walker, walk: &[[String; 3]]) -> Json {
    let mut file = with_generator(source, "predefined_path(predefined_path)");
    let models = file["models"].as_array_mut().expect("models");
    for (index, model) in models.iter_mut().enumerate() {
        // The edge that a walk begins with is no part of the path.
        let edges = walk.iter().skip(1);
        let edges =
            edges.filter(|[of, id, _]| of == walker.model_name(index) && id.starts_with('e'));
        let mut edges: Vec<&str> = edges.map(|[_, id, _]| id.as_str()).collect();
        let extra = model["edges"][0]["id"]
            .as_str()
            .expect("an edge")
            .to_owned();
        edges.push(&extra);
        model["predefinedPathEdgeIds"] = json!(edges);
    }
    file
}

/// Numbers of replayed walks, elements and values.
#[derive(Default, Debug)]
struct Replayed {
    walks: usize,
    elements: usize,
    values: usize,
    /// Walks that are replayed in part: they go on where GraphWalker does not, or have too many choices.
    cut: usize,
}

/// Writes the walk of a test, and checks that GraphWalker replays it. Adds to the counts in `replayed`.
fn replay(program: &str, source: &SourceFile, inputs: &[Inputs], replayed: &mut Replayed) {
    let steps: Vec<Step> = (inputs.iter())
        .map(|inputs| Step {
            inputs: inputs.clone(),
            outputs: vec![("done".to_owned(), Value::bool(true))],
            ..Step::default()
        })
        .collect();
    let written = MachineFrontend::GraphWalker.write_walk(
        std::slice::from_ref(source),
        &FrontendOptions::default(),
        &steps,
    );
    let written = written.unwrap_or_else(|e| panic!("{e:#?}\n{}", source.text));
    let written: Vec<Json> = serde_json::from_str(&written.expect("a walk")).expect("JSON");
    let text = |element: &Json, key: &str| element[key].as_str().unwrap_or_default().to_owned();
    let walk: Vec<[String; 3]> = (written.iter())
        .map(|element| ["modelName", "id", "name"].map(|key| text(element, key)))
        .collect();
    let file: Json = serde_json::from_str(&source.text).expect("JSON");
    let walker = Walker::new(&source.text);
    let offered = offered(&file, &walker, &walk);
    replayed.cut += usize::from(offered.elements < walk.len());
    let walk = &walk[..offered.elements];
    if walk.is_empty() {
        return;
    }
    let seed = seed_of(&offered.choices);
    let file = with_path(source, &walker, walk);
    let printout = walk_of(program, &file, seed, walk.len());
    let found: Vec<[String; 3]> = (printout.elements.iter())
        .map(|element| [&element.model, &element.id, &element.name].map(Clone::clone))
        .collect();
    assert_eq!(found, walk, "seed {seed}\n{file}");
    let system = read_models(source, &[]).expect("a model");
    let model = check(&system).expect("a model");
    replayed.values += follow(&model, source, &printout).0;
    replayed.elements += walk.len();
    replayed.walks += 1;
}

fn event(name: &str) -> Inputs {
    vec![("event".to_owned(), Value::Symbol(name.to_owned()))]
}

#[test]
fn walks_that_are_written_replay_in_graphwalker() {
    let Some(program) = graphwalker() else {
        return;
    };
    let mut replayed = Replayed::default();
    for case in 0..cases(2) {
        let source = of_case(case);
        let rng = &mut ChaCha8Rng::seed_from_u64(case);
        let walk = random_walk(&Walker::new(&source.text), rng);
        let inputs: Vec<Inputs> = walk.iter().map(|step| event(&step.event)).collect();
        replay(&program, &source, &inputs, &mut replayed);
    }
    println!("{replayed:?}");
    assert!(replayed.walks > 0);
}

#[test]
fn tests_that_the_search_proposes_replay_in_graphwalker() {
    let Some(program) = graphwalker() else {
        return;
    };
    let mut replayed = Replayed::default();
    let source = shop();
    let proposed = MachineFrontend::GraphWalker.stimuli(
        std::slice::from_ref(&source),
        &FrontendOptions::default(),
        &|_| true,
    );
    let proposed = proposed.expect("a model").expect("tests");
    let most = usize::try_from(cases(1)).expect("a number");
    for run in proposed.runs.iter().rev().take(most) {
        replay(&program, &source, run, &mut replayed);
    }
    println!("{replayed:?}");
    assert!(replayed.walks > 0);
}
