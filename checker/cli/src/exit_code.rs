//! Exit statuses: the contract with scripts. All numbers are defined here.

/// The end of a command, in order of precedence: if several apply, the greatest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExitCode {
    /// 0: every mutant is decided (killed, proved equivalent, or set aside with a reason); the formula holds.
    Success,
    /// 3: a question is undecided.
    Undecided,
    /// 2: the mutation score is below `--fail-under`, or the formula fails.
    Failed,
    /// 5: evidence did not check. A bug in hyperkill.
    Evidence,
    /// 4: the model is invalid; located diagnostics are on standard error.
    InvalidModel,
    /// 1: the command line, or a file that it names, cannot be used.
    Usage,
    /// 130: interrupted; all decisions so far are on disk.
    Interrupted,
    /// 70: an internal error. A bug in hyperkill.
    Internal,
}

impl ExitCode {
    /// Returns the status for the operating system.
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            ExitCode::Success => 0,
            ExitCode::Usage => 1,
            ExitCode::Failed => 2,
            ExitCode::Undecided => 3,
            ExitCode::InvalidModel => 4,
            ExitCode::Evidence => 5,
            ExitCode::Internal => 70,
            ExitCode::Interrupted => 130,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> std::process::ExitCode {
        std::process::ExitCode::from(code.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_that_of_the_contract() {
        let in_order = [70, 130, 1, 4, 5, 2, 3, 0];
        let mut codes = [
            ExitCode::Success,
            ExitCode::Usage,
            ExitCode::Failed,
            ExitCode::Undecided,
            ExitCode::InvalidModel,
            ExitCode::Evidence,
            ExitCode::Internal,
            ExitCode::Interrupted,
        ];
        codes.sort_by(|a, b| b.cmp(a));
        assert_eq!(codes.map(ExitCode::status), in_order);
    }
}
