//! Sending pending ops: in order, in messages of bounded size, not too many at a time.

use betwixt_core::limits::SENT_BYTES_MAX;
use betwixt_core::op::Op;
use betwixt_core::wire::ToRelay;

use super::{Outputs, Session};
use crate::replica::Replica;

/// Ops that may be under way at one time.
pub(super) const UNDER_WAY_MAX: usize = 4_000;
/// What a message has beside its ops.
const FRAME_BYTES: usize = 64;

impl Session {
    /// Sends what is pending and not sent over this link yet. Before the site has joined that is its `Join` alone:
    /// what is behind it may get other keys by it.
    pub(super) fn push(&mut self, replica: &Replica, out: &mut Outputs) {
        let list = replica.confirmed().uid();
        let joined = replica.has_joined();
        let sendable = replica.pending().take(self.window).take_while(|op| joined || op.ctr == 1);
        let mut ops: Vec<Op> = Vec::new();
        let mut bytes = FRAME_BYTES;
        for op in sendable.filter(|op| op.ctr > self.sent) {
            let op_bytes = op.to_bytes().len();
            if bytes + op_bytes > SENT_BYTES_MAX && !ops.is_empty() {
                out.send.push(ToRelay::Push { list, ops: core::mem::take(&mut ops) });
                bytes = FRAME_BYTES;
            }
            bytes += op_bytes;
            ops.push(op.clone());
        }
        if let Some(last) = ops.last() {
            self.sent = last.ctr;
            out.send.push(ToRelay::Push { list, ops });
        }
    }
}
