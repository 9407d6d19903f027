//! Hash slots, and the nodes that serve them.

use redis::{RedisResult, Value, from_redis_value};

/// The number of hash slots of a cluster.
pub(super) const SLOTS: usize = 16_384;

/// Slots in a row, with the address of the node that serves them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SlotRange {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) address: NodeAddress,
}

/// The address of a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct NodeAddress {
    pub(super) host: String,
    pub(super) port: u16,
}

impl NodeAddress {
    /// Reads the address of a redirection, `host:port`. Without a host it is that of the node which sent it.
    pub(super) fn from_redirection(text: &str, sender: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = if host.is_empty() { sender } else { host };
        Some(Self { host: host.to_owned(), port: port.parse().ok()? })
    }
}

/// Reads the response to `CLUSTER SLOTS`. A node without a host has that of the node which sent it.
pub(super) fn slot_ranges(response: Value, sender: &str) -> RedisResult<Vec<SlotRange>> {
    let entries: Vec<Vec<Value>> = from_redis_value(response)?;
    let mut ranges = Vec::new();
    for entry in entries {
        let mut entry = entry.into_iter();
        // Replicas follow the node.
        let (Some(first), Some(last), Some(node)) = (entry.next(), entry.next(), entry.next()) else { continue };
        let mut node = from_redis_value::<Vec<Value>>(node)?.into_iter();
        let (Some(host), Some(port)) = (node.next(), node.next()) else { continue };
        let host: Option<String> = from_redis_value(host)?;
        let host = host.filter(|host| !host.is_empty()).unwrap_or_else(|| sender.to_owned());
        let address = NodeAddress { host, port: from_redis_value(port)? };
        ranges.push(SlotRange { first: from_redis_value(first)?, last: from_redis_value(last)?, address });
    }
    Ok(ranges)
}

/// Returns the slot of a key: CRC16 (XMODEM) of the key, or of what it has between the first `{` and the next `}`.
pub(super) fn slot_of(key: &str) -> usize {
    let tag = key.split_once('{').and_then(|(_, rest)| Some(rest.split_once('}')?.0)).filter(|tag| !tag.is_empty());
    usize::from(crc16(tag.unwrap_or(key).as_bytes())) % SLOTS
}

fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(
            crc ^ (u16::from(*byte) << 8),
            |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of `CLUSTER KEYSLOT`.
    #[test]
    fn slots_are_those_of_the_server() {
        for (key, slot) in [
            ("123456789", 12739),
            ("foo", 12182),
            ("{foo}bar", 12182),
            ("a{foo}{bar}", 12182),
            ("foo{}{bar}", 8363),
            ("foo{{bar}}zap", 4015),
            ("", 0),
        ] {
            assert_eq!(slot_of(key), slot, "{key}");
        }
    }

    #[test]
    fn a_node_without_a_host_has_that_of_the_sender() {
        let text = |text: &str| Value::BulkString(text.into());
        let node = |host: Value, port| Value::Array(vec![host, Value::Int(port), text("id"), Value::Array(Vec::new())]);
        let entry =
            |first, last, node: Value| Value::Array(vec![Value::Int(first), Value::Int(last), node.clone(), node]);
        let response = Value::Array(vec![
            entry(0, 99, node(text("10.0.0.1"), 7000)),
            entry(100, 200, node(Value::Nil, 7001)),
            entry(201, 16_383, node(text(""), 7002)),
        ]);
        let range = |first, last, host: &str, port| SlotRange {
            first,
            last,
            address: NodeAddress { host: host.to_owned(), port },
        };
        let expected =
            [range(0, 99, "10.0.0.1", 7000), range(100, 200, "sender", 7001), range(201, 16_383, "sender", 7002)];
        assert_eq!(slot_ranges(response, "sender").unwrap(), expected);
        for (text, expected) in [
            ("10.0.0.1:7000", Some(("10.0.0.1", 7000))),
            ("2001:db8::1:7000", Some(("2001:db8::1", 7000))),
            (":7000", Some(("sender", 7000))),
            ("10.0.0.1", None),
            ("10.0.0.1:70000", None),
        ] {
            let found = NodeAddress::from_redirection(text, "sender");
            assert_eq!(found, expected.map(|(host, port)| NodeAddress { host: host.to_owned(), port }), "{text}");
        }
    }
}
