//! Globs of options. A glob without a match is refused, since a misspelt glob would silently change results.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use globset::{Glob, GlobMatcher};
use hyperkill_frontend::{NamePredicate, did_you_mean};

use crate::unfit::Unfit;

/// The globs of one option.
#[derive(Clone, Debug)]
pub struct Globs {
    option: &'static str,
    globs: Arc<[Watched]>,
    /// Names that were matched against the globs, for suggestions.
    asked: Arc<Mutex<BTreeSet<String>>>,
}

/// Limit on the names that are kept for suggestions.
const MOST_NAMES: usize = 10_000;

#[derive(Debug)]
struct Watched {
    text: String,
    matcher: GlobMatcher,
    used: AtomicBool,
}

impl Globs {
    /// Compiles the globs of `option`; `None` if there are none.
    ///
    /// # Errors
    /// If a glob is malformed.
    pub fn compile(option: &'static str, texts: &[String]) -> Result<Option<Globs>, Unfit> {
        if texts.is_empty() {
            return Ok(None);
        }
        let compile = |text: &String| {
            let glob = Glob::new(text).map_err(|error| {
                Unfit::new(format!("{option} {text}: {}", error.kind())).with_help(
                    "`*` matches any characters, `?` one character, `[ab]` an a or b; write `[*]` for a star",
                )
            })?;
            Ok(Watched {
                text: text.clone(),
                matcher: glob.compile_matcher(),
                used: AtomicBool::new(false),
            })
        };
        let globs = texts.iter().map(compile).collect::<Result<_, Unfit>>()?;
        Ok(Some(Globs {
            option,
            globs,
            asked: Arc::default(),
        }))
    }

    /// Whether a glob matches the name. Records the name, and the globs that match, for [`Globs::must_have_matched`].
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut any = false;
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.len() < MOST_NAMES && !asked.contains(name) {
            asked.insert(name.to_owned());
        }
        drop(asked);
        for glob in self.globs.iter() {
            if glob.matcher.is_match(name) {
                glob.used.store(true, Ordering::Relaxed);
                any = true;
            }
        }
        any
    }

    /// Returns the globs as a predicate on names, for front ends.
    #[must_use]
    pub fn predicate(&self) -> NamePredicate {
        let globs = self.clone();
        NamePredicate::new(move |name| globs.matches(name))
    }

    /// Checks that every glob has matched a name.
    ///
    /// # Errors
    /// If a glob has matched no name. The advice is a similar name. `what` is the kind of the named things.
    pub fn must_have_matched(&self, what: &str) -> Result<(), Unfit> {
        let unused = self
            .globs
            .iter()
            .find(|glob| !glob.used.load(Ordering::Relaxed));
        match unused {
            None => Ok(()),
            Some(glob) => {
                let message = format!("{} {} matches no {what}", self.option, glob.text);
                let unfit = Unfit::new(message);
                let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                match did_you_mean(&glob.text, asked.iter().map(String::as_str)) {
                    Some(help) => Err(unfit.with_help(help)),
                    None => Err(unfit),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_matches_nothing_is_an_error() {
        let texts = ["in*".to_owned(), "out?".to_owned()];
        let globs = Globs::compile("--nd", &texts).unwrap().unwrap();
        assert!(globs.matches("input"));
        assert!(!globs.matches("output"));
        assert!(globs.must_have_matched("input").is_err());
        assert!(globs.matches("out1"));
        assert!(globs.must_have_matched("input").is_ok());
    }

    #[test]
    fn a_malformed_glob_is_an_error() {
        assert!(Globs::compile("--nd", &["[".to_owned()]).is_err());
    }
}
