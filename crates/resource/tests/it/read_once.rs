//! Bodies that are read in pieces, in a transaction that runs several times.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use restwright::auth::Access;
use restwright::body::{ReadBody, StreamedBody};
use restwright::files::{FileContent, FileStream};
use restwright::http::{BodyStream, IncomingBody};
use restwright::operation::Operation;
use restwright::prelude::*;
use restwright::problem::RequestViolations;
use restwright::testing::{TestClient, TestResponse};
use restwright::{BuildContext, BuildErrors, RequestHead};
use restwright_resource::{Endpoints, HookContext, MemoryStore, Repository, StoreError};
use serde::{Deserialize, Serialize};

/// A note.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    text: String,
}

#[derive(Request)]
struct Streamed {
    #[body]
    body: StreamedBody,
}

#[derive(Deserialize, Schema)]
struct Form {
    file: FileStream,
}

#[derive(Request)]
struct Multipart {
    #[body(multipart)]
    form: Form,
}

#[derive(Request)]
struct Uploaded {
    #[body]
    file: Upload,
}

/// The content of a file, as a body.
struct Upload(FileContent);

impl ReadBody for Upload {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read(
        (): &(),
        _: &RequestHead<'_>,
        body: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        FileContent::take(body).map(|content| Some(Self(content)))
    }
}

/// A body whose clones share one stream, for an action.
#[derive(Clone)]
struct Shared(Rc<RefCell<BodyStream>>);

impl ReadBody for Shared {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read(
        (): &(),
        _: &RequestHead<'_>,
        body: &mut IncomingBody,
        _: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        Ok(Some(Self(Rc::new(RefCell::new(body.take())))))
    }
}

/// Runs a transaction that reads a body, whose first attempts conflict after the body was read. Returns the length of the body.
async fn in_transaction<B>(
    store: &MemoryStore,
    conflicts: u32,
    body: B,
    read: impl AsyncFn(&mut B) -> Result<usize>,
) -> Result<Data<usize>> {
    let (body, attempts) = (RefCell::new(Some(body)), Cell::new(0));
    let work = store.transaction(async |_| {
        let mut taken = body.take().unwrap();
        let length = read(&mut taken).await;
        body.replace(Some(taken));
        attempts.set(attempts.get() + 1);
        if attempts.get() <= conflicts && length.is_ok() {
            return Err(Problem::internal(StoreError::TransactionConflict));
        }
        length
    });
    work.await.map(Data)
}

async fn pieces(body: &mut BodyStream) -> Result<usize> {
    let mut length = 0;
    while let Some(piece) = body.next().await {
        length += piece?.len();
    }
    Ok(length)
}

/// An Api whose transactions conflict so many times.
fn client(conflicts: u32) -> TestClient {
    let store = MemoryStore::new();
    let route = |path: &str| Route::post(path).id(path.trim_start_matches('/')).public();
    let of = store.clone();
    let pieces_route = route("/pieces")
        .handler(async move |Streamed { body: StreamedBody(body) }| in_transaction(&of, conflicts, body, pieces).await);
    let of = store.clone();
    let whole = route("/whole").handler(async move |Streamed { body: StreamedBody(body) }| {
        in_transaction(&of, conflicts, body, async |body| Ok(body.collect().await?.len())).await
    });
    let of = store.clone();
    let form = route("/form").handler(async move |Multipart { form }| {
        let read = async |file: &mut FileStream| {
            let mut length = 0;
            while let Some(piece) = file.next().await? {
                length += piece.len();
            }
            Ok(length)
        };
        in_transaction(&of, conflicts, form.file, read).await
    });
    let of = store.clone();
    let file = route("/file").handler(async move |Uploaded { file: Upload(mut content) }| {
        // The first bytes are read before the transaction, and wait for its first attempt.
        content.media_type().await?;
        let read = async |content: &mut FileContent| {
            let mut length = 0;
            while let Some(piece) = content.next().await {
                length += piece?.len();
            }
            Ok(length)
        };
        in_transaction(&of, conflicts, content, read).await
    });
    let attempts = std::sync::atomic::AtomicU32::new(0);
    let append = async move |note: &mut Note, Shared(body): Shared, _: &mut HookContext<'_>| {
        let mut taken = body.replace(BodyStream::empty());
        let length = pieces(&mut taken).await;
        body.replace(taken);
        let length = length?;
        note.text = length.to_string();
        match attempts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < conflicts {
            true => Err(Problem::internal(StoreError::TransactionConflict)),
            false => Ok(()),
        }
    };
    let notes = Endpoints::<Note>::new(store, Access::public()).action("append", Access::public(), append);
    let api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes);
    let api = api.controller(pieces_route).controller(whole).controller(form).controller(file);
    TestClient::new(api.build().unwrap())
}

/// Sends 11 bytes.
fn send(client: &TestClient, path: &str) -> TestResponse {
    match path {
        "/form" => {
            let head = "--XX\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n";
            let body = format!("{head}hello world\r\n--XX--");
            client.post(path).body("multipart/form-data; boundary=XX", body).send()
        }
        _ => client.post(path).body("application/octet-stream", "hello world").send(),
    }
}

#[test]
fn a_second_attempt_of_a_transaction_reads_no_empty_body() {
    for (path, name) in [
        ("/pieces", "the body"),
        ("/whole", "the body"),
        ("/form", "a `FileStream`"),
        ("/file", "a `FileContent`"),
        ("/notes/1/append", "the body"),
    ] {
        for conflicts in [0, 1] {
            let client = client(conflicts);
            client.post("/notes").json(&serde_json::json!({"text": ""})).send().assert_status(201);
            let response = send(&client, path);
            if conflicts == 0 {
                let found = response.assert_status(200).text();
                assert!(found.contains("11"), "{path}: {found}");
                continue;
            }
            response.assert_status(500).assert_problem("internal_error");
            let cause = response.cause().unwrap();
            let expected = format!("attempt 2 of a transaction reads {name}, which attempt 1 has read already");
            assert!(cause.contains(&expected), "{path}: {cause}");
        }
    }
}
