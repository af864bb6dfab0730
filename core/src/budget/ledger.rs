//! A ledger of the time and the counted work of a run.
//!
//! A piece of work opens a [`Span`](super::Span) on its thread. Spans of a thread are nested and only the innermost one is charged, so the
//! parts of a thread add up to its whole time. A thread without an open span is idle, and its time is charged to [`Phase::Wait`].

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::clock::Clock;
use crate::SelectorId;
use crate::work::{self, Work};

/// The kind of a piece of work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Reading and translating the model.
    Read,
    /// Searching tests and proofs.
    Find,
    /// Checking evidence.
    Certify,
    /// Writing results.
    Write,
    /// Waiting for other threads, or idle time.
    Wait,
}

impl Phase {
    /// Returns the name of the phase in documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Phase::Read => "read",
            Phase::Find => "find",
            Phase::Certify => "certify",
            Phase::Write => "write",
            Phase::Wait => "wait",
        }
    }
}

/// The line of the ledger that work is charged to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    /// The number of the round, counted from 1; 0 outside of all rounds.
    pub round: usize,
    /// The engine; empty if there is none.
    pub engine: &'static str,
    /// The phase.
    pub phase: Phase,
}

/// Time and counted work of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spent {
    /// Clock time.
    pub time: Duration,
    /// Counted work, the same on every machine.
    pub work: Work,
}

impl Spent {
    fn add(&mut self, time: Duration, work: Work) {
        self.time += time;
        self.work += work;
    }
}

/// Time and counted work, by line of the ledger.
pub type Lines = BTreeMap<Line, Spent>;

/// The engine and phase that the work of a span is charged to, and the mutants among which it is divided.
#[derive(Clone, Debug)]
pub struct Heading {
    pub(super) engine: &'static str,
    pub(super) phase: Phase,
    pub(super) mutants: Arc<[SelectorId]>,
}

impl Heading {
    pub(super) fn of_nobody(phase: Phase) -> Heading {
        Heading {
            engine: "",
            phase,
            mutants: Arc::from([]),
        }
    }
}

/// The expenses of one thread so far, and its open spans.
struct Book {
    /// The thread's name, if its idle time counts.
    name: Option<String>,
    /// The time up to which the thread is charged.
    charged: Duration,
    /// The thread's counted work at that time.
    work: Work,
    open: Vec<Heading>,
    lines: Lines,
}

struct Books {
    /// The names of the rounds, in order.
    rounds: Vec<String>,
    numbers: HashMap<ThreadId, usize>,
    books: Vec<Book>,
    mutants: BTreeMap<SelectorId, Lines>,
}

/// Collects the expenses of all threads of a run.
pub struct Ledger {
    clock: Arc<dyn Clock>,
    begun: Duration,
    books: Mutex<Books>,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").finish_non_exhaustive()
    }
}

/// The expenses of one thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadAccount {
    /// The thread's name; `None` for all short-lived threads together.
    pub name: Option<String>,
    /// Its expenses. The times of a named thread add up to the time since the ledger began.
    pub lines: Lines,
}

/// The expenses of a run so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Balance {
    /// Time since the ledger began.
    pub time: Duration,
    /// The names of the rounds, in order.
    pub rounds: Vec<String>,
    /// The expenses of each thread.
    pub threads: Vec<ThreadAccount>,
    /// The expenses for each mutant. Work on several mutants is divided equally among them.
    pub mutants: BTreeMap<SelectorId, Lines>,
}

impl Ledger {
    /// Returns a ledger that begins now, with this thread as its first, in phase [`Phase::Read`].
    #[must_use]
    pub fn begin(clock: Arc<dyn Clock>) -> Arc<Ledger> {
        let begun = clock.now();
        let ledger = Ledger {
            clock,
            begun,
            books: Mutex::new(Books {
                rounds: Vec::new(),
                numbers: HashMap::new(),
                books: Vec::new(),
                mutants: BTreeMap::new(),
            }),
        };
        ledger.enter("main".to_owned());
        ledger.turn_to(Phase::Read);
        Arc::new(ledger)
    }

    /// Names this thread, so that its idle time counts from the beginning of the ledger.
    pub fn enter(&self, name: String) {
        let begun = self.begun;
        let mut books = self.books();
        let book = books.book(begun);
        book.name = Some(name);
        book.charged = begun;
    }

    /// Sets the phase to which this thread's work outside of all spans is charged from now on.
    pub fn turn_to(&self, phase: Phase) {
        let now = self.clock.now();
        let mut books = self.books();
        books.charge(now);
        let book = books.book(now);
        book.open.truncate(0);
        book.open.push(Heading::of_nobody(phase));
    }

    /// Begins the round of this number, counted from 1. Idle threads are charged to the round before.
    pub fn begin_round(&self, number: usize, name: &str) {
        let now = self.clock.now();
        let mut books = self.books();
        books.charge_idle(now);
        books.rounds.resize(number, String::new());
        if let Some(round) = books.rounds.last_mut() {
            name.clone_into(round);
        }
    }

    /// Returns the expenses so far.
    #[must_use]
    pub fn balance(&self) -> Balance {
        let now = self.clock.now();
        let mut books = self.books();
        books.charge(now);
        books.charge_idle(now);
        books.balance(now.saturating_sub(self.begun))
    }

    /// Returns the time spent on a mutant so far.
    #[must_use]
    pub fn time_of(&self, mutant: SelectorId) -> Duration {
        let books = self.books();
        let lines = books.mutants.get(&mutant).into_iter().flatten();
        lines.map(|(_, spent)| spent.time).sum()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn open(&self, heading: impl FnOnce(Option<&Heading>) -> Heading) {
        let now = self.clock.now();
        let mut books = self.books();
        books.charge(now);
        let book = books.book(now);
        let heading = heading(book.open.last());
        book.open.push(heading);
    }

    pub(super) fn close(&self) {
        let now = self.clock.now();
        let mut books = self.books();
        books.charge(now);
        books.book(now).open.pop();
    }

    pub(super) fn heading(&self) -> Option<Heading> {
        let now = self.clock.now();
        self.books().book(now).open.last().cloned()
    }
}

impl Books {
    /// Returns this thread's book, a new one if there is none.
    fn book(&mut self, now: Duration) -> &mut Book {
        let next = self.books.len();
        let number = *self.numbers.entry(thread::current().id()).or_insert(next);
        if number == next {
            self.books.push(Book {
                name: None,
                charged: now,
                work: work::done(),
                open: Vec::new(),
                lines: Lines::new(),
            });
        }
        &mut self.books[number]
    }

    /// Charges this thread's time up to `now`, and its counted work since the last charge, to its innermost span and that span's mutants.
    fn charge(&mut self, now: Duration) {
        let round = self.rounds.len();
        let done = work::done();
        let book = self.book(now);
        let time = now.saturating_sub(std::mem::replace(&mut book.charged, now));
        let work = done - std::mem::replace(&mut book.work, done);
        let heading = match book.open.last() {
            Some(heading) => heading.clone(),
            None if book.name.is_some() => Heading::of_nobody(Phase::Wait),
            None => return,
        };
        let line = Line {
            round,
            engine: heading.engine,
            phase: heading.phase,
        };
        book.lines.entry(line).or_default().add(time, work);
        let parts = heading.mutants.len() as u64;
        let part = time / u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        for (place, mutant) in (0..parts).zip(heading.mutants.iter()) {
            let lines = self.mutants.entry(*mutant).or_default();
            let work = work.part(place, parts);
            lines.entry(line).or_default().add(part, work);
        }
    }

    /// Charges the time of all idle threads up to `now`.
    fn charge_idle(&mut self, now: Duration) {
        let line = Line {
            round: self.rounds.len(),
            engine: "",
            phase: Phase::Wait,
        };
        let idle = |book: &&mut Book| book.open.is_empty() && book.name.is_some();
        for book in self.books.iter_mut().filter(idle) {
            let time = now.saturating_sub(std::mem::replace(&mut book.charged, now));
            (book.lines.entry(line).or_default()).add(time, Work::default());
        }
    }

    fn balance(&self, time: Duration) -> Balance {
        let mut threads = Vec::new();
        let mut others = Lines::new();
        for book in &self.books {
            match &book.name {
                Some(name) => threads.push(ThreadAccount {
                    name: Some(name.clone()),
                    lines: book.lines.clone(),
                }),
                None => {
                    for (line, spent) in &book.lines {
                        (others.entry(*line).or_default()).add(spent.time, spent.work);
                    }
                }
            }
        }
        if !others.is_empty() {
            let lines = others;
            threads.push(ThreadAccount { name: None, lines });
        }
        Balance {
            time,
            rounds: self.rounds.clone(),
            threads,
            mutants: self.mutants.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::budget::Budget;
    use crate::work::{Unit, count};

    /// A clock that advances by a second at every call.
    struct Ticking(AtomicU64);

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    fn budget() -> (Arc<Ledger>, Budget) {
        let ledger = Ledger::begin(Arc::new(Ticking(AtomicU64::new(100))));
        let budget = Budget::unlimited().with_ledger(Arc::clone(&ledger));
        (ledger, budget)
    }

    fn seconds(lines: &Lines, phase: Phase) -> u64 {
        let lines = lines.iter().filter(|(line, _)| line.phase == phase);
        lines.map(|(_, spent)| spent.time.as_secs()).sum()
    }

    #[test]
    fn the_parts_of_each_thread_add_up_to_the_whole_idle_time_included() {
        let (ledger, budget) = budget();
        let mutants = [SelectorId(0), SelectorId(1), SelectorId(2)];
        thread::scope(|scope| {
            for worker in 0..3 {
                let (ledger, budget) = (&ledger, &budget);
                scope.spawn(move || {
                    ledger.enter(format!("{worker}"));
                    for _ in 0..20 {
                        let _finding = budget.finds("bmc", &mutants[..worker]);
                        let heading = budget.heading();
                        let _waiting = budget.waits();
                        let _helping = budget.helps(heading.as_ref());
                        let _certifying = budget.certifies();
                    }
                });
            }
            ledger.begin_round(1, "solving");
        });
        let balance = ledger.balance();
        assert_eq!(balance.threads.len(), 4);
        for thread in &balance.threads {
            let sum: Duration = thread.lines.values().map(|spent| spent.time).sum();
            let (sum, whole) = (sum.as_secs_f64(), balance.time.as_secs_f64());
            assert!(
                (sum - whole).abs() <= 0.05 * whole,
                "{sum} of {whole}: {thread:?}"
            );
            assert!(
                thread.name.as_deref() == Some("main")
                    || seconds(&thread.lines, Phase::Certify) > 0
            );
        }
    }

    #[test]
    fn work_and_time_go_to_the_innermost_span_and_are_shared_by_its_mutants() {
        let (ledger, budget) = budget();
        let mutants = [SelectorId(4), SelectorId(7)];
        ledger.begin_round(1, "structure");
        ledger.begin_round(2, "diagrams");
        let finding = budget.finds("diagrams", &mutants);
        count(Unit::Calls, 5);
        let certifying = budget.certifies();
        count(Unit::Clauses, 3);
        drop(certifying);
        count(Unit::Calls, 2);
        drop(finding);
        count(Unit::Gates, 9);
        let balance = ledger.balance();
        assert_eq!(balance.rounds, ["structure", "diagrams"]);
        let line = |phase| Line {
            round: 2,
            engine: "diagrams",
            phase,
        };
        let main = &balance.threads[0].lines;
        assert_eq!(main[&line(Phase::Find)].work.calls, 7);
        assert_eq!(main[&line(Phase::Certify)].work.clauses, 3);
        assert_eq!(main[&line(Phase::Find)].work.clauses, 0);
        assert_eq!(main[&line(Phase::Find)].time.as_secs(), 2);
        let of = |mutant: usize| &balance.mutants[&SelectorId(mutant)];
        let calls = [4, 7].map(|mutant| of(mutant)[&line(Phase::Find)].work.calls);
        assert_eq!(calls.iter().sum::<u64>(), 7);
        assert_eq!(ledger.time_of(SelectorId(4)), Duration::from_millis(1500));
        assert_eq!(ledger.time_of(SelectorId(5)), Duration::ZERO);
    }

    #[test]
    fn threads_that_come_and_go_are_one_account_without_idle_time() {
        let (ledger, budget) = budget();
        for _ in 0..3 {
            let budget = &budget;
            thread::scope(|scope| {
                scope.spawn(move || drop(budget.writes(&[SelectorId(1)])));
            });
        }
        let balance = ledger.balance();
        let [main, others] = &balance.threads[..] else {
            panic!("{balance:?}");
        };
        assert_eq!(main.name.as_deref(), Some("main"));
        assert_eq!(others.name, None);
        assert_eq!(seconds(&others.lines, Phase::Write), 3);
        assert_eq!(seconds(&others.lines, Phase::Wait), 0);
    }

    #[test]
    fn without_a_ledger_nothing_is_kept() {
        let budget = Budget::unlimited();
        let _span = budget.finds("bmc", &[SelectorId(0)]);
        assert!(budget.heading().is_none() && budget.ledger().is_none());
    }
}
