//! Queries of Ecdar: whether components refine others, are consistent, or deterministic.

use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Diagnostic, FrontendOptions, ProcessOptions};

use crate::compose::{Together, together};
use crate::lexer::{Kind, Tokens, tokens};
use crate::network::Environment;
use crate::rules::Preset;
use hyperkill_text::Excerpt;

/// Checks that the environment is open, since queries are about processes alone.
///
/// # Errors
/// If options say that other processes are the environment.
pub fn refuse_network(options: &FrontendOptions) -> Result<(), Vec<Diagnostic>> {
    match Environment::of(options) {
        Ok(Environment::Open) => Ok(()),
        Ok(Environment::Network) => {
            let message = "--environment network: queries are about processes alone";
            Err(vec![Diagnostic::option(message, None)])
        }
        Err(error) => Err(vec![error]),
    }
}

/// Components and operators that combine them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum System {
    /// The process with this name.
    One(String),
    /// Two systems, combined by an operator.
    Both(Together, Box<System>, Box<System>),
}

/// A question about components.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Whether the first refines the second.
    Refinement(System, System),
    /// Whether the system has a good initial state.
    Consistency(System),
    /// Whether each action leads from a state to at most one state.
    Determinism(System),
}

/// The number of words and signs in a query with the end, at most.
const MAX_TOKENS: usize = 64;

impl Query {
    /// Reads `refinement: A || B <= C`, `consistency: A` or `determinism: A`. A mix of `&&` and `||` needs parentheses.
    ///
    /// # Errors
    /// If the text is no query, with the reason.
    pub fn read(text: &str) -> Result<Query, Diagnostic> {
        let wrong = |what: &str| Diagnostic::option(format!("the query `{text}`: {what}"), None);
        let (kind, rest) = text.split_once(':').ok_or_else(|| {
            wrong("it begins with `refinement:`, `consistency:` or `determinism:`")
        })?;
        // A comment elsewhere is the quotient here.
        if rest.contains("//") {
            return Err(wrong("quotients (`//`) are not decided"));
        }
        let rest = Excerpt::as_it_is(rest);
        let tokens = tokens(&rest).map_err(|error| wrong(&error.message))?;
        if tokens.kind(MAX_TOKENS - 1) != Kind::End {
            return Err(wrong(&format!(
                "it has more than {MAX_TOKENS} words and signs"
            )));
        }
        let mut reader = Reader { tokens };
        let system = |reader: &mut Reader| reader.system().map_err(|what| wrong(&what));
        let left = system(&mut reader)?;
        let query = match kind.trim() {
            "refinement" => {
                if !reader.tokens.eat("<=") {
                    return Err(wrong("`<=` is between the two sides of a refinement"));
                }
                Query::Refinement(left, system(&mut reader)?)
            }
            "consistency" => Query::Consistency(left),
            "determinism" => Query::Determinism(left),
            _ => return Err(wrong("it is no refinement, consistency or determinism")),
        };
        match reader.tokens.is_over() {
            true => Ok(query),
            false => Err(wrong("something follows that does not belong to it")),
        }
    }

    /// Whether a text begins like a query that `hyperkill` decides, and not like one of Uppaal's own.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        let kind = text.split_once(':').map(|(kind, _)| kind.trim());
        matches!(kind, Some("refinement" | "consistency" | "determinism"))
    }
}

struct Reader<'a> {
    tokens: Tokens<'a>,
}

impl Reader<'_> {
    fn system(&mut self) -> Result<System, String> {
        let mut left = self.part()?;
        let mut before = None;
        loop {
            let how = match (self.tokens.eat("||"), self.tokens.eat("&&")) {
                (true, _) => Together::Composition,
                (_, true) => Together::Conjunction,
                _ => return Ok(left),
            };
            if before.replace(how).is_some_and(|before| before != how) {
                return Err("`&&` and `||` stand together only with parentheses".to_owned());
            }
            left = System::Both(how, Box::new(left), Box::new(self.part()?));
        }
    }

    fn part(&mut self) -> Result<System, String> {
        if self.tokens.eat("(") {
            let system = self.system()?;
            return match self.tokens.eat(")") {
                true => Ok(system),
                false => Err("a parenthesis is not closed".to_owned()),
            };
        }
        match self.tokens.kind(0) {
            Kind::Word => Ok(System::One(self.tokens.bump().text.to_owned())),
            _ => Err("a component is missing".to_owned()),
        }
    }
}

impl System {
    /// Returns the automaton, with components completed as in `ecdar`.
    ///
    /// # Errors
    /// If a component is missing or unreadable, or components are incompatible.
    pub fn automaton(
        &self,
        source: &str,
        options: &FrontendOptions,
    ) -> Result<Automaton, Vec<Diagnostic>> {
        match self {
            System::One(name) => {
                let options = FrontendOptions {
                    processes: ProcessOptions {
                        sut: Some(name.clone()),
                        semantics: Some(Preset::Ecdar.name().to_owned()),
                        ..options.processes.clone()
                    },
                    ..options.clone()
                };
                crate::model::read_automaton(source, &options)
            }
            System::Both(how, left, right) => {
                let left = left.automaton(source, options)?;
                let right = right.automaton(source, options)?;
                let apart =
                    |error: crate::compose::Apart| vec![Diagnostic::unlocated(error.to_string())];
                together(&left, &right, *how).map_err(apart)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str) -> Box<System> {
        Box::new(System::One(name.to_owned()))
    }

    #[test]
    fn queries_are_read_with_their_operators() {
        let query = Query::read("refinement: (A || B) <= C && D").unwrap();
        let expected = Query::Refinement(
            System::Both(Together::Composition, one("A"), one("B")),
            System::Both(Together::Conjunction, one("C"), one("D")),
        );
        assert_eq!(query, expected);
        let query = Query::read("determinism:A").unwrap();
        assert_eq!(query, Query::Determinism(*one("A")));
        assert!(Query::is_one("consistency: A") && !Query::is_one("A[] not deadlock"));
    }

    #[test]
    fn what_is_no_query_is_refused_with_a_reason() {
        let cases = [
            ("refinement: A // B <= C", "quotients"),
            ("refinement: A", "`<=`"),
            ("refinement: A <= ", "missing"),
            ("refinement: A && B || C <= D", "parentheses"),
            ("refinement: (A <= D", "not closed"),
            ("consistency: A <= B", "does not belong"),
            ("consistent: A", "no refinement"),
            ("A <= B", "begins with"),
        ];
        for (text, what) in cases {
            let error = Query::read(text).unwrap_err();
            assert!(error.message.contains(what), "{text}: {}", error.message);
        }
        let deep = format!("consistency: {}A", "(".repeat(100_000));
        assert!(Query::read(&deep).is_err());
    }
}
