//! Tables with aligned columns.

use std::fmt;

use super::style::width;
use hyperkill_audit::terminal::in_a_line;

/// Alignment of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Left, for words.
    Left,
    /// Right, for numbers.
    Right,
}

/// Rows of cells, two blanks between columns.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl Table {
    /// Returns a table without rows.
    #[must_use]
    pub fn new(columns: impl IntoIterator<Item = Align>) -> Table {
        Table {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            indent: 0,
        }
    }

    /// Indents every row by blanks.
    #[must_use]
    pub fn indented(mut self, columns: usize) -> Table {
        self.indent = columns;
        self
    }

    /// Adds a row; missing cells are empty.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells.into_iter().map(Into::into);
        // Names are escaped before they are measured, so that a cell stays in its row and column.
        let cells = cells.map(|cell: String| in_a_line(&cell));
        self.rows.push(cells.collect());
    }

    /// Returns the number of columns of the widest row.
    #[must_use]
    pub fn width(&self) -> usize {
        let widths = self.widths();
        self.indent + widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.columns.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| width(cell)).max().unwrap_or(0)
            })
            .collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = " ".repeat(self.indent);
            for (column, cell) in row.iter().enumerate().take(widths.len()) {
                let blanks = " ".repeat(widths[column] - width(cell));
                if column > 0 {
                    line.push_str("  ");
                }
                match self.columns[column] {
                    Align::Left => {
                        line.push_str(cell);
                        line.push_str(&blanks);
                    }
                    Align::Right => {
                        line.push_str(&blanks);
                        line.push_str(cell);
                    }
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_blanks_at_the_end() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]).indented(1);
        table.row(["killed", "5", "x"]);
        table.row(["equivalent", "12"]);
        assert_eq!(table.to_string(), " killed       5  x\n equivalent  12\n");
        assert_eq!(table.width(), 18);
    }
}
