//! Explains nondeterminism: the open parts of a model, their places, and the options that decide them.

use hyperkill_audit::model::Listing;
use hyperkill_frontend::{Frontend, LineIndex};

use crate::documents::build::published_name;
use crate::procedure::LeftOpen;
use crate::sink::{Level, Sink};

/// The number of variables that a message names; the others are counted.
const NAMED: usize = 5;

/// Reports the open parts of a nondeterministic model. `language` is the front end of the model, if it has one.
pub fn say_why(
    sink: &mut dyn Sink,
    listing: &Listing,
    language: Option<&dyn Frontend>,
    open: &LeftOpen,
) {
    let has = |property: fn(&dyn Frontend) -> bool| language.is_some_and(property);
    let starts = match has(|frontend| frontend.is_about_hardware()) {
        true => "--reset NAME begins after a reset, --zero-init with 0",
        false => "an initial value in the source fixes it",
    };
    let choices = match (
        has(|frontend| frontend.is_about_hardware()),
        has(|frontend| frontend.is_about_events()),
    ) {
        (true, _) => "a value in place of x, or a driver of the net, removes the choice",
        (_, true) => {
            "the system chooses outputs, their values and branches: guards that exclude each other leave no choice, and --complete shows \
             every refusal"
        }
        _ => {
            "--inputs NAME makes an unassigned variable a test input; a single value in place of a set removes the choice"
        }
    };
    let parts = [
        (
            "starts with any value",
            "start with any value",
            &open.starts,
            starts,
        ),
        (
            "is chosen at every step",
            "are chosen at every step",
            &open.choices,
            choices,
        ),
    ];
    for (one, several, names, option) in parts {
        if !names.is_empty() {
            let what = if names.len() == 1 { one } else { several };
            let names = listed(listing, names);
            let text = format!("the model is not deterministic: {names} {what} ({option})");
            sink.say(Level::Note, text);
        }
    }
}

/// Returns a text with the first names and their places, and the number of further names.
fn listed(listing: &Listing, names: &[String]) -> String {
    let named = names
        .iter()
        .take(NAMED)
        .map(|name| match place(listing, name) {
            Some(place) => format!("`{name}` ({place})"),
            None => format!("`{name}`"),
        });
    let mut texts: Vec<String> = named.collect();
    if names.len() > NAMED {
        texts.push(format!("{} more", names.len() - NAMED));
    }
    match texts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => texts.concat(),
    }
}

/// Returns file and line of a variable. Choices of one place have numbers: `next(x)` has `next.x`, `next.x.2`, ….
fn place(listing: &Listing, name: &str) -> Option<String> {
    let places = &listing.places;
    let whole = || {
        let (rest, number) = name.rsplit_once('.')?;
        let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
        is_number.then(|| places.get(rest))?
    };
    let place = places.get(name).or_else(whole)?;
    let source = listing.sources.get(place.file)?;
    let (line, _) = LineIndex::new(&source.text).line_column(place.bytes.0);
    Some(format!("{}:{line}", published_name(&source.name)))
}
