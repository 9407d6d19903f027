//! Triggers that change strings which searches and unique constraints compare regardless of case.

use restwright::prelude::*;
use restwright_list::{Comparison, Expression, SearchText};
use restwright_resource::{EntityStore, Resource, Scope};
use restwright_sql::TableMapping;
use serde::{Deserialize, Serialize};

use crate::tables::database::{Database, on_each, ready, start};

/// A label of a shelf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Resource)]
#[resource(path = "/labels")]
struct Label {
    #[property(id)]
    id: i64,
    #[property(unique(ignore_case), filter(contains))]
    name: String,
}

/// Returns the SQL of triggers that put an umlaut before each name.
fn triggers(is_postgres: bool) -> String {
    if is_postgres {
        return "CREATE FUNCTION mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                IF NEW.name NOT LIKE 'Ä%' THEN NEW.name = 'Ä' || NEW.name; END IF; RETURN NEW; END $$; \
                CREATE TRIGGER mark BEFORE INSERT OR UPDATE ON labels FOR EACH ROW EXECUTE FUNCTION mark()"
            .to_owned();
    }
    let trigger = |name: &str, event: &str| {
        format!(
            "CREATE TRIGGER {name} AFTER {event} ON labels WHEN NEW.name NOT LIKE 'Ä%' BEGIN \
             UPDATE labels SET name = 'Ä' || NEW.name WHERE id = NEW.id; END; "
        )
    };
    trigger("new", "INSERT") + &trigger("old", "UPDATE OF name")
}

#[tokio::test]
async fn searches_and_unique_constraints_compare_the_stored_strings() {
    for has_version in [true, false] {
        on_each(async |database: &Database| {
            let mapping = TableMapping::new("labels");
            let mapping = if has_version { mapping } else { mapping.without_version() };
            let store = database.migrating(&[]).table(mapping.clone());
            store.declare(&Label::definition()).unwrap();
            start(&store).await.unwrap();
            database.run(&triggers(database.is_postgres())).await;
            let store = database.mapped(&[Label::definition()], vec![mapping]);
            start(&store).await.unwrap();
            let scope = Scope::new();
            let mut labels = EntityStore::<Label>::new(&store, &scope);
            let label = |id, name: &str| Label { id, name: name.to_owned() };
            let search =
                |text: &str| Expression::condition("name", Comparison::Contains(SearchText::new(text.to_owned())));

            let first = labels.insert(label(0, "One")).await.unwrap();
            assert_eq!(first.name, "ÄOne");
            assert_eq!(labels.count(search("äone")).await.unwrap(), 1);
            let second = labels.update(label(first.id, "Two"), None).await.unwrap();
            assert_eq!(second.name, "ÄTwo");
            assert_eq!(labels.count(search("äTWO")).await.unwrap(), 1);
            assert_eq!(labels.count(search("äone")).await.unwrap(), 0);
            assert_eq!(labels.find(&first.id).await.unwrap().unwrap().entity, second);
            // The written string conflicts with nothing, but the stored string does.
            let third = labels.insert(label(0, "three")).await.unwrap();
            assert_eq!(labels.insert(label(0, "TWO")).await.unwrap_err().status(), 409);
            assert_eq!(labels.update(label(third.id, "two"), None).await.unwrap_err().status(), 409);
            assert_eq!(database.texts("SELECT name FROM labels ORDER BY id").await, ["ÄTwo", "Äthree"]);
            ready(&store).await.unwrap();
        })
        .await;
    }
}
