//! A browser shows the page: all mutants, one of them opened, without messages on the console.

use std::fs;
use std::io::Write;
use std::process::Command;

use hyperkill_report::page::page;

use crate::found::{Found, every_kind, many};

/// Script that visits the page like a user and records its observations as attributes of the first element.
const VISITOR: &str = include_str!("visitor.js");

/// Options for opening a page: no screen, and no feature that containers lack.
const ALONE: [&str; 4] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
];

/// Returns the command of a headless browser that opens pages on this machine, if there is one.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let opens = |name: &&str| {
        let asked = Command::new(name)
            .args(ALONE)
            .args(["--dump-dom", "about:blank"])
            .output();
        asked.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("<html"))
    };
    let found = names.into_iter().find(opens);
    if found.is_none() {
        // Written directly, since the test harness captures printed text.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: report.html in a browser (chromium is not installed, or does not start here)"
        );
    }
    found
}

/// Returns the attributes of a page's first element and the messages on its console.
fn visited(browser: &str, page: &str) -> (String, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("report.html");
    let script = format!("<script>\n{VISITOR}</script>\n</body>");
    let end = page.rfind("</body>").unwrap();
    let visited = format!("{}{script}{}", &page[..end], &page[end + "</body>".len()..]);
    fs::write(&file, visited).unwrap();
    let output = Command::new(browser)
        .args(ALONE)
        .arg("--enable-logging=stderr")
        // Virtual time: the browser skips waiting, so a second of the page lasts as long as its work.
        .args(["--virtual-time-budget=60000", "--dump-dom"])
        .arg(format!(
            "--user-data-dir={}",
            place.path().join("profile").display()
        ))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let begin = text.find("<html").unwrap_or_else(|| panic!("{output:?}"));
    let first = text[begin..].split('>').next().unwrap().to_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().filter(|line| line.contains("CONSOLE"));
    (first, said.map(str::to_owned).collect())
}

fn shown(found: &Found) -> String {
    page(&found.findings()).unwrap()
}

#[test]
fn a_browser_shows_ten_thousand_mutants_and_opens_one_without_complaint() {
    let page = shown(&many(10_000));
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
    let Some(browser) = browser() else { return };
    let (seen, console) = visited(browser, &page);
    assert_eq!(console, Vec::<String>::new());
    for said in [
        "data-front=\"shown\"",
        "data-listed=\"10000\"",
        "data-marked=\"10000\"",
        "data-opened=\"true\"",
        "data-away=\"hidden\"",
    ] {
        assert!(seen.contains(said), "{said} is not in {seen}");
    }
}

#[test]
fn no_text_of_a_model_becomes_part_of_the_page() {
    let page = shown(&every_kind());
    assert!(!page.contains("<script>alert"), "a script of the model");
    let Some(browser) = browser() else { return };
    let (seen, console) = visited(browser, &page);
    assert_eq!(console, Vec::<String>::new());
    assert!(seen.contains("data-opened=\"true\""), "{seen}");
    assert!(!seen.contains("data-dialogs"), "{seen}");
}

#[test]
fn a_page_that_complains_or_asks_the_network_is_noticed() {
    let Some(browser) = browser() else { return };
    let whole = shown(&many(80));
    for fault in [
        "<script>console.error('no')</script>",
        "<script>absent()</script>",
        "<script src=\"far.js\"></script>",
    ] {
        let spoilt = whole.replacen("<section", &format!("{fault}<section"), 1);
        let (_, console) = visited(browser, &spoilt);
        assert!(!console.is_empty(), "{fault}");
    }
}
