//! Parses the command line arguments.

use std::path::PathBuf;

use restwright_openapi::{DocumentOptions, OpenApiVersion};

const HELP: &str = "\
Writes the files generated from this application.

Usage: [SUBCOMMAND] [--check] [--openapi VERSION] [--single-types] [PATH]

Subcommands:
  openapi  write the OpenAPI document to openapi.json; the default
  shapes   write the Rust types of declarations made at run time to
           src/shapes.rs

  PATH     the file, or the folder of the application; by default the folder
           of its Cargo.toml, or else the current folder
  --check  write nothing; if the file differs from the application, show the
           difference and exit with 1
  --help   show this help, or the help of a subcommand

`openapi --help` describes the options of the document.
";

const OPENAPI_HELP: &str = "\
Writes the OpenAPI document of this application.

Usage: openapi [--check] [--openapi VERSION] [--single-types] [PATH]

  PATH     the file, or the folder of openapi.json; by default the folder of
           the application's Cargo.toml, or else the current folder
  --check  write nothing; if the file differs from the application, show the
           difference and exit with 1
  --help   show this help

  --openapi VERSION
           the version of OpenAPI: 3.0, 3.1 (the default) or 3.2; 3.0 and 3.2
           are written to openapi-3.0.json and openapi-3.2.json
  --single-types
           give each operation one success type and one problem type, and each
           body one media type, for generators that support only one
";

const SHAPES_HELP: &str = "\
Writes the Rust types of the requests, responses, filters and orders that this
application declares at run time.

Usage: shapes [--check] [PATH]

  PATH     the file, or the folder that contains src/shapes.rs; by default the
           folder of the application's Cargo.toml, or else the current folder
  --check  write nothing; if the file differs from the application, show the
           difference and exit with 1
  --help   show this help

The types are written between the lines `// begin generated shapes` and
`// end generated shapes`. The rest of the file is not changed.
";

/// A subcommand of the program. Each subcommand generates one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subcommand {
    OpenApi,
    Shapes,
}

impl Subcommand {
    fn named(name: &str) -> Option<Self> {
        match name {
            "openapi" => Some(Self::OpenApi),
            "shapes" => Some(Self::Shapes),
            _ => None,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    Help(&'static str),
    Run { subcommand: Subcommand, check: bool, options: DocumentOptions, path: Option<PathBuf> },
}

impl Arguments {
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, (String, &'static str)> {
        let (mut subcommand, mut check, mut help, mut path) = (None, false, false, None);
        let (mut version, mut single_types) = (None, false);
        while let Some(argument) = arguments.next() {
            let is_first_word = subcommand.is_none() && path.is_none();
            let refuse = |message: String| Err((message, help_of(subcommand)));
            match argument.as_str() {
                "--help" | "-h" => help = true,
                "--check" => check = true,
                "--openapi" => match arguments.next().unwrap_or_default().parse::<OpenApiVersion>() {
                    Ok(chosen) => version = Some(chosen),
                    Err(message) => return refuse(message),
                },
                "--single-types" => single_types = true,
                option if option.starts_with('-') => return refuse(format!("Unknown option {option}.")),
                name if is_first_word && Subcommand::named(name).is_some() => subcommand = Subcommand::named(name),
                // A word such as `shape` is probably a misspelt subcommand. Without this check it would become a file
                // name.
                name if is_first_word && is_word(name) => {
                    return refuse(format!("Unknown subcommand {name}. To name a path, write ./{name}."));
                }
                _ if path.is_some() => return refuse("Only one path is allowed.".to_owned()),
                _ => path = Some(PathBuf::from(argument)),
            }
        }
        if help {
            return Ok(Self::Help(help_of(subcommand)));
        }
        let subcommand = subcommand.unwrap_or(Subcommand::OpenApi);
        if subcommand == Subcommand::Shapes && (version.is_some() || single_types) {
            let message = "--openapi and --single-types are valid only for the subcommand openapi.";
            return Err((message.to_owned(), help_of(Some(subcommand))));
        }
        let options = DocumentOptions::new(version.unwrap_or_default());
        let options = if single_types { options.single_types() } else { options };
        Ok(Self::Run { subcommand, check, options, path })
    }
}

fn help_of(subcommand: Option<Subcommand>) -> &'static str {
    match subcommand {
        None => HELP,
        Some(Subcommand::OpenApi) => OPENAPI_HELP,
        Some(Subcommand::Shapes) => SHAPES_HELP,
    }
}

/// Returns `true` if an argument looks like a word instead of a path. A word contains only letters, digits and hyphens,
/// and no file has this name.
fn is_word(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && !PathBuf::from(name).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let run = |subcommand, check, path: Option<&str>| {
            let options = DocumentOptions::default();
            Ok(Arguments::Run { subcommand, check, options, path: path.map(PathBuf::from) })
        };
        let converted =
            |check, options| Ok(Arguments::Run { subcommand: Subcommand::OpenApi, check, options, path: None });
        let v3_0 = DocumentOptions::new(OpenApiVersion::V3_0);
        let refused = |message: &str, help| Err((message.to_owned(), help));
        for (given, expected) in [
            (&[][..], run(Subcommand::OpenApi, false, None)),
            (&["--check"], run(Subcommand::OpenApi, true, None)),
            (&["a.json", "--check"], run(Subcommand::OpenApi, true, Some("a.json"))),
            (&["openapi", "a.json"], run(Subcommand::OpenApi, false, Some("a.json"))),
            (&["shapes"], run(Subcommand::Shapes, false, None)),
            (&["--check", "shapes", "a.rs"], run(Subcommand::Shapes, true, Some("a.rs"))),
            (&["shapes", "shapes"], run(Subcommand::Shapes, false, Some("shapes"))),
            (&["./shapes"], run(Subcommand::OpenApi, false, Some("./shapes"))),
            (&["src"], run(Subcommand::OpenApi, false, Some("src"))),
            (&["--check", "--help"], Ok(Arguments::Help(HELP))),
            (&["shapes", "--help"], Ok(Arguments::Help(SHAPES_HELP))),
            (&["-h", "openapi"], Ok(Arguments::Help(OPENAPI_HELP))),
            (&["--openapi", "3.0", "--check"], converted(true, v3_0)),
            (&["openapi", "--single-types", "--openapi", "3.0"], converted(false, v3_0.single_types())),
            (&["--openapi", "2.0"], refused("The version of OpenAPI must be 3.0, 3.1 or 3.2, not \"2.0\".", HELP)),
            (
                &["openapi", "--openapi"],
                refused("The version of OpenAPI must be 3.0, 3.1 or 3.2, not \"\".", OPENAPI_HELP),
            ),
            (
                &["shapes", "--single-types"],
                refused("--openapi and --single-types are valid only for the subcommand openapi.", SHAPES_HELP),
            ),
            (&["--chekc"], refused("Unknown option --chekc.", HELP)),
            (&["shape"], refused("Unknown subcommand shape. To name a path, write ./shape.", HELP)),
            (&["./a", "./b"], refused("Only one path is allowed.", HELP)),
            (&["shapes", "a", "b"], refused("Only one path is allowed.", SHAPES_HELP)),
        ] {
            assert_eq!(Arguments::read(given.iter().map(ToString::to_string)), expected, "{given:?}");
        }
    }

    #[test]
    fn the_help_lists_the_subcommands() {
        assert!(HELP.contains("\n  openapi  ") && HELP.contains("\n  shapes   "));
    }
}
