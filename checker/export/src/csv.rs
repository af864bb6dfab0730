//! Comma-separated values (RFC 4180) with cells of one line.

use std::borrow::Cow;

/// Returns cells as a line of comma-separated values, without a line break.
#[must_use]
pub fn line<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for (number, cell) in cells.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        text += &written(cell.as_ref());
    }
    text
}

/// Returns a cell, in quotes if necessary.
fn written(cell: &str) -> Cow<'_, str> {
    match cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell {
        true => Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\""))),
        false => Cow::Borrowed(cell),
    }
}

/// Returns the cells of a line. Blanks around unquoted cells are dropped. `None` if a quote is not closed, or other text follows it in the
/// cell.
#[must_use]
pub fn cells(line: &str) -> Option<Vec<String>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let (cell, after) = match rest.trim_start().strip_prefix('"') {
            Some(inside) => {
                let (cell, after) = quoted(inside)?;
                (cell, after.trim_start())
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        cells.push(cell);
        if after.is_empty() {
            return Some(cells);
        }
        rest = after.strip_prefix(',')?;
    }
}

/// Splits text at the quote that closes a cell: the content before it, with quotes undoubled, and the rest after it. `None` if no quote
/// closes the cell.
fn quoted(inside: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = inside;
    loop {
        let (before, after) = rest.split_once('"')?;
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => return Some((cell, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for row in [
            vec!["a", "b"],
            vec!["put(1, 2)", "", "say \"no\""],
            vec![" blank ", "\"", ","],
            vec![""],
        ] {
            assert_eq!(
                cells(&line(&row)),
                Some(row.iter().map(|s| (*s).to_owned()).collect())
            );
        }
        assert_eq!(line(["a", "put(1, 2)"]), "a,\"put(1, 2)\"");
    }

    #[test]
    fn blanks_are_no_part_of_cells_and_quotes_must_be_closed() {
        let found = cells(" a ,  \"b, \" , c").unwrap();
        assert_eq!(found, ["a", "b, ", "c"]);
        assert_eq!(cells("a,\"b"), None);
        assert_eq!(cells("\"a\"b"), None);
    }
}
