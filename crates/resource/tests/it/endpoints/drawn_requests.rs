//! The random requests of the test of noninterference.

use serde_json::{Value, json};

use super::sent::{KINDS, Kind, Random, Revealed, Sent};

/// Draws requests. Each identifier is drawn by itself: one that is visible, hidden or missing.
pub(super) struct Draw<'r> {
    pub(super) random: &'r mut Random,
    /// The identifiers of each kind, in both runs.
    pub(super) ids: &'r [Vec<String>; KINDS],
    /// The folders of `ann` that both runs contain.
    pub(super) folders: &'r [String],
    /// The notes of `ann` that both runs contain. Some are not public any more.
    pub(super) notes: &'r [String],
    /// The notes of `bob`, some of which are deleted.
    pub(super) own_notes: &'r [String],
    /// A cursor, the path of an adjacent page and an entity tag, of earlier responses.
    pub(super) cursor: &'r str,
    pub(super) page: &'r str,
    pub(super) tag: &'r str,
}

impl Draw<'_> {
    pub(super) fn id(&mut self, kind: Kind) -> String {
        let ids = &self.ids[kind as usize];
        let known = ids.len() + 2;
        // The last ones more often, since the earlier ones may be gone.
        let number = if self.random.below(2) == 0 {
            known - 1 - self.random.below(known.min(12))
        } else {
            self.random.below(known)
        };
        let missing = match kind {
            Kind::Page => "missing".to_owned(),
            Kind::Receipt => "999999".to_owned(),
            _ => format!("018f0000-0000-7000-8000-{number:0>12}"),
        };
        ids.get(number).cloned().unwrap_or(missing)
    }

    /// Returns one of the folders of `ann` that both runs contain.
    fn folder(&mut self) -> Option<String> {
        let number = self.random.below(self.folders.len().max(1));
        self.folders.get(number).cloned()
    }

    /// Returns one of the latest notes of `ann` that both runs contain, or any note.
    pub(super) fn note_of_ann(&mut self) -> String {
        let number = self.random.below(4);
        self.notes.iter().rev().nth(number).cloned().unwrap_or_else(|| self.id(Kind::Note))
    }

    /// Returns one of a hundred values, with room for numbers of requests between them.
    pub(super) fn estimate(&mut self) -> u64 {
        1_000_000 * self.random.below(100) as u64
    }

    fn note(&mut self) -> Value {
        let mut note =
            json!({"owner": self.random.one(&["bob", "bob", "bob", "ann"]), "is_public": self.random.below(2) == 0});
        if self.random.below(2) == 0 {
            note["folder_id"] = json!(self.id(Kind::Folder));
        }
        if self.random.below(3) == 0 {
            note["size"] = json!(self.random.below(5));
        }
        if self.random.below(3) == 0 {
            note["code"] = json!(format!("c{}", self.random.below(15)));
        }
        if self.random.below(3) == 0 {
            note["labels"] = json!(["b", self.random.one(&["a", "c"])]);
        }
        if self.random.below(12) == 0 {
            note[self.random.one(&["estimate", "points"])] = json!(self.estimate());
        }
        note
    }

    fn notes(&mut self) -> Value {
        json!({"data": (0..1 + self.random.below(3)).map(|_| self.note()).collect::<Vec<_>>()})
    }

    /// Returns the items of a batch of deletes.
    fn targets(&mut self) -> Value {
        let first = self.random.below(8);
        let mut several = Vec::new();
        for number in first..=first + self.random.below(3) {
            let own = self.own_notes.iter().rev().nth(number).filter(|_| self.random.below(8) > 0);
            let mut item = json!({"id": own.cloned().unwrap_or_else(|| self.id(Kind::Note))});
            if self.random.below(12) == 0 {
                item["if_match"] = json!(self.tag);
            }
            several.push(item);
        }
        json!({"data": several})
    }

    /// Returns the items of a batch of updates.
    fn changes(&mut self) -> Value {
        let mut batch = self.targets();
        for item in batch["data"].as_array_mut().into_iter().flatten() {
            item["changes"] = match self.random.below(8) {
                0 => json!({"estimate": self.estimate()}),
                1 => json!({"code": format!("c{}", self.random.below(15))}),
                2 => json!({"size": self.random.below(5)}),
                3 => json!({"is_public": self.random.below(2) == 0}),
                _ => json!({"folder_id": self.id(Kind::Folder)}),
            };
        }
        batch
    }

    /// Returns a query of a list.
    fn query(&mut self) -> String {
        let filter = self.random.one(&[
            "",
            "&owner=ann",
            "&owner[contains]=n",
            "&size[gt]=1",
            "&size[is_null]=true",
            "&order_by=-size",
            "&order_by=owner,-size",
            "&order_by=nothing",
            "&owner[gt]=b",
            "&estimate[gt]=50000000",
            "&estimate=7",
            "&order_by=estimate",
            "&order_by=-size,-estimate",
            "&q=h",
            "&q=ann",
            "&q=c1&size[gt]=1",
            "&labels[has]=a",
            "&labels[has]=b&size[is_null]=true",
        ]);
        format!("limit={}&page={}{filter}", 1 + self.random.below(4), 1 + self.random.below(3))
    }

    /// Returns a page of a list with cursors.
    fn after(&mut self) -> String {
        let limit = 1 + self.random.below(3);
        match self.random.below(3) {
            0 => format!("limit={limit}"),
            1 => format!("limit={limit}&cursor={}", self.cursor),
            _ => format!("limit={limit}&order_by={}", self.random.one(&["text", "-text", "size", "-size", "estimate"])),
        }
    }

    /// Adds includes to some requests for a view or a list.
    fn with_includes(&mut self, mut sent: Sent) -> Sent {
        let known = match sent.kind {
            Kind::Folder => ["notes", "notes.lines", "notes,notes.lines", "nothing"],
            Kind::Note => ["folder", "lines", "folder,lines", "folder,folder"],
            Kind::Line => ["note", "note.folder", "note.folder,note", "note.folder.notes"],
            _ => return sent,
        };
        let is_read = sent.method == "GET" || sent.method == "HEAD";
        if is_read && !sent.path.starts_with("/pages") && self.random.below(3) == 0 {
            let separator = if sent.path.contains('?') { '&' } else { '?' };
            sent.path.push_str(&format!("{separator}include={}", self.random.one(&known)));
        }
        sent
    }

    /// Returns a request of `bob`.
    pub(super) fn request(&mut self) -> Sent {
        let sent = match self.random.below(7) {
            6 => self.of_tasks(),
            0 => self.of_folders(),
            1 | 2 => self.of_notes(),
            3 => self.of_lines(),
            4 => self.of_pages(),
            _ => match self.random.below(4) {
                0 => self.of_receipts(),
                1 => self.malformed(),
                _ => Sent::new(Kind::Page, "GET", self.page),
            },
        };
        let sent = self.with_includes(sent);
        self.with_precondition(sent)
    }

    fn of_folders(&mut self) -> Sent {
        let path = format!("/folders/{}", self.id(Kind::Folder));
        let size = json!({"size": self.random.below(9)});
        match self.random.below(7) {
            0 | 1 => self.keyed_folder(),
            2 => Sent::new(Kind::Folder, "GET", format!("/folders?limit={}", 1 + self.random.below(4))),
            3 => Sent::new(Kind::Folder, "GET", path),
            4 => Sent::new(Kind::Folder, "PATCH", path).json(&size),
            5 => Sent::new(Kind::Folder, "POST", "/folders").json(&json!({"owner": "bob", "size": 3})),
            _ => Sent::new(Kind::Folder, "DELETE", path),
        }
    }

    fn of_notes(&mut self) -> Sent {
        let path = format!("/notes/{}", self.id(Kind::Note));
        let note = |method| Sent::new(Kind::Note, method, path.clone());
        let list = |query: String| Sent::new(Kind::Note, "GET", format!("/notes?{query}"));
        let mut sent = match self.random.below(20) {
            17 | 18 => Sent::new(Kind::Note, "PATCH", "/notes/batch").json(&self.changes()),
            19 => Sent::new(Kind::Note, "POST", "/notes/batch/delete").json(&self.targets()),
            14..=16 => self.query_of_notes(),
            0..=2 => Sent::new(Kind::Note, "POST", "/notes").json(&self.note()),
            3 => Sent::new(Kind::Note, "POST", "/notes/batch").json(&self.notes()),
            4 => list(self.query()),
            5 if self.random.below(2) == 0 => self.export_of_notes(),
            5 => list("limit=100".to_owned()),
            6 | 7 => note(self.random.one(&["GET", "GET", "HEAD", "OPTIONS"])),
            8 if self.random.below(2) == 0 => note("PATCH").json_patch(&self.operations()),
            8 => note("PATCH").json(&json!({"is_public": self.random.below(2) == 0})),
            9 => note("PATCH").json(&json!({"folder_id": self.id(Kind::Folder)})),
            10 if self.random.below(2) == 0 => note("PATCH").json(&json!({"estimate": self.estimate()})),
            10 => note("PATCH").json(&json!({"size": "wrong", "id": self.id(Kind::Note)})),
            11 => note("PUT").json(&self.note()),
            12 => note("DELETE"),
            _ => Sent::new(Kind::Note, "POST", format!("{path}/grow")),
        };
        if sent.method == "POST" && self.random.below(4) == 0 {
            sent.headers.push(("Idempotency-Key", format!("key-{}", self.random.below(30))));
        }
        sent
    }

    fn of_lines(&mut self) -> Sent {
        let lines = format!("/notes/{}/lines", self.id(Kind::Note));
        let line = format!("{lines}/{}", self.id(Kind::Line));
        match self.random.below(6) {
            0 | 1 => Sent::new(Kind::Line, "POST", lines)
                .json(&json!({"owner": "bob", "text": self.random.one(&["a", "b"])})),
            2 | 3 => Sent::new(Kind::Line, "GET", format!("{lines}?{}", self.after())),
            4 => Sent::new(Kind::Line, self.random.one(&["GET", "DELETE"]), line),
            _ => Sent::new(Kind::Line, "PUT", line).json(&json!({"owner": "bob", "text": "c"})),
        }
    }

    fn of_pages(&mut self) -> Sent {
        let path = format!("/pages/{}", self.id(Kind::Page));
        let slug = format!("s{}", self.random.below(30));
        let mut page = json!({"slug": slug, "owner": "bob", "size": self.random.below(3)});
        if self.random.below(12) == 0 {
            let (name, value) =
                [("estimate", json!(7)), ("created_at", json!("2020-01-01T00:00:00Z"))][self.random.below(2)].clone();
            page[name] = value;
        }
        match self.random.below(6) {
            // The identifiers of `bob`, which hidden pages have only where the test expects a difference.
            0 => Sent::new(Kind::Page, "PUT", format!("/pages/{slug}")).json(&page),
            1 => Sent::new(Kind::Page, "POST", "/pages").json(&page),
            2 => Sent::new(Kind::Page, "GET", format!("/pages?{}", self.after())),
            3 => Sent::new(Kind::Page, "GET", path),
            4 => Sent::new(Kind::Page, "PATCH", path).json(&json!({"size": self.random.below(3)})),
            _ => Sent::new(Kind::Page, "DELETE", path),
        }
    }

    fn of_tasks(&mut self) -> Sent {
        let path = format!("/tasks/{}", self.id(Kind::Task));
        let group = format!("g{}", self.random.below(4));
        let size = self.random.below(3);
        match self.random.below(8) {
            7 => self.query_after(),
            0 | 1 => Sent::new(Kind::Task, "POST", "/tasks").json(&json!({"group": group, "size": size})),
            2 => Sent::new(Kind::Task, "GET", format!("/tasks?{}", self.after())),
            3 => Sent::new(Kind::Task, "GET", format!("/tasks?group={group}")),
            4 => Sent::new(Kind::Task, "PATCH", path).json(&json!({"group": group})),
            5 => Sent::new(Kind::Task, self.random.one(&["GET", "DELETE"]), path),
            _ => Sent::new(Kind::Member, "GET", format!("/members/{}", self.id(Kind::Member))),
        }
    }

    fn malformed(&mut self) -> Sent {
        let (method, path, body) = match self.random.below(5) {
            0 => ("POST", "/notes".to_owned(), Some("{\"owner\": ")),
            1 => ("PATCH", format!("/notes/{}", self.id(Kind::Note)), Some("[]")),
            2 => ("GET", "/notes/not-an-identifier".to_owned(), None),
            3 => ("GET", "/pages?cursor=AAAA".to_owned(), None),
            _ => ("TRACE", format!("/notes/{}", self.id(Kind::Note)), None),
        };
        Sent { body: body.map(str::to_owned), ..Sent::new(Kind::Note, method, path) }
    }

    fn with_precondition(&mut self, mut sent: Sent) -> Sent {
        let tag = match self.random.below(24) {
            0 => "*".to_owned(),
            1 => "\"1\"".to_owned(),
            2..=4 => self.tag.to_owned(),
            _ => return sent,
        };
        sent.headers.push((self.random.one(&["If-Match", "If-Match", "If-None-Match"]), tag));
        sent
    }

    /// Returns a caller, and a write of a field that `bob` may not read, with another value for each run. Every value is new, so it changes the
    /// version in both runs.
    pub(super) fn hidden_values(&mut self, number: u64) -> (&'static str, [Sent; 2]) {
        let kind = if self.random.below(2) == 0 { Kind::Note } else { Kind::Page };
        let path = format!("/{}/{}", if kind == Kind::Note { "notes" } else { "pages" }, self.id(kind));
        let caller = self.random.one(&["bob read write", "bob write", "ann read write"]);
        let sent = [(); 2].map(|()| {
            let mut values = json!({"estimate": self.estimate() + number});
            if kind == Kind::Note {
                values["hint"] = json!(self.random.one(&["h", "ann", "c1"]));
            }
            Sent::new(kind, "PATCH", path.clone()).json(&values)
        });
        (caller, sent)
    }

    /// Returns a write of `ann` that `bob` may see.
    pub(super) fn public(&mut self) -> Sent {
        match self.random.below(8) {
            6 | 7 => {
                let note = format!("/notes/{}", self.note_of_ann());
                Sent::new(Kind::Note, "PATCH", note).json(&json!({"is_public": false}))
            }
            0 => Sent::new(Kind::Receipt, "POST", "/receipts").json(&json!({"owner": "ann"})),
            // `bob` never becomes a member of `g3`.
            1 => member(&format!("g{}", self.random.below(3)), "bob"),
            2 => member(&format!("g{}", self.random.below(4)), "ann"),
            3 => Sent::new(Kind::Folder, "POST", "/folders").json(&json!({"owner": "ann", "size": 1})),
            // `bob` sees the note, but not its folder.
            4 => {
                let note = json!({"owner": "ann", "is_public": true, "folder_id": self.folder()});
                Sent::new(Kind::Note, "POST", "/notes").json(&note)
            }
            _ => Sent::new(Kind::Note, "POST", "/notes").json(&json!({"owner": "ann", "is_public": true})),
        }
    }

    /// Returns a hidden write with its caller: in the tenant of `cid`, or of `ann` on rows that `bob` does not see.
    pub(super) fn hidden_write(&mut self, revealed: Option<Revealed>) -> (&'static str, Sent) {
        let group = format!("g{}", self.random.below(4));
        let task = |group: &str| Sent::new(Kind::Task, "POST", "/tasks").json(&json!({"group": group, "size": 1}));
        match self.random.below(13) {
            12 => {
                let folder = format!("/folders/{}", self.folder().unwrap_or_default());
                let size = json!({"size": self.random.below(1_000)});
                ("ann", Sent::new(Kind::Folder, "PATCH", folder).json(&size))
            }
            0 => ("cid", member(&group, "bob")),
            1 => ("cid", member(&group, "cid")),
            2 => ("cid", task(&group)),
            3 => ("ann", task("g3")),
            _ if revealed == Some(Revealed::References) => ("ann all", self.hidden(revealed)),
            _ => ("ann", self.hidden(revealed)),
        }
    }

    /// Returns a write of `ann` that `bob` does not see, if it is on a row that `bob` does not see.
    ///
    /// It may use what `revealed` names, which the resources accept.
    fn hidden(&mut self, revealed: Option<Revealed>) -> Sent {
        let number = self.random.below(1_000_000);
        let note = format!("/notes/{}", self.id(Kind::Note));
        let size = json!({"size": self.random.below(5)});
        match self.random.below(8) {
            0 => Sent::new(Kind::Folder, "POST", "/folders").json(&json!({"owner": "ann", "size": number})),
            1 => {
                Sent::new(Kind::Line, "POST", format!("{note}/lines")).json(&json!({"owner": "ann", "text": "hidden"}))
            }
            2 => {
                let note = format!("/notes/{}", self.note_of_ann());
                Sent::new(Kind::Note, "PATCH", note).json(&size)
            }
            3 => Sent::new(Kind::Note, "DELETE", note),
            4 => {
                let slug = match revealed {
                    Some(Revealed::Slugs) => format!("s{}", self.random.below(30)),
                    _ => format!("hidden-{number}"),
                };
                Sent::new(Kind::Page, "POST", "/pages").json(&json!({"slug": slug, "owner": "ann", "size": 1}))
            }
            5 if revealed == Some(Revealed::Numbers) => {
                Sent::new(Kind::Receipt, "POST", "/receipts").json(&json!({"owner": "ann"}))
            }
            _ => {
                let mut note = json!({"owner": "ann", "is_public": false, "size": self.random.below(5)});
                note["code"] = match revealed {
                    Some(Revealed::Codes) => json!(format!("c{}", self.random.below(15))),
                    _ => json!(format!("hidden-{number}")),
                };
                if revealed == Some(Revealed::References) {
                    note["folder_id"] = json!(self.id(Kind::Folder));
                }
                Sent::new(Kind::Note, "POST", "/notes").json(&note)
            }
        }
    }
}

/// Returns the creation of a membership.
fn member(group: &str, user: &str) -> Sent {
    Sent::new(Kind::Member, "POST", "/members").json(&json!({"group": group, "owner": user}))
}
