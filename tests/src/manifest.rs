//! Manifests: what is expected of every mutant of a model under `tests/models`, and why.
//!
//! An expectation comes from the explicit-state oracle or from a person, never from an engine, but for records that say so
//! ([`crate::designs`]). The oracle's part is
//! written by [`Manifest::of_oracle`]; what people say are the highlights, which the oracle must confirm wherever it can
//! answer at all.

use hyperkill_core::SelectorId;
use std::fmt::Write;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::models::Model;
use crate::oracle::explicit::{self, shortest_kill, shortest_nondeterminism};
use crate::oracle::subsets::{BLINDLY, definite_kill, potential_kill};
use crate::oracle::validity::{can_be_false, selectors_read};

/// What the file says it is.
const SCHEMA: &str = "hyperkill.expected/1";

/// How many product states the oracle may visit per mutant.
const STATES: usize = 1 << 24;

/// All that is expected of one model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of the file.
    pub schema: String,
    /// How the model is to be asked about.
    pub options: Options,
    /// Expectations that a person argues for.
    pub highlights: Vec<Highlight>,
    /// One expectation per mutant, in catalogue order.
    pub mutants: Vec<Expected>,
}

/// How the model is to be asked about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Share choices between the copies (semantics.md §5).
    pub controllable_nd: bool,
    /// Turns of growing effort that the checker may take per mutant; a limit that means the same on every machine.
    pub turns: u32,
}

/// What becomes of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A test exists.
    Killed,
    /// No test exists.
    Equivalent,
    /// No output tells it apart, but it refuses inputs that the model accepts.
    RefusesInput,
    /// It is no model.
    Invalid,
    /// Nobody has found out yet.
    Unknown,
}

/// The most that a kill can guarantee.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// Some test cannot be passed by the mutant.
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
    /// The shortest one has so many steps.
    Killed(usize),
    /// None does.
    Equivalent,
}

/// The answer to φ3: whether some test kills definitely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phi3 {
    /// The shortest one has so many steps.
    Killed(usize),
    /// None does.
    NotDefinitelyKillable,
}

/// Why something is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Enumeration of all reachable states by the oracle.
    ExplicitState,
    /// An argument that a person can follow.
    HandProof,
    /// A paper says so.
    Published,
    /// Another tool says so.
    CrossTool,
    /// The front end refuses it: a latch, a cycle, a place that is not there.
    FrontEnd,
    /// The checker once said so, with evidence that was checked: a record.
    Checker,
}

/// What is expected of one mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Its id.
    pub id: String,
    /// The line of the model it changes.
    pub line: usize,
    /// Its operator and what it changes into what, for people.
    pub change: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Length of the shortest test, of a killed mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// The most that a kill can guarantee.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub strength: Option<Strength>,
    /// The answer to φ2, of models that are not deterministic: nothing is shared there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi2: Option<Phi2>,
    /// The answer to φ3, where model or mutant is not deterministic.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi3: Option<Phi3>,
    /// Why.
    pub basis: Basis,
}

/// What a person expects of a mutant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Highlight {
    /// The place, as the catalogue names it.
    pub path: String,
    /// The text that replaces what stands there.
    pub replacement: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Length of the shortest test, of a killed mutant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub steps: Option<usize>,
    /// The answer to φ2, if that is what the reason is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi2: Option<Phi2>,
    /// The answer to φ3, if that is what the reason is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phi3: Option<Phi3>,
    /// Why, in a word.
    pub basis: Basis,
    /// Why.
    pub reason: String,
}

/// A manifest that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is missing or cannot be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is no manifest.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Nobody knows.
    #[error("mutant {id}, {change}: {why}; a highlight must say what to expect")]
    Unknown {
        /// Its id.
        id: String,
        /// What it changes.
        change: String,
        /// Why the oracle does not know.
        why: String,
    },
    /// A highlight that fits no mutant, or contradicts the oracle.
    #[error("highlight {path} ⇒ `{replacement}`: {what}")]
    Highlight {
        /// The place that it names.
        path: String,
        /// The replacement.
        replacement: String,
        /// What is wrong.
        what: String,
    },
    /// The model itself breaks a condition.
    #[error("the model: {0}")]
    Model(String),
}

impl Manifest {
    /// The manifest beside a model.
    ///
    /// # Errors
    ///
    /// If there is none, or it is malformed.
    pub fn read(model: &Model) -> Result<Manifest, ManifestError> {
        let text = std::fs::read_to_string(model.folder.join("expected.json"))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Puts it beside the model.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, model: &Model) -> Result<(), ManifestError> {
        std::fs::write(model.folder.join("expected.json"), self.text()?)?;
        Ok(())
    }

    /// As JSON, a line per mutant.
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

    /// What the oracle expects of all mutants, under these options; highlights say it where it cannot.
    ///
    /// # Errors
    ///
    /// If neither knows, or they contradict each other.
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

/// What is known of a mutant.
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

/// The oracle, asked about the mutants of one model.
struct Judge<'a> {
    model: &'a Model,
    controllable: bool,
    deterministic: bool,
    /// Per obligation and selector, whether the one reads the other.
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
            // Between copies that do not choose there is nothing to share.
            controllable: options.controllable_nd && !deterministic,
            deterministic,
            reads: (model.obligations.iter())
                .map(|obligation| selectors_read(&model.checks, obligation.lit))
                .collect(),
        })
    }

    /// What becomes of the mutant behind this selector; or why that is not known.
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
        // The original breaks none, and so does who is not read.
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

    /// What a kill of a mutant of a deterministic model guarantees: all of it, unless the mutant chooses.
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
