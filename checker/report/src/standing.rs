//! Standing of mutants with respect to the suite: does a test notice the mutant?

use std::collections::BTreeMap;

use hyperkill_audit::counted;
use hyperkill_audit::documents::{
    MutantResult, PotentialResult, StrengthWord, SuiteTest, VerdictWord,
};

/// Status of a mutant with respect to a suite, in the words of the mutation testing report schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// A test kills the mutant for certain.
    Killed,
    /// The mutant counts for the score, and no test kills it for certain.
    Survived,
    /// The mutant is undecided.
    Pending,
    /// It is proved that no test kills the mutant, or the mutant duplicates another one.
    Ignored,
    /// The mutant is no valid model.
    CompileError,
}

impl Status {
    /// Returns the word for the status in the mutation testing report schema.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Status::Killed => "Killed",
            Status::Survived => "Survived",
            Status::Pending => "Pending",
            Status::Ignored => "Ignored",
            Status::CompileError => "CompileError",
        }
    }
}

/// Status of a mutant, with its reason and the tests that kill it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Status of the mutant.
    pub status: Status,
    /// Reason for the status.
    pub reason: String,
    /// Tests of the suite that kill the mutant, with any strength.
    pub killed_by: Vec<String>,
}

/// For each mutant that a suite kills, by id: its strongest kill, and the ids of all tests that kill it.
pub(crate) type Kills<'a> = BTreeMap<&'a str, (StrengthWord, Vec<&'a str>)>;

/// Returns the mutants that a suite kills, with their strongest kill and the tests that kill them. `None` without a suite.
pub(crate) fn kills(suite: Option<&[SuiteTest]>) -> Option<Kills<'_>> {
    let mut kills = Kills::new();
    for test in suite? {
        for kill in &test.kills {
            let first = || (kill.strength, Vec::new());
            let known = kills.entry(&kill.mutant).or_insert_with(first);
            known.0 = known.0.max(kill.strength);
            known.1.push(&test.id);
        }
    }
    Some(kills)
}

impl Standing {
    /// Returns the standing of a mutant with this result. `kills` are the kills of the suite, if there is one.
    pub(crate) fn of(result: &MutantResult, kills: Option<&Kills<'_>>) -> Standing {
        let kill = kills.map(|kills| kills.get(result.mutant.as_str()));
        let killed_by = kill.flatten().map_or_else(Vec::new, |(_, tests)| {
            tests.iter().map(|&test| test.to_owned()).collect()
        });
        let strength = match kill {
            // Without a suite the mutant's own test counts.
            None => result.strength,
            Some(kill) => kill.map(|(strength, _)| *strength),
        };
        let (status, reason) = match result.verdict {
            VerdictWord::Killed => killed(result, strength),
            VerdictWord::NotDefinitelyKillable => {
                (Status::Survived, not_definitely(result.potential.as_ref()))
            }
            VerdictWord::RefusesInput => {
                let said = "no output tells it from the model, but it refuses inputs that the model accepts";
                (Status::Survived, said.to_owned())
            }
            VerdictWord::Equivalent => (Status::Ignored, equivalent(result)),
            VerdictWord::DuplicateOf => {
                let of = result.of.as_deref().unwrap_or("another mutant");
                (Status::Ignored, format!("the same circuit as {of}"))
            }
            VerdictWord::Invalid => {
                let why = result.reason.as_deref().unwrap_or("not a model");
                (Status::CompileError, why.to_owned())
            }
            VerdictWord::Unknown => (Status::Pending, format!("undecided: {}", undecided(result))),
        };
        Standing {
            status,
            reason,
            killed_by,
        }
    }

    /// Returns the standing of a mutant that the user accepts for the reason `why`: a mutant that survives or is undecided becomes ignored.
    pub(crate) fn accepted(self, why: &str) -> Standing {
        if !matches!(self.status, Status::Survived | Status::Pending) {
            return self;
        }
        let why = match why.is_empty() {
            true => String::new(),
            false => format!(" ({why})"),
        };
        Standing {
            status: Status::Ignored,
            reason: format!("accepted{why}: {}", self.reason),
            ..self
        }
    }
}

fn killed(result: &MutantResult, strength: Option<StrengthWord>) -> (Status, String) {
    let steps = result.steps.unwrap_or(0);
    let shortest = match result.shortest {
        Some(true) => ", shortest",
        _ => "",
    };
    let length = format!("{}{shortest}", counted(steps, "step"));
    match strength {
        Some(strength @ (StrengthWord::Definite | StrengthWord::Adaptive)) => {
            (Status::Killed, format!("{}, {length}", strength.word()))
        }
        // Controllable kills occur only if the run assumes that the tester controls choices.
        Some(StrengthWord::Controllable) => (
            Status::Killed,
            format!("if choices are controlled as the test says, {length}"),
        ),
        Some(StrengthWord::Potential) => (
            Status::Survived,
            format!(
                "killed potentially only: it may fail a test of {}, or pass",
                counted(steps, "step")
            ),
        ),
        None => (
            Status::Survived,
            format!("can be killed in {length}, but no test of the suite does"),
        ),
    }
}

fn equivalent(result: &MutantResult) -> String {
    match result.killed_when_open {
        None => "proved equivalent: no test exists".to_owned(),
        Some(strength) => format!(
            "proved equivalent: no test exists in its environment (an open one kills it, {})",
            strength.word()
        ),
    }
}

fn not_definitely(potential: Option<&PotentialResult>) -> String {
    let killed = potential.filter(|potential| potential.verdict == VerdictWord::Killed);
    let rest = match killed.and_then(|potential| potential.steps) {
        Some(steps) => format!("it may fail a test of {}, or pass", counted(steps, "step")),
        None => "whether it may fail one is not known".to_owned(),
    };
    format!("proved: no test kills it for certain; {rest}")
}

/// Returns the reason why a mutant is undecided, with the length up to which no test exists and notes.
pub(crate) fn undecided(result: &MutantResult) -> String {
    let reason = result.reason.as_deref().unwrap_or("not decided");
    let mut text = reason.to_owned();
    if let Some(steps) = result.known_to {
        text.push_str(&format!(", no test of up to {}", counted(steps, "step")));
    }
    for note in &result.notes {
        text.push_str(&format!("; {note}"));
    }
    text
}
