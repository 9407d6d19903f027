//! Strings that another program has written.

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, UniqueConstraint};

use super::database::{on_each, progress, ready, start};

fn notes() -> EntityDefinition {
    EntityDefinition::new("notes", "code", IdentifierKind::Given(ValueType::Text))
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("title", ValueType::Text).searchable())
        .field(FieldDefinition::new("text", ValueType::Text).nullable().searchable())
}

/// Three batches of rows. One batch contains the same identifier in many scopes.
const ROWS: &str = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2500) \
    INSERT INTO notes (code, tenant, title) SELECT CASE WHEN n <= 1500 THEN 'same' ELSE 'code ' || n END, n, 'ÄRGER ' || n FROM n";

#[tokio::test]
async fn strings_are_folded_in_batches() {
    on_each(async |database| {
        let store = database.migrating(&[notes()]);
        start(&store).await.unwrap();
        ready(&store).await.unwrap();
        database.run(ROWS).await;
        let message = ready(&store).await.unwrap_err();
        assert!(message.starts_with("rows of `notes` have no folded strings"), "{message}");
        assert_eq!(store.fold_texts().await.unwrap(), 2500);
        ready(&store).await.unwrap();
        let folded = "SELECT title_folded FROM notes WHERE title_folded = 'ärger ' || tenant AND text_folded IS NULL AND row_folding = 16";
        assert_eq!(database.texts(folded).await.len(), 2500);
        assert_eq!(store.fold_texts().await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_start_reports_how_many_rows_it_has_folded() {
    on_each(async |database| {
        start(&database.migrating(&[notes()])).await.unwrap();
        database.run(ROWS).await;
        let store = database.migrating(&[notes()]);
        let mut steps = Vec::new();
        let observe = async {
            loop {
                let step = progress(&store);
                if step.is_some() && steps.last() != step.as_ref() {
                    steps.extend(step);
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            started = start(&store) => started.unwrap(),
            () = observe => unreachable!(),
        }
        let (short, folding): (Vec<_>, Vec<_>) = steps.into_iter().partition(|step| !step.starts_with("filling"));
        // On a busy machine, such a step may end before it is observed.
        let known = ["connecting", "migrating", "comparing the tables with the definitions"];
        assert!(short.iter().all(|step| known.contains(&step.as_str())), "{short:?}");
        for rows in [0, 1000, 2000] {
            let step = format!("filling the columns of searchable strings, {rows} of 2500 rows");
            assert!(folding.contains(&step), "{step}: {folding:?}");
        }
        assert_eq!(progress(&store), None);
    })
    .await;
}

#[tokio::test]
async fn existing_strings_that_are_equal_regardless_of_case_are_named() {
    let plain = || {
        EntityDefinition::new("labels", "id", IdentifierKind::Integer)
            .field(FieldDefinition::new("name", ValueType::Text))
    };
    let unique = [plain().unique(UniqueConstraint::new(["name"]).ignore_case())];
    on_each(async |database| {
        start(&database.migrating(&[plain()])).await.unwrap();
        database.run("INSERT INTO labels (name) VALUES ('Ärger'), ('b'), ('ÄRGER')").await;
        let message = start(&database.migrating(&unique)).await.unwrap_err();
        assert!(
            message.contains("the row `3` of the table `labels` has the same unique values as another row"),
            "{message}"
        );
        database.run("DELETE FROM labels WHERE id = 1").await;
        start(&database.migrating(&unique)).await.unwrap();
        start(&database.store(&unique)).await.unwrap();
        // Another program is checked by the string that it writes.
        assert!(database.try_run("INSERT INTO labels (name) VALUES ('ärger')").await.is_err());
        database.run("INSERT INTO labels (name) VALUES ('B')").await;
        let message = start(&database.migrating(&unique)).await.unwrap_err();
        assert!(message.contains("has the same unique values as another row"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_changed_string_is_folded_again() {
    on_each(async |database| {
        start(&database.migrating(&[notes()])).await.unwrap();
        database.run("INSERT INTO notes (code, tenant, title) VALUES ('a', 1, 'A'), ('b', 1, 'B')").await;
        // Without a migration, another process folds the strings.
        let store = database.store(&[notes()]);
        start(&store).await.unwrap();
        ready(&store).await.unwrap_err();
        assert_eq!(store.fold_texts().await.unwrap(), 2);
        database.run("UPDATE notes SET text = 'C', row_folding = NULL WHERE code = 'b'").await;
        database.run("UPDATE notes SET row_folding = 15 WHERE code = 'a'").await;
        ready(&store).await.unwrap_err();
        assert_eq!(store.fold_texts().await.unwrap(), 2);
        ready(&store).await.unwrap();
        let texts = database.texts("SELECT coalesce(text_folded, title_folded) FROM notes ORDER BY code").await;
        assert_eq!(texts, ["a", "c"]);
    })
    .await;
}
