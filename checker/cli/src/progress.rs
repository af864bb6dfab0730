//! The screen of a run: messages, a line for each mutant with `-v`, and the progress.

use std::time::Duration;

use hyperkill_core::budget::Clock;
use hyperkill_frontend::counted;
use hyperkill_run::pace::{self, Pace};
use hyperkill_run::sink::{Event, Sink};
use indicatif::{ProgressBar, ProgressStyle};

use crate::documents::MutantResult;
use crate::session::{Level, Session};
use hyperkill_report::text::results::{basis, verdict};
use hyperkill_report::text::work;

/// The number of most expensive parts of a run that `-v` names.
const DEAREST: usize = 5;

/// Shows the events of a run as messages and progress.
pub(crate) struct Screen<'s, 'io> {
    session: &'s mut Session<'io>,
    deciding: Option<Deciding>,
    playing: Option<Playing>,
}

impl<'s, 'io> Screen<'s, 'io> {
    /// Returns the screen of a session.
    pub(crate) fn of(session: &'s mut Session<'io>) -> Screen<'s, 'io> {
        Screen {
            session,
            deciding: None,
            playing: None,
        }
    }

    /// Prints a message above the progress bar.
    fn say(&mut self, level: Level, text: String) {
        let session = &mut self.session;
        match &self.deciding {
            Some(deciding) => deciding.bar.suspend(|| session.say(level, text)),
            None => session.say(level, text),
        }
    }

    /// Shows the progress of deciding.
    fn show(&mut self) {
        if let Some(deciding) = &mut self.deciding {
            deciding.show(self.session);
        }
    }
}

impl Sink for Screen<'_, '_> {
    fn hear(&mut self, event: Event<'_>) {
        match event {
            Event::Said(level, text) => self.say(level, text),
            Event::Begins { mutants, before } => {
                self.deciding = Some(Deciding::new(self.session, mutants, &before));
            }
            Event::Tries { method, open } => {
                self.say(Level::Detail, format!("{method}: {open} mutants open"));
                if let Some(deciding) = &mut self.deciding {
                    deciding.bar.set_prefix(format!("{method}, "));
                    deciding.pace.tries(method, open);
                }
                self.show();
            }
            Event::Decided(result) => {
                if self.session.shows(Level::Detail) {
                    let style = self.session.message_style;
                    let line = format!(
                        "{} {} {}",
                        style.cyan(&result.mutant),
                        verdict(result, style),
                        basis(result)
                    );
                    self.say(Level::Detail, line);
                }
                if let Some(deciding) = &mut self.deciding {
                    deciding.pace.decided(result.verdict);
                    deciding.bar.inc(1);
                }
                self.show();
            }
            Event::Works => self.show(),
            Event::Ends => {
                if let Some(deciding) = self.deciding.take() {
                    deciding.bar.finish_and_clear();
                }
            }
            Event::Plays { tests, mutants } => {
                self.playing = Some(Playing::new(self.session, tests, mutants));
            }
            Event::Played(mutants) => {
                if let Some(playing) = &mut self.playing {
                    playing.played(self.session, mutants);
                }
            }
            Event::Timed(timings) => {
                for line in work::dearest(timings, DEAREST) {
                    self.session.say(Level::Detail, line);
                }
            }
            Event::Finishes => {
                if let Some(playing) = self.playing.take() {
                    playing.bar.finish_and_clear();
                    self.session.say(Level::Detail, playing.line());
                }
            }
        }
    }
}

/// The progress of deciding: a bar on a terminal, otherwise a line at intervals.
struct Deciding {
    bar: ProgressBar,
    pace: Pace,
}

impl Deciding {
    /// Returns the progress before any decision. `total` counts all mutants; `before` are those that an earlier run has decided.
    fn new(session: &Session<'_>, total: usize, before: &[&MutantResult]) -> Deciding {
        let template = "{bar:32} {pos}/{len} decided, {prefix}{elapsed}, {msg}";
        let bar = bar(session, total, template);
        let mut pace = Pace::new(total, session.clock.now());
        for result in before {
            bar.inc(1);
            pace.was_decided(result.verdict);
        }
        Deciding { bar, pace }
    }

    fn show(&mut self, session: &mut Session<'_>) {
        let now = session.clock.now();
        if !self.bar.is_hidden() {
            self.bar.set_message(pace::rest(&self.pace.progress(now)));
        } else if self.pace.is_due(now) {
            let progress = self.pace.progress(now);
            session.say_progress(progress);
        }
    }
}

/// The time between two lines about the simulation of tests, without a bar.
const PAUSE: Duration = Duration::from_secs(60);

/// The progress of simulating tests on killed mutants.
struct Playing {
    bar: ProgressBar,
    tests: usize,
    mutants: usize,
    played: usize,
    said: Duration,
}

impl Playing {
    fn new(session: &Session<'_>, tests: usize, mutants: usize) -> Playing {
        let template = "{bar:32} {pos}/{len} killed mutants, suite, {elapsed}";
        Playing {
            bar: bar(session, mutants, template),
            tests,
            mutants,
            played: 0,
            said: session.clock.now(),
        }
    }

    fn played(&mut self, session: &mut Session<'_>, mutants: usize) {
        self.played += mutants;
        self.bar.inc(mutants as u64);
        let now = session.clock.now();
        if self.bar.is_hidden() && now.saturating_sub(self.said) >= PAUSE {
            self.said = now;
            session.say(Level::Note, self.line());
        }
    }

    fn line(&self) -> String {
        format!(
            "suite: {} played on {} of {}",
            counted(self.tests, "test"),
            self.played,
            counted(self.mutants, "killed mutant")
        )
    }
}

/// Returns a bar of this length, hidden if progress is not drawn.
fn bar(session: &Session<'_>, length: usize, template: &str) -> ProgressBar {
    if !session.draws_progress() || length == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;
    use crate::io::Io;

    #[test]
    fn how_far_playing_is_goes_to_the_messages_where_there_is_no_bar() {
        let (mut io, captured) = Io::captured("");
        let cli = Cli::try_parse_from(["hyperkill", "-v", "engines"]).unwrap();
        let mut session = Session::new(&mut io, &cli.global);
        let mut screen = Screen::of(&mut session);
        screen.hear(Event::Plays {
            tests: 7,
            mutants: 40,
        });
        screen.hear(Event::Played(15));
        screen.hear(Event::Played(1));
        screen.hear(Event::Finishes);
        let said = captured.stderr.text();
        assert_eq!(said, "suite: 7 tests played on 16 of 40 killed mutants\n");
    }
}
