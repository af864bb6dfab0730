//! Suggestions for misspelled names.

/// The number of names that are listed if none is similar, at most.
const LISTED: usize = 8;

/// Returns a suggestion for the unknown name `wrong`: the nearest of these names, or all names if they are few. `None` if there is no name,
/// or there are many and none is similar.
pub fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let length = wrong.chars().count();
    // Names of one letter all have distance one.
    let most = (length / 3).max(1).min(length.saturating_sub(1));
    let near = names.iter().filter_map(|name| {
        let distance = distance(wrong, name);
        (distance <= most).then_some((distance, *name))
    });
    if let Some((_, name)) = near.min() {
        return Some(format!("did you mean `{name}`?"));
    }
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("there is only `{only}`")),
        few if few.len() <= LISTED => Some(format!("there are `{}`", few.join("`, `"))),
        _ => None,
    }
}

/// Returns the edit distance: the number of letters to insert, delete, change or swap with the next one. Upper and lower case are equal.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_swapped_missing_or_of_the_other_case_are_near() {
        for (wrong, right) in [("rset", "reset"), ("FSAT", "FAST"), ("width", "WIDTH")] {
            let names = [right, "something", "else"];
            let expected = format!("did you mean `{right}`?");
            assert_eq!(did_you_mean(wrong, names), Some(expected));
        }
    }

    #[test]
    fn a_name_of_one_letter_is_near_to_the_other_case_alone() {
        let names = ["P", "elephant"];
        let listed = "there are `P`, `elephant`".to_owned();
        assert_eq!(did_you_mean("m", names), Some(listed));
        let other_case = "did you mean `P`?".to_owned();
        assert_eq!(did_you_mean("p", names), Some(other_case));
    }

    #[test]
    fn where_nothing_is_near_a_few_names_are_listed() {
        let names = ["go", "stop"];
        let expected = "there are `go`, `stop`".to_owned();
        assert_eq!(did_you_mean("elephant", names), Some(expected));
        assert_eq!(did_you_mean("elephant", []), None);
    }
}
