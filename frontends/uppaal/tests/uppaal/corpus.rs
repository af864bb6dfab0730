//! Models of other authors: all models without unsupported features are read.

use std::path::{Path, PathBuf};

use hyperkill_uppaal::typed;

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns all models of other authors with this file name extension, with their texts; `None` if there are none here.
pub(crate) fn all(extension: &str) -> Option<Vec<(PathBuf, String)>> {
    let folder = std::env::var("HYPERKILL_MODELS").ok()?;
    let families = ["uppaal", "ecdar"].into_iter();
    let found = families.flat_map(|family| files(&Path::new(&folder).join(family), extension));
    let read = found.map(|file| {
        let text = std::fs::read(&file).expect("readable");
        let text = String::from_utf8_lossy(&text).into_owned();
        (file, text)
    });
    Some(read.collect())
}

#[test]
fn models_of_others_are_read_unless_they_use_what_is_refused() {
    let Some(models) = all("xml") else {
        eprintln!("SKIPPED: HYPERKILL_MODELS is not set, so no model of others is read");
        return;
    };
    let (mut read, mut refused) = (0, 0);
    for (file, text) in models {
        match typed(&text) {
            Ok(_) => read += 1,
            Err(errors) => {
                refused += 1;
                let first = &errors[0];
                let there = first.span.map_or("", |span| span.of(&text));
                println!("{}: {} `{there}`", file.display(), first.message);
            }
        }
    }
    println!("{read} read, {refused} refused");
    // 140 use nothing that is refused; one of them names a location that is not there, and one gives too few arguments.
    assert!(read >= 138, "{read} read, {refused} refused");
}
