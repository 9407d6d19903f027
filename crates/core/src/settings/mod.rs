//! Defines [`Settings`], the settings of an application from the variables of the environment.

mod configuration;
mod setup_error;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use setup_error::SetupError;

use crate::suggest::closest;

/// The settings of an application, from the variables of the environment.
///
/// The names of the variables begin with the prefix of the application, such as `SHOP_WORKERS`. Only
/// [`DATABASE_URL`](Self::database_url) has no prefix. A variable with an empty value counts as not set.
///
/// Every variable can also be in a file: `DATABASE_URL_FILE` contains the path of a file with the value. Secrets of
/// containers and credentials of systemd are such files. The file must be UTF-8 and have at most 64 KiB. Its last line
/// break is not part of the value.
///
/// The parts of the framework read their variables themselves, for example
/// [`Configuration::settings`](crate::Configuration::settings). The application reads other variables with
/// [`optional`](Self::optional) and [`required`](Self::required). [`unread`](Self::unread) finds the variables that
/// nothing has read.
///
/// ```
/// use restwright_core::{Configuration, Settings};
///
/// let settings = Settings::from_environment("SHOP");
/// let cart: u32 = settings.optional("CART_SIZE")?.unwrap_or(50);
/// let configuration = Configuration::new("shop", "1.0.0").settings(&settings)?;
/// # assert_eq!(cart, 50);
/// # Ok::<(), restwright_core::SetupError>(())
/// ```
pub struct Settings {
    prefix: String,
    variables: BTreeMap<String, OsString>,
    /// The names of the variables that were read, with the prefix.
    read: Mutex<BTreeSet<String>>,
}

/// The name of the variable with the URL of the database.
const DATABASE_URL: &str = "DATABASE_URL";

/// The maximum size of a file with a value, in bytes.
const LARGEST_FILE: u64 = 64 * 1024;

impl Settings {
    /// Reads the environment of the process. `prefix` is the name of the application in upper case, such as `SHOP`.
    #[must_use]
    pub fn from_environment(prefix: &str) -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self::new(prefix, variables)
    }

    /// Creates settings from other variables than the environment, for example in a test.
    #[must_use]
    pub fn new<N: Into<String>, V: Into<OsString>>(prefix: &str, variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self {
            prefix: format!("{}_", prefix.trim_end_matches('_')),
            variables: variables.filter(|(_, value)| !value.is_empty()).collect(),
            read: Mutex::default(),
        }
    }

    /// Returns the value of a variable, or `None` if it is not set. `name` has no prefix.
    ///
    /// # Errors
    /// Fails if the value cannot be parsed, or if a file with the value cannot be read.
    pub fn optional<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<Option<T>, SetupError> {
        let Some(value) = self.value(&self.full(name))? else { return Ok(None) };
        value.parse().map(Some).map_err(|error| SetupError::new(format!("`{}` is invalid: {error}", self.full(name))))
    }

    /// Returns the value of a variable that must be set. `name` has no prefix.
    ///
    /// # Errors
    /// Fails if the variable is not set, if its value cannot be parsed, or if a file with the value cannot be read.
    pub fn required<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<T, SetupError> {
        self.optional(name)?.ok_or_else(|| self.missing(&self.full(name)))
    }

    /// Returns the parts of a value that are separated by commas, or an empty list if the variable is not set. `name`
    /// has no prefix.
    ///
    /// # Errors
    /// Fails if a file with the value cannot be read.
    pub fn list(&self, name: &str) -> Result<Vec<String>, SetupError> {
        let value = self.value(&self.full(name))?.unwrap_or_default();
        Ok(value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
    }

    /// Returns a whole number within a range, or `None` if the variable is not set. `name` has no prefix.
    ///
    /// # Errors
    /// Fails if the value is not a whole number within the range.
    pub fn number(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, SetupError> {
        let Some(value) = self.value(&self.full(name))? else { return Ok(None) };
        let number = value.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            self.invalid(name, &format!("must be a whole number from {} to {}", range.start(), range.end()))
        })
    }

    /// Returns a time in whole seconds, at most a day, or `None` if the variable is not set. `name` has no prefix.
    ///
    /// # Errors
    /// Fails if the value is not a whole number of seconds.
    pub fn seconds(&self, name: &str) -> Result<Option<Duration>, SetupError> {
        Ok(self.number(name, 0..=24 * 60 * 60)?.map(Duration::from_secs))
    }

    /// Returns the value of `DATABASE_URL`, which has no prefix.
    ///
    /// # Errors
    /// Fails if neither `DATABASE_URL` nor `DATABASE_URL_FILE` is set, or if the file cannot be read.
    pub fn database_url(&self) -> Result<String, SetupError> {
        self.unprefixed(DATABASE_URL)?.ok_or_else(|| self.missing(DATABASE_URL))
    }

    /// Returns the value of a variable whose name has no prefix, such as `RUST_LOG`, or `None` if it is not set.
    ///
    /// # Errors
    /// Fails if a file with the value cannot be read.
    pub fn unprefixed(&self, name: &str) -> Result<Option<String>, SetupError> {
        self.value(name)
    }

    /// Creates an error about a variable. `must` says what its value must be. `name` has no prefix.
    #[must_use]
    pub fn invalid(&self, name: &str, must: &str) -> SetupError {
        SetupError::new(format!("`{}` {must}", self.full(name)))
    }

    /// Returns the names of the variables that were read so far, in alphabetical order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns a message for each variable with the prefix that is set, but that nothing has read. Such a variable is
    /// usually misspelt, and the message suggests the nearest name.
    ///
    /// Call it after every part has read its settings. `Host::bind_environment` writes the messages to the log.
    /// Kubernetes sets variables for each service of a namespace, such as `SHOP_SERVICE_HOST` and `SHOP_PORT`. They are
    /// left out.
    #[must_use]
    pub fn unread(&self) -> Vec<String> {
        let names = self.names();
        let unread = self.unread_names(&names);
        let messages = unread.map(|name| match closest(name, names.iter().map(String::as_str)) {
            Some(known) => format!("the variable `{name}` has no effect; did you mean `{known}`?"),
            None => format!("the variable `{name}` has no effect, because nothing reads it"),
        });
        messages.collect()
    }

    fn unread_names<'s>(&'s self, read: &'s [String]) -> impl Iterator<Item = &'s str> {
        let is_read = |name: &str| read.iter().any(|read| name == read);
        let own = self.variables.keys().filter(|name| name.starts_with(&self.prefix));
        own.filter(move |name| !is_read(name) && !name.strip_suffix("_FILE").is_some_and(is_read))
            .filter(|name| !self.is_of_kubernetes(name))
            .map(String::as_str)
    }

    /// Returns `true` for the variables with which Kubernetes describes a service that has the name of the application.
    fn is_of_kubernetes(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&self.prefix).unwrap_or_default();
        let is_link =
            rest == "PORT" || ["PORT_", "SERVICE_HOST", "SERVICE_PORT"].iter().any(|part| rest.starts_with(part));
        is_link && self.variables.contains_key(&format!("{}SERVICE_HOST", self.prefix))
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn missing(&self, name: &str) -> SetupError {
        let names = self.names();
        let similar =
            closest(name, self.unread_names(&names)).map(|found| format!("; `{found}` is set, but has no effect"));
        SetupError::new(format!(
            "`{name}` is not set; set it, or set `{name}_FILE` to the path of a file that contains it{}",
            similar.unwrap_or_default()
        ))
    }

    /// Returns the value of a variable, or of the file whose path is in the variable with the suffix `_FILE`.
    fn value(&self, name: &str) -> Result<Option<String>, SetupError> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        let file = format!("{name}_FILE");
        match (self.variables.get(name), self.variables.get(&file)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => {
                Err(SetupError::new(format!("`{name}` and `{file}` are both set; remove one of them")))
            }
            (Some(value), None) => {
                let value = value.to_str().map(|value| Some(value.to_owned()));
                value.ok_or_else(|| SetupError::new(format!("`{name}` must be UTF-8")))
            }
            (None, Some(path)) => {
                read(Path::new(path)).map(|value| Some(value).filter(|value| !value.is_empty())).map_err(|error| {
                    SetupError::new(format!("cannot read the file of `{file}`: {}: {error}", path.display()))
                })
            }
        }
    }
}

/// Returns the content of a file without its last line break.
fn read(path: &Path) -> Result<String, String> {
    let mut value = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut value));
    read.map_err(|error| error.to_string())?;
    if value.len() as u64 > LARGEST_FILE {
        return Err("it must have at most 64 KiB".to_owned());
    }
    let end = value.strip_suffix('\n').map_or(value.as_str(), |value| value.strip_suffix('\r').unwrap_or(value)).len();
    value.truncate(end);
    Ok(value)
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be secrets.
        formatter
            .debug_struct("Settings")
            .field("prefix", &self.prefix)
            .field("read", &self.names())
            .finish_non_exhaustive()
    }
}
