//! The options of a run that results depend on, as its folder records them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hyperkill_checker::rounds::Ask;
use hyperkill_checker::schedule::Engines;
use hyperkill_core::suite::TestKind;
use hyperkill_evidence::verdict::Property;
use hyperkill_frontend::domain::{Cost, Method};

use super::command::ExternalCommand;
use super::values::{EngineList, Limit, Memory, Percent, Spelled};
use crate::documents::Asked;
use crate::procedure::Task;
use crate::selection::Selection;
use crate::unfit::Unfit;

/// All options that results depend on. The options of the model are with the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// The killing formula that is asked about each mutant.
    pub ask: Ask,
    /// The mutants, and the seed of everything random.
    pub selection: Selection,
    /// The limit on the length of tests and runs, in steps; `None` if the user sets none.
    pub bound: Option<usize>,
    /// The time limit of each mutant.
    pub timeout: Spelled<Limit>,
    /// The time limit of the run.
    pub total_timeout: Spelled<Limit>,
    /// The limit on the memory of the process.
    pub memory: Spelled<Memory>,
    /// The engines.
    pub engines: Spelled<EngineList>,
    /// The commands of external model checkers.
    pub external: Vec<Spelled<ExternalCommand>>,
    /// The kind of tests, if the user wants one.
    pub tests: Option<TestKind>,
    /// Whether tests control choices like inputs.
    pub controllable: bool,
    /// Whether redundant tests are removed.
    pub minimise: bool,
    /// Whether undecided mutants leave the exit status unchanged.
    pub accepts_unknown: bool,
    /// The least mutation score.
    pub fail_under: Option<Spelled<Percent>>,
    /// Accepted mutants: their ids, with optional reasons.
    pub accepted: Vec<String>,
    /// The longest test for a domain of faults, in inputs.
    pub longest: Option<usize>,
    /// The size that is minimised in a suite for a domain of faults; `None` in commands that make no such suite.
    pub cost: Option<Cost>,
    /// The classic method that gives the initial suite of the search.
    pub method: Option<Method>,
}

/// The prefix of the option with the killing formula that is asked.
const PROPERTY: &str = "--property=";

/// Adds the option `--property=…` for this question to options, and sorts them.
pub fn with_question(mut options: Vec<String>, ask: Ask) -> Vec<String> {
    options.push(match ask {
        Ask::Auto => format!("{PROPERTY}auto"),
        Ask::Only(property) => format!("{PROPERTY}{property}"),
    });
    options.sort_unstable();
    options
}

/// An invalid option of a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misread {
    /// The option is unknown.
    #[error("unexpected argument found")]
    Unknown(String),
    /// The value of the option is invalid.
    #[error("invalid value for one of the arguments")]
    Value(String),
}

impl Default for Options {
    /// Returns the default options.
    fn default() -> Options {
        let engines = EngineList::usual();
        Options {
            ask: Ask::Auto,
            selection: Selection::default(),
            bound: None,
            timeout: Spelled::new(Limit(Some(Duration::from_secs(60))), "60s"),
            total_timeout: Spelled::new(Limit(None), "none"),
            memory: Spelled::new(Memory(None), "none"),
            engines: Spelled::new(engines, EngineList::ALL),
            external: Vec::new(),
            tests: None,
            controllable: false,
            minimise: true,
            accepts_unknown: false,
            fail_under: None,
            accepted: Vec::new(),
            longest: None,
            cost: Some(Cost::Tests),
            method: None,
        }
    }
}

const QUESTIONS: [Property; 4] = [
    Property::Phi1,
    Property::Phi2,
    Property::Phi3,
    Property::Phi4,
];
const TESTS: [TestKind; 4] = [
    TestKind::Linear,
    TestKind::Local,
    TestKind::Global,
    TestKind::Tree,
];
const COSTS: [(Cost, &str); 3] = [
    (Cost::Tests, "tests"),
    (Cost::Inputs, "inputs"),
    (Cost::Time, "time"),
];

/// Returns the value in `all` whose name is `word`; `None` if there is none.
fn among<T: Copy + fmt::Display>(all: &[T], word: &str) -> Option<T> {
    all.iter().copied().find(|value| value.to_string() == word)
}

impl Options {
    /// Returns the options of a run with this task and selection, without a limit for the whole run. Other model checkers are not among
    /// them: they are programs, which only the binary knows.
    #[must_use]
    pub fn of(task: &Task, selection: &Selection) -> Options {
        let engines = EngineList {
            own: task.engines.unwrap_or(Engines::ALL),
            abc: false,
            external: false,
        };
        Options {
            ask: task.ask,
            selection: selection.clone(),
            bound: task.bound,
            timeout: Spelled::new(Limit(task.timeout), limit(task.timeout)),
            engines: Spelled::new(engines, engines.to_string()),
            tests: task.tests,
            controllable: task.controllable,
            minimise: task.minimise,
            longest: task.aim.longest,
            cost: Some(task.aim.cost),
            method: task.aim.method,
            ..Options::default()
        }
    }

    /// Parses the options in the documents of a run.
    ///
    /// # Errors
    /// If this version does not have one of the options.
    pub fn read(words: &[String]) -> Result<Options, Misread> {
        let mut options = Options {
            cost: None,
            ..Options::default()
        };
        for word in words {
            options.take(word)?;
        }
        Ok(options)
    }

    /// Reads the options of a run by its question.
    ///
    /// # Errors
    /// If this version does not have one of the options.
    pub fn of_run(asked: &Asked) -> Result<Options, Unfit> {
        Options::read(&asked.options).map_err(|misread| {
            Unfit::new("the recorded options of the run cannot be read")
                .with_help(misread.to_string())
        })
    }

    fn take(&mut self, word: &str) -> Result<(), Misread> {
        fn value<T: FromStr>(text: &str, word: &str) -> Result<T, Misread> {
            text.parse().map_err(|_| Misread::Value(word.to_owned()))
        }
        let one_of = |found: Option<_>| found.ok_or_else(|| Misread::Value(word.to_owned()));
        let Some((name, text)) = word.split_once('=') else {
            return self.set(word);
        };
        let at_least_one = |text: &str| match value(text, word)? {
            0 => Err(Misread::Value(word.to_owned())),
            number => Ok(Some(number)),
        };
        let chosen = &mut self.selection;
        match name {
            "--mutant" => chosen.mutants.push(text.to_owned()),
            "--operator" => chosen.operators.push(text.to_owned()),
            "--file" => chosen.lines.push(value(text, word)?),
            "--exclude" => chosen.exclude.push(text.to_owned()),
            "--sample" => chosen.sample = at_least_one(text)?,
            "--shard" => chosen.shard = Some(value(text, word)?),
            "--seed" => chosen.seed = value(text, word)?,
            "--bound" => self.bound = at_least_one(text)?,
            "--timeout" => self.timeout = value(text, word)?,
            "--total-timeout" => self.total_timeout = value(text, word)?,
            "--memory" => self.memory = value(text, word)?,
            "--engine" => self.engines = value(text, word)?,
            "--external" => self.external.push(value(text, word)?),
            "--accept" if text == "unknown" => self.accepts_unknown = true,
            "--fail-under" => self.fail_under = Some(value(text, word)?),
            "--accept-mutant" => self.accepted.push(text.to_owned()),
            "--max-length" => self.longest = at_least_one(text)?,
            "--property" if text == "auto" => self.ask = Ask::Auto,
            _ => return self.choose((name, text), word, one_of),
        }
        Ok(())
    }

    /// Reads the option `name` whose value `text` is one of a fixed set of words. `word` is the complete option, for errors; `one_of`
    /// refuses an unknown value.
    fn choose(
        &mut self,
        (name, text): (&str, &str),
        word: &str,
        one_of: impl Fn(Option<()>) -> Result<(), Misread>,
    ) -> Result<(), Misread> {
        let known = match name {
            "--property" => among(&QUESTIONS, text).map(|of| self.ask = Ask::Only(of)),
            "--tests" => among(&TESTS, text).map(|kind| self.tests = Some(kind)),
            "--cost" => {
                let cost = COSTS.iter().find(|(_, name)| *name == text);
                cost.map(|(cost, _)| self.cost = Some(*cost))
            }
            "--method" => {
                let method = Method::ALL.into_iter().find(|of| of.name() == text);
                method.map(|method| self.method = Some(method))
            }
            "--accept" => None,
            _ => return Err(Misread::Unknown(word.to_owned())),
        };
        one_of(known)
    }

    /// Reads an option without a value.
    fn set(&mut self, word: &str) -> Result<(), Misread> {
        match word {
            "--controllable-nd" => self.controllable = true,
            "--no-minimise" => self.minimise = false,
            _ => return Err(Misread::Unknown(word.to_owned())),
        }
        Ok(())
    }

    /// Returns the words for the documents of a run. [`Options::read`] is the inverse.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        with_question(self.beside_question(), self.ask)
    }

    /// Returns the words of [`Options::words`] without `--property=…`, sorted.
    #[must_use]
    pub fn beside_question(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say =
            |name: &str, value: &dyn fmt::Display| words.push(format!("--{name}={value}"));
        let chosen = &self.selection;
        let lists = [
            ("mutant", &chosen.mutants),
            ("operator", &chosen.operators),
            ("exclude", &chosen.exclude),
            ("accept-mutant", &self.accepted),
        ];
        for (name, values) in lists {
            values.iter().for_each(|value| say(name, value));
        }
        chosen.lines.iter().for_each(|lines| say("file", lines));
        self.external
            .iter()
            .for_each(|command| say("external", command));
        let numbers = [
            ("sample", chosen.sample),
            ("bound", self.bound),
            ("max-length", self.longest),
        ];
        for (name, number) in numbers {
            number.iter().for_each(|number| say(name, number));
        }
        say("seed", &chosen.seed);
        say("timeout", &self.timeout);
        say("total-timeout", &self.total_timeout);
        say("memory", &self.memory);
        say("engine", &self.engines);
        if let Some(shard) = chosen.shard {
            say("shard", &format!("{}/{}", shard.index, shard.count));
        }
        self.tests.iter().for_each(|kind| say("tests", kind));
        self.fail_under
            .iter()
            .for_each(|least| say("fail-under", least));
        let cost = COSTS.iter().find(|(cost, _)| Some(*cost) == self.cost);
        cost.iter().for_each(|(_, name)| say("cost", name));
        let method = self.method.map(Method::name);
        method.iter().for_each(|name| say("method", name));
        if self.accepts_unknown {
            say("accept", &"unknown");
        }
        let flags = [
            (self.controllable, "--controllable-nd"),
            (!self.minimise, "--no-minimise"),
        ];
        let flags = flags.into_iter().filter(|(is_given, _)| *is_given);
        words.extend(flags.map(|(_, flag)| flag.to_owned()));
        words.sort_unstable();
        words
    }
}

fn limit(time: Option<Duration>) -> String {
    match time {
        None => "none".to_owned(),
        Some(time) if time.subsec_nanos() == 0 => format!("{}s", time.as_secs()),
        Some(time) => format!("{}ms", time.as_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_are_written() {
        let words = [
            "--accept-mutant=m-1 because",
            "--accept=unknown",
            "--bound=7",
            "--controllable-nd",
            "--cost=time",
            "--engine=bmc, ic3",
            "--exclude=a=b",
            "--external=sh -c 'x' {model}",
            "--fail-under=80%",
            "--file=m.smv:3-5",
            "--max-length=9",
            "--memory=8GiB",
            "--method=hsi",
            "--mutant=m-1",
            "--mutant=m-2",
            "--no-minimise",
            "--operator=logic*",
            "--property=phi3",
            "--sample=4",
            "--seed=3",
            "--shard=1/2",
            "--tests=global",
            "--timeout=1m 30s",
            "--total-timeout=none",
        ];
        let words = words.map(str::to_owned).to_vec();
        let options = Options::read(&words).unwrap();
        assert_eq!(options.words(), words);
        assert_eq!(options.timeout.0, Some(Duration::from_secs(90)));
        assert!(options.engines.own.pdr && !options.engines.own.pairs);
        let usual = Options::default();
        assert_eq!(Options::read(&usual.words()), Ok(usual));
    }

    #[test]
    fn a_word_that_is_no_option_is_refused() {
        for word in ["--out=x", "--explain", "run", "", "=", "--mutant"] {
            let read = Options::read(&[word.to_owned()]);
            assert_eq!(read, Err(Misread::Unknown(word.to_owned())));
        }
        for word in [
            "--seed=x",
            "--bound=0",
            "--accept=all",
            "--cost=",
            "--property=phi5",
        ] {
            let read = Options::read(&[word.to_owned()]);
            assert_eq!(read, Err(Misread::Value(word.to_owned())));
        }
    }
}
