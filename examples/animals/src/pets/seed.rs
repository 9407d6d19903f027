//! Sample pets, the same at every start.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::{Address, NewPet, Owner, Species, Vaccination};

const NAMES: [&str; 17] = [
    "Mia", "Rex", "Ada", "Zoë", "Ärger", "Bello", "Momo", "Luna", "Fips", "Nero", "Kitty", "Odin", "Paula", "Quax",
    "Ronja", "Socke", "Tiger",
];
const SPECIES: [Species; 5] = [Species::Dog, Species::Cat, Species::Bird, Species::Fish, Species::Horse];
const OWNERS: [(&str, &str, &str); 3] =
    [("Ada", "Jena", "07743"), ("Grace", "Berlin", "10115"), ("Konrad", "Hamburg", "20095")];

/// Returns `count` sample pets. Names and weights repeat, and every seventh pet has no date of birth.
pub(super) fn pets(count: usize) -> impl Iterator<Item = NewPet> {
    let cycles = NAMES.iter().cycle().zip(SPECIES.iter().cycle()).zip(OWNERS.iter().cycle());
    cycles.zip(0_i32..).take(count).map(|(((name, species), owner), number)| {
        let born = born(number);
        NewPet {
            name: (*name).to_owned(),
            species: *species,
            birth_date: (number % 7 != 0).then_some(born),
            weight_kg: 0.5 + f64::from(number * 37 % 400) / 4.0,
            tags: if number % 3 == 0 { vec!["calm".to_owned()] } else { Vec::new() },
            owner: self::owner(owner),
            vaccinations: vec![Vaccination { vaccine: "rabies".to_owned(), date: born }],
        }
    })
}

fn born(number: i32) -> Date {
    date(2010, 1, 1).saturating_add((number * 53 % 5_000).days())
}

fn owner((name, city, zip): &(&str, &str, &str)) -> Owner {
    let address = Address { street: "Am Markt 1".to_owned(), city: (*city).to_owned(), zip: (*zip).to_owned() };
    let email = format!("{}@example.com", name.to_lowercase());
    Owner { name: (*name).to_owned(), email, address }
}
