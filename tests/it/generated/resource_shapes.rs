//! The types of run-time declarations.

// begin generated shapes

/// A request of `createAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateAnimalRequest {
    /// The body.
    pub body: NewAnimal,
}

impl TryFrom<restwright::Input> for CreateAnimalRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// Create a new animal
///
/// The response 201 of `createAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateAnimalResponse201 {
    /// The headers.
    pub headers: CreateAnimalHeaders201,
    /// The body.
    pub body: DataAnimal,
}

impl TryFrom<CreateAnimalResponse201> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreateAnimalResponse201) -> Result<Self, Self::Error> {
        Self::from_typed(201, &response)
    }
}

/// The headers of the response 201 of `createAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateAnimalHeaders201 {
    /// The path of the created resource.
    #[serde(rename = "Location")]
    pub location: String,
    /// The tag of the state in the response.
    #[serde(rename = "ETag")]
    pub e_tag: String,
}

impl TryFrom<restwright::schema::Bag> for CreateAnimalHeaders201 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<CreateAnimalHeaders201> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: CreateAnimalHeaders201) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A request of `createAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateAnimalsRequest {
    /// The body.
    pub body: NewAnimalBatch,
}

impl TryFrom<restwright::Input> for CreateAnimalsRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// Create animals
///
/// The response 201 of `createAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateAnimalsResponse201 {
    /// The body.
    pub body: DataListOfAnimal,
}

impl TryFrom<CreateAnimalsResponse201> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreateAnimalsResponse201) -> Result<Self, Self::Error> {
        Self::from_typed(201, &response)
    }
}

/// The requested items.
///
/// The response 200 of `listAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ListAnimalsResponse200 {
    /// The headers.
    pub headers: ListAnimalsHeaders200,
    /// The body.
    pub body: AnimalItemPage,
}

impl TryFrom<ListAnimalsResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ListAnimalsResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The headers of the response 200 of `listAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ListAnimalsHeaders200 {
    /// Links to other parts of the same list (RFC 8288), with the same filters and order: `first`, `prev`, `next`, and `last` if items are counted. Each link is relative to the URL of the request. Absent if it would have more than 2048 bytes.
    #[serde(rename = "Link")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The media types of the body of a `QUERY` request (RFC 10008).
    #[serde(rename = "Accept-Query")]
    pub accept_query: String,
}

impl TryFrom<restwright::schema::Bag> for ListAnimalsHeaders200 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ListAnimalsHeaders200> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ListAnimalsHeaders200) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The filters of `listAnimals`.
#[derive(Debug, Clone, Default)]
pub struct ListAnimalsFilters {
    /// What it is called.
    ///
    /// 1 to 20 characters.
    pub name: restwright::list::Filter<String>,
    /// The property `species`.
    pub species: restwright::list::Filter<ListAnimalsFiltersSpecies>,
}

impl restwright::list::Filters for ListAnimalsFilters {
    fn conditions(&self) -> Vec<restwright::list::Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.name.conditions("name"));
        conditions.extend(self.species.conditions("species"));
        conditions
    }
}

impl TryFrom<restwright::list::FilterBag> for ListAnimalsFilters {
    type Error = restwright::Problem;

    fn try_from(bag: restwright::list::FilterBag) -> Result<Self, Self::Error> {
        let mut filters = Self::default();
        filters.fill(&bag)?;
        Ok(filters)
    }
}

impl ListAnimalsFilters {
    fn fill(&mut self, bag: &restwright::list::FilterBag) -> Result<(), restwright::Problem> {
        self.name = bag.read("name")?;
        self.species = bag.read("species")?;
        Ok(())
    }
}

impl From<ListAnimalsFilters> for restwright::list::FilterBag {
    fn from(filters: ListAnimalsFilters) -> Self {
        let mut bag = Self::default();
        bag.insert("name", filters.name);
        bag.insert("species", filters.species);
        bag
    }
}

/// The fields that `listAnimals` can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListAnimalsSort {
    /// By the field `id`.
    Id,
    /// By the field `name`.
    Name,
    /// By the field `created_at`.
    CreatedAt,
}

#[rustfmt::skip]
impl restwright::list::Sort for ListAnimalsSort {
    fn declare(route: &restwright::Route) -> Result<restwright::list::SortFields, restwright::BuildErrors> {
        <restwright::list::FieldName as restwright::list::Sort>::declare(route)
    }

    fn at(fields: &restwright::list::SortFields, index: usize) -> Option<Self> {
        let field = <restwright::list::FieldName as restwright::list::Sort>::at(fields, index)?;
        field.try_into().ok()
    }

    fn name(&self) -> &str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::CreatedAt => "created_at",
        }
    }
}

impl TryFrom<restwright::list::FieldName> for ListAnimalsSort {
    type Error = restwright::Problem;

    fn try_from(field: restwright::list::FieldName) -> Result<Self, Self::Error> {
        match restwright::list::Sort::name(&field) {
            "id" => Ok(Self::Id),
            "name" => Ok(Self::Name),
            "created_at" => Ok(Self::CreatedAt),
            name => Err(restwright::Problem::internal(format!("no field `{name}`"))),
        }
    }
}

impl From<ListAnimalsSort> for restwright::list::FieldName {
    fn from(field: ListAnimalsSort) -> Self {
        Self::new(restwright::list::Sort::name(&field).to_owned())
    }
}

/// A request of `viewAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewAnimalRequest {
    /// The values in the path.
    pub path: ViewAnimalPath,
}

impl TryFrom<restwright::Input> for ViewAnimalRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `viewAnimal` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewAnimalPath {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
}

impl TryFrom<restwright::schema::Bag> for ViewAnimalPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewAnimalPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewAnimalPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// Show one animal
///
/// The response 200 of `viewAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewAnimalResponse200 {
    /// The headers.
    pub headers: ViewAnimalHeaders200,
    /// The body.
    pub body: DataAnimal,
}

impl TryFrom<ViewAnimalResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ViewAnimalResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The headers of the response 200 of `viewAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewAnimalHeaders200 {
    /// The tag of the state in the response.
    #[serde(rename = "ETag")]
    pub e_tag: String,
}

impl TryFrom<restwright::schema::Bag> for ViewAnimalHeaders200 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewAnimalHeaders200> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewAnimalHeaders200) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A request of `updateAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalRequest {
    /// The values in the path.
    pub path: UpdateAnimalPath,
    /// The body.
    pub body: AnimalChanges,
}

impl TryFrom<restwright::Input> for UpdateAnimalRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `updateAnimal` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalPath {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
}

impl TryFrom<restwright::schema::Bag> for UpdateAnimalPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<UpdateAnimalPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: UpdateAnimalPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// Change one animal
///
/// The response 200 of `updateAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalResponse200 {
    /// The headers.
    pub headers: UpdateAnimalHeaders200,
    /// The body.
    pub body: DataAnimal,
}

impl TryFrom<UpdateAnimalResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: UpdateAnimalResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The headers of the response 200 of `updateAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalHeaders200 {
    /// The tag of the state in the response.
    #[serde(rename = "ETag")]
    pub e_tag: String,
}

impl TryFrom<restwright::schema::Bag> for UpdateAnimalHeaders200 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<UpdateAnimalHeaders200> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: UpdateAnimalHeaders200) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A request of `updateAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalsRequest {
    /// The body.
    pub body: AnimalUpdateBatch,
}

impl TryFrom<restwright::Input> for UpdateAnimalsRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// Change animals
///
/// The response 200 of `updateAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct UpdateAnimalsResponse200 {
    /// The body.
    pub body: DataListOfAnimal,
}

impl TryFrom<UpdateAnimalsResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: UpdateAnimalsResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// A request of `deleteAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeleteAnimalsRequest {
    /// The body.
    pub body: AnimalDeleteBatch,
}

impl TryFrom<restwright::Input> for DeleteAnimalsRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// Delete animals
///
/// The response 204 of `deleteAnimals`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeleteAnimalsResponse204 {}

impl TryFrom<DeleteAnimalsResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: DeleteAnimalsResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// A request of `replaceAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplaceAnimalRequest {
    /// The values in the path.
    pub path: ReplaceAnimalPath,
    /// The body.
    pub body: NewAnimal,
}

impl TryFrom<restwright::Input> for ReplaceAnimalRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `replaceAnimal` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplaceAnimalPath {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
}

impl TryFrom<restwright::schema::Bag> for ReplaceAnimalPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ReplaceAnimalPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ReplaceAnimalPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// Replace one animal
///
/// The response 200 of `replaceAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplaceAnimalResponse200 {
    /// The body.
    pub body: DataAnimal,
}

impl TryFrom<ReplaceAnimalResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ReplaceAnimalResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// A request of `deleteAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeleteAnimalRequest {
    /// The values in the path.
    pub path: DeleteAnimalPath,
}

impl TryFrom<restwright::Input> for DeleteAnimalRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `deleteAnimal` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeleteAnimalPath {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
}

impl TryFrom<restwright::schema::Bag> for DeleteAnimalPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<DeleteAnimalPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: DeleteAnimalPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// Delete one animal
///
/// The response 204 of `deleteAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeleteAnimalResponse204 {}

impl TryFrom<DeleteAnimalResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: DeleteAnimalResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// A request of `createVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateVisitRequest {
    /// The body.
    pub body: NewVisit,
}

impl TryFrom<restwright::Input> for CreateVisitRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// Create a new visit
///
/// The response 201 of `createVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateVisitResponse201 {
    /// The headers.
    pub headers: CreateVisitHeaders201,
    /// The body.
    pub body: DataVisit,
}

impl TryFrom<CreateVisitResponse201> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreateVisitResponse201) -> Result<Self, Self::Error> {
        Self::from_typed(201, &response)
    }
}

/// The headers of the response 201 of `createVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreateVisitHeaders201 {
    /// The path of the created resource.
    #[serde(rename = "Location")]
    pub location: String,
    /// The tag of the state in the response.
    #[serde(rename = "ETag")]
    pub e_tag: String,
}

impl TryFrom<restwright::schema::Bag> for CreateVisitHeaders201 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<CreateVisitHeaders201> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: CreateVisitHeaders201) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A request of `viewVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewVisitRequest {
    /// The values in the path.
    pub path: ViewVisitPath,
}

impl TryFrom<restwright::Input> for ViewVisitRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `viewVisit` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewVisitPath {
    /// The identifier of the visit.
    pub id: i64,
}

impl TryFrom<restwright::schema::Bag> for ViewVisitPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewVisitPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewVisitPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// Show one visit
///
/// The response 200 of `viewVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewVisitResponse200 {
    /// The headers.
    pub headers: ViewVisitHeaders200,
    /// The body.
    pub body: DataVisit,
}

impl TryFrom<ViewVisitResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ViewVisitResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The headers of the response 200 of `viewVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewVisitHeaders200 {
    /// The tag of the state in the response.
    #[serde(rename = "ETag")]
    pub e_tag: String,
}

impl TryFrom<restwright::schema::Bag> for ViewVisitHeaders200 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewVisitHeaders200> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewVisitHeaders200) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// An entity in its store. A field that is set during a create is `None` before.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalEntity {
    /// The format is `uuid`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it is called.
    ///
    /// 1 to 20 characters.
    pub name: String,
    /// The property `species`.
    pub species: AnimalSpecies,
    /// `1` by default.
    pub visits: i64,
    /// The property `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `chip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<ChipEntity>,
    /// The property `secret`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The property `slug`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The property `note`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The format is `date-time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

impl TryFrom<&restwright::resource::EntityBag> for AnimalEntity {
    type Error = restwright::schema::BagError;

    fn try_from(entity: &restwright::resource::EntityBag) -> Result<Self, Self::Error> {
        entity.read()
    }
}

/// An entity in its store. A field that is set during a create is `None` before.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct VisitEntity {
    /// The property `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The property `guest`.
    pub guest: String,
}

impl TryFrom<&restwright::resource::EntityBag> for VisitEntity {
    type Error = restwright::schema::BagError;

    fn try_from(entity: &restwright::resource::EntityBag) -> Result<Self, Self::Error> {
        entity.read()
    }
}

/// An animal in the shelter.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Animal {
    /// The format is `uuid`.
    pub id: String,
    /// What it is called.
    ///
    /// 1 to 20 characters.
    pub name: String,
    /// The property `species`.
    pub species: AnimalSpecies,
    /// `1` by default.
    pub visits: i64,
    /// The property `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `chip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<Chip>,
    /// The property `slug`.
    pub slug: String,
    /// The property `note`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The format is `date-time`.
    pub created_at: String,
}

impl TryFrom<restwright::schema::Bag> for Animal {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Animal> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Animal) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalChanges`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalChanges {
    /// What it is called.
    ///
    /// 1 to 20 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The property `species`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub species: Option<AnimalChangesSpecies>,
    /// The property `visits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<i64>,
    /// The property `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `chip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<ChipChanges>,
    /// The property `secret`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The property `note`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for AnimalChanges {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalChanges> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalChanges) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalChangesSpecies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AnimalChangesSpecies {
    /// The value `dog`.
    #[serde(rename = "dog")]
    Dog,
    /// The value `cat`.
    #[serde(rename = "cat")]
    Cat,
}

/// The shape `AnimalDeleteBatch`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalDeleteBatch {
    /// The entities to delete.
    ///
    /// 1 to 100 items.
    pub data: Vec<AnimalDeleteItem>,
}

impl TryFrom<restwright::schema::Bag> for AnimalDeleteBatch {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalDeleteBatch> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalDeleteBatch) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalDeleteItem`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalDeleteItem {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
    /// The `ETag` of the animal. The request changes nothing if one animal has another tag.
    ///
    /// Matches `^"[!#-~]*"$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for AnimalDeleteItem {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalDeleteItem> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalDeleteItem) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// An animal in the shelter.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalItem {
    /// The format is `uuid`.
    pub id: String,
    /// What it is called.
    ///
    /// 1 to 20 characters.
    pub name: String,
    /// The property `species`.
    pub species: AnimalItemSpecies,
    /// `1` by default.
    pub visits: i64,
    /// The property `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `chip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<Chip>,
    /// The property `slug`.
    pub slug: String,
    /// The format is `date-time`.
    pub created_at: String,
}

impl TryFrom<restwright::schema::Bag> for AnimalItem {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalItem> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalItem) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalItemPage`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalItemPage {
    /// The items.
    pub data: Vec<AnimalItem>,
    /// The property `pagination`.
    pub pagination: PagePagination,
}

impl TryFrom<restwright::schema::Bag> for AnimalItemPage {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalItemPage> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalItemPage) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalItemSpecies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AnimalItemSpecies {
    /// The value `dog`.
    #[serde(rename = "dog")]
    Dog,
    /// The value `cat`.
    #[serde(rename = "cat")]
    Cat,
}

/// The shape `AnimalSpecies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AnimalSpecies {
    /// The value `dog`.
    #[serde(rename = "dog")]
    Dog,
    /// The value `cat`.
    #[serde(rename = "cat")]
    Cat,
}

/// The shape `AnimalUpdateBatch`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalUpdateBatch {
    /// The entities to change.
    ///
    /// 1 to 100 items.
    pub data: Vec<AnimalUpdateItem>,
}

impl TryFrom<restwright::schema::Bag> for AnimalUpdateBatch {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalUpdateBatch> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalUpdateBatch) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `AnimalUpdateItem`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct AnimalUpdateItem {
    /// The identifier of the animal.
    ///
    /// The format is `uuid`.
    pub id: String,
    /// The `ETag` of the animal. The request changes nothing if one animal has another tag.
    ///
    /// Matches `^"[!#-~]*"$`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_match: Option<String>,
    /// A JSON merge patch (RFC 7396).
    pub changes: AnimalChanges,
}

impl TryFrom<restwright::schema::Bag> for AnimalUpdateItem {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<AnimalUpdateItem> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: AnimalUpdateItem) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `Chip`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Chip {
    /// The property `number`.
    pub number: String,
}

impl TryFrom<restwright::schema::Bag> for Chip {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Chip> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Chip) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ChipChanges`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChipChanges {
    /// The property `number`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The property `pin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for ChipChanges {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ChipChanges> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ChipChanges) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ChipEntity`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChipEntity {
    /// The property `number`.
    pub number: String,
    /// The property `pin`.
    pub pin: String,
}

impl TryFrom<restwright::schema::Bag> for ChipEntity {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ChipEntity> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ChipEntity) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ChipInput`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChipInput {
    /// The property `number`.
    pub number: String,
    /// The property `pin`.
    pub pin: String,
}

impl TryFrom<restwright::schema::Bag> for ChipInput {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ChipInput> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ChipInput) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `DataAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DataAnimal {
    /// The property `data`.
    pub data: Animal,
}

impl TryFrom<restwright::schema::Bag> for DataAnimal {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<DataAnimal> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: DataAnimal) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `DataListOfAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DataListOfAnimal {
    /// The property `data`.
    pub data: Vec<Animal>,
}

impl TryFrom<restwright::schema::Bag> for DataListOfAnimal {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<DataListOfAnimal> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: DataListOfAnimal) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `DataVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DataVisit {
    /// The property `data`.
    pub data: Visit,
}

impl TryFrom<restwright::schema::Bag> for DataVisit {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<DataVisit> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: DataVisit) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ListAnimalsFiltersSpecies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ListAnimalsFiltersSpecies {
    /// The value `dog`.
    #[serde(rename = "dog")]
    Dog,
    /// The value `cat`.
    #[serde(rename = "cat")]
    Cat,
}

/// The shape `NewAnimal`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewAnimal {
    /// What it is called.
    ///
    /// 1 to 20 characters.
    pub name: String,
    /// The property `species`.
    pub species: NewAnimalSpecies,
    /// `1` by default.
    pub visits: i64,
    /// The property `tags`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `chip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chip: Option<ChipInput>,
    /// The property `secret`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// The property `note`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for NewAnimal {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<NewAnimal> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: NewAnimal) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `NewAnimalBatch`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewAnimalBatch {
    /// The entities to create.
    ///
    /// 1 to 100 items.
    pub data: Vec<NewAnimal>,
}

impl TryFrom<restwright::schema::Bag> for NewAnimalBatch {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<NewAnimalBatch> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: NewAnimalBatch) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `NewAnimalSpecies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum NewAnimalSpecies {
    /// The value `dog`.
    #[serde(rename = "dog")]
    Dog,
    /// The value `cat`.
    #[serde(rename = "cat")]
    Cat,
}

/// The shape `NewVisit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewVisit {
    /// The property `guest`.
    pub guest: String,
}

impl TryFrom<restwright::schema::Bag> for NewVisit {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<NewVisit> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: NewVisit) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The position of the page in the list.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PagePagination {
    /// The number of the page, starting at 1.
    ///
    /// At least 1.
    pub page: i64,
    /// The maximum number of items on a page.
    ///
    /// From 1 to 4294967295.
    pub page_size: i64,
    /// The number of items.
    ///
    /// At least 0.
    pub total: i64,
    /// The number of pages.
    ///
    /// At least 0.
    pub total_pages: i64,
    /// True if there is a next page.
    pub has_more: bool,
}

impl TryFrom<restwright::schema::Bag> for PagePagination {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<PagePagination> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: PagePagination) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `Visit`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Visit {
    /// The property `id`.
    pub id: i64,
    /// The property `guest`.
    pub guest: String,
}

impl TryFrom<restwright::schema::Bag> for Visit {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Visit> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Visit) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

// end generated shapes
