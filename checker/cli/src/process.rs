//! The library's entry with the streams of this process, Ctrl-C and panics: all that `main.rs` does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::{ExitCode, Io, children};

/// Carries out the command line of this process.
#[must_use]
pub fn main_of_process() -> ExitCode {
    let mut io = Io::of_process();
    let interrupt = Arc::clone(&io.interrupt);
    let watch = Arc::clone(&io.watch);
    let told = Arc::clone(&watch);
    // Without the thread, limits are kept by what listens alone.
    drop(
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watch.keep()),
    );
    // The first Ctrl-C asks to stop and keeps what is decided; the second one does not wait.
    let handler = ctrlc::set_handler(move || {
        told.interrupt();
        if interrupt.swap(true, Ordering::Relaxed) {
            children::end_all();
            std::process::exit(i32::from(ExitCode::Interrupted.status()));
        }
    });
    // Without a handler Ctrl-C ends the program at once, which loses nothing but the summary.
    drop(handler);
    children::own_process();
    // The library reports panics; the default report is for developers.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    crate::main(std::env::args_os(), &mut io)
}
