//! A walk over the tokens of a key.

use super::{
    SiteNumber,
    tag::owner_of,
    token::{Next, Token},
};

/// A place between two tokens of a key, where another key may branch off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// How many bytes are before it.
    pub(super) at: usize,
    /// Whose tag was the last before it.
    pub(super) owner: Option<SiteNumber>,
    /// What follows; none at the end of the key.
    pub(super) next: Option<Next>,
}

/// All cuts of a key: its start, after each token, and its end unless the last token ends early.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    key: &'a [u8],
    at: usize,
    owner: Option<SiteNumber>,
    is_over: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(key: &'a [u8]) -> Self {
        Self { key, at: 0, owner: None, is_over: false }
    }

    /// From a cut of another key on, which begins as this one does up to it.
    pub(super) fn resumed(key: &'a [u8], Cut { at, owner, .. }: Cut) -> Self {
        Self { key, at, owner, is_over: false }
    }
}

impl Iterator for Scan<'_> {
    type Item = Cut;

    #[inline]
    fn next(&mut self) -> Option<Cut> {
        if self.is_over {
            return None;
        }
        let next = Token::read(self.key.get(self.at..)?);
        let cut = Cut { at: self.at, owner: self.owner, next };
        match next {
            Some(next) => {
                self.at += next.bytes;
                self.is_over = next.ends_early;
                if next.whole
                    && let Some((owner, _)) = owner_of(next.token)
                {
                    self.owner = Some(owner);
                }
            }
            None => self.is_over = true,
        }
        Some(cut)
    }
}
