//! Runs of a site's keys: the next one right behind or right ahead of its last.

use super::{
    SiteNumber,
    between::Draft,
    scan::Scan,
    tag::{Side, owner_of, token_of},
    token::{Kind, Token},
};

/// Returns the next key of a run that goes up from `last`; none if that is no key of `site`, or if there is no room
/// below `high`.
pub(super) fn behind<'a>(last: &'a [u8], high: Option<&[u8]>, site: SiteNumber) -> Option<Draft<'a>> {
    let end = End::of(last, site)?;
    let next = if end.token.kind() == Kind::Up { end.token.above() } else { None };
    let draft = match next {
        Some(next) => Draft::new(end.prefix, &[next]),
        None => Draft::new(last, &[Token::first_up()]),
    };
    high.is_none_or(|high| draft.is_below(high)).then_some(draft)
}

/// Returns the next key of a run that goes down from `last`; none if that is no key of `site`, or if there is no room
/// above `low`.
pub(super) fn ahead_of<'a>(last: &'a [u8], low: Option<&[u8]>, site: SiteNumber) -> Option<Draft<'a>> {
    let end = End::of(last, site)?;
    let draft = match end.token.kind() {
        Kind::Down => Draft::new(end.prefix, &[end.token.below()?]),
        // What the token below begins is nearer to the key than any other site can get that has not seen it.
        Kind::Code | Kind::Up => match end.token.below()? {
            below if below == Token::first_down() => Draft::new(end.prefix, &[below]),
            below => Draft::new(end.prefix, &[below, Token::first_down()]),
        },
        Kind::Tag if owner_of(end.token) == Some((site, Side::Right)) => {
            Draft::new(end.prefix, &[token_of(site, Side::Left), Token::first_down()])
        }
        Kind::Tag | Kind::Edge => return None,
    };
    low.is_none_or(|low| draft.is_above(low)).then_some(draft)
}

/// The last token of a key that is in its site's own scope.
struct End<'a> {
    prefix: &'a [u8],
    token: Token,
}

impl<'a> End<'a> {
    fn of(key: &'a [u8], site: SiteNumber) -> Option<Self> {
        let mut last = None;
        for cut in Scan::new(key) {
            if let Some(next) = cut.next {
                last = next.whole.then_some((cut.at, next.token));
            } else {
                let (at, token) = last.filter(|_| cut.owner == Some(site))?;
                return Some(Self { prefix: &key[..at], token });
            }
        }
        None
    }
}
