//! Simulation relations with their strategies.

use hyperkill_core::SelectorId;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::simulation::{Look, Multiplexer, Simulation, Source};

use super::Unreadable;
use crate::documents::{RelationWord, SimulationEvidence};

/// The literal of a source: twice the number of its multiplexer, and one more if it is complemented; 0 and 1 are the constants.
fn literal(source: Source) -> usize {
    let complemented = source.complemented ^ (source.multiplexer == 0);
    2 * source.multiplexer + usize::from(complemented)
}

fn source(literal: usize) -> Source {
    let multiplexer = literal / 2;
    Source {
        multiplexer,
        complemented: (literal % 2 == 1) ^ (multiplexer == 0),
    }
}

fn word(look: Look) -> (&'static str, usize) {
    match look {
        Look::Input(input) => ("input", input),
        Look::Model(latch) => ("model", latch),
        Look::Mutant(latch) => ("mutant", latch),
        Look::Next(latch) => ("next", latch),
        Look::Shown(output) => ("shown", output),
        Look::Chosen(input) => ("chosen", input),
        Look::MutantChosen(input) => ("mutant-chosen", input),
    }
}

/// Writes a simulation relation as evidence.
#[must_use]
pub fn written_simulation(simulation: &Simulation) -> SimulationEvidence {
    let multiplexer = |multiplexer: &Multiplexer| {
        let (kind, index) = word(multiplexer.on);
        let [high, low] = [multiplexer.high, multiplexer.low].map(literal);
        format!("{kind} {index} {high} {low}")
    };
    let choice = |&(look, source): &(Look, Source)| {
        let (kind, index) = word(look);
        format!("{kind} {index} {}", literal(source))
    };
    SimulationEvidence {
        relation: match simulation.relation {
            Relation::Matched => RelationWord::Matched,
            Relation::Agreeing => RelationWord::Agreeing,
        },
        multiplexers: simulation.multiplexers.iter().map(multiplexer).collect(),
        related: literal(simulation.related),
        initial: simulation.initial.iter().map(choice).collect(),
        choices: simulation.choices.iter().map(choice).collect(),
    }
}

/// A line of so many numbers behind what is looked at.
fn line<const N: usize>(text: &str) -> Result<(Look, [usize; N]), Unreadable> {
    let malformed = || Unreadable::Malformed("a line of a simulation relation is none");
    let mut words = text.split(' ');
    let kind = words.next().ok_or_else(malformed)?;
    let mut number = || -> Result<usize, Unreadable> {
        let word = words.next().ok_or_else(malformed)?;
        // One way only to write a number.
        let number = word.parse().map_err(|_| malformed())?;
        let again: String = usize::to_string(&number);
        if again == word {
            Ok(number)
        } else {
            Err(malformed())
        }
    };
    let index = number()?;
    let mut numbers = [0; N];
    for place in &mut numbers {
        *place = number()?;
    }
    let look = match kind {
        "input" => Look::Input(index),
        "model" => Look::Model(index),
        "mutant" => Look::Mutant(index),
        "next" => Look::Next(index),
        "shown" => Look::Shown(index),
        "chosen" => Look::Chosen(index),
        "mutant-chosen" => Look::MutantChosen(index),
        _ => return Err(malformed()),
    };
    match words.next() {
        None => Ok((look, numbers)),
        Some(_) => Err(malformed()),
    }
}

/// The simulation relation, about these mutants.
///
/// # Errors
/// If a line is none.
pub fn read_simulation(
    simulation: &SimulationEvidence,
    members: &[SelectorId],
) -> Result<Simulation, Unreadable> {
    let multiplexer = |text: &String| {
        let (on, [high, low]) = line(text)?;
        Ok(Multiplexer {
            on,
            low: source(low),
            high: source(high),
        })
    };
    let choice = |text: &String| {
        let (look, [value]) = line(text)?;
        Ok((look, source(value)))
    };
    let multiplexers = simulation.multiplexers.iter().map(multiplexer);
    let initial = simulation.initial.iter().map(choice);
    let choices = simulation.choices.iter().map(choice);
    Ok(Simulation {
        members: members.to_vec(),
        relation: match simulation.relation {
            RelationWord::Matched => Relation::Matched,
            RelationWord::Agreeing => Relation::Agreeing,
        },
        multiplexers: multiplexers.collect::<Result<_, Unreadable>>()?,
        related: source(simulation.related),
        initial: initial.collect::<Result<_, Unreadable>>()?,
        choices: choices.collect::<Result<_, Unreadable>>()?,
    })
}
