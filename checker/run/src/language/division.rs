//! The division of a model of a language: each shard gets a list of its mutants, and reads all sources.

use std::collections::BTreeMap;

use hyperkill_audit::model::Listing;

use crate::procedure::{Division, ShardFile, SpoiltCertificate};

/// The division of the mutants of a listing.
pub(super) struct ListDivision<'a>(pub(super) &'a Listing);

impl Division for ListDivision<'_> {
    fn sizes(&self, mutants: &[usize]) -> Vec<usize> {
        vec![1; mutants.len()]
    }

    fn file(&self, mutants: &[usize]) -> ShardFile {
        let ids = mutants.iter().map(|&place| &self.0.catalogue[place].id);
        let list: String = ids.map(|id| format!("{id}\n")).collect();
        ShardFile {
            extension: "txt",
            bytes: list.into_bytes(),
            circuit: None,
        }
    }

    fn translate_certificates(
        &self,
        _: &[String],
        _: Option<&str>,
        certificates: BTreeMap<String, Vec<u8>>,
    ) -> Result<BTreeMap<String, Vec<u8>>, SpoiltCertificate> {
        // Each shard reads the complete model, so the certificates already name it.
        Ok(certificates)
    }
}
