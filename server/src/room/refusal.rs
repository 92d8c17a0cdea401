//! Why an op is refused: by itself, and in its list.

use betwixt_core::limits::{CTR_MAX, KEY_JUMP_BYTES, KEY_SOFT_BYTES, Limits, SITES_MAX};
use betwixt_core::list::List;
use betwixt_core::op::body::BodyFault;
use betwixt_core::op::check::{OpFault, check};
use betwixt_core::op::{Body, Op, kind};
use betwixt_core::wire::RefusedCode;

use super::Rules;

/// Checks what an op shows by itself.
pub(super) fn check_by_itself(op: &Op, rules: Rules<'_>) -> Result<(), RefusedCode> {
    if !rules.kinds.has(op.body.kind()) {
        return Err(RefusedCode::UnknownKind);
    }
    if let Body::Unread { kind: kind::PROBE, bytes } = &op.body {
        return check_probe(op, bytes.len(), rules.limits);
    }
    check(op, rules.limits).map_err(|fault| code_of(&fault))
}

/// A kind without a form of its own: what holds for any op.
fn check_probe(op: &Op, body_bytes: usize, limits: &Limits) -> Result<(), RefusedCode> {
    if op.hash != op.content_hash() || op.ctr <= 1 || op.ctr > CTR_MAX || op.prev >= op.ctr {
        return Err(RefusedCode::Malformed);
    }
    let fits = u32::try_from(body_bytes).is_ok_and(|bytes| bytes <= limits.text_bytes);
    if fits { Ok(()) } else { Err(RefusedCode::TooLarge) }
}

/// Checks what the list says of an op that comes next in it.
pub(super) fn check_in_list(op: &Op, list: &List, rules: Rules<'_>) -> Result<(), RefusedCode> {
    let full = |found: usize, limit: u32| u32::try_from(found).is_ok_and(|found| found >= limit);
    match &op.body {
        Body::Join(_) if full(list.sites().len(), SITES_MAX) => return Err(RefusedCode::Full),
        Body::Put(put) if list.item(put.item).is_none() => return Err(RefusedCode::Gone),
        Body::Add(add) if list.item(add.item).is_none() && full(list.items().len(), rules.limits.items) => {
            return Err(RefusedCode::Full);
        }
        _ => {}
    }
    // A key that grew by itself is a byte or two above its neighbours; one far above them would cost everybody.
    let jumps = |bytes: usize| bytes > KEY_SOFT_BYTES && bytes > list.lengths().longest() + KEY_JUMP_BYTES;
    if op.key().is_some_and(|key| jumps(key.len())) { Err(RefusedCode::KeyJump) } else { Ok(()) }
}

/// What a site is told of a fault.
fn code_of(fault: &OpFault) -> RefusedCode {
    match fault {
        OpFault::Body(BodyFault::Kind(_)) => RefusedCode::UnknownKind,
        OpFault::Body(BodyFault::Key(_)) => RefusedCode::BadKey,
        OpFault::KeyBytes { .. } | OpFault::TextBytes { .. } => RefusedCode::TooLarge,
        OpFault::Control { .. } => RefusedCode::Control,
        // The body is malformed, or the hash, the counters or a value are not what they can be.
        _ => RefusedCode::Malformed,
    }
}
