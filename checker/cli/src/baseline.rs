//! `--accept-file`: mutants that a team knows of and has accepted, so that a gate is about all others.
//!
//! The file is read before anything else is done; everything behind, what a run writes down too, knows the mutants in it.

use std::collections::BTreeMap;

use hyperkill_run::baseline::ACCEPTED;

use crate::args::Command;
use crate::failure::Failure;
use crate::load::read_bytes;
use crate::session::Session;

/// Puts the mutants of a baseline in the place of the option that names its file.
///
/// # Errors
/// If the file cannot be read, or names something that is no id.
pub(crate) fn resolve(session: &mut Session<'_>, command: &mut Command) -> Result<(), Failure> {
    let decision = match command {
        Command::Run(args) => &mut args.decision,
        Command::Check(args) => &mut args.decision,
        _ => return Ok(()),
    };
    let Some(file) = decision.accept_file.take() else {
        return Ok(());
    };
    let bytes = read_bytes(session.io, &file)?;
    let text = String::from_utf8_lossy(&bytes);
    decision.accept_mutant = lines(&text).map_err(|number| {
        let file = file.display();
        Failure::usage(format!("{file}:{number}: a mutant is named twice"))
    })?;
    let asked = &mut session.asked;
    asked.retain(|option| !option.starts_with("--accept-file="));
    let accepted = decision.accept_mutant.iter();
    asked.extend(accepted.map(|line| format!("{ACCEPTED}{line}")));
    asked.sort_unstable();
    Ok(())
}

/// The lines of a baseline that say something: an id, and behind it why it is accepted, if that is said. The number of a line that
/// names a mutant again is the error.
fn lines(text: &str) -> Result<Vec<String>, usize> {
    let mut known = BTreeMap::new();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(id) = words.first().filter(|id| !id.starts_with('#')) else {
            continue;
        };
        if known.insert((*id).to_owned(), ()).is_some() {
            return Err(number + 1);
        }
        found.push(words.join(" "));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use hyperkill_run::baseline::Baseline;

    use super::*;

    #[test]
    fn a_line_is_an_id_and_perhaps_why_it_is_accepted() {
        let text = "# known\n\nm-1\n  m-2   a   sensor\n#m-3\nm-4 x\n";
        let lines = lines(text).unwrap();
        assert_eq!(lines, ["m-1", "m-2 a sensor", "m-4 x"]);
        let baseline = Baseline::of(&lines);
        let options: Vec<String> = lines
            .iter()
            .map(|line| format!("{ACCEPTED}{line}"))
            .collect();
        assert_eq!(Baseline::asked(&options), baseline);
        let reasons = BTreeMap::from([("m-1", ""), ("m-2", "a sensor"), ("m-4", "x")]);
        assert_eq!(baseline.reasons(), reasons);
        assert_eq!(super::lines("m-1\nm-2\nm-1 again\n"), Err(3));
    }
}
