//! The key that authenticates the cursors of lists.

use restwright::list::CursorKey;

/// The key of the server, and whether it survives a restart.
pub struct Cursors {
    /// The key for the configuration.
    pub key: CursorKey,
    /// `true` if this process generated the key. Its cursors are then invalid after a restart, and in other processes.
    pub is_generated: bool,
}

impl Cursors {
    /// Reads the key from `CURSOR_KEY`. If the variable is not set, generates a key.
    ///
    /// # Errors
    /// The operating system provides no randomness.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        if let Some(secret) = get("CURSOR_KEY").filter(|secret| !secret.is_empty()) {
            return Ok(Self { key: CursorKey::new(secret), is_generated: false });
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| format!("a cursor key cannot be generated: {error}"))?;
        Ok(Self { key: CursorKey::new(secret), is_generated: true })
    }
}
