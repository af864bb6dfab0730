//! Tests of the command line. Most tests call the library in process with captured streams; tests of pipes, signals and locks start the
//! program.

#![allow(clippy::unwrap_used)] // Tests say what must hold by panicking.

mod accepting;
mod adaptive;
mod answers;
mod archive;
mod certify;
mod corruption;
mod edited;
mod embedding;
mod events;
#[cfg(unix)]
mod executing;
mod export;
#[cfg(unix)]
mod external;
mod fields;
mod files;
mod folders;
mod formats;
mod guards;
mod hardware;
mod hyperltl;
mod lives;
mod malformed;
mod memory;
mod merge;
mod messages;
mod mistyped;
mod moments;
mod nusmv;
mod of_model;
mod outside;
mod pieces;
mod plans;
#[cfg(unix)]
mod plugins;
mod process;
mod readme;
mod reference;
mod reporting;
mod resume;
mod run_folders;
mod safety;
#[cfg(unix)]
mod scoring;
mod selecting;
mod show;
mod specs;
mod standing;
mod studies;
mod support;
mod terminal;
mod timed;
mod totality;
mod understood;
mod uppaal;
mod verdicts;
mod verify;
mod walks;
mod waves;
