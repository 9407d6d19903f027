//! The store of the animals. Its type depends on the features of this package.

use std::env;

/// The store of the animals: in memory, without the feature `sqlite`.
#[cfg(not(feature = "sqlite"))]
pub type AnimalStore = restwright::resource::MemoryStore;

/// The store of the animals: in SQLite or, with the feature `postgres`, in the database that its URL names.
#[cfg(feature = "sqlite")]
pub type AnimalStore = restwright::sql::SqlStore;

/// Returns a store in memory.
#[cfg(not(feature = "sqlite"))]
#[must_use]
pub fn store_at(_: &str) -> AnimalStore {
    AnimalStore::new()
}

/// Returns a store in the database at a URL. It creates its tables when the Api starts.
#[cfg(feature = "sqlite")]
#[must_use]
pub fn store_at(url: &str) -> AnimalStore {
    AnimalStore::new(url).migrate()
}

/// The database of the server.
pub struct Database {
    /// The URL for [`store_at`].
    pub url: String,
    /// The place of the animals, for the message at the start.
    pub place: String,
}

impl Database {
    /// Reads `DATABASE_URL`. The default is the file `animals.db` in the current folder.
    ///
    /// # Errors
    /// The package was built without the feature for this database.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let given = get("DATABASE_URL").filter(|url| !url.is_empty());
        if !cfg!(feature = "sqlite") {
            let place = "memory until the server stops".to_owned();
            return match given {
                None => Ok(Self { url: String::new(), place }),
                Some(_) => Err("DATABASE_URL is set, but the example was built without databases; \
                                build it without `--no-default-features`"
                    .to_owned()),
            };
        }
        match given {
            Some(url) if url.starts_with("postgres") && !cfg!(feature = "postgres") => {
                Err("DATABASE_URL names PostgreSQL, but the example was built without it; add `--features postgres`"
                    .to_owned())
            }
            // A URL may contain a password.
            Some(url) => Ok(Self { url, place: "the database at DATABASE_URL".to_owned() }),
            None => {
                let folder = env::current_dir().map_err(|error| format!("there is no current folder: {error}"))?;
                let place = folder.join("animals.db").display().to_string();
                Ok(Self { url: "sqlite://animals.db".to_owned(), place })
            }
        }
    }
}
