//! `#[derive(Problem)]`.

use std::error::Error;
use std::io;

use restwright::core::ProblemSet;
use restwright::{Problem, Request, Response, Route};

use crate::client;

#[derive(Debug, Problem)]
#[allow(dead_code, reason = "not every field goes outward")]
enum PetError {
    /// No pet has this id.
    #[problem(status = 404, detail = "There is no pet {id}, {{really}}; {id:03}.")]
    NotFound { id: i64, error: String },
    #[problem(status = 409, code = "taken", title = "Name taken", detail = "{1} is {0:?}")]
    NameTaken(String, u8),
    #[problem(status = 503, retry_after = 5)]
    Warehouse(#[from] io::Error),
    #[problem(status = 400, detail = "Braces: {{}}")]
    Odd {
        #[source]
        cause: Box<dyn Error + Send + Sync>,
        at: usize,
    },
}

#[derive(Debug, Problem)]
#[problem(status = 410)]
struct SoldOut;

#[derive(Request)]
struct Get {
    #[segment]
    id: i64,
}

#[derive(Response)]
#[response(status = 204)]
struct Done;

#[test]
fn each_variant_is_a_problem() {
    let not_found = Problem::from(PetError::NotFound { id: 7, error: String::new() });
    assert_eq!(not_found.to_string(), "404 not_found: There is no pet 7, {really}; 007.");
    let taken = Problem::from(PetError::NameTaken("Rex".to_owned(), 2));
    assert_eq!(taken.to_string(), "409 taken: 2 is \"Rex\"");
    let warehouse = Problem::from(PetError::from(io::Error::other("on fire")));
    assert_eq!(warehouse.to_string(), "503 warehouse: Warehouse");
    assert_eq!(Error::source(&warehouse).unwrap().to_string(), "on fire");
    let odd = Problem::from(PetError::Odd { cause: "lost".into(), at: 1 });
    assert_eq!(odd.to_string(), "400 odd: Braces: {}");
    assert_eq!(Error::source(&odd).unwrap().to_string(), "lost");
    assert_eq!(Problem::from(SoldOut).to_string(), "410 sold_out: Sold out");
}

#[test]
fn the_kinds_are_listed_for_the_document() {
    let kinds = PetError::kinds();
    let kinds = kinds.iter().map(|kind| (kind.status.as_u16(), &*kind.code, &*kind.title, kind.description.as_deref()));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        [
            (404, "not_found", "Not found", Some("No pet has this id.")),
            (409, "taken", "Name taken", None),
            (503, "warehouse", "Warehouse", None),
            (400, "odd", "Odd", None),
        ]
    );
}

#[test]
fn a_controller_returns_them_with_a_question_mark() {
    fn find(id: i64) -> Result<(), PetError> {
        match id {
            7 => Ok(()),
            8 => Err(io::Error::other("on fire"))?,
            _ => Err(PetError::NotFound { id, error: String::new() }),
        }
    }
    let client = client(
        || Route::get("/{id}").public().problems::<PetError>(),
        |get: Get| {
            find(get.id)?;
            Ok(Done)
        },
    );
    client.get("/7").send().assert_status(204).assert_documented();
    client.get("/6").send().assert_status(404).assert_problem("not_found").assert_documented();
    client.get("/8").send().assert_problem("warehouse").assert_header("Retry-After", "5").assert_documented();
}
