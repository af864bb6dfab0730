//! Checks that a relation proves that a mutant has the answers of the model (certificates.md).

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::budget::Budget;
use hyperkill_frontend::decision::Refutation;
use hyperkill_timed_fsm::machine::Machine;
use serde::Deserialize;
use serde_json::Value as Document;

use crate::delays;
use crate::replay::wait_scaled;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Relation {
    kind: String,
    pairs: Vec<PairEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairEntry {
    model: String,
    mutant: String,
    meets: Vec<Meeting>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Meeting {
    after: Delay,
    model: String,
    mutant: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Delay {
    Units(u64),
    Digits(String),
}

impl Delay {
    fn units(&self) -> Option<u128> {
        match self {
            Delay::Units(units) => Some(u128::from(*units)),
            Delay::Digits(digits) => {
                let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
                digits.parse().ok().filter(|_| is_digits)
            }
        }
    }
}

/// A pair of states, of model and mutant.
type Pair = (usize, usize);

/// Checks a relation.
///
/// # Errors
/// If it proves nothing, with the reason.
pub(crate) fn check(
    model: &Machine,
    mutant: &Machine,
    document: &Document,
    budget: &Budget,
) -> Result<(), Refutation> {
    let relation = match Relation::deserialize(document) {
        Ok(relation) if relation.kind == "timed-relation" => relation,
        Ok(relation) => {
            return Refutation::wrong(format!(
                "`{}` is an unknown kind of relation",
                relation.kind
            ));
        }
        Err(error) => return Refutation::wrong(format!("the relation cannot be read: {error}")),
    };
    let checker = Checker {
        machines: (model, mutant),
        numbers: [numbers(model), numbers(mutant)],
    };
    let mut listed: BTreeMap<Pair, &[Meeting]> = BTreeMap::new();
    for entry in &relation.pairs {
        let pair = checker.pair(&entry.model, &entry.mutant)?;
        if listed.insert(pair, &entry.meets).is_some() {
            return Refutation::wrong(format!("{} is listed twice", checker.spelled(pair)));
        }
    }
    if !listed.contains_key(&(0, 0)) {
        return Refutation::wrong("the initial states are not in the relation");
    }
    for (&pair, meets) in &listed {
        budget.check().map_err(Refutation::Stopped)?;
        checker.pair_is_closed(pair, meets, &listed)?;
    }
    Ok(())
}

fn numbers(machine: &Machine) -> BTreeMap<&str, usize> {
    let states = machine.states.iter().enumerate();
    states
        .map(|(index, state)| (state.name.as_str(), index))
        .collect()
}

struct Checker<'a> {
    /// The model, and the mutant, which has the same states but for the cut into pieces.
    machines: (&'a Machine, &'a Machine),
    numbers: [BTreeMap<&'a str, usize>; 2],
}

impl Checker<'_> {
    fn spelled(&self, (model, mutant): Pair) -> String {
        let (own, other) = (&self.machines.0.states, &self.machines.1.states);
        format!("(`{}`, `{}`)", own[model].name, other[mutant].name)
    }

    fn pair(&self, model: &str, mutant: &str) -> Result<Pair, Refutation> {
        let find = |side: usize, name: &str| match self.numbers[side].get(name) {
            Some(number) => Ok(*number),
            None => Refutation::wrong(format!("the relation names `{name}`, which is not a state")),
        };
        Ok((find(0, model)?, find(1, mutant)?))
    }

    /// Checks that all pairs after delays are listed, and that every input leads to a pair of the relation with equal outputs.
    fn pair_is_closed(
        &self,
        start: Pair,
        meets: &[Meeting],
        listed: &BTreeMap<Pair, &[Meeting]>,
    ) -> Result<(), Refutation> {
        let (model, mutant) = self.machines;
        let mut met: BTreeSet<Pair> = BTreeSet::new();
        for meeting in meets {
            let pair = self.pair(&meeting.model, &meeting.mutant)?;
            let Some(after) = meeting.after.units() else {
                return Refutation::wrong("a delay of the relation is not a number");
            };
            let reached = (
                wait_scaled(model, start.0, after, 1),
                wait_scaled(mutant, start.1, after, 1),
            );
            if reached != pair {
                let (start, pair) = (self.spelled(start), self.spelled(pair));
                return Refutation::wrong(format!(
                    "{start} is not followed by {pair} after {after}"
                ));
            }
            met.insert(pair);
        }
        let needed = delays::pairs((model, start.0), (mutant, start.1));
        if let Some(&missing) = needed.difference(&met).next() {
            let (start, missing) = (self.spelled(start), self.spelled(missing));
            return Refutation::wrong(format!(
                "{start} becomes {missing} after some delay, which is not listed"
            ));
        }
        met.into_iter()
            .try_for_each(|pair| self.inputs_stay(pair, listed))
    }

    fn inputs_stay(
        &self,
        pair: Pair,
        listed: &BTreeMap<Pair, &[Meeting]>,
    ) -> Result<(), Refutation> {
        let (model, mutant) = self.machines;
        for (&input, expected) in &model.states[pair.0].answers {
            let (there, name) = (self.spelled(pair), &model.inputs[input]);
            let Some(answer) = mutant.states[pair.1].answers.get(&input) else {
                return Refutation::wrong(format!(
                    "in {there} the mutant has no answer to `{name}`"
                ));
            };
            if answer.output != expected.output {
                return Refutation::wrong(format!("in {there} the answers to `{name}` differ"));
            }
            let next = (expected.target, answer.target);
            if !listed.contains_key(&next) {
                let next = self.spelled(next);
                return Refutation::wrong(format!(
                    "`{name}` leads from {there} to {next}, which is not listed"
                ));
            }
        }
        Ok(())
    }
}
