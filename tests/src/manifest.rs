//! Manifests: the expected verdict of every mutant of a model under `tests/models`, with its basis.
//!
//! An expectation comes from the explicit-state oracle or from a person, never from an engine. The only exceptions are records marked as
//! such ([`crate::designs`]). [`Manifest::of_oracle`] writes the oracle's part. Highlights are the expectations of people; the oracle must
//! confirm them wherever it has an answer.

use hyperkill_core::SelectorId;
use std::fmt::Write;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::models::Model;
use crate::oracle::explicit::{self, shortest_kill, shortest_nondeterminism};
use crate::oracle::subsets::{BLINDLY, definite_kill, potential_kill};
use crate::oracle::validity::{can_be_false, selectors_read};

/// The format that the file declares.
const SCHEMA: &str = "hyperkill.expected/1";

/// The largest number of product states that the oracle visits per mutant.
const STATES: usize = 1 << 24;

/// All expectations for one model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of the file.
    pub schema: String,
    /// The options under which the model is checked.
    pub options: Options,
    /// Expectations that a person argues for.
    pub highlights: Vec<Highlight>,
    /// One expectation per mutant, in catalogue order.
    pub mutants: Vec<Expected>,
}

/// The options under which the model is checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Whether the copies share choices (semantics.md §5).
    pub controllable_nd: bool,
    /// Turns of growing effort that the checker may take per mutant: a limit with the same meaning on every machine.
    pub turns: u32,
}

/// The verdict on a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A test kills the mutant.
    Killed,
    /// No test kills the mutant.
    Equivalent,
    /// No output differs, but the mutant refuses inputs that the model accepts.
    RefusesInput,
    /// The mutant is no model.
    Invalid,
    /// No verdict on the mutant is known.
    Unknown,
}

/// The strongest guarantee of any kill.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Some test always fails the mutant.
    Definite,
    /// The mutant can pass every test.
    Potential,
    /// The model is not deterministic, and choices are shared.
    Controllable,
}

/// The answer to φ2: whether some test kills potentially.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phi2 {
    /// Some test kills potentially; the shortest one has this many steps.
    Killed(usize),
    /// No test kills potentially.
    Equivalent,
}

/// The answer to φ3: whether some test kills definitely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phi3 {
    /// Some test kills definitely; the shortest one has this many steps.
    Killed(usize),
    /// No test kills definitely.
    NotDefinitelyKillable,
}

/// The basis of an expectation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Enumeration of all reachable states by the oracle.
    ExplicitState,
    /// An argument that a person can follow.
    HandProof,
    /// A statement in a paper.
    Published,
    /// The answer of another tool.
    CrossTool,
    /// A refusal by the front end: a latch, a cycle, or a place that does not exist.
    FrontEnd,
    /// A record: an earlier answer of the checker, whose evidence was checked.
    Checker,
}

/// The expectation for one mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The id of the mutant.
    pub id: String,
    /// The line, from 1, of the model that the mutant changes.
    pub line: usize,
    /// Its operator and the change that it makes, for people.
    pub change: String,
    /// The expected verdict.
    pub verdict: Verdict,
    /// Length of the shortest test of a killed mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// The strongest guarantee of any kill.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<Strength>,
    /// The answer to φ2, for models that are not deterministic. Choices are not shared in this question.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi2: Option<Phi2>,
    /// The answer to φ3, if model or mutant is not deterministic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi3: Option<Phi3>,
    /// The basis of the verdict.
    pub basis: Basis,
}

/// A person's expectation for a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Highlight {
    /// The place, as named by the catalogue.
    pub path: String,
    /// The replacement for the text at that place.
    pub replacement: String,
    /// The expected verdict.
    pub verdict: Verdict,
    /// Length of the shortest test of a killed mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// The answer to φ2, if the reason concerns it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi2: Option<Phi2>,
    /// The answer to φ3, if the reason concerns it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi3: Option<Phi3>,
    /// The basis of the expectation.
    pub basis: Basis,
    /// The argument for the expectation.
    pub reason: String,
}

/// An error in reading, writing or building a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file is missing or cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file is no manifest.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Neither the oracle nor a highlight gives a verdict.
    #[error("mutant {id}, {change}: {why}; a highlight must say what to expect")]
    Unknown {
        /// The id of the mutant.
        id: String,
        /// The change that the mutant makes.
        change: String,
        /// The reason why the oracle has no answer.
        why: String,
    },
    /// A highlight that matches no mutant, or contradicts the oracle.
    #[error("highlight {path} ⇒ `{replacement}`: {what}")]
    Highlight {
        /// The place named by the highlight.
        path: String,
        /// The replacement that the highlight names.
        replacement: String,
        /// The contradiction, in words.
        what: String,
    },
    /// The model itself breaks a condition.
    #[error("the model: {0}")]
    Model(String),
}

impl Manifest {
    /// Reads the manifest beside a model.
    ///
    /// # Errors
    ///
    /// If the file is missing or malformed.
    pub fn read(model: &Model) -> Result<Manifest, ManifestError> {
        let text = std::fs::read_to_string(model.folder.join("expected.json"))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Writes the manifest beside the model.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, model: &Model) -> Result<(), ManifestError> {
        std::fs::write(model.folder.join("expected.json"), self.text()?)?;
        Ok(())
    }

    /// Returns the manifest as JSON, with one line per mutant.
    ///
    /// # Errors
    ///
    /// Never for a manifest.
    pub fn text(&self) -> Result<String, ManifestError> {
        let head = Manifest {
            mutants: Vec::new(),
            ..self.clone()
        };
        let head = serde_json::to_string_pretty(&head)?;
        let mut text = head.trim_end_matches("[]\n}").to_owned();
        text.push('[');
        for (i, mutant) in self.mutants.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(text, "{comma}\n    {}", serde_json::to_string(mutant)?);
        }
        text.push_str("\n  ]\n}\n");
        Ok(text)
    }

    /// Builds the manifest from the oracle's answers under these options. A highlight gives the expectation where the oracle has no answer.
    ///
    /// # Errors
    ///
    /// If neither gives an expectation, if a highlight contradicts the oracle, or if it matches no mutant.
    pub fn of_oracle(
        model: &Model,
        options: Options,
        highlights: Vec<Highlight>,
    ) -> Result<Manifest, ManifestError> {
        let judge = Judge::new(model, &options)?;
        let known: Vec<Result<Found, String>> = (model.catalogue.par_iter())
            .map(|(mutant, rejected)| {
                let mut selectors = model.system.selectors.iter();
                match selectors.position(|selector| selector.id == mutant.id) {
                    Some(selector) => judge.expect(SelectorId(selector)),
                    None => Err(format!(
                        "the front end rejects it ({})",
                        rejected.as_deref().unwrap_or("without a reason")
                    )),
                }
            })
            .collect();
        let mut mutants = Vec::new();
        let mut fits = vec![false; highlights.len()];
        for ((mutant, _), known) in model.catalogue.iter().zip(known) {
            let highlight = highlights.iter().position(|highlight| {
                highlight.path == mutant.path && highlight.replacement == mutant.replacement
            });
            let change = format!(
                "{}: {} ⇒ {}",
                mutant.operator,
                one_line(&mutant.original),
                one_line(&mutant.replacement)
            );
            let found = match (known, highlight) {
                (Ok(found), _) => found,
                (Err(_), Some(index)) => Found::of(&highlights[index]),
                (Err(why), None) => {
                    let id = mutant.id.to_string();
                    return Err(ManifestError::Unknown { id, change, why });
                }
            };
            if let Some(index) = highlight {
                fits[index] = true;
                highlights[index].must_agree(found)?;
            }
            mutants.push(Expected {
                id: mutant.id.to_string(),
                line: mutant.place.line,
                change,
                verdict: found.verdict,
                steps: found.steps,
                strength: found.strength,
                phi2: found.phi2,
                phi3: found.phi3,
                basis: found.basis,
            });
        }
        if let Some(index) = fits.iter().position(|&fits| !fits) {
            return Err(highlights[index].wrong("there is no such mutant".to_owned()));
        }
        Ok(Manifest {
            schema: SCHEMA.to_owned(),
            options,
            highlights,
            mutants,
        })
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The result for a mutant.
#[derive(Clone, Copy)]
struct Found {
    verdict: Verdict,
    steps: Option<usize>,
    strength: Option<Strength>,
    phi2: Option<Phi2>,
    phi3: Option<Phi3>,
    basis: Basis,
}

impl Found {
    fn of(highlight: &Highlight) -> Found {
        Found {
            verdict: highlight.verdict,
            steps: highlight.steps,
            strength: None,
            phi2: highlight.phi2,
            phi3: highlight.phi3,
            basis: highlight.basis,
        }
    }
}

impl Highlight {
    fn wrong(&self, what: String) -> ManifestError {
        ManifestError::Highlight {
            path: self.path.clone(),
            replacement: self.replacement.clone(),
            what,
        }
    }

    fn must_agree(&self, found: Found) -> Result<(), ManifestError> {
        let (phi2, phi3) = (self.phi2.or(found.phi2), self.phi3.or(found.phi3));
        let said = (self.verdict, self.steps, phi2, phi3);
        let known = (found.verdict, found.steps, found.phi2, found.phi3);
        if said == known {
            return Ok(());
        }
        Err(self.wrong(format!("the oracle says {known:?}, not {said:?}")))
    }
}

/// The oracle for the mutants of one model.
struct Judge<'a> {
    model: &'a Model,
    controllable: bool,
    deterministic: bool,
    /// By obligation and selector: whether the obligation reads the selector.
    reads: Vec<Vec<bool>>,
}

impl Judge<'_> {
    fn new<'a>(model: &'a Model, options: &Options) -> Result<Judge<'a>, ManifestError> {
        for obligation in &model.obligations {
            match can_be_false(&model.checks, obligation.lit, None) {
                Ok(false) => {}
                Ok(true) => return Err(ManifestError::Model(obligation.message.clone())),
                Err(too_large) => return Err(ManifestError::Model(too_large.to_string())),
            }
        }
        let deterministic = match shortest_nondeterminism(&model.system, None, STATES) {
            explicit::Verdict::Equivalent => true,
            explicit::Verdict::Killed(_) => false,
            explicit::Verdict::TooBig => {
                let what = "too many states to tell whether it is deterministic";
                return Err(ManifestError::Model(what.to_owned()));
            }
        };
        if !deterministic && !options.controllable_nd {
            let what = "not deterministic: the oracle for models of this size needs shared choices";
            return Err(ManifestError::Model(what.to_owned()));
        }
        Ok(Judge {
            model,
            // Copies without choices have nothing to share.
            controllable: options.controllable_nd && !deterministic,
            deterministic,
            reads: (model.obligations.iter())
                .map(|obligation| selectors_read(&model.checks, obligation.lit))
                .collect(),
        })
    }

    /// Returns the result for the mutant behind this selector, or the reason why the oracle has none.
    fn expect(&self, selector: SelectorId) -> Result<Found, String> {
        let system = &self.model.system;
        let mut found = Found {
            verdict: Verdict::Invalid,
            steps: None,
            strength: None,
            phi2: None,
            phi3: None,
            basis: Basis::ExplicitState,
        };
        // The original breaks no obligation. Nor does a mutant whose selector the obligation does not read.
        let obligations = self.model.obligations.iter().zip(&self.reads);
        for (obligation, _) in obligations.filter(|(_, reads)| reads[selector.0]) {
            if can_be_false(&self.model.checks, obligation.lit, Some(selector))
                .map_err(|e| e.to_string())?
            {
                return Ok(found);
            }
        }
        match shortest_kill(system, selector, self.controllable, STATES) {
            explicit::Verdict::Killed(steps) => {
                found.verdict = Verdict::Killed;
                found.steps = Some(steps);
            }
            explicit::Verdict::Equivalent => found.verdict = Verdict::Equivalent,
            explicit::Verdict::TooBig => return Err("too many states for the oracle".to_owned()),
        }
        if self.deterministic {
            if found.verdict == Verdict::Killed {
                self.strengthen(selector, &mut found)?;
            }
            return Ok(found);
        }
        let potential =
            potential_kill(system, selector, BLINDLY).map_err(|e| format!("φ2: {e}"))?;
        found.phi2 = Some(potential.map_or(Phi2::Equivalent, Phi2::Killed));
        found.phi3 = Some(self.definite(selector)?);
        found.strength = (found.steps).map(|_| Strength::Controllable);
        Ok(found)
    }

    fn definite(&self, selector: SelectorId) -> Result<Phi3, String> {
        let definite =
            definite_kill(&self.model.system, selector, BLINDLY).map_err(|e| format!("φ3: {e}"))?;
        Ok(definite.map_or(Phi3::NotDefinitelyKillable, Phi3::Killed))
    }

    /// Sets the strength of a kill for a deterministic model: definite, unless the mutant makes choices and no test kills it definitely.
    fn strengthen(&self, selector: SelectorId, found: &mut Found) -> Result<(), String> {
        let chooses = shortest_nondeterminism(&self.model.system, Some(selector), STATES);
        found.strength = Some(Strength::Definite);
        if chooses != explicit::Verdict::Equivalent {
            let definite = self.definite(selector)?;
            found.phi3 = Some(definite);
            if definite == Phi3::NotDefinitelyKillable {
                found.strength = Some(Strength::Potential);
            }
        }
        Ok(())
    }
}
