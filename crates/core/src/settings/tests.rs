//! Reads settings from variables that the tests contain.

use std::time::Duration;

use super::{Settings, SetupError};
use crate::configuration::Configuration;

fn shop(variables: &[(&str, &str)]) -> Settings {
    Settings::new("SHOP", variables.iter().copied())
}

/// A file in the temporary folder that is removed with this value.
struct Secret(std::path::PathBuf);

impl Secret {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("restwright-settings-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        // It is a temporary file.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn reads_values_by_type() {
    let settings = shop(&[
        ("SHOP_WORKERS", "4"),
        ("SHOP_EMPTY", ""),
        ("SHOP_RATE", "0.5"),
        ("SHOP_LISTEN", " 127.0.0.1:1, ,[::1]:1"),
        ("SHOP_DRAIN", "7"),
        ("WORKERS", "9"),
    ]);
    assert_eq!(settings.number("WORKERS", 1..=512), Ok(Some(4)));
    assert_eq!(settings.optional::<u8>("EMPTY"), Ok(None));
    assert_eq!(settings.optional("RATE"), Ok(Some(0.5)));
    assert_eq!(settings.list("LISTEN").unwrap(), ["127.0.0.1:1", "[::1]:1"]);
    assert_eq!(settings.list("NOTHING").unwrap(), [""; 0]);
    assert_eq!(settings.seconds("DRAIN"), Ok(Some(Duration::from_secs(7))));
}

#[test]
fn reads_secrets_from_files() {
    let values =
        [("shop\n", "shop"), ("shop\r\n", "shop"), ("sh\nop\n\n", "sh\nop\n"), (" shop", " shop"), ("shop", "shop")];
    for (number, (content, expected)) in values.into_iter().enumerate() {
        let file = Secret::new(&format!("value-{number}"), content);
        assert_eq!(shop(&[("DATABASE_URL_FILE", file.path())]).database_url().unwrap(), expected, "{content:?}");
        assert_eq!(shop(&[("SHOP_KEY_FILE", file.path())]).required::<String>("KEY").unwrap(), expected, "{content:?}");
    }
}

#[test]
fn names_the_variable_and_what_to_write() {
    let large = Secret::new("large", vec![b'a'; 65_537]);
    let bytes = Secret::new("bytes", [0xff]);
    let empty = Secret::new("empty", "\n");
    let text = |error: SetupError| error.to_string();
    let cases: [(&[(&str, &str)], &str); 9] = [
        (&[], "`DATABASE_URL` is not set; set it, or set `DATABASE_URL_FILE` to the path of a file that contains it"),
        (
            &[("DATABASE_URL", "a"), ("DATABASE_URL_FILE", "b")],
            "`DATABASE_URL` and `DATABASE_URL_FILE` are both set; remove one of them",
        ),
        (
            &[("DATABASE_URL_FILE", "/nowhere/url")],
            "cannot read the file of `DATABASE_URL_FILE`: /nowhere/url: No such file or directory (os error 2)",
        ),
        (&[("DATABASE_URL_FILE", "/")], "cannot read the file of `DATABASE_URL_FILE`: /: Is a directory (os error 21)"),
        (
            &[("DATABASE_URL_FILE", large.path())],
            "cannot read the file of `DATABASE_URL_FILE`: LARGE: it must have at most 64 KiB",
        ),
        (
            &[("DATABASE_URL_FILE", bytes.path())],
            "cannot read the file of `DATABASE_URL_FILE`: BYTES: stream did not contain valid UTF-8",
        ),
        (
            &[("DATABASE_URL_FILE", empty.path())],
            "`DATABASE_URL` is not set; set it, or set `DATABASE_URL_FILE` to the path of a file that contains it",
        ),
        (
            &[("DATABASE_URL", "")],
            "`DATABASE_URL` is not set; set it, or set `DATABASE_URL_FILE` to the path of a file that contains it",
        ),
        (
            &[("SHOP_DATABASE_URL", "postgres://ann:secret@db/shop")],
            "`DATABASE_URL` is not set; set it, or set `DATABASE_URL_FILE` to the path of a file that contains it; \
             `SHOP_DATABASE_URL` is set, but has no effect",
        ),
    ];
    for (variables, expected) in cases {
        let message = text(shop(variables).database_url().unwrap_err());
        let message = message.replace(large.path(), "LARGE").replace(bytes.path(), "BYTES");
        assert_eq!(message, expected, "{variables:?}");
    }
    let settings = shop(&[("SHOP_WORKERS", "many"), ("SHOP_GRACE", "1.5"), ("SHOP_CART", "s3cret")]);
    assert_eq!(
        text(settings.number("WORKERS", 1..=512).unwrap_err()),
        "`SHOP_WORKERS` must be a whole number from 1 to 512"
    );
    assert_eq!(text(settings.seconds("GRACE").unwrap_err()), "`SHOP_GRACE` must be a whole number from 0 to 86400");
    assert_eq!(
        text(settings.required::<u32>("CART").unwrap_err()),
        "`SHOP_CART` is invalid: invalid digit found in string"
    );
    assert_eq!(
        format!("{:?}", shop(&[("SHOP_CARTT", "5")]).required::<u32>("CART").unwrap_err()),
        "`SHOP_CART` is not set; set it, or set `SHOP_CART_FILE` to the path of a file that contains it; `SHOP_CARTT` is set, but has no effect"
    );
}

#[test]
fn finds_variables_that_nothing_reads() {
    let variables = [
        ("SHOP_WORKERS", "4"),
        ("SHOP_WORKRES", "4"),
        ("SHOP_KEY_FILE", "/nowhere"),
        ("SHOP_ZEBRA", ""),
        ("SHOP_UNICORN", "1"),
        ("SHOPPING", "1"),
        ("PATH", "1"),
    ];
    let settings = shop(&variables);
    assert_eq!(settings.unread().len(), 4);
    assert!(settings.number("WORKERS", 1..=512).is_ok());
    assert!(settings.optional::<String>("KEY").is_err());
    assert_eq!(
        settings.unread(),
        [
            "the variable `SHOP_UNICORN` has no effect, because nothing reads it",
            "the variable `SHOP_WORKRES` has no effect; did you mean `SHOP_WORKERS`?",
        ]
    );
    assert_eq!(settings.names(), ["SHOP_KEY", "SHOP_WORKERS"]);
    assert_eq!(format!("{settings:?}"), r#"Settings { prefix: "SHOP_", read: ["SHOP_KEY", "SHOP_WORKERS"], .. }"#);
}

/// Kubernetes describes the service `shop` to every pod of its namespace.
#[test]
fn ignores_the_variables_of_kubernetes() {
    let links = [
        ("SHOP_SERVICE_HOST", "10.0.0.1"),
        ("SHOP_SERVICE_PORT", "80"),
        ("SHOP_SERVICE_PORT_HTTP", "80"),
        ("SHOP_PORT", "tcp://10.0.0.1:80"),
        ("SHOP_PORT_80_TCP", "tcp://10.0.0.1:80"),
    ];
    assert_eq!(shop(&links).unread(), [""; 0]);
    assert_eq!(shop(&links[3..]).unread().len(), 2);
}

#[test]
fn sets_the_limits_of_a_configuration() {
    let configure = |variables: &[_]| Configuration::new("shop", "1.0.0").settings(&shop(variables));
    let configuration = configure(&[]).unwrap();
    assert_eq!((configuration.values().body_limit, configuration.values().max_concurrent), (1024 * 1024, 1024));
    let variables = &[
        ("SHOP_BODY_LIMIT", "4096"),
        ("SHOP_DEADLINE", "3"),
        ("SHOP_MAX_CONCURRENT", "9"),
        ("SHOP_TRUSTED_PROXIES", "10.0.0.0/8, unix"),
    ];
    let configuration = configure(variables).unwrap();
    let values = configuration.values();
    assert_eq!((values.body_limit, values.deadline, values.max_concurrent), (4096, Duration::from_secs(3), 9));
    let proxies = configuration.get::<crate::client_address::TrustedProxies>().unwrap();
    assert!(proxies.trusts("10.1.2.3".parse().unwrap()) && !proxies.trusts("11.1.2.3".parse().unwrap()));
    for (name, value, expected) in [
        ("SHOP_DEADLINE", "0", "`SHOP_DEADLINE` must be a whole number from 1 to 86400"),
        ("SHOP_MAX_CONCURRENT", "0", "`SHOP_MAX_CONCURRENT` must be a whole number from 1 to 1000000"),
        ("SHOP_BODY_LIMIT", "1 MiB", "`SHOP_BODY_LIMIT` must be a whole number from 1 to 18446744073709551615"),
    ] {
        assert_eq!(configure(&[(name, value)]).unwrap_err().to_string(), expected);
    }
    let configuration = configure(&[("SHOP_TRUSTED_PROXIES", "proxy.example.com")]).unwrap();
    let errors = crate::client_address::check(&configuration).unwrap_err().to_string();
    assert!(errors.contains("a trusted proxy"), "{errors}");
}
