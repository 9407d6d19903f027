//! The arguments of the program.

use std::path::PathBuf;

use crate::versions::{DocumentOptions, OpenApiVersion};

const HELP: &str = "\
Writes what is made of this application's declarations.

Usage: [SUBCOMMAND] [--check] [--openapi VERSION] [--single-types] [PATH]

Subcommands:
  openapi  the OpenAPI document, in openapi.json; the same without a subcommand
  shapes   the Rust types of what is declared at run time, in src/shapes.rs

  PATH     the file, or the folder of the application; without it the folder
           of its Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this, or the help of a subcommand

The options of the document are in the help of its subcommand.
";

const OPENAPI_HELP: &str = "\
Writes the OpenAPI document of this application.

Usage: openapi [--check] [--openapi VERSION] [--single-types] [PATH]

  PATH     the file, or the folder of its openapi.json; without it the folder
           of the application's Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this

  --openapi VERSION
           the version of OpenAPI: 3.1 by default; 3.0 and 3.2 are in
           openapi-3.0.json and openapi-3.2.json
  --single-types
           leave each operation one type of success and one type of problem,
           and each body one media type, for generators that reject others
";

const SHAPES_HELP: &str = "\
Writes the Rust types of the requests and responses, the filters and the orders
that this application declares at run time.

Usage: shapes [--check] [PATH]

  PATH     the file, or the folder of the application, whose src/shapes.rs it
           is; without it the folder of its Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this

They stand between the lines `// begin generated shapes` and
`// end generated shapes`; nothing else in the file is touched.
";

/// A subcommand. Each generates one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subcommand {
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
pub(super) enum Arguments {
    Help(&'static str),
    Run { subcommand: Subcommand, check: bool, options: DocumentOptions, path: Option<PathBuf> },
}

impl Arguments {
    pub(super) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, (String, &'static str)> {
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
                option if option.starts_with('-') => return refuse(format!("There is no option {option}.")),
                name if is_first_word && Subcommand::named(name).is_some() => subcommand = Subcommand::named(name),
                // A word such as `shape` is probably a misspelt subcommand. Without this check it would become a file
                // name.
                name if is_first_word && is_word(name) => {
                    return refuse(format!("There is no subcommand {name}; write a path as ./{name}."));
                }
                _ if path.is_some() => return refuse("There is one path at most.".to_owned()),
                _ => path = Some(PathBuf::from(argument)),
            }
        }
        if help {
            return Ok(Self::Help(help_of(subcommand)));
        }
        let subcommand = subcommand.unwrap_or(Subcommand::OpenApi);
        if subcommand == Subcommand::Shapes && (version.is_some() || single_types) {
            let message = "--openapi and --single-types are options of the subcommand openapi.";
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

/// Returns `true` if the argument is unlikely to be a path: it has no separator and no extension, and no file has this
/// name.
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
                refused("--openapi and --single-types are options of the subcommand openapi.", SHAPES_HELP),
            ),
            (&["--chekc"], refused("There is no option --chekc.", HELP)),
            (&["shape"], refused("There is no subcommand shape; write a path as ./shape.", HELP)),
            (&["./a", "./b"], refused("There is one path at most.", HELP)),
            (&["shapes", "a", "b"], refused("There is one path at most.", SHAPES_HELP)),
        ] {
            assert_eq!(Arguments::read(given.iter().map(ToString::to_string)), expected, "{given:?}");
        }
    }

    #[test]
    fn the_help_lists_the_subcommands() {
        assert!(HELP.contains("\n  openapi  ") && HELP.contains("\n  shapes   "));
    }
}
