//! The plain source of a mutant and the mutant behind its selector have the same meaning, for all mutants of the SMV models of this
//! repository.
//!
//! Both are circuits over variables of the same names. The test composes them with shared inputs and shared values of state variables, by
//! name. A solver then proves that outputs, constraints and next values are equal. By induction over their length, both have the same
//! runs. If circuits identify several code words of a value, the first one stands for all.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_checker::validity::validity;
use hyperkill_core::aig::{Cone, Leaf, Node, Signal};
use hyperkill_core::bit_blast::{Blasted, bit_blast};
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::FIRST_STEP;
use hyperkill_core::conditional::bit_name;
use hyperkill_core::mutant::Mutant;
use hyperkill_core::paths::looking_ahead;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{InputRole, TransitionSystem, Translation};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_frontend::{
    Frontend, FrontendOptions, NamePredicate, RoleOptions, SourceFile, apply,
};
use hyperkill_smv::SmvFrontend;
use hyperkill_smv::mutate::BEFORE;
use hyperkill_tests::models::folder;

/// Models with constraints, ranges, wires that are read ahead, initial values that read others, modules, and single values beside sets.
const MORE: [&str; 3] = [
    "MODULE main
     VAR x : 0..7; y : 0..7; b : boolean;
     INIT x = 0 & y = 0
     INVAR x <= 5 & y <= 6
     TRANS next(x) = (x < 5 ? x + 1 : 5 - y - 1 + y) & next(b) = b
     ASSIGN next(y) := case b : 2..4; y - x - 1 > 0 : 1; TRUE : {0, 2}; esac;",
    "MODULE main
     VAR i : boolean; w : 0..3; x : 0..3; a : cell(i); b : cell(a.on & x > 1); u : word[3];
     ASSIGN w := case a.on : (x + 1) mod 4; TRUE : {x, 0}; esac; init(x) := a.n; next(x) := i ? x : a.n;
       init(u) := 0ud3_0; next(u) := b.on ? u + 0ud3_1 : u;
     MODULE cell(tick)
     VAR n : 0..2; on : boolean;
     ASSIGN init(n) := {0, 1}; next(n) := tick ? (n + 1) mod 3 : n; next(on) := n = 2 | on & tick;",
    "MODULE main
     VAR s : {p, q, r}; i : boolean; n : 0..4; b : boolean; w : 0..3; o : boolean;
     ASSIGN next(s) := case i : p; b : {q, r}; TRUE : s; esac;
       init(n) := case b : 0; TRUE : 2..4; esac;
       next(n) := case i : case b : 1; TRUE : {0, 2}; esac; n > 2 : 2..4; TRUE : n; esac;
       w := case i : 1; TRUE : {0, 2}; esac;
       next(b) := case n = 1 : {TRUE, FALSE}; w = 2 : !b; TRUE : i; esac;
     TRANS next(o) = (next(w) = 1)",
];

/// Returns all texts to compare, with names.
fn texts() -> Vec<(String, String)> {
    let folders = std::fs::read_dir(folder().join("smv")).expect("models");
    let paths = folders.map(|entry| entry.expect("a readable entry").path());
    let own = paths.map(|path| {
        let text = std::fs::read_to_string(path.join("model.smv")).expect("a model");
        (path.display().to_string(), text)
    });
    let more = MORE.iter().enumerate();
    let more = more.map(|(i, text)| (format!("MORE[{i}]"), (*text).to_owned()));
    let mut all: Vec<_> = own.chain(more).collect();
    all.sort();
    all
}

fn translate(text: &str, options: &FrontendOptions) -> Translation {
    let sources = [SourceFile::new("model.smv", text)];
    (SmvFrontend.translate(&sources, options)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// A circuit as part of another one.
struct Part {
    outputs: BTreeMap<String, Lit>,
    constraint: Lit,
    /// The next values of state variables, by bit.
    coming: BTreeMap<String, Lit>,
    /// For each variable, whether it has the first code word of its value.
    codes: Vec<(String, Lit)>,
}

/// Returns the name that a variable or choice has in the plain source of a mutant. Such a source may store old values of the variable
/// `kept`.
fn plain_name(name: &str, kept: Option<&str>) -> String {
    if let (Some(of), Some(kept)) = (name.strip_prefix(&format!("{BEFORE}.")), kept) {
        let (of, bit) = of.split_at(of.find('[').unwrap_or(of.len()));
        return match of.strip_suffix(kept) {
            Some(scope) if scope.is_empty() || scope.ends_with('.') => {
                format!("{scope}{BEFORE}{bit}")
            }
            _ => name.to_owned(),
        };
    }
    let name = name.strip_prefix("any.").unwrap_or(name);
    let name = name.replace("any.now.", "").replace("next.any.", "next.");
    name.replace("any.next.", "next.")
}

/// Returns the variable whose old values the plain source of a mutant stores, if there is one.
fn kept(mutant: &Mutant) -> Option<&str> {
    let (_, rest) = mutant
        .replacement
        .split_once(&format!("next({BEFORE}) := "))?;
    rest.split_once(';').map(|(name, _)| name)
}

/// Returns the circuit of one mutant, or of the original (`None`), without selectors.
fn specialised(model: &ConditionalMutant, on: Option<SelectorId>) -> Aig {
    let (from, selector_of) = (&model.aig, model.selector_of_latch());
    let mut aig = Aig::new();
    let mut latches = Vec::new();
    let images = aig.copy(
        from,
        |_| true,
        |aig, _, leaf| match leaf {
            Leaf::Input(i) => aig.add_input(from.inputs()[i].name.clone()),
            Leaf::Latch(i) => match selector_of[i] {
                Some(selector) => Lit::constant(on == Some(selector)),
                None => {
                    let latch = &from.latches()[i];
                    latches.push((aig.latches().len(), latch.next));
                    aig.add_latch(latch.reset, latch.name.clone())
                }
            },
        },
    );
    for (latch, next) in latches {
        aig.set_next(latch, images.of(next));
    }
    for output in &from.outputs {
        aig.add_output(images.of(output.lit), output.name.clone());
    }
    let constraints = from.constraints.iter();
    aig.constraints = constraints
        .map(|constraint| Signal {
            lit: images.of(constraint.lit),
            name: None,
        })
        .collect();
    aig
}

/// Variables of the composed circuit, by name.
#[derive(Default)]
struct Shared {
    graph: Aig,
    inputs: BTreeMap<String, Lit>,
    /// The conditions that variables have the first code words of their values.
    canonical: Vec<Lit>,
    kept: Option<String>,
}

/// Returns a literal that is true if bits, the least significant first, are a number below `limit`.
fn is_below(graph: &mut Aig, bits: &[Lit], limit: u64) -> Lit {
    if limit >> bits.len() > 0 {
        return Lit::TRUE;
    }
    let mut below = Lit::FALSE;
    for (i, bit) in bits.iter().enumerate() {
        below = match limit >> i & 1 {
            1 => graph.or(!*bit, below),
            _ => graph.and(!*bit, below),
        };
    }
    below
}

impl Shared {
    fn plain_name(&self, name: &str) -> String {
        plain_name(name, self.kept.as_deref())
    }

    fn input(&mut self, name: &str) -> Lit {
        if let Some(known) = self.inputs.get(name) {
            return *known;
        }
        let lit = self.graph.add_input(Some(name.to_owned()));
        self.inputs.insert(name.to_owned(), lit);
        lit
    }

    /// Adds the condition that the bits of a variable are the first code word of their value.
    fn must_be_canonical(&mut self, name: &str, sort: &Sort) {
        let width = sort.width();
        let bits: Vec<Lit> = (0..width)
            .map(|i| self.input(&bit_name(name, width, i)))
            .collect();
        let canonical = is_below(&mut self.graph, &bits, sort.cardinality());
        self.canonical.push(canonical);
    }

    /// Returns the inputs that a circuit reads, each with its name in the composed circuit. The choices of an assignment are numbered,
    /// since unread ones may exist for other mutants.
    fn inputs(&mut self, system: &TransitionSystem, from: &Aig) -> BTreeMap<String, String> {
        let coming = from.latches().iter().map(|latch| latch.next);
        let cone = Cone::combinational(from, from.roots().chain(coming));
        let read = from.inputs().iter().filter(|i| cone.contains(i.var));
        let read: BTreeSet<&str> = read.filter_map(|input| input.name.as_deref()).collect();
        let (mut names, mut counts) = (BTreeMap::new(), BTreeMap::new());
        for input in &system.inputs {
            let (name, width) = (&input.name, input.sort.width());
            let name = match input.role {
                InputRole::Test => name.clone(),
                InputRole::Choice => format!("nd:{name}"),
            };
            let is_read = (0..width).any(|i| read.contains(bit_name(&name, width, i).as_str()));
            if !is_read {
                continue;
            }
            let mut known = self.plain_name(&name);
            if input.role == InputRole::Choice && !known.starts_with("nd:any.init.") {
                let scope = known.trim_end_matches(|c: char| c.is_ascii_digit());
                let scope = scope.strip_suffix('.').unwrap_or(&known).to_owned();
                let count = counts.entry(scope.clone()).or_insert(0);
                *count += 1;
                known = format!("{scope}#{count}");
            }
            self.must_be_canonical(&known, &input.sort);
            for i in 0..width {
                names.insert(bit_name(&name, width, i), bit_name(&known, width, i));
            }
        }
        names
    }

    fn add(&mut self, system: &TransitionSystem, on: Option<SelectorId>) -> Part {
        let from = specialised(
            &bit_blast(&looking_ahead(system)).expect("a circuit").model,
            on,
        );
        let inputs = self.inputs(system, &from);
        let first = self.input(FIRST_STEP);
        let mut nodes = vec![Lit::FALSE; from.len()];
        let image = |nodes: &[Lit], lit: Lit| nodes[lit.var().index()] ^ lit.is_negated();
        for (var, node) in from.nodes() {
            nodes[var.index()] = match node {
                Node::False => Lit::FALSE,
                Node::Input(i) => {
                    let name = from.inputs()[i as usize].name.as_deref();
                    let known = inputs.get(name.expect("a name of an input"));
                    known.map_or(Lit::FALSE, |known| self.input(known))
                }
                Node::And(a, b) => {
                    let (a, b) = (image(&nodes, a), image(&nodes, b));
                    self.graph.and(a, b)
                }
                Node::Latch(i) => {
                    let latch = &from.latches()[i as usize];
                    let name = self.plain_name(latch.name.as_deref().expect("a name of a latch"));
                    let start = match latch.reset {
                        _ if name == FIRST_STEP => Lit::TRUE,
                        Reset::Zero => Lit::FALSE,
                        Reset::One => Lit::TRUE,
                        Reset::Free => self.input(&format!("nd:any.init.{name}")),
                    };
                    let later = match name == FIRST_STEP {
                        true => Lit::FALSE,
                        false => self.input(&format!("state:{name}")),
                    };
                    self.graph.ite(first, start, later)
                }
            };
        }
        let (mut coming, mut codes) = (BTreeMap::new(), Vec::new());
        for state in &system.states {
            let (name, sort) = (self.plain_name(&state.name), &state.sort);
            self.must_be_canonical(&format!("state:{name}"), sort);
            self.must_be_canonical(&format!("nd:any.init.{name}"), sort);
            let mut bits = Vec::new();
            for i in 0..sort.width() {
                let there = bit_name(&state.name, sort.width(), i);
                let mut latches = from.latches().iter();
                let latch = latches.find(|latch| latch.name.as_deref() == Some(&there));
                let next = image(&nodes, latch.expect("a latch").next);
                coming.insert(bit_name(&name, sort.width(), i), next);
                bits.push(next);
            }
            codes.push((name, is_below(&mut self.graph, &bits, sort.cardinality())));
        }
        let constraints = from.constraints.iter();
        let constraints: Vec<Lit> = constraints.map(|c| image(&nodes, c.lit)).collect();
        let outputs = from.outputs.iter();
        Part {
            outputs: outputs
                .map(|o| (o.name.clone().expect("a name"), image(&nodes, o.lit)))
                .collect(),
            constraint: self.graph.and_all(&constraints),
            coming,
            codes,
        }
    }

    /// Returns the names of the values that differ between two parts, among all values that outputs and constraints may depend on.
    fn differences(&mut self, a: &Part, b: &Part) -> Vec<String> {
        let names = |part: &Part| part.outputs.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(a), names(b));
        let mut pairs = vec![("constraints".to_owned(), a.constraint, b.constraint)];
        for (name, lit) in &a.outputs {
            pairs.push((name.clone(), *lit, b.outputs[name]));
        }
        let mut seen = BTreeSet::new();
        let mut done = 0;
        while done < pairs.len() {
            let roots = pairs[done..].iter().flat_map(|(_, a, b)| [*a, *b]);
            let cone = Cone::combinational(&self.graph, roots);
            done = pairs.len();
            for (name, lit) in &self.inputs {
                if let Some(state) = name.strip_prefix("state:")
                    && cone.contains(lit.var())
                    && seen.insert(name.clone())
                {
                    let of = |part: &Part| match part.coming.get(state) {
                        Some(coming) => *coming,
                        None => panic!("only one has `{state}`"),
                    };
                    pairs.push((format!("next({state})"), of(a), of(b)));
                }
            }
        }
        for (name, canonical) in a.codes.iter().chain(&b.codes) {
            let is_read = |seen: &String| {
                let rest = seen
                    .strip_prefix("state:")
                    .and_then(|s| s.strip_prefix(name.as_str()));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
            };
            if seen.iter().any(is_read) {
                pairs.push((format!("code of next({name})"), *canonical, Lit::TRUE));
            }
        }
        let canonical = self.graph.and_all(&self.canonical.clone());
        let equal: Vec<Lit> = (pairs.iter())
            .map(|(_, a, b)| {
                let same = self.graph.iff(*a, *b);
                self.graph.implies(canonical, same)
            })
            .collect();
        let together = ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: String::new(),
            aig: self.graph.clone(),
            inputs: Vec::new(),
            choices: Vec::new(),
            outputs: Vec::new(),
            selectors: Vec::new(),
            mutants: Vec::new(),
        };
        let found = validity(&together, &equal, &Budget::unlimited()).expect("no limit");
        let differ = found.original.into_iter();
        differ.map(|index| pairs[index].0.clone()).collect()
    }
}

/// Compares every `stride`-th mutant of each text. Returns the number of comparisons, and the number of mutants whose plain source has
/// fewer state variables.
fn compare(stride: usize) -> (usize, usize) {
    let (mut compared, mut other) = (0, 0);
    for (name, text) in texts() {
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| true)),
            ..FrontendOptions::default()
        };
        let translation = translate(&text, &options);
        let featured = bit_blast(&looking_ahead(&translation.system))
            .expect("a circuit")
            .model;
        let checks: Blasted = bit_blast(&translation.checks).expect("a circuit");
        let valid = validity(&checks.model, &checks.obligations, &Budget::unlimited());
        let valid = valid.expect("no limit").mutants;
        let inputs = featured.inputs.iter();
        // Inputs for a variable that is read ahead contain the name of the variable.
        let inputs = inputs.flat_map(|port| {
            let name = port.name.as_str();
            let of = [name.strip_prefix("init."), name.strip_prefix("next.")];
            [Some(name)].into_iter().chain(of).flatten()
        });
        let inputs: BTreeSet<String> = inputs.map(str::to_owned).collect();
        let options = FrontendOptions {
            operators: Some(NamePredicate::new(|_| false)),
            roles: RoleOptions {
                // A variable that a mutant no longer drives is no test input.
                choices: Some(NamePredicate::new(move |name| !inputs.contains(name))),
                outputs: Some(NamePredicate::names(
                    featured.outputs.iter().map(|port| port.name.clone()),
                )),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let live = translation.catalogue.iter();
        let live = live.filter(|(_, rejected)| rejected.is_none());
        let live: Vec<&Mutant> = live.map(|(mutant, _)| mutant).collect();
        for (selector, mutant) in live.iter().enumerate().step_by(stride) {
            let plain = apply(&text, mutant).expect("a mutated text");
            let what = format!("{name}: {mutant:?}\n{plain}");
            let sources = [SourceFile::new("model.smv", plain)];
            let alone = match SmvFrontend.translate(&sources, &options) {
                Ok(alone) => alone,
                Err(errors) => {
                    assert!(valid[selector].is_some(), "{errors:?} in {what}");
                    continue;
                }
            };
            let checks = bit_blast(&alone.checks).expect("a circuit");
            let alone_valid = validity(&checks.model, &checks.obligations, &Budget::unlimited());
            let is_valid = alone_valid.expect("no limit").original.is_empty();
            assert_eq!(is_valid, valid[selector].is_none(), "{what}");
            if !is_valid {
                continue;
            }
            let mut shared = Shared {
                kept: kept(mutant).map(str::to_owned),
                ..Shared::default()
            };
            let parts = (
                shared.add(&translation.system, Some(SelectorId(selector))),
                shared.add(&alone.system, None),
            );
            let is_state = |part: &Part, name: &str| {
                let bits = |bit: &String| bit == name || bit.starts_with(&format!("{name}["));
                part.coming.keys().any(bits)
            };
            // Without the constraint that reads its next value, a variable is a choice of each step.
            let undriven = translation.system.states.iter().any(|state| {
                is_state(&parts.0, &state.name)
                    && !is_state(&parts.1, &state.name)
                    && !state.name.contains(BEFORE)
                    && !state.name.starts_with("any.")
            });
            if undriven {
                other += 1;
                continue;
            }
            let differ = shared.differences(&parts.0, &parts.1);
            assert!(differ.is_empty(), "{differ:?} in {what}");
            compared += 1;
        }
    }
    (compared, other)
}

#[test]
fn plain_sources_of_some_mutants_mean_what_the_mutants_mean() {
    let (compared, other) = compare(17);
    assert!(compared > 100 && other < 10, "{compared}, {other}");
}

#[test]
#[ignore = "minutes"]
fn plain_sources_of_all_mutants_mean_what_the_mutants_mean() {
    let (compared, other) = compare(1);
    println!("{compared} compared, {other} with other variables");
    assert!(other * 100 < compared, "{compared}, {other}");
}
