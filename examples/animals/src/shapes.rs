//! The types of this application's run-time declarations.

#![allow(clippy::all, reason = "written by a program")]
#![allow(dead_code, unreachable_pub, reason = "not everything is used")]

// begin generated shapes: the subcommand `shapes` replaces the lines between this line and the last one

/// A request of `createShelter`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateShelterRequest {
    /// The body.
    pub body: ShelterInput,
}

impl TryFrom<restwright::Input> for CreateShelterRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The response 201 of `createShelter`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateShelterResponse201 {
    /// The headers.
    pub headers: CreateShelterHeaders201,
    /// The body.
    pub body: ShelterCreated,
}

impl TryFrom<CreateShelterResponse201> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreateShelterResponse201) -> Result<Self, Self::Error> {
        Self::from_typed(201, &response)
    }
}

/// The headers of the response 201 of `createShelter`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateShelterHeaders201 {
    /// The path of the shelter.
    #[serde(rename = "Location")]
    pub location: String,
}

impl TryFrom<restwright::schema::Bag> for CreateShelterHeaders201 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<CreateShelterHeaders201> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: CreateShelterHeaders201) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A postal address.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Address {
    /// The street and house number.
    ///
    /// 1 to 200 characters.
    pub street: String,
    /// The town.
    ///
    /// 1 to 100 characters.
    pub city: String,
    /// The postal code, five digits.
    ///
    /// Matches `^[0-9]{5}$`. Example: `10115`.
    pub zip: String,
}

impl TryFrom<restwright::schema::Bag> for Address {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Address> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Address) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A shelter for pets without an owner.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Shelter {
    /// Set by the server, starting at 1.
    ///
    /// At least 1.
    pub id: i64,
    /// The name of the shelter.
    ///
    /// 1 to 100 characters.
    pub name: String,
    /// The number of pets that the shelter has room for.
    ///
    /// From 1 to 1000.
    pub places: i32,
    /// The address of the shelter.
    pub address: Address,
    /// The phone numbers of the shelter.
    ///
    /// At most 5 items. Each: Matches `^\+?[0-9 ]{3,20}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phones: Option<Vec<String>>,
}

impl TryFrom<restwright::schema::Bag> for Shelter {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Shelter> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Shelter) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ShelterCreated`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ShelterCreated {
    /// The property `data`.
    pub data: Shelter,
}

impl TryFrom<restwright::schema::Bag> for ShelterCreated {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ShelterCreated> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ShelterCreated) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A shelter for pets without an owner.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ShelterInput {
    /// The name of the shelter.
    ///
    /// 1 to 100 characters.
    pub name: String,
    /// The number of pets that the shelter has room for.
    ///
    /// From 1 to 1000.
    pub places: i32,
    /// The address of the shelter.
    pub address: Address,
    /// The phone numbers of the shelter.
    ///
    /// At most 5 items. Each: Matches `^\+?[0-9 ]{3,20}$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phones: Option<Vec<String>>,
}

impl TryFrom<restwright::schema::Bag> for ShelterInput {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ShelterInput> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ShelterInput) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

// end generated shapes
