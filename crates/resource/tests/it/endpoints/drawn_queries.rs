//! The random requests of the test of noninterference that use `QUERY`, JSON Patches, exports, or fields of related entities.

use serde_json::{Map, Value, json};

use super::drawn_requests::Draw;
use super::sent::{Kind, Sent};

impl Draw<'_> {
    /// Returns the creation of a folder with an idempotency key.
    pub(super) fn keyed_folder(&mut self) -> Sent {
        let number = self.random.below(30);
        let sent = Sent::new(Kind::Folder, "POST", "/folders").json(&json!({"owner": "bob", "size": number}));
        Sent { headers: vec![("Idempotency-Key", format!("folder-{number}"))], ..sent }
    }

    /// Returns a JSON Patch of a note. It compares and copies values that the caller may not see.
    pub(super) fn operations(&mut self) -> Value {
        let (count, estimate) = (1 + self.random.below(3), self.estimate());
        let operation = |_| match self.random.below(7) {
            0 => json!({"op": "test", "path": "/estimate", "value": estimate}),
            1 => json!({"op": "copy", "from": "/estimate", "path": "/size"}),
            2 => json!({"op": "move", "from": "/hint", "path": "/code"}),
            3 => json!({"op": "test", "path": "/doubled", "value": estimate * 2}),
            4 => json!({"op": "replace", "path": "/estimate", "value": estimate}),
            5 => json!({"op": "add", "path": "/labels/-", "value": "new"}),
            _ => {
                let path = self.random.one(&["/labels/0", "/hint", "/size", "/owner", "/deleted_at"]);
                json!({"op": "remove", "path": path})
            }
        };
        (0..count).map(operation).collect()
    }

    /// Returns an export of notes.
    pub(super) fn export_of_notes(&mut self) -> Sent {
        let query = ["", "order_by=-size", "order_by=estimate", "include=folder", "size[gt]=1&order_by=owner,-size"];
        let path = format!("/notes?{}", self.random.one(&query));
        let accept = self.random.one(&["application/jsonl", "text/csv"]).to_owned();
        Sent { headers: vec![("Accept", accept)], ..Sent::new(Kind::Note, "GET", path) }
    }

    /// Returns a request for receipts, which have filters and orders by their notes.
    pub(super) fn of_receipts(&mut self) -> Sent {
        let path = format!("/receipts/{}", self.id(Kind::Receipt));
        match self.random.below(6) {
            0 | 1 => {
                let note = match self.random.below(4) {
                    0 => None,
                    1 => Some(self.id(Kind::Note)),
                    _ => Some(self.note_of_ann()),
                };
                Sent::new(Kind::Receipt, "POST", "/receipts").json(&json!({"owner": "bob", "note_id": note}))
            }
            2 | 3 => Sent::new(Kind::Receipt, "GET", format!("/receipts?limit=3&{}", self.by_note())),
            4 => Sent::new(Kind::Receipt, "GET", path),
            _ => Sent::new(Kind::Receipt, "DELETE", path),
        }
    }

    /// Returns a filter or an order of receipts by a field of their notes.
    fn by_note(&mut self) -> &'static str {
        self.random.one(&[
            "",
            "note.size[gt]=1",
            "note.size[ne]=2&order_by=-note.size",
            "note.size[is_null]=true",
            "note.owner[contains]=N",
            "order_by=note.size",
            "order_by=-note.owner,note.size",
            "filter[note.estimate][gt]=50000000",
            "order_by=note.estimate",
        ])
    }

    /// Returns a query of notes with a random filter.
    pub(super) fn query_of_notes(&mut self) -> Sent {
        let depth = 1 + self.random.below(4);
        let mut body = json!({
            "filter": self.filter(depth),
            "limit": 1 + self.random.below(5),
            "page": 1 + self.random.below(2),
        });
        if self.random.below(3) == 0 {
            body["order_by"] = json!([self.random.one(&["-size", "owner", "-owner", "estimate"])]);
        }
        if self.random.below(4) == 0 {
            body["q"] = json!(self.random.one(&["h", "ann", "c1", "B"]));
        }
        if self.random.below(4) == 0 {
            body["include"] = json!([self.random.one(&["folder", "lines", "nothing"])]);
        }
        Sent::new(Kind::Note, "QUERY", "/notes").json(&body)
    }

    /// Returns a query of lines or tasks, whose lists have cursors.
    pub(super) fn query_after(&mut self) -> Sent {
        let mut body = json!({"limit": 1 + self.random.below(3)});
        if self.random.below(2) == 0 {
            body["cursor"] = json!(self.cursor);
        }
        if self.random.below(2) == 0 {
            body["filter"] = json!({"not": {"group": {"eq": format!("g{}", self.random.below(4))}}});
        }
        Sent::new(Kind::Task, "QUERY", "/tasks").json(&body)
    }

    fn filter(&mut self, depth: usize) -> Value {
        let mut filter = Map::new();
        for _ in 0..1 + self.random.below(2) {
            let (name, value) = match self.random.below(if depth == 0 { 5 } else { 9 }) {
                0 => ("owner", json!({"contains": self.random.one(&["N", "b", "o"])})),
                1 => ("owner", json!({"eq": self.random.one(&["ann", "bob"])})),
                2 => ("size", json!({"gt": self.random.below(4)})),
                3 => ("size", json!({"is_null": self.random.below(2) == 0})),
                // The field exists for callers with the permission `read`.
                4 if self.random.below(4) == 0 => ("estimate", json!({"gt": 50_000_000})),
                4 => ("size", json!({"eq": self.random.below(4)})),
                5 => ("any", json!([self.filter(depth - 1), self.filter(depth - 1)])),
                6 => ("all", json!([self.filter(depth - 1), self.filter(depth - 1)])),
                _ => ("not", self.filter(depth - 1)),
            };
            filter.insert(name.to_owned(), value);
        }
        Value::Object(filter)
    }
}
