//! Circuits of multiplexers as lines of text, one line for each multiplexer.

use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};

use super::Unreadable;

/// Returns the number that stands for a source in documents: twice the number of its multiplexer, plus one if it is complemented; 0 and 1
/// are the constants.
pub(super) fn literal(source: Source) -> usize {
    let complemented = source.complemented ^ (source.multiplexer == 0);
    2 * source.multiplexer + usize::from(complemented)
}

/// Returns the source that a number in a document stands for; the inverse of [`literal`].
pub(super) fn source(literal: usize) -> Source {
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
        Look::ModelNext(latch) => ("model-next", latch),
        Look::Estimate(bit) => ("estimate", bit),
    }
}

/// Returns a line `KIND INDEX HIGH LOW` for each multiplexer: the value that it reads, and its sources.
pub(super) fn written_multiplexers(multiplexers: &[Multiplexer]) -> Vec<String> {
    let line = |multiplexer: &Multiplexer| {
        let (kind, index) = word(multiplexer.on);
        let [high, low] = [multiplexer.high, multiplexer.low].map(literal);
        format!("{kind} {index} {high} {low}")
    };
    multiplexers.iter().map(line).collect()
}

/// Returns a line `KIND INDEX SOURCE` for each choice: the value that is chosen, and its source.
pub(super) fn written_choices(choices: &[(Look, Source)]) -> Vec<String> {
    let line = |&(look, source): &(Look, Source)| {
        let (kind, index) = word(look);
        format!("{kind} {index} {}", literal(source))
    };
    choices.iter().map(line).collect()
}

/// Returns the multiplexers that these lines describe.
///
/// # Errors
/// If a line is malformed.
pub(super) fn read_multiplexers(lines: &[String]) -> Result<Vec<Multiplexer>, Unreadable> {
    let multiplexer = |text: &String| {
        let (on, [high, low]) = line(text)?;
        Ok(Multiplexer {
            on,
            low: source(low),
            high: source(high),
        })
    };
    lines.iter().map(multiplexer).collect()
}

/// Returns the choices that these lines describe: each is a value with its source.
///
/// # Errors
/// If a line is malformed.
pub(super) fn read_choices(lines: &[String]) -> Result<Vec<(Look, Source)>, Unreadable> {
    let choice = |text: &String| {
        let (look, [value]) = line(text)?;
        Ok((look, source(value)))
    };
    lines.iter().map(choice).collect()
}

/// Returns `KIND INDEX` for each variable of a variable order.
pub(super) fn written_order(order: &[Look]) -> Vec<String> {
    let name = |&look: &Look| {
        let (kind, index) = word(look);
        format!("{kind} {index}")
    };
    order.iter().map(name).collect()
}

/// Returns the variable order that these lines describe.
///
/// # Errors
/// If a line is malformed.
pub(super) fn read_order(lines: &[String]) -> Result<Vec<Look>, Unreadable> {
    let look = |text: &String| line::<0>(text).map(|(look, [])| look);
    lines.iter().map(look).collect()
}

/// Returns a line of a multiplexer circuit with the index of its latch replaced by the one in this table. Lines without a latch are
/// unchanged.
///
/// # Errors
/// If the line names no latch of the table.
pub(super) fn moved_line(text: &str, latches: &[usize]) -> Result<String, Unreadable> {
    let malformed = Unreadable::Malformed("a line of a multiplexer circuit is malformed");
    let (kind, rest) = text.split_once(' ').ok_or(malformed.clone())?;
    if !matches!(kind, "model" | "mutant" | "next" | "model-next") {
        return Ok(text.to_owned());
    }
    let (index, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let at: usize = index.parse().map_err(|_| malformed)?;
    let what = "latch";
    let moved = latches
        .get(at)
        .ok_or(Unreadable::NoSuchPlace { what, at })?;
    let line = format!("{kind} {moved} {rest}");
    Ok(line.trim_end().to_owned())
}

/// Returns the value that a line begins with, and the `N` numbers after it; an error if the line has another form.
fn line<const N: usize>(text: &str) -> Result<(Look, [usize; N]), Unreadable> {
    let malformed = || Unreadable::Malformed("a line of a multiplexer circuit is malformed");
    let mut words = text.split(' ');
    let kind = words.next().ok_or_else(malformed)?;
    let mut number = || -> Result<usize, Unreadable> {
        let word = words.next().ok_or_else(malformed)?;
        // A number has only one spelling.
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
        "model-next" => Look::ModelNext(index),
        "estimate" => Look::Estimate(index),
        _ => return Err(malformed()),
    };
    match words.next() {
        None => Ok((look, numbers)),
        Some(_) => Err(malformed()),
    }
}
