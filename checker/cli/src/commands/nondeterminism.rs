//! Why a model is not deterministic: what of it is left open, where that stands, and which option says it.

use hyperkill_checker::determinism::Determinism;
use hyperkill_core::aig::{Cone, Reset};
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_frontend::{Frontend, LineIndex};

use crate::decision::Decided;
use crate::documents::build::{determinism, published_name};
use crate::languages;
use crate::model::{Listing, Loaded};
use crate::session::{Level, Session};

/// So many are named; the others are counted.
const NAMED: usize = 5;

/// What a model leaves open that its outputs depend on.
#[derive(Default)]
struct Open {
    /// Registers and variables that begin with any value.
    starts: Vec<String>,
    /// What is chosen anew at every step.
    choices: Vec<String>,
}

/// Says what keeps a model from being deterministic, if it is not.
pub(super) fn say_why(session: &mut Session<'_>, loaded: &Loaded, decided: &Decided) {
    if decided.original == determinism(Determinism::Deterministic) {
        return;
    }
    let listing = &loaded.listing;
    let open = open(loaded);
    let frontend = languages::by_name(&listing.description.language);
    let has =
        |property: fn(&dyn Frontend) -> bool| frontend.as_ref().is_ok_and(|f| property(f.as_ref()));
    let starts = match has(|frontend| frontend.is_about_hardware()) {
        true => "--reset NAME begins after a reset, --zero-init with 0",
        false => "an initial value in the source would decide it",
    };
    let choices = match (
        has(|frontend| frontend.is_about_hardware()),
        has(|frontend| frontend.is_about_events()),
    ) {
        (true, _) => "a value in the source in place of x, or a driver, would decide it",
        (_, true) => {
            "the system chooses outputs, their values and branches: guards that exclude each other leave no choice, and --complete shows \
             every refusal"
        }
        _ => {
            "--inputs NAME makes a test input of a variable that nothing assigns, a single value in place of a set decides it"
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
            session.say(Level::Note, text);
        }
    }
}

/// The first of these with their places, and how many more there are.
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

/// File and line of what is called so. Several choices of one place are numbered: `next(x)` has `next.x`, `next.x.2`, ….
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

/// What the outputs of the original depend on and nothing decides.
fn open(loaded: &Loaded) -> Open {
    let model = &loaded.model;
    let product = Product::new(model, &[CopySpec::alone(Variant::Original)]);
    let copy = &product.copies[0];
    let cone = Cone::sequential(&product.aig, copy.outputs.iter().copied());
    let mut open = Open::default();
    for port in &model.choices {
        let mut bits = port.bits.iter().filter_map(|bit| copy.inputs[*bit]);
        if bits.any(|lit| cone.contains(lit.var())) {
            let is_start = port.name.ends_with("@reset")
                || port.name.starts_with("init:")
                || port.name.starts_with("init.");
            match is_start {
                true => open.starts.push(port.name.clone()),
                false => open.choices.push(port.name.clone()),
            }
        }
    }
    let latches = copy.latches.iter().enumerate();
    for (index, latch) in latches.filter_map(|(index, latch)| Some((index, (*latch)?))) {
        let latch = &product.aig.latches()[latch];
        if latch.reset != Reset::Free || !cone.contains(latch.var) {
            continue;
        }
        let name = model.aig.latches()[index].name.clone().unwrap_or_default();
        // Bits of a word are one register, unless the register is a bit.
        let name = match name.rsplit_once('[') {
            Some((word, _)) if !loaded.listing.places.contains_key(&name) => word.to_owned(),
            _ => name,
        };
        if !name.is_empty() && open.starts.last() != Some(&name) {
            open.starts.push(name);
        }
    }
    open
}
