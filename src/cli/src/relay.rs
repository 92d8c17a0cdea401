//! `betwixt relay`: the data folder's relay in the foreground, with a live line for each list.

use std::io;

use betwixt_relay::serve::{Arguments, serve, told_to_end};

use crate::args::{Place, Relay};
use crate::place::kinds;
use crate::report::Report;

/// Runs the relay until it is told to end.
pub(crate) fn run(place: &Place, relay: &Relay) -> Result<(), Report> {
    let data = place.data_path()?;
    let arguments = Arguments {
        listen: relay.listen.clone(),
        data: None,
        limits: relay.limits.clone(),
        workers: relay.workers,
        insecure: relay.insecure,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let told_to_end = told_to_end()?;
        Ok(serve(arguments, kinds(), data, told_to_end, &mut io::stdout(), &mut io::stderr()).await?)
    })
}
