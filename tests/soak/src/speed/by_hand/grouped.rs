//! Animals on rusqlite with one writer thread. The thread runs all waiting changes in one transaction, so they share a commit.

use std::path::Path;
use std::sync::mpsc;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::rusqlite::{WorkerAnimals, change, insert, open};
use super::{Animal, AnimalChanges, Animals, Failure, ListQuery};

/// The animals of a database, for reads on the thread of the caller and changes on the writer thread.
#[derive(Clone)]
pub struct GroupedAnimals {
    reads: WorkerAnimals,
    writer: mpsc::Sender<(Change, Responder)>,
}

enum Change {
    Insert(Animal),
    Patch(Uuid, AnimalChanges),
}

/// Sends the changed animal, or `None` if there is no such animal.
type Responder = oneshot::Sender<Result<Option<Animal>, Failure>>;

impl GroupedAnimals {
    pub fn new(path: &Path) -> Self {
        let (writer, changes) = mpsc::channel();
        let connection = open(path).expect("the database opens");
        std::thread::spawn(move || write(connection, &changes));
        Self { reads: WorkerAnimals::new(path), writer }
    }

    async fn run(&self, change: Change) -> Result<Option<Animal>, Failure> {
        let (responder, response) = oneshot::channel();
        self.writer.send((change, responder)).expect("the writer runs");
        response.await.expect("the writer responds")
    }
}

impl Animals for GroupedAnimals {
    async fn find(&self, id: Uuid) -> Result<Option<Animal>, Failure> {
        self.reads.find(id).await
    }

    async fn insert(&self, animal: &Animal) -> Result<(), Failure> {
        self.run(Change::Insert(animal.clone())).await.map(drop)
    }

    async fn change(&self, id: Uuid, changes: AnimalChanges) -> Result<Option<Animal>, Failure> {
        self.run(Change::Patch(id, changes)).await
    }

    async fn list(
        &self,
        query: &ListQuery,
        order: &'static str,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Animal>, Failure> {
        self.reads.list(query, order, limit, offset).await
    }

    async fn count(&self, query: &ListQuery) -> Result<i64, Failure> {
        self.reads.count(query).await
    }
}

/// Runs the changes until the last sender is dropped. Sends the responses of a group after its commit.
fn write(mut connection: Connection, changes: &mpsc::Receiver<(Change, Responder)>) {
    while let Ok(first) = changes.recv() {
        let (group, responders): (Vec<_>, Vec<_>) = std::iter::once(first).chain(changes.try_iter()).unzip();
        let results = commit(&mut connection, group).unwrap_or_else(|failure| vec![Err(failure); responders.len()]);
        for (responder, result) in responders.into_iter().zip(results) {
            let _ = responder.send(result);
        }
    }
}

/// Runs a group in one transaction. A change that fails leaves the other changes in the transaction.
fn commit(connection: &mut Connection, group: Vec<Change>) -> Result<Vec<Result<Option<Animal>, Failure>>, Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let run = |group_change| match group_change {
        Change::Insert(animal) => insert(&transaction, &animal).map(|()| Some(animal)),
        Change::Patch(id, changes) => change(&transaction, id, &changes),
    };
    let results = group.into_iter().map(|change| run(change).map_err(Failure::from)).collect();
    transaction.commit()?;
    Ok(results)
}
