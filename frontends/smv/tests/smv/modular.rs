//! A random model inside a module is the same circuit, gate by gate, as the model itself, with the same mutants. Names with
//! dots and indices.

use hyperkill_frontend::{FrontendOptions, NamePredicate, RoleOptions};
use hyperkill_smv::ast::Section;

use crate::models;
use crate::support::Machine;

/// Returns the model with everything but its inputs in the instance `m` of a module, which gets the inputs as parameters.
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
            // VRR reads other variables of the same module only.
            operators: (seed % 2 == 1).then(|| NamePredicate::new(|name| name != "VRR")),
            roles: RoleOptions {
                outputs: Some(NamePredicate::new(|name| {
                    let name = name.strip_prefix("m.").unwrap_or(name);
                    name != "set" && !name.starts_with('i')
                })),
                ..RoleOptions::default()
            },
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
        assert_same_circuits(&inside, &plain, &format!("seed {seed}\n{text}"));
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

/// Checks that two machines have the same circuits, gate by gate.
fn assert_same_circuits(there: &Machine, here: &Machine, what: &str) {
    for (there, here) in [
        (&there.blasted, &here.blasted),
        (&there.checks, &here.checks),
    ] {
        assert_eq!(there.obligations, here.obligations, "{what}");
        let (there, here) = (&there.model.aig, &here.model.aig);
        assert!(there.nodes().eq(here.nodes()), "{what}");
        let lits = |aig: &hyperkill_core::Aig| -> Vec<hyperkill_core::Lit> {
            let outputs = aig.outputs.iter().map(|output| output.lit);
            let latches = aig.latches().iter().map(|latch| latch.next);
            outputs.chain(latches).collect()
        };
        assert_eq!(lits(there), lits(here), "{what}");
    }
}

/// Returns the model with every variable and DEFINE called `x[3]` instead of `x`.
fn with_indices(text: &str) -> String {
    let program = hyperkill_smv::parser::parse(text).unwrap().program;
    let main = program.module("main").unwrap();
    let variables = main.sections.iter().filter_map(|section| match section {
        Section::Variables(_, all) => Some(all.iter().map(|d| d.name.text.clone())),
        _ => None,
    });
    let mut names: Vec<String> = variables.flatten().collect();
    names.extend(main.defines().map(|define| define.name.text.clone()));
    let (mut renamed, mut done) = (String::new(), 0);
    for token in hyperkill_smv::lexer::lex(text).tokens {
        renamed += &text[done..token.span.end];
        done = token.span.end;
        if names.iter().any(|name| name == token.span.of(text)) {
            renamed += "[3]";
        }
    }
    renamed + &text[done..]
}

#[test]
fn a_model_whose_names_have_indices_is_the_same_circuit_with_the_same_mutants() {
    let mut compared = 0;
    for seed in 0..100 {
        let text = models::text(seed);
        let options = FrontendOptions {
            operators: (seed % 2 == 1).then(|| NamePredicate::new(|_| true)),
            roles: RoleOptions {
                outputs: Some(NamePredicate::new(|name| {
                    !name.starts_with("set") && !name.starts_with('i')
                })),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let Ok(plain) = Machine::with_options(&text, &options) else {
            continue;
        };
        let renamed = with_indices(&text);
        let renamed = Machine::with_options(&renamed, &options)
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{renamed}"));
        let mutants = |machine: &Machine| -> Vec<(String, String, Option<String>)> {
            let all = machine.translation.catalogue.iter();
            all.map(|(m, rejected)| {
                let plain = |text: &str| text.replace("[3]", "");
                let (replacement, rejected) =
                    (plain(&m.replacement), rejected.as_deref().map(plain));
                (m.operator.clone(), replacement, rejected)
            })
            .collect()
        };
        assert_eq!(mutants(&renamed), mutants(&plain), "seed {seed}");
        assert_same_circuits(&renamed, &plain, &format!("seed {seed}\n{text}"));
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}

#[test]
fn names_with_indices_need_no_array() {
    let text = "MODULE main
VAR PIN[0] : 0..3; a[0][1] : boolean; a[-1].y : boolean; s : sub; t[1] : sub; u : reads(s);
  b : array 0..1 of boolean; b[2] : boolean;
DEFINE d[7] := PIN[0] + 1; t[1].e := t[1].n[2];
ASSIGN init(PIN[0]) := 0; next(PIN[0]) := a[0][1] ? PIN[00] : d[7] mod 4;
  init(a[0][1]) := FALSE; next(a[0][1]) := d[7] = 3 & t[1].e;
  next(a[-1].y) := s.n[2] | t[1].n[2]; next(b[2]) := b[0];
MODULE sub
VAR n[2] : boolean;
ASSIGN next(n[2]) := !n[2];
MODULE reads(p)
VAR x : boolean;
ASSIGN next(x) := p.n[2];
";
    let system = crate::support::Machine::new(text).translation.system;
    let states: Vec<&str> = system.states.iter().map(|s| s.name.as_str()).collect();
    let expected = [
        "PIN[0]",
        "a[0][1]",
        "a[-1].y",
        "s.n[2]",
        "t[1].n[2]",
        "u.x",
        "b[2]",
    ];
    assert_eq!(states, expected);
    for (wrong, message) in [
        (
            "VAR a[0] : boolean; i : 0..1; ASSIGN next(a[0]) := a[i];",
            "only arrays have elements",
        ),
        (
            "VAR a[0] : boolean; a[0] : boolean;",
            "`a[0]` is declared twice",
        ),
        (
            "VAR a : array 0..1 of boolean; a[0] : boolean;",
            "`a[0]` is declared twice",
        ),
        (
            "VAR n : 0..1; a[n] : boolean;",
            "expected a number, found `n`",
        ),
    ] {
        let options = FrontendOptions::default();
        let errors = crate::support::translate(&format!("MODULE main {wrong}"), &options);
        assert_eq!(errors.unwrap_err()[0].message, message, "{wrong}");
    }
}

#[test]
fn a_symbol_may_have_the_name_of_an_instance() {
    for text in [
        "MODULE m VAR y : boolean; MODULE main VAR idle : m; s : {idle, busy};
         ASSIGN init(s) := idle; next(s) := s = idle ? busy : idle;",
        "MODULE m(s) VAR y : boolean; ASSIGN next(y) := s = idle;
         MODULE main VAR idle : m(s); s : {idle, busy}; ASSIGN next(s) := idle.y ? busy : idle;",
        "MODULE m(s) VAR y : boolean; idle : k; ASSIGN next(y) := s = idle; MODULE k VAR z : boolean;
         MODULE main VAR i : m(s); s : {idle, busy}; ASSIGN next(s) := i.y ? busy : idle;",
        "MODULE k(p, s) VAR z : boolean; ASSIGN next(z) := p.y & s = p; MODULE m VAR y : boolean;
         MODULE main VAR idle : m; q : k(idle, s); s : {idle, busy};",
    ] {
        let options = FrontendOptions::default();
        crate::support::translate(text, &options)
            .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    }
    let other =
        "MODULE m VAR y : boolean; MODULE main VAR i : m; s : {idle, busy}; ASSIGN next(s) := i;";
    let errors = crate::support::translate(other, &FrontendOptions::default()).unwrap_err();
    assert_eq!(
        errors[0].message,
        "this is an instance of a module, and a value is expected"
    );
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
