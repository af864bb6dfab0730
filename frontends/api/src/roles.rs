//! The roles of signals: controlled by the tester or not, and seen or not (semantics.md §1), with the reasons as sentences.
//!
//! Options override the source, and the source overrides the guesses of a language. A role that the source states needs no sentence.

use hyperkill_core::system::InputRole;

use crate::options::FrontendOptions;

/// A signal that nothing drives.
#[derive(Clone, Copy, Debug)]
pub struct Undriven<'a> {
    /// The name of the signal.
    pub name: &'a str,
    /// The role that a comment or an attribute in the source assigns.
    pub marked: Option<InputRole>,
    /// The role without an option or a mark.
    pub otherwise: InputRole,
    /// The reason for this role; `None` if it is expected, as for a port.
    pub why: Option<&'a str>,
    /// Whether `--inputs` lists all test inputs, so that other signals are choices. Otherwise it only adds test inputs.
    pub inputs_are_all: bool,
}

/// The role of a signal, and the reason if the source does not state it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The role of the signal.
    pub role: InputRole,
    /// The reason, as a sentence.
    pub note: Option<String>,
}

/// Returns whether an undriven signal is a test input or a choice, and why. The options `--nd` and `--inputs` come before a mark in the
/// source, and the mark before the language's default.
#[must_use]
pub fn undriven(signal: &Undriven<'_>, options: &FrontendOptions) -> Decided {
    let name = signal.name;
    // Both options are evaluated, so that both count as used.
    let choice = options
        .roles
        .choices
        .as_ref()
        .map(|choices| choices.holds(name));
    let input = options
        .roles
        .inputs
        .as_ref()
        .map(|inputs| inputs.holds(name));
    let (role, why) = match (choice, input) {
        (Some(true), _) => (InputRole::Choice, Some("--nd says so")),
        (_, Some(true)) => (InputRole::Test, Some("--inputs says so")),
        (_, Some(false)) if signal.inputs_are_all => {
            (InputRole::Choice, Some("--inputs leaves it out"))
        }
        _ => match signal.marked {
            Some(role) => (role, None),
            None => (signal.otherwise, signal.why),
        },
    };
    // An option that sets the expected role needs no remark.
    let expected = role == signal.otherwise && signal.why.is_none();
    let note = why.filter(|_| !expected).map(|why| match role {
        InputRole::Test => is("a test input", name, why),
        InputRole::Choice => is("a choice", name, why),
    });
    Decided { role, note }
}

/// Whether options allow that a signal is observed: `--outputs` lists all observed signals; without it, each signal may be observed.
#[must_use]
pub fn may_be_observed(name: &str, options: &FrontendOptions) -> bool {
    options
        .roles
        .outputs
        .as_ref()
        .is_none_or(|seen| seen.holds(name))
}

/// Returns a sentence like "`name` is a choice: --nd says so". `what` is the role, and `why` the reason.
#[must_use]
pub fn is(what: &str, name: &str, why: &str) -> String {
    format!("`{name}` is {what}: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::NamePredicate;
    use crate::options::RoleOptions;
    use InputRole::{Choice, Test};

    fn decided(
        (marked, otherwise, why): (Option<InputRole>, InputRole, Option<&str>),
        inputs_are_all: bool,
        (choices, inputs): (Option<bool>, Option<bool>),
    ) -> (InputRole, Option<String>) {
        let says = |answer: Option<bool>| answer.map(|answer| NamePredicate::new(move |_| answer));
        let options = FrontendOptions {
            roles: RoleOptions {
                choices: says(choices),
                inputs: says(inputs),
                ..RoleOptions::default()
            },
            ..FrontendOptions::default()
        };
        let signal = Undriven {
            name: "x",
            marked,
            otherwise,
            why,
            inputs_are_all,
        };
        let Decided { role, note } = undriven(&signal, &options);
        (role, note)
    }

    fn note(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn options_go_before_marks_and_marks_before_guesses() {
        let marked = (Some(Choice), Test, Some("guess"));
        assert_eq!(decided(marked, true, (None, None)), (Choice, None));
        let asked = note("`x` is a test input: --inputs says so");
        let yes = (Some(false), Some(true));
        assert_eq!(decided(marked, true, yes), (Test, asked));
        let asked = note("`x` is a choice: --nd says so");
        let both = (Some(true), Some(true));
        assert_eq!(decided(marked, true, both), (Choice, asked));
        let guessed = (None, Choice, Some("guess"));
        let said = note("`x` is a choice: guess");
        assert_eq!(decided(guessed, true, (None, None)), (Choice, said));
    }

    #[test]
    fn what_inputs_leaves_out_is_a_choice_only_where_it_lists_all() {
        let port = (None, Test, None);
        let left_out = (None, Some(false));
        let said = note("`x` is a choice: --inputs leaves it out");
        assert_eq!(decided(port, true, left_out), (Choice, said));
        assert_eq!(decided(port, false, left_out), (Test, None));
    }

    #[test]
    fn what_everybody_expects_needs_no_sentence() {
        let port = (None, Test, None);
        assert_eq!(decided(port, false, (None, None)), (Test, None));
        assert_eq!(decided(port, false, (None, Some(true))), (Test, None));
        let said = note("`x` is a choice: --nd says so");
        assert_eq!(decided(port, false, (Some(true), None)), (Choice, said));
    }
}
