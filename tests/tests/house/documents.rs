//! Checks of documents: citations in sources and links in the book have targets.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are a folder of the workspace")
        .to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns all files below a folder with one of these extensions, without results of builds and runs.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if !name.starts_with('.') && !name.starts_with("hyperkill.out") && name != "target"
                {
                    folders.push(path);
                }
            } else if extensions
                .iter()
                .any(|e| path.extension().is_some_and(|x| x == *e))
            {
                found.push(path);
            }
        }
    }
    assert!(!found.is_empty(), "no files in {}", folder.display());
    found.sort();
    found
}

fn book() -> PathBuf {
    root().join("docs/src")
}

/// Returns the headings of a page, without their marks.
fn headings(page: &str) -> Vec<String> {
    let mut inside_code = false;
    let lines = page.lines().filter(|line| {
        inside_code ^= line.starts_with("```");
        !inside_code && line.starts_with('#')
    });
    lines
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect()
}

/// Returns mdBook's anchor of a heading: small letters, digits, `-` and `_`, with hyphens for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_lowercase().to_string()),
        c if c.is_whitespace() => Some("-".to_owned()),
        _ => None,
    });
    kept.collect()
}

/// Returns the targets of links `[text](target)` outside of code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside_code = false;
    for line in page.lines() {
        inside_code ^= line.starts_with("```");
        if inside_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                found.push(target.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_link_of_the_documents_leads_to_a_file_and_a_heading_in_it() {
    let mut broken = Vec::new();
    let mut looked_at = 0;
    for page in pages() {
        for target in links(&read(&page)) {
            if target.contains("://") {
                continue;
            }
            looked_at += 1;
            let (file, place) = target.split_once('#').unwrap_or((&target, ""));
            let file = match file {
                "" => page.clone(),
                _ => page.parent().expect("a page has a folder").join(file),
            };
            let leads = file.exists()
                && (place.is_empty() || headings(&read(&file)).iter().any(|h| anchor(h) == place));
            if !leads {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(looked_at > 20, "only {looked_at} links were found");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Returns the texts in backquotes outside of code blocks.
fn quoted(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside_code = false;
    for line in page.lines() {
        inside_code ^= line.starts_with("```");
        if !inside_code {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// Whether the text names a file or folder of the repository. Words in capitals and stars are placeholders.
fn is_own_path(text: &str) -> bool {
    let rooms = [
        "checker/",
        "core/",
        "docs/",
        "formulas/",
        "frontends/",
        "tests/",
    ];
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
    rooms.iter().any(|room| text.starts_with(room)) && text.chars().all(is_name)
}

/// Returns README, the other pages in the top folder, and the book.
fn pages() -> Vec<PathBuf> {
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    top.into_iter()
        .chain(files(&root().join("docs"), &["md"]))
        .collect()
}

#[test]
fn every_file_that_the_documents_name_exists() {
    let mut missing = Vec::new();
    let mut looked_at = 0;
    for page in pages() {
        for path in quoted(&read(&page))
            .into_iter()
            .filter(|text| is_own_path(text))
        {
            looked_at += 1;
            if !root().join(&path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(looked_at > 20, "only {looked_at} names were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn each_question_of_a_newcomer_has_one_file_as_the_answer() {
    let page = read(&book().join("internals/architecture.md"));
    let (_, section) = page.split_once("## Where is it?").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("a section behind it");
    let rows = section.lines().filter(|line| line.starts_with("| Where"));
    let answers: Vec<&str> = rows.filter_map(|row| row.split(" | ").nth(1)).collect();
    assert_eq!(answers.len(), 8, "{answers:?}");
    for answer in answers {
        let file = answer.strip_prefix('`').and_then(|a| a.strip_suffix('`'));
        assert!(
            file.is_some_and(|file| root().join(file).is_file()),
            "{answer} is no single file"
        );
    }
}

/// Tables and outputs of programs are exempt.
#[test]
fn no_line_of_the_documents_is_longer_than_140_columns() {
    let mut longer = Vec::new();
    for page in pages() {
        let mut inside_code = false;
        for (number, line) in read(&page).lines().enumerate() {
            inside_code ^= line.trim_start().starts_with("```");
            let wide = line.chars().count() > 140;
            if wide && !inside_code && !line.starts_with('|') {
                longer.push(format!("{}:{}", page.display(), number + 1));
            }
        }
    }
    assert!(longer.is_empty(), "{longer:#?}");
}

#[test]
fn the_summary_of_the_book_names_every_page_once() {
    let listed = links(&read(&book().join("SUMMARY.md")));
    let unique: BTreeSet<PathBuf> = listed.iter().map(|page| book().join(page)).collect();
    assert_eq!(listed.len(), unique.len(), "a page is listed twice");
    let mut pages: BTreeSet<PathBuf> = files(&book(), &["md"]).into_iter().collect();
    pages.remove(&book().join("SUMMARY.md"));
    assert_eq!(unique, pages);
}

/// Returns documents and the comments of sources, by path, each as one line, since citations may be broken over two lines.
fn texts() -> BTreeMap<PathBuf, String> {
    let sources = files(&root(), &["rs", "toml"]);
    let documents = files(&root().join("docs"), &["md"]);
    let this = root().join("tests/tests/house/documents.rs");
    let readme = root().join("README.md");
    let all = sources.into_iter().chain(documents).chain([readme]);
    all.filter(|path| *path != this)
        .map(|path| {
            let lines = read(&path);
            let lines = lines.lines().map(|line| {
                let line = line.trim_start();
                let line = line.trim_start_matches("//!").trim_start_matches("///");
                line.trim_start_matches("//").trim().replace('\\', "")
            });
            (path, lines.collect::<Vec<_>>().join(" "))
        })
        .collect()
}

/// Returns the sections named directly after a cited page, as in `§6.8` or `§3, §5`. From `§2–§5` both ends are returned.
fn sections(after: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = after.trim_start_matches('`').trim_start();
    loop {
        rest = rest.trim_start_matches([',', '–', '-', ' ']);
        let Some(section) = rest.strip_prefix('§') else {
            return found;
        };
        let end = section
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(section.len());
        found.push(section[..end].trim_end_matches('.').to_owned());
        rest = &section[end..];
    }
}

#[test]
fn every_section_of_a_page_that_sources_cite_exists() {
    let page = |name: &str| read(&book().join("internals").join(name));
    let numbered = |name: &str| -> BTreeSet<String> {
        let first = |heading: &String| heading.split_whitespace().next().map(str::to_owned);
        let first = headings(&page(name))
            .iter()
            .filter_map(first)
            .collect::<Vec<_>>();
        let digits = |word: &&String| word.starts_with(|c: char| c.is_ascii_digit());
        let numbers = first.iter().filter(digits);
        numbers
            .map(|n| n.trim_end_matches('.').to_owned())
            .collect()
    };
    let mut cited = 0;
    let mut missing = Vec::new();
    for name in [
        "semantics.md",
        "formats.md",
        "architecture.md",
        "certificates.md",
    ] {
        let known = numbered(name);
        for (path, text) in texts() {
            for part in text.split(name).skip(1) {
                for section in sections(part) {
                    cited += 1;
                    if !known.contains(&section) {
                        missing.push(format!("{}: {name} §{section}", path.display()));
                    }
                }
            }
        }
    }
    assert!(cited > 40, "only {cited} citations were found");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Returns the single items of citations like `Def. 3`, `Prop. 1 and 7` or `§5.1–5.2`.
fn items(cited: &str) -> Vec<String> {
    let mut found = Vec::new();
    for cited in cited.split(", ") {
        let (kind, numbers) = match cited.strip_prefix('§') {
            Some(numbers) => ("§", numbers),
            None => match cited.split_once(' ') {
                Some((kind, numbers)) => (kind, numbers),
                None => ("", cited),
            },
        };
        for number in numbers.split([' ', '–']).filter(|number| *number != "and") {
            let space = if kind == "§" { "" } else { " " };
            found.push(format!("{kind}{space}{number}").trim().to_owned());
        }
    }
    found
}

#[test]
fn every_paper_section_and_definition_that_is_cited_stands_in_the_bibliography() {
    let page = read(&book().join("internals/bibliography.md"));
    let listed: BTreeSet<String> = (page.lines())
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .flat_map(|(items, _)| items.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut cited = 0;
    let mut missing = Vec::new();
    for (path, text) in texts() {
        for part in text.split('[').skip(1) {
            let Some((inside, _)) = part.split_once(']') else {
                continue;
            };
            // A citation of an item is a paper's number followed by words. Lists of numbers in code are no citations.
            let is_item = |rest: &str| {
                rest.starts_with(['§', 'D', 'P', 'E', 'F', 'T'])
                    && rest.contains(|c: char| c.is_ascii_digit())
            };
            let Some((paper, rest)) = inside.split_once([',', ' ']) else {
                continue;
            };
            let rest = rest.trim_start();
            let is_number = !paper.is_empty() && paper.chars().all(|c| c.is_ascii_digit());
            if !is_number || !is_item(rest) {
                continue;
            }
            cited += 1;
            assert!(
                page.contains(&format!("**[{paper}]**")),
                "{}: there is no paper [{paper}]",
                path.display()
            );
            let here = page.contains(&format!("## What is cited of [{paper}]"));
            for item in items(rest) {
                if !here || !listed.contains(&item) {
                    missing.push(format!("{}: [{paper}, {item}]", path.display()));
                }
            }
        }
    }
    assert!(cited > 15, "only {cited} citations were found");
    assert!(missing.is_empty(), "{missing:#?}");
}
