//! A node of a cluster.

use std::fmt;
use std::sync::Arc;

use redis::{ErrorKind, RedisResult, ServerErrorKind, Value};
use restwright_core::{Clock, ComponentError};

use super::seeds::Seeds;
use super::slots::{NodeAddress, SlotRange, slot_ranges};
use crate::redis::connection::{Connection, Deadline};
use crate::redis::outage::Outage;
use crate::redis::script::ScriptRun;

/// A node, with its connection and its outages.
pub(super) struct Node {
    address: NodeAddress,
    connection: Connection,
    pub(super) outage: Outage,
}

/// The response of a node.
pub(super) enum NodeReply {
    Done(Vec<u64>),
    /// The slot belongs to another node.
    Moved(NodeAddress),
    /// The slot is moving to another node, which has this bucket already, or makes it.
    Ask(NodeAddress),
}

impl Node {
    pub(super) fn new(address: NodeAddress, seeds: &Seeds) -> RedisResult<Self> {
        let connection = Connection::new(seeds.client(&address)?);
        Ok(Self { address, connection, outage: Outage::new(Clock::system()) })
    }

    pub(super) fn address(&self) -> &NodeAddress {
        &self.address
    }

    /// Runs a script. `asks` is set if another node redirected here with `ASK`.
    pub(super) async fn run(
        &self,
        run: &ScriptRun,
        asks: bool,
        deadline: Deadline,
    ) -> Result<NodeReply, ComponentError> {
        let run = Arc::new(run.clone());
        let reply = self.connection.send(deadline, move |mut connection| {
            let (run, sender) = (run.clone(), self.address.host.clone());
            async move {
                let response =
                    if asks { run.invoke_asking(&mut connection).await } else { run.invoke(&mut connection).await };
                match response {
                    Ok(response) => Ok(NodeReply::Done(response)),
                    // A redirection is no failure of the connection.
                    Err(error) => {
                        let target = error.redirect_node().map(|(address, _)| address);
                        match (error.kind(), target.and_then(|text| NodeAddress::from_redirection(text, &sender))) {
                            (ErrorKind::Server(ServerErrorKind::Moved), Some(address)) => Ok(NodeReply::Moved(address)),
                            (ErrorKind::Server(ServerErrorKind::Ask), Some(address)) => Ok(NodeReply::Ask(address)),
                            _ => Err(error),
                        }
                    }
                }
            }
        });
        reply.await.map_err(|error| format!("{self}: {error}").into())
    }

    /// Returns which node serves which slots, as far as this one knows.
    pub(super) async fn slots(&self, deadline: Deadline) -> Result<Vec<SlotRange>, ComponentError> {
        let response = self.connection.send(deadline, |mut connection| async move {
            redis::cmd("CLUSTER").arg("SLOTS").query_async::<Value>(&mut connection).await
        });
        let ranges = async { Ok::<_, ComponentError>(slot_ranges(response.await?, &self.address.host)?) };
        ranges.await.map_err(|error| format!("{self}: {error}").into())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.address.host, self.address.port)
    }
}
