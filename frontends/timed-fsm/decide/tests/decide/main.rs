//! Deciding timed machines, compared with walking through time in half units, and with the recheck.

mod classic;
mod combs;
mod complete;
mod differential;
mod documented;
mod documented_data;
mod documented_mutants;
mod documented_random;
mod domains;
mod evidence;
mod examples;
mod families;
mod guarded;
mod guards;
mod hull;
mod learned;
mod machines;
mod names;
mod refutations;
mod spoiled;
mod suites;
mod ticks;
