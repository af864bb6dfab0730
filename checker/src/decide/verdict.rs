//! Derives a verdict from the facts about a mutant: a pure function, defined at any time.

use hyperkill_core::budget::Stop;
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::verdict::{
    Certificate, Engine, InputEnabled, Kill, Potential, Reason, Strength, Stronger, Verdict,
};

use super::facts::{Facts, Knowledge};
use crate::schedule::mutants::Options;

/// A verdict, the engine that found it, and notes that users need to interpret it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concluded {
    /// The verdict, as an answer to the question asked.
    pub verdict: Verdict,
    /// The engine that found the kill or the proof; `None` if there is neither.
    pub engine: Option<Engine>,
    /// Notes that users need to interpret the verdict, one sentence each.
    pub notes: Vec<String>,
}

/// Returns the verdict that the facts give on the question asked, when work has ended or was `stopped`.
///
/// | question | known | verdict |
/// | --- | --- | --- |
/// | any | no test kills potentially | equivalent, or refuses input |
/// | any | a definite kill | killed |
/// | potential kills | an adaptive, potential or controllable kill | killed, and whether a definite kill exists |
/// | definite kills | no test kills definitely | killed by an adaptive test, or not definitely killable |
/// | any | none of these | unknown |
#[must_use]
pub fn verdict(facts: &Facts, asked: &Options, stopped: Option<Stop>) -> Concluded {
    let conclusion = Conclusion {
        facts,
        asked,
        stopped,
    };
    let (verdict, engine) = conclusion.verdict();
    let notes = conclusion.notes(&verdict);
    Concluded {
        verdict,
        engine,
        notes,
    }
}

struct Conclusion<'a> {
    facts: &'a Facts,
    asked: &'a Options,
    stopped: Option<Stop>,
}

impl Conclusion<'_> {
    fn verdict(&self) -> (Verdict, Option<Engine>) {
        let facts = self.facts;
        if let Some((engine, certificate)) = &facts.potential.excluded {
            return self.equivalent(*engine, certificate);
        }
        let asks = self.asks_for_definite();
        if let Some((engine, kill)) = facts.definite.best.as_ref().filter(|_| asks) {
            let kill = self.as_short(kill, Relation::Agreeing);
            return (Verdict::Killed(Box::new(kill)), Some(*engine));
        }
        if self.asked.definite_only {
            self.not_definite()
        } else {
            self.weaker()
        }
    }

    fn asks_for_definite(&self) -> bool {
        let asks = self.asked.definite_only || self.asked.strengthens;
        asks && !self.asked.arranges_choices
    }

    /// Returns the verdict, and the engine that found it, if there is no definite kill and a weaker kill answers the question.
    fn weaker(&self) -> (Verdict, Option<Engine>) {
        let Some((engine, kill)) = &self.facts.potential.best else {
            return self.unknown(Relation::Matched);
        };
        let stronger = match kill.strength {
            Strength::Definite => Stronger::NotAsked,
            _ => self.stronger(),
        };
        if let Some(adaptive) = &self.facts.adaptive {
            let kill = Kill {
                stronger,
                ..adaptive.clone()
            };
            return (Verdict::Killed(Box::new(kill)), Some(Engine::Game));
        }
        let kill = Kill {
            stronger,
            ..self.as_short(kill, Relation::Matched)
        };
        (Verdict::Killed(Box::new(kill)), Some(*engine))
    }

    /// Returns the verdict, and the engine that found it, if there is no definite kill and only definite and adaptive kills answer the
    /// question.
    fn not_definite(&self) -> (Verdict, Option<Engine>) {
        if let Some(adaptive) = &self.facts.adaptive {
            let kill = Kill {
                stronger: match &self.facts.definite.excluded {
                    Some(_) => self.stronger(),
                    None => Stronger::NotAsked,
                },
                ..adaptive.clone()
            };
            return (Verdict::Killed(Box::new(kill)), Some(Engine::Game));
        }
        let Some((engine, certificate)) = &self.facts.definite.excluded else {
            return self.unknown(Relation::Agreeing);
        };
        let potential = match &self.facts.potential.best {
            Some((_, kill)) => Potential::Killed(Box::new(self.as_short(kill, Relation::Matched))),
            None => {
                let (known_to, reason) = self.limits(Relation::Matched);
                Potential::Unsettled { known_to, reason }
            }
        };
        let verdict = Verdict::NotDefinitelyKillable {
            certificate: certificate.clone(),
            potential,
        };
        (verdict, Some(*engine))
    }

    fn equivalent(&self, engine: Engine, certificate: &Certificate) -> (Verdict, Option<Engine>) {
        let certificate = certificate.clone();
        match &self.facts.accepts {
            InputEnabled::Unsettled => {
                let known_to = match certificate {
                    Certificate::Induction { proof, .. } => self.within_the_bound(proof.k),
                    Certificate::ClosedSet(_)
                    | Certificate::Simulation(_)
                    | Certificate::Estimates(_) => 0,
                };
                let reason = Reason::Acceptance;
                (Verdict::Unknown { known_to, reason }, None)
            }
            InputEnabled::Differently {
                mutant_refuses: true,
                run,
                ..
            } => {
                let run = run.clone();
                (Verdict::RefusesInput { run, certificate }, Some(engine))
            }
            InputEnabled::Equally(_) | InputEnabled::Differently { .. } => {
                (Verdict::Equivalent(certificate), Some(engine))
            }
        }
    }

    fn unknown(&self, relation: Relation) -> (Verdict, Option<Engine>) {
        let (known_to, reason) = self.limits(relation);
        (Verdict::Unknown { known_to, reason }, None)
    }

    fn stronger(&self) -> Stronger {
        if !self.asks_for_definite() {
            return Stronger::NotAsked;
        }
        match &self.facts.definite.excluded {
            Some((_, certificate)) => Stronger::Excluded(Box::new(certificate.clone())),
            None => {
                let (known_to, reason) = self.limits(Relation::Agreeing);
                Stronger::Unsettled { known_to, reason }
            }
        }
    }

    /// Returns the length, in steps, up to which no test kills in the sense of `relation`, and the limit that ended the search.
    fn limits(&self, relation: Relation) -> (usize, Reason) {
        let refuted = self.facts.refuted(relation);
        let searched = self.asked.reachability.bound.is_some_and(|b| refuted >= b);
        let reason = match self.stopped {
            Some(stop) => stop.into(),
            None if searched => Reason::Bound,
            None => self.facts.of(relation).reason,
        };
        (self.within_the_bound(refuted), reason)
    }

    fn within_the_bound(&self, steps: usize) -> usize {
        steps.min(self.asked.reachability.bound.unwrap_or(usize::MAX))
    }

    /// Returns the kill, marked as shortest if every smaller length is refuted.
    fn as_short(&self, kill: &Kill, relation: Relation) -> Kill {
        Kill {
            shortest: kill.shortest || self.facts.refuted(relation) + 1 >= kill.steps(),
            ..kill.clone()
        }
    }

    fn notes(&self, verdict: &Verdict) -> Vec<String> {
        let mut notes = Vec::new();
        if let Verdict::Unknown {
            reason: Reason::Acceptance,
            ..
        } = verdict
        {
            notes.push(
                "proved equivalent on the inputs that both accept; whether the mutant refuses inputs that the model accepts is open"
                    .to_owned(),
            );
        }
        if let Some(reason) = self.stopped.map(Reason::from) {
            match verdict {
                Verdict::Killed(kill) if self.asked.shortest && !kill.shortest => notes.push(format!(
                    "the work on this mutant was cut short ({reason}): a shorter test may exist"
                )),
                Verdict::Unknown { .. } if self.facts.seen => notes.push(format!(
                    "a run with other outputs was found; the check that no run of the model has them was cut short ({reason})"
                )),
                _ => {}
            }
        }
        if reasons(verdict) == Some(Reason::Engines) {
            notes.push(self.what_else().to_owned());
        }
        notes
    }

    /// Returns the note that the chosen engines have nothing more to try; it names engines that could go on.
    fn what_else(&self) -> &'static str {
        if self.asked.pairs_are_kills {
            "the engines asked for have nothing more to try; `bmc` searches for longer tests, `induction` and `pdr` for proofs"
        } else {
            "the engines asked for have nothing more to try; `exists-forall` searches for longer tests, `explicit` for proofs too"
        }
    }
}

/// Returns the reason why the verdict, or a part of it, is open; `None` if nothing is open.
fn reasons(verdict: &Verdict) -> Option<Reason> {
    match verdict {
        Verdict::Unknown { reason, .. } => Some(*reason),
        Verdict::Killed(kill) => match kill.stronger {
            Stronger::Unsettled { reason, .. } => Some(reason),
            Stronger::NotAsked | Stronger::Excluded(_) => None,
        },
        Verdict::NotDefinitelyKillable {
            potential: Potential::Unsettled { reason, .. },
            ..
        } => Some(*reason),
        _ => None,
    }
}

/// Whether a search for definite kills may still improve the verdict, given the facts.
#[must_use]
pub fn asks_for_definite(facts: &Facts, asked: &Options) -> bool {
    if facts.potential.excluded.is_some() {
        return false;
    }
    // No test within the bound kills, even potentially.
    let bound = asked.reachability.bound;
    let searched = bound.is_some_and(|bound| facts.potential.refuted >= bound);
    if searched && facts.potential.best.is_none() && !asked.definite_only {
        return false;
    }
    // No definite kill is shorter than the shortest potential one, and every kill of a deterministic mutant is definite.
    let settled = |kill: &Kill| {
        !asked.shortest
            || kill.shortest
            || kill.sole_run
            || facts.refuted(Relation::Agreeing) + 1 >= kill.steps()
    };
    !(facts.definite.best.as_ref()).is_some_and(|(_, kill)| settled(kill))
}

/// Whether no kill is known and all tests within the bound are refuted; `refuted` is their length.
#[must_use]
pub fn is_searched(knowledge: &Knowledge, refuted: usize, asked: &Options) -> bool {
    knowledge.best.is_none()
        && asked
            .reachability
            .bound
            .is_some_and(|bound| refuted >= bound)
}

#[cfg(test)]
mod tests {
    use hyperkill_core::SelectorId;
    use hyperkill_core::first_values::FirstValues;
    use hyperkill_core::trace::Stimulus;
    use hyperkill_evidence::proof::Proof;
    use hyperkill_evidence::question::Question;
    use hyperkill_evidence::verdict::Inclusion;

    use super::*;
    use crate::schedule::reachability;

    fn asked() -> Options {
        Options {
            definite_only: false,
            strengthens: true,
            adaptive: true,
            pairs_are_kills: false,
            arranges_choices: false,
            observable: false,
            shortest: true,
            reachability: reachability::Options::UNLIMITED,
        }
    }

    fn definite_only() -> Options {
        Options {
            definite_only: true,
            strengthens: false,
            ..asked()
        }
    }

    fn kill(strength: Strength, steps: usize) -> Kill {
        let run = Stimulus {
            initial: FirstValues::default(),
            steps: vec![Vec::new(); steps],
        };
        Kill {
            strength,
            model_run: run.clone(),
            mutant_run: run,
            shortest: false,
            sole_run: false,
            stronger: Stronger::NotAsked,
            tree: None,
        }
    }

    fn proof(k: usize) -> Option<(Engine, Certificate)> {
        let proof = Proof {
            k,
            simple_path: false,
            facts: Vec::new(),
            facts_depth: 1,
        };
        let question = Question::identity(SelectorId(0));
        Some((
            Engine::Induction,
            Certificate::Induction { question, proof },
        ))
    }

    /// Returns the facts with a kill of this strength and length.
    fn with(mut facts: Facts, strength: Strength, steps: usize) -> Facts {
        let kill = kill(strength, steps);
        match strength {
            Strength::Adaptive => facts.adaptive = Some(kill),
            _ => facts.kill(Relation::Matched, Engine::Bmc, &kill),
        }
        facts
    }

    /// Returns facts without a kill, with these refuted lengths for potential and for definite kills.
    fn searched(potential: usize, definite: usize) -> Facts {
        let mut facts = Facts::default();
        for (knowledge, steps) in [
            (&mut facts.potential, potential),
            (&mut facts.definite, definite),
        ] {
            knowledge.refute(steps);
            knowledge.reason = Reason::Bound;
        }
        facts
    }

    fn excluded(mut facts: Facts, relation: Relation) -> Facts {
        facts.of_mut(relation).excluded = proof(3);
        facts
    }

    fn accepting(mut facts: Facts) -> Facts {
        facts.accepts = InputEnabled::Equally(Inclusion::Unconstrained);
        facts
    }

    /// Returns the verdict as one line.
    fn line(facts: &Facts, asked: &Options, stopped: Option<Stop>) -> String {
        let kill = |kill: &Kill| {
            let shortest = if kill.shortest { ", shortest" } else { "" };
            let stronger = match &kill.stronger {
                Stronger::NotAsked => String::new(),
                Stronger::Excluded(_) => ", nothing stronger".to_owned(),
                Stronger::Unsettled { known_to, reason } => {
                    format!(", nothing stronger to {known_to} ({reason})")
                }
            };
            format!("{} in {}{shortest}{stronger}", kill.strength, kill.steps())
        };
        let Concluded { verdict, notes, .. } = verdict(facts, asked, stopped);
        let said = match &verdict {
            Verdict::Killed(found) => format!("killed: {}", kill(found)),
            Verdict::Unknown { known_to, reason } => format!("unknown to {known_to} ({reason})"),
            Verdict::NotDefinitelyKillable { potential, .. } => match potential {
                Potential::Killed(found) => format!("not definitely killable: {}", kill(found)),
                Potential::Unsettled { known_to, reason } => {
                    format!("not definitely killable: unknown to {known_to} ({reason})")
                }
            },
            other => other.word().to_owned(),
        };
        let notes = if notes.is_empty() { "" } else { " + note" };
        format!("{said}{notes}")
    }

    #[test]
    fn facts_come_to_these_verdicts() {
        use Relation::{Agreeing, Matched};
        use Strength::{Adaptive, Definite, Potential};
        let none = Facts::default;
        let potential = || with(searched(3, 4), Potential, 4);
        let both = || with(with(searched(1, 1), Potential, 4), Definite, 7);
        let late = Some(Stop::Time);
        let (auto, strict) = (asked(), definite_only());
        let phi2 = Options {
            strengthens: false,
            ..asked()
        };
        let bounded = Options {
            reachability: reachability::Options {
                bound: Some(2),
                ..reachability::Options::UNLIMITED
            },
            ..asked()
        };
        let table = [
            // The columns: facts, question, limit, expected line.
            (none(), auto, None, "unknown to 0 (engines) + note"),
            (none(), auto, late, "unknown to 0 (time)"),
            (searched(5, 6), auto, None, "unknown to 5 (bound)"),
            (searched(5, 6), strict, None, "unknown to 6 (bound)"),
            (searched(5, 6), bounded, None, "unknown to 2 (bound)"),
            (
                potential(),
                auto,
                None,
                "killed: potential in 4, shortest, nothing stronger to 4 (bound)",
            ),
            (potential(), phi2, None, "killed: potential in 4, shortest"),
            (potential(), strict, None, "unknown to 4 (bound)"),
            (potential(), strict, late, "unknown to 4 (time)"),
            (both(), auto, None, "killed: definite in 7"),
            (both(), auto, late, "killed: definite in 7 + note"),
            (both(), strict, None, "killed: definite in 7"),
            (both(), phi2, None, "killed: potential in 4"),
            (
                with(none(), Definite, 1),
                auto,
                None,
                "killed: definite in 1, shortest",
            ),
            (
                with(potential(), Adaptive, 5),
                auto,
                None,
                "killed: adaptive in 5, nothing stronger to 4 (bound)",
            ),
            (
                with(potential(), Adaptive, 5),
                strict,
                None,
                "killed: adaptive in 5",
            ),
            (
                excluded(potential(), Agreeing),
                auto,
                None,
                "killed: potential in 4, shortest, nothing stronger",
            ),
            (
                excluded(potential(), Agreeing),
                strict,
                None,
                "not definitely killable: potential in 4, shortest",
            ),
            (
                excluded(searched(5, 5), Agreeing),
                strict,
                None,
                "not definitely killable: unknown to 5 (bound)",
            ),
            (
                excluded(searched(5, 5), Agreeing),
                auto,
                None,
                "unknown to 5 (bound)",
            ),
            (
                excluded(with(potential(), Adaptive, 5), Agreeing),
                strict,
                None,
                "killed: adaptive in 5, nothing stronger",
            ),
            (
                accepting(excluded(none(), Matched)),
                auto,
                None,
                "equivalent",
            ),
            (
                accepting(excluded(none(), Matched)),
                strict,
                late,
                "equivalent",
            ),
            (
                excluded(none(), Matched),
                auto,
                None,
                "unknown to 3 (acceptance) + note",
            ),
        ];
        for (facts, asked, stopped, expected) in table {
            let said = line(&facts, &asked, stopped);
            assert_eq!(said, expected, "{facts:?}, {asked:?}, {stopped:?}");
        }
    }

    #[test]
    fn a_verdict_never_gets_weaker_by_more_facts() {
        let rank = |facts: &Facts, asked: &Options| match verdict(facts, asked, None).verdict {
            Verdict::Unknown { known_to, .. } => (0, known_to),
            Verdict::Killed(kill) => (1 + kill.strength as usize, 0),
            _ => (9, 0),
        };
        for asked in [asked(), definite_only()] {
            let mut facts = Facts::default();
            let mut before = rank(&facts, &asked);
            let steps: [&dyn Fn(Facts) -> Facts; 5] = [
                &|mut facts| {
                    facts.potential.refute(2);
                    facts.definite.refute(2);
                    facts
                },
                &|facts| with(facts, Strength::Potential, 4),
                &|facts| with(facts, Strength::Adaptive, 6),
                &|facts| with(facts, Strength::Definite, 9),
                &|facts| with(facts, Strength::Potential, 3),
            ];
            for step in steps {
                facts = step(facts);
                let now = rank(&facts, &asked);
                assert!(now >= before, "{facts:?}");
                before = now;
            }
        }
    }
}
