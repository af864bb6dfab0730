//! Deciding timed machines, compared with walking through time in half units, and with the recheck.

mod complete;
mod differential;
mod evidence;
mod examples;
mod families;
mod machines;
mod spoiled;
mod suites;
mod ticks;
