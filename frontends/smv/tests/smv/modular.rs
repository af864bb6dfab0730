//! A random model inside a module is the same circuit, gate by gate, as the model itself, with the same mutants.

use hyperkill_frontend::{FrontendOptions, NamePredicate};

use crate::models;
use crate::support::Machine;

/// The model with everything but its inputs in the instance `m` of a module, which gets the inputs as parameters.
fn modular(text: &str) -> String {
    let is_input = |line: &&str| {
        let mut characters = line.trim_start().chars();
        characters.next() == Some('i') && characters.next().is_some_and(|c| c.is_ascii_digit())
    };
    let inputs: Vec<&str> = text.lines().filter(is_input).collect();
    let names: Vec<&str> = (inputs.iter())
        .filter_map(|line| line.split(':').next())
        .map(str::trim)
        .collect();
    let names = names.join(", ");
    let rest: Vec<&str> = text
        .lines()
        .skip(1)
        .filter(|line| !is_input(line))
        .collect();
    format!(
        "MODULE main\nVAR\n{}\n  m : inner({names});\nMODULE inner({names})\n{}\n",
        inputs.join("\n"),
        rest.join("\n")
    )
}

#[test]
fn a_model_in_a_module_is_the_same_circuit_with_the_same_mutants() {
    let mut compared = 0;
    for seed in 0..150 {
        let text = models::text(seed);
        let options = FrontendOptions {
            outputs: Some(NamePredicate::new(|name| {
                let name = name.strip_prefix("m.").unwrap_or(name);
                name != "set" && !name.starts_with('i')
            })),
            // VRR reads other variables of the same module only.
            operators: (seed % 2 == 1).then(|| NamePredicate::new(|name| name != "VRR")),
            ..FrontendOptions::default()
        };
        let Ok(plain) = Machine::with_options(&text, &options) else {
            continue;
        };
        let inside = modular(&text);
        let inside = Machine::with_options(&inside, &options)
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{inside}"));
        let mutants = |machine: &Machine| -> Vec<(String, String, String, Option<String>)> {
            let all = machine.translation.catalogue.iter();
            all.map(|(m, rejected)| {
                let (original, replacement) = (m.original.clone(), m.replacement.clone());
                (m.operator.clone(), original, replacement, rejected.clone())
            })
            .collect()
        };
        let (there, here) = (mutants(&inside), mutants(&plain));
        assert_eq!(there.len(), here.len(), "seed {seed}");
        assert_eq!(there, here, "seed {seed}");
        for (there, here) in [
            (&inside.blasted, &plain.blasted),
            (&inside.checks, &plain.checks),
        ] {
            assert_eq!(there.obligations, here.obligations);
            let (there, here) = (&there.model.aig, &here.model.aig);
            assert!(there.nodes().eq(here.nodes()), "seed {seed}\n{text}");
            let lits = |aig: &hyperkill_core::Aig| -> Vec<hyperkill_core::Lit> {
                let outputs = aig.outputs.iter().map(|output| output.lit);
                let latches = aig.latches().iter().map(|latch| latch.next);
                outputs.chain(latches).collect()
            };
            assert_eq!(lits(there), lits(here), "seed {seed}");
        }
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn names_with_dots_need_no_instance() {
    let text = "MODULE main
VAR p.x : 0..3; p.q.y : boolean; s : sub;
DEFINE p.d := p.x + 1; s.far := s.n.x;
ASSIGN init(p.x) := 0; next(p.x) := p.q.y ? p.x : p.d mod 4;
  init(p.q.y) := FALSE; next(p.q.y) := p.d = 3;
MODULE sub
VAR n.x : boolean;
ASSIGN next(n.x) := !n.x;
";
    let system = crate::support::Machine::new(text).translation.system;
    let states: Vec<&str> = system.states.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(states, ["p.x", "p.q.y", "s.n.x"]);
}
