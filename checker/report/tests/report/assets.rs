//! Third-party files are identical to their published versions.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

#[test]
fn every_file_of_others_has_its_hash_its_version_and_its_licence() {
    let list = fs::read_to_string(assets().join("README.md")).unwrap();
    let rows = list.lines().filter(|line| line.starts_with("| mutation"));
    let mut looked_at = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, file, _, version, licence, hash, _] = cells[..] else {
            panic!("{row}");
        };
        let bytes = fs::read(assets().join(file)).unwrap();
        let digits = Sha256::digest(&bytes);
        let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, hash, "{file}");
        assert!(
            version.contains('.') && licence.starts_with("Apache-2.0"),
            "{row}"
        );
        let beside = assets().join(file).with_file_name("LICENSE");
        let text = fs::read_to_string(beside).unwrap();
        assert!(text.contains("Apache License") && text.contains("Version 2.0"));
        looked_at += 1;
    }
    assert_eq!(looked_at, 2);
}
