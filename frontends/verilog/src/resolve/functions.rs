//! Tables of unknown functions: a test chooses each in its first step, and it is constant from then on.

use hyperkill_core::system::InputRole;

use super::resolver::{Found, Resolver};
use crate::words::word_sort;

/// The name of the state that holds whether the first step is over.
pub const STARTED: &str = "@started";

impl Resolver<'_> {
    /// Makes a test input for each table, and registers that keep its first value. They take their names before any register does.
    pub(super) fn tables(&mut self) -> Found<()> {
        let design = self.design;
        if design.tables.is_empty() {
            return Ok(());
        }
        let (started_at, started) = self.state_of_clocks(STARTED.to_owned(), 1);
        self.out.states[started_at].next = self.out.words.number(1, 1);
        let started = self.out.words.truth(started)?;
        for table in &design.tables {
            let given = self.new_input(table.name.clone(), word_sort(table.width), InputRole::Test);
            let name = self
                .out
                .inputs
                .last()
                .map_or(String::new(), |input| input.name.clone());
            let (kept_at, kept) = self.state_of_clocks(format!("{name}.kept"), table.width);
            let value = self.out.words.ite(started, kept, given)?;
            self.out.states[kept_at].next = value;
            self.out.functions.push(name);
            self.tables.push(value);
        }
        Ok(())
    }
}
