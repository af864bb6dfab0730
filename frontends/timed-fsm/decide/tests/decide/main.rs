//! Deciding timed machines, compared with walking through time in half units, and with the recheck.

mod differential;
mod examples;
mod machines;
mod spoiled;
mod ticks;
