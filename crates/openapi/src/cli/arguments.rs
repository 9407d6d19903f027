//! The arguments of the program.

use std::path::PathBuf;

pub(super) const HELP: &str = "\
Writes the OpenAPI document of this application.

Usage: [--check] [PATH]

  PATH     the file, or the folder of its openapi.json; without it the folder
           of the application's Cargo.toml, or the current one
  --check  write nothing; exit with 1 and show the difference when the file
           is not what the application declares
  --help   show this
";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Help,
    Run { check: bool, path: Option<PathBuf> },
}

impl Arguments {
    pub(super) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut check, mut path) = (false, None);
        for argument in arguments {
            match argument.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--check" => check = true,
                option if option.starts_with('-') => return Err(format!("There is no option {option}.")),
                _ if path.is_some() => return Err("There is one path at most.".to_owned()),
                _ => path = Some(PathBuf::from(argument)),
            }
        }
        Ok(Self::Run { check, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let run = |check, path: Option<&str>| Ok(Arguments::Run { check, path: path.map(PathBuf::from) });
        for (given, expected) in [
            (&[][..], run(false, None)),
            (&["--check"], run(true, None)),
            (&["a.json", "--check"], run(true, Some("a.json"))),
            (&["--check", "--help"], Ok(Arguments::Help)),
            (&["--chekc"], Err("There is no option --chekc.".to_owned())),
            (&["a", "b"], Err("There is one path at most.".to_owned())),
        ] {
            assert_eq!(Arguments::read(given.iter().map(ToString::to_string)), expected, "{given:?}");
        }
    }
}
