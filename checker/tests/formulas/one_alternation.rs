//! Answers to formulas with one alternation, judged on many lassos: traces that are to withstand all others withstand each of them, and of
//! traces that are all refuted each is refuted by one of them or by a response that was given.

use std::collections::BTreeMap;

use hyperkill_checker::hyperltl::{Beyond, Response, Shown, Truth, decide_formula};
use hyperkill_core::budget::Budget;
use hyperkill_core::sort::Value;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_formulas::semantics::{Lasso, TraceView, body_holds_on_lassos};
use hyperkill_formulas::signals::resolve;
use hyperkill_formulas::{Traces, parse};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::alternation_free::{cases, options};
use crate::random::{body, initial, step, system};

/// A trace with the values of all nodes.
#[derive(Clone)]
pub(crate) struct Seen<'m> {
    pub(crate) model: &'m ConditionalMutant,
    pub(crate) steps: Vec<Vec<bool>>,
}

impl TraceView for Seen<'_> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn is_mutant(&self) -> bool {
        false
    }

    fn value(&self, at: usize, name: &str) -> Option<Value> {
        let lit = resolve(self.model, name)?.bits[0];
        Some(Value::bool(
            self.steps[at][lit.var().index()] ^ lit.is_negated(),
        ))
    }

    fn inputs(&self, at: usize) -> Vec<Value> {
        self.value(at, "i0").into_iter().collect()
    }

    fn outputs(&self, at: usize) -> Vec<Value> {
        self.value(at, "o").into_iter().collect()
    }

    fn state(&self, at: usize) -> Option<Vec<Value>> {
        let latches = self.model.aig.latches().iter();
        Some(
            latches
                .map(|latch| Value::bool(self.steps[at][latch.var.index()]))
                .collect(),
        )
    }
}

/// Infinite traces, at random: a walk that ends where it was before.
fn lassos<'m>(
    rng: &mut ChaCha8Rng,
    model: &'m ConditionalMutant,
    many: usize,
) -> Vec<Lasso<Seen<'m>>> {
    let mut found = Vec::new();
    for _ in 0..many {
        let starts = initial(model);
        let mut states = vec![starts[rng.random_range(0..starts.len())]];
        let mut steps = Vec::new();
        for _ in 0..12 {
            let inputs = rng.random_range(0..1_u32 << model.aig.inputs().len());
            let Some((values, next)) = step(model, states[steps.len()], inputs) else {
                break;
            };
            steps.push(values);
            let back = states.iter().position(|&state| state == next);
            states.push(next);
            if let Some(back) = back.filter(|_| rng.random_bool(0.4)) {
                let trace = Seen {
                    model,
                    steps: steps.clone(),
                };
                found.push(Lasso { trace, back });
                break;
            }
        }
    }
    found
}

/// A trace as a lasso; the steps of a stimulus, shown as they are.
fn lasso<'m>(model: &'m ConditionalMutant, run: &Stimulus, back: usize) -> Option<Lasso<Seen<'m>>> {
    let bits = |bits: &[bool]| {
        let bits = bits.iter().enumerate();
        bits.fold(0, |word, (i, &bit)| word | u32::from(bit) << i)
    };
    let mut state = bits(&run.initial.to_vec());
    let resets = model.aig.latches().iter().enumerate();
    for (l, latch) in resets {
        if let Some(value) = latch.reset.as_constant() {
            state = state & !(1 << l) | u32::from(value) << l;
        }
    }
    let mut steps = Vec::new();
    for inputs in &run.steps {
        let (values, next) = step(model, state, bits(inputs))?;
        steps.push(values);
        state = next;
    }
    let trace = Seen { model, steps };
    Some(Lasso { trace, back })
}

#[test]
fn answers_to_formulas_with_one_alternation_stand_on_many_lassos() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut judged, mut unjudged) = (0, 0);
    for seed in 0..cases(60) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = system(&mut rng);
        let (prefix, traces): (&str, &[&str]) = match rng.random_range(0..3) {
            0 => ("exists p. forall q", &["p", "q"]),
            1 => ("exists p q. forall r", &["p", "q", "r"]),
            _ => ("exists p. forall q r", &["p", "q", "r"]),
        };
        let size = rng.random_range(1..6);
        let said = body(&mut rng, &model, traces, size);
        let text = format!("{prefix}. {said}");
        let formula = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let leading = prefix
            .split(". ")
            .next()
            .map_or(1, |part| part.split(' ').count() - 1);
        let decided = decide_formula(
            &model,
            SelectorId(0),
            &formula,
            Traces::Infinite,
            &options(2),
            &Budget::unlimited(),
        );
        let decided = decided.unwrap_or_else(|error| panic!("seed {seed}: {text}: {error}"));
        let many = lassos(&mut rng, &model, 12);
        let holds = |chosen: &[Lasso<Seen<'_>>]| {
            body_holds_on_lassos(&formula, chosen).expect("a truth value")
        };
        let others = formula.prefix.len() - leading;
        let tuples = |from: &[Lasso<Seen<'_>>], count: usize| -> Vec<Vec<usize>> {
            let mut all = vec![Vec::new()];
            for _ in 0..count {
                all = (all.iter())
                    .flat_map(|tuple: &Vec<usize>| {
                        (0..from.len()).map(move |next| {
                            let mut tuple = tuple.clone();
                            tuple.push(next);
                            tuple
                        })
                    })
                    .collect();
            }
            all
        };
        let shown = match decided.shown {
            Some(Shown::Withstood(shown)) => {
                let (witness, _) = *shown;
                let Beyond::Loop(back) = witness.beyond else {
                    panic!("seed {seed}: {text}: no loop")
                };
                let leaders: Vec<_> = (witness.runs.iter())
                    .map(|run| lasso(&model, run, back).expect("a run"))
                    .collect();
                for tuple in tuples(&many, others) {
                    let mut chosen = leaders.clone();
                    chosen.extend(tuple.iter().map(|&i| many[i].clone()));
                    assert!(holds(&chosen), "seed {seed}: {text}: refuted by {tuple:?}");
                }
                assert_eq!(decided.truth, Truth::Holds);
                "withstood"
            }
            Some(Shown::Refuted(refutation)) => {
                for tuple in tuples(&many, leading) {
                    let leaders: Vec<_> = tuple.iter().map(|&i| many[i].clone()).collect();
                    let refuted = refutation.responses.iter().any(|response| {
                        let mut chosen = leaders.clone();
                        match response {
                            Response::Copies(whose) => {
                                chosen.extend(whose.iter().map(|&of| leaders[of].clone()));
                            }
                            // Which traces these are only the circuit knows.
                            Response::Follows | Response::Circuit(_) => return false,
                            Response::Traces { runs, back } => {
                                let runs = runs.iter().map(|run| lasso(&model, run, *back));
                                let Some(runs) = runs.collect::<Option<Vec<_>>>() else {
                                    return false;
                                };
                                chosen.extend(runs);
                            }
                        }
                        !holds(&chosen)
                    });
                    // A response may take its inputs from the traces it answers; then any of the lassos will do.
                    let refuted = refuted
                        || tuples(&many, others).iter().any(|tuple| {
                            let mut chosen = leaders.clone();
                            chosen.extend(tuple.iter().map(|&i| many[i].clone()));
                            !holds(&chosen)
                        });
                    let follows = refutation.responses.contains(&Response::Follows);
                    assert!(
                        refuted || follows,
                        "seed {seed}: {text}: {tuple:?} is not refuted"
                    );
                    unjudged += usize::from(!refuted);
                    judged += 1;
                }
                assert_eq!(decided.truth, Truth::Fails);
                "refuted"
            }
            Some(_) => "as the killing shape",
            None => "unknown",
        };
        *seen.entry(shown).or_default() += 1;
    }
    println!("{seen:#?}, {judged} refutations judged, {unjudged} not");
    assert!(unjudged * 10 < judged);
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    assert!(
        of("withstood") > cases(60) as usize / 10 && of("refuted") > cases(60) as usize / 10,
        "{seen:?}"
    );
    assert!(of("unknown") * 3 < cases(60) as usize, "{seen:?}");
}
