//! Command templates of external programs, with placeholders for files.

use std::path::Path;
use std::str::FromStr;

/// Placeholder for the circuit that the program reads.
const MODEL: &str = "{model}";
/// Placeholder for a file to which the program may write a run.
const WITNESS: &str = "{witness}";
/// Placeholder for a file to which the program may write a witness circuit.
const CERTIFICATE: &str = "{certificate}";

/// A command with placeholders for file names. No shell interprets it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExternalCommand {
    words: Vec<String>,
}

impl ExternalCommand {
    /// Returns the name of the program: the first word of the command.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// Returns the words of the command, with the placeholders replaced by these paths.
    #[must_use]
    pub fn words(&self, model: &Path, witness: &Path, certificate: &Path) -> Vec<String> {
        let places = [
            (MODEL, model),
            (WITNESS, witness),
            (CERTIFICATE, certificate),
        ];
        let fill = |word: &String| {
            let mut word = word.clone();
            for (place, path) in places {
                word = word.replace(place, &path.to_string_lossy());
            }
            word
        };
        self.words.iter().map(fill).collect()
    }
}

impl FromStr for ExternalCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<ExternalCommand, String> {
        let words = split(text)?;
        if words.is_empty() {
            return Err("there is no command".to_owned());
        }
        if !words.iter().any(|word| word.contains(MODEL)) {
            return Err(format!(
                "{MODEL} is missing: it is replaced by the file that the program must read"
            ));
        }
        Ok(ExternalCommand { words })
    }
}

/// Splits a text into words at spaces; single or double quotes protect spaces.
///
/// # Errors
/// If a quote is not closed.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut open: Option<char> = None;
    let mut inside = false;
    for character in text.chars() {
        match open {
            Some(quote) if character == quote => open = None,
            None if character == '\'' || character == '"' => {
                open = Some(character);
                if !inside {
                    words.push(String::new());
                }
                inside = true;
            }
            None if character.is_whitespace() => inside = false,
            _ => {
                if !inside {
                    words.push(String::new());
                }
                inside = true;
                if let Some(word) = words.last_mut() {
                    word.push(character);
                }
            }
        }
    }
    match open {
        Some(quote) => Err(format!("there is a {quote} without another one")),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_spaces_outside_quotes_and_places_are_filled() {
        let command: ExternalCommand = "sh -c 'cat \"$0\"; exit 3' {model} --to={witness} \"\""
            .parse()
            .unwrap();
        let words = command.words(Path::new("/a b"), Path::new("w"), Path::new("c"));
        assert_eq!(
            words,
            ["sh", "-c", "cat \"$0\"; exit 3", "/a b", "--to=w", ""]
        );
    }

    #[test]
    fn a_command_needs_a_place_for_the_circuit_and_whole_quotes() {
        for (wrong, why) in [
            ("", "no command"),
            ("prove it", "{model}"),
            ("prove '{model}", "without another"),
        ] {
            let error = wrong.parse::<ExternalCommand>().unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
