//! The entry point for `main.rs`: calls the library with the streams of this process, and handles Ctrl-C and panics.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::{ExitCode, Io, children};

/// Runs the command line of this process.
#[must_use]
pub fn main_of_process() -> ExitCode {
    let mut io = Io::of_process();
    let interrupt = Arc::clone(&io.interrupt);
    let watch = Arc::clone(&io.watch);
    let told = Arc::clone(&watch);
    // Without the thread, only code that checks the budget respects limits.
    drop(
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watch.keep()),
    );
    // The first Ctrl-C requests a stop that keeps all decisions; the second one ends the process at once.
    let handler = ctrlc::set_handler(move || {
        told.interrupt();
        if interrupt.swap(true, Ordering::Relaxed) {
            children::end_all();
            std::process::exit(i32::from(ExitCode::Interrupted.status()));
        }
    });
    // Without a handler Ctrl-C ends the process at once, and only the summary is lost.
    drop(handler);
    children::own_process();
    // The library reports panics. The default report is for developers.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    crate::main(std::env::args_os(), &mut io)
}
