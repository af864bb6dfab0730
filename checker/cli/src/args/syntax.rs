//! Syntax of formulas, for the help.

/// Grammar of formulas in `hyperkill verify --help`; the page on formulas has the same text.
pub(super) const FORMULAS: &str = "\
formula  = ((\"exists\" | \"forall\") trace+ \".\")+ body
body     = body \"<->\" body | body \"->\" body | body \"xor\" body | body \"|\" body | body \"&\" body
         | body (\"U\" | \"R\" | \"W\" | \"M\" | \"S\" | \"T\") body
         | (\"!\" | \"X\" | \"wX\" | \"F\" | \"G\" | \"Y\" | \"Z\" | \"O\" | \"H\") body
         | \"(\" body \")\" | \"true\" | \"false\" | atom
atom     = name \"[\" trace \"]\"                                        a signal of one bit
         | name \"[\" trace \"]\" (\"=\" | \"!=\") (value | name \"[\" trace \"]\")
         | (\"I\" | \"O\" | \"latches\") \"[\" trace \"]\" (\"=\" | \"!=\") (\"I\" | \"O\" | \"latches\") \"[\" trace \"]\"
         | \"I\" \"[\" trace \"]\" (\"=\" | \"!=\") \"I\" \"[\" trace \"]\" \"except\" \"{\" name (\",\" name)* \"}\"
         | \"mut\" \"[\" trace \"]\"                                       a trace of the mutant in question
";

/// Returns the help text after the options of `hyperkill verify`.
pub(super) fn verify_help() -> String {
    format!(
        "The command decides whether the model satisfies the formula. Formulas with at most one alternation between `exists` and \
         `forall` are decided, including killing formulas. A formula with `mut` is decided for each selected mutant. Without a \
         formula, the command searches for the bad states of the original (outputs, in files older than AIGER \
         1.9).\n\nFormulas, operators loosest first:\n\n{FORMULAS}\nExit status 0: every answer is that it holds; 2: an answer is \
         that it fails; 3: an answer is unknown.\n\nExample:\n  hyperkill verify counter.aig --witness counter.out\n  hyperkill verify \
         counter.aig --formula 'forall p q. G (I[p] = I[q]) -> G (O[p] = O[q])'"
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_help_and_the_page_about_formulas_say_the_same() {
        let page =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/languages/hyperltl.md");
        let page = std::fs::read_to_string(page).expect("the page");
        assert!(page.contains(FORMULAS), "{FORMULAS}");
    }
}
