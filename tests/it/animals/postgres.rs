//! The animals in PostgreSQL, which the feature `postgres` of the example adds.

use animals::authentication::{Authentication, SCOPES};
use restwright::auth::ApiKey;

use super::client_on;
use super::resource::check_life;
use crate::postgres::Schema;

#[test]
fn an_animal_lives_its_life_in_postgresql() {
    let Some(schema) = Schema::create("animals") else { return };
    let new = ApiKey::generate("tests").unwrap();
    let authentication = Authentication::default().key(new.key().clone().scopes(SCOPES));
    let client = client_on(schema.url(), &authentication);
    check_life(&client.with_header("X-Api-Key", new.text()));
    schema.run("SELECT FROM animals");
}
