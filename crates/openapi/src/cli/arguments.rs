//! The arguments of the program.

use std::path::PathBuf;

const HELP: &str = "\
Writes what is made of this application's declarations.

Usage: [SUBCOMMAND] [--check] [PATH]

Subcommands:
  openapi  the OpenAPI document, in openapi.json; the same without a subcommand
  shapes   the Rust types of what is declared at run time, in src/shapes.rs

  PATH     the file, or the folder of the application; without it the folder
           of its Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this, or the help of a subcommand
";

const OPENAPI_HELP: &str = "\
Writes the OpenAPI document of this application.

Usage: openapi [--check] [PATH]

  PATH     the file, or the folder of its openapi.json; without it the folder
           of the application's Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this
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
    Run { subcommand: Subcommand, check: bool, path: Option<PathBuf> },
}

impl Arguments {
    pub(super) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, (String, &'static str)> {
        let (mut subcommand, mut check, mut help, mut path) = (None, false, false, None);
        for argument in arguments {
            let is_first_word = subcommand.is_none() && path.is_none();
            let refuse = |message: String| Err((message, help_of(subcommand)));
            match argument.as_str() {
                "--help" | "-h" => help = true,
                "--check" => check = true,
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
        Ok(Self::Run { subcommand: subcommand.unwrap_or(Subcommand::OpenApi), check, path })
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
            Ok(Arguments::Run { subcommand, check, path: path.map(PathBuf::from) })
        };
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
