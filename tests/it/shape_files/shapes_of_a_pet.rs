//! The types of this application's run-time declarations.

#![allow(clippy::all, reason = "written by a program")]
#![allow(dead_code, unreachable_pub, reason = "not everything is used")]

// begin generated shapes: the subcommand `shapes` replaces the lines between this line and the last one

/// A request of `createPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetRequest {
    /// The values in the path.
    pub path: CreatePetPath,
    /// The body.
    pub body: Pet,
}

impl TryFrom<restwright::Input> for CreatePetRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `createPet` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetPath {
    /// At least 1.
    pub owner_id: i64,
}

impl TryFrom<restwright::schema::Bag> for CreatePetPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<CreatePetPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: CreatePetPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The response 204 of `createPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetResponse204 {}

impl TryFrom<CreatePetResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreatePetResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// An animal.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pet {
    /// What it is called.
    ///
    /// At most 20 characters.
    pub name: String,
    /// The property `mood`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mood: Option<PetMood>,
}

impl TryFrom<restwright::schema::Bag> for Pet {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Pet> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Pet) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `PetMood`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PetMood {
    /// The value `calm`.
    #[serde(rename = "calm")]
    Calm,
    /// The value `very wild`.
    #[serde(rename = "very wild")]
    VeryWild,
}

// end generated shapes
