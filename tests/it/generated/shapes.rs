//! The types of run-time declarations.

// begin generated shapes

/// A request of `createPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetRequest {
    /// The body.
    pub body: PetCreateInput,
}

impl TryFrom<restwright::Input> for CreatePetRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The response 201 of `createPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetResponse201 {
    /// The headers.
    pub headers: CreatePetHeaders201,
    /// The body.
    pub body: PetCreated,
}

impl TryFrom<CreatePetResponse201> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: CreatePetResponse201) -> Result<Self, Self::Error> {
        Self::from_typed(201, &response)
    }
}

/// The headers of the response 201 of `createPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CreatePetHeaders201 {
    /// The path of the pet.
    #[serde(rename = "Location")]
    pub location: String,
    /// The property `X-Total`.
    #[serde(rename = "X-Total")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_total: Option<i64>,
}

impl TryFrom<restwright::schema::Bag> for CreatePetHeaders201 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<CreatePetHeaders201> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: CreatePetHeaders201) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A request of `viewPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetRequest {
    /// The values in the path.
    pub path: ViewPetPath,
    /// The values in the query string.
    pub query: ViewPetQuery,
    /// The values in the headers.
    pub headers: ViewPetHeaders,
    /// The values in the cookies.
    pub cookies: ViewPetCookies,
}

impl TryFrom<restwright::Input> for ViewPetRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `viewPet` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetPath {
    /// Which one.
    ///
    /// At least 1.
    pub id: i64,
}

impl TryFrom<restwright::schema::Bag> for ViewPetPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewPetPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewPetPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The values of `viewPet` in the query string.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetQuery {
    /// The property `fields`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<ViewPetQueryFieldsItem>>,
    /// `1` by default.
    pub depth: i32,
}

impl TryFrom<restwright::schema::Bag> for ViewPetQuery {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewPetQuery> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewPetQuery) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The values of `viewPet` in the headers.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetHeaders {
    /// The property `X-Trace`.
    #[serde(rename = "X-Trace")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_trace: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for ViewPetHeaders {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewPetHeaders> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewPetHeaders) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The values of `viewPet` in the cookies.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetCookies {
    /// Deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl TryFrom<restwright::schema::Bag> for ViewPetCookies {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewPetCookies> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewPetCookies) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The response 200 of `viewPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetResponse200 {
    /// The body.
    pub body: Option<Pet>,
}

impl TryFrom<ViewPetResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ViewPetResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The response 203 of `viewPet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetResponse203 {
    /// The body.
    pub body: ViewPetBody203,
}

impl TryFrom<ViewPetResponse203> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ViewPetResponse203) -> Result<Self, Self::Error> {
        Self::from_typed(203, &response)
    }
}

/// A request of `replace-pet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplacePetRequest {
    /// The values in the path.
    pub path: ReplacePetPath,
    /// The body.
    pub body: Option<Label>,
}

impl TryFrom<restwright::Input> for ReplacePetRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The values of `replace-pet` in the path.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplacePetPath {
    /// The format is `uuid`.
    pub tag_id: String,
}

impl TryFrom<restwright::schema::Bag> for ReplacePetPath {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ReplacePetPath> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ReplacePetPath) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The response 204 of `replace-pet`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplacePetResponse204 {}

impl TryFrom<ReplacePetResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ReplacePetResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// A request of `self`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SelfRequest {
    /// The body.
    pub body: Hostile,
}

impl TryFrom<restwright::Input> for SelfRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The response 204 of `self`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SelfResponse204 {}

impl TryFrom<SelfResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: SelfResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// A request of `hidden`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HiddenRequest {
    /// The body.
    pub body: Vec<Label>,
}

impl TryFrom<restwright::Input> for HiddenRequest {
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {
        Ok(input.read()?)
    }
}

/// The response 204 of `hidden`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HiddenResponse204 {}

impl TryFrom<HiddenResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: HiddenResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// The response 204 of `plain`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PlainResponse204 {}

impl TryFrom<PlainResponse204> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: PlainResponse204) -> Result<Self, Self::Error> {
        Self::from_typed(204, &response)
    }
}

/// The response 200 of `listPets`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ListPetsResponse200 {
    /// The body.
    pub body: Vec<Label>,
}

impl TryFrom<ListPetsResponse200> for restwright::Output {
    type Error = restwright::Problem;

    fn try_from(response: ListPetsResponse200) -> Result<Self, Self::Error> {
        Self::from_typed(200, &response)
    }
}

/// The filters of `listPets`.
#[derive(Debug, Clone, Default)]
pub struct ListPetsFilters {
    /// A part of the name.
    ///
    /// At most 20 characters.
    pub name: restwright::list::Filter<String>,
    /// The format is `date`.
    pub born: restwright::list::Filter<String>,
    /// The property `legs`.
    pub legs: restwright::list::Filter<i32>,
    /// The property `mood`.
    pub mood: restwright::list::Filter<ListPetsFiltersMood>,
    /// The property `a-b`.
    pub a_b: restwright::list::Filter<String>,
}

impl restwright::list::Filters for ListPetsFilters {
    fn conditions(&self) -> Vec<restwright::list::Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.name.conditions("name"));
        conditions.extend(self.born.conditions("born"));
        conditions.extend(self.legs.conditions("legs"));
        conditions.extend(self.mood.conditions("mood"));
        conditions.extend(self.a_b.conditions("a-b"));
        conditions
    }
}

impl TryFrom<restwright::list::FilterBag> for ListPetsFilters {
    type Error = restwright::Problem;

    fn try_from(bag: restwright::list::FilterBag) -> Result<Self, Self::Error> {
        let mut filters = Self::default();
        filters.fill(&bag)?;
        Ok(filters)
    }
}

impl ListPetsFilters {
    fn fill(&mut self, bag: &restwright::list::FilterBag) -> Result<(), restwright::Problem> {
        self.name = bag.read("name")?;
        self.born = bag.read("born")?;
        self.legs = bag.read("legs")?;
        self.mood = bag.read("mood")?;
        self.a_b = bag.read("a-b")?;
        Ok(())
    }
}

impl From<ListPetsFilters> for restwright::list::FilterBag {
    fn from(filters: ListPetsFilters) -> Self {
        let mut bag = Self::default();
        bag.insert("name", filters.name);
        bag.insert("born", filters.born);
        bag.insert("legs", filters.legs);
        bag.insert("mood", filters.mood);
        bag.insert("a-b", filters.a_b);
        bag
    }
}

/// The fields that `listPets` can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPetsSort {
    /// By the field `id`.
    Id,
    /// By the field `name`.
    Name,
    /// By the field `bornOn`.
    BornOn,
}

#[rustfmt::skip]
impl restwright::list::Sort for ListPetsSort {
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
            Self::BornOn => "bornOn",
        }
    }
}

impl TryFrom<restwright::list::FieldName> for ListPetsSort {
    type Error = restwright::Problem;

    fn try_from(field: restwright::list::FieldName) -> Result<Self, Self::Error> {
        match restwright::list::Sort::name(&field) {
            "id" => Ok(Self::Id),
            "name" => Ok(Self::Name),
            "bornOn" => Ok(Self::BornOn),
            name => Err(restwright::Problem::internal(format!("no field `{name}`"))),
        }
    }
}

impl From<ListPetsSort> for restwright::list::FieldName {
    fn from(field: ListPetsSort) -> Self {
        Self::new(restwright::list::Sort::name(&field).to_owned())
    }
}

/// */ pub fn broken() {}
/// &#96;&#96;&#96;rust
/// panic!()
/// &#96;&#96;&#96;
/// #!&#91;deny(warnings)] "quoted" &lt;b> &#91;link] \
#[rustfmt::skip]
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hostile {
    /// The property `option`.
    pub option: Option2,
    /// The property `self`.
    #[serde(rename = "self")]
    pub self_: String,
    /// The property `type`.
    pub r#type: String,
    /// The property `1st`.
    #[serde(rename = "1st")]
    pub field_1st: String,
    /// The property `a-b`.
    #[serde(rename = "a-b")]
    pub a_b_2: String,
    /// The property `a_b`.
    pub a_b: String,
    /// The property `a b`.
    #[serde(rename = "a b")]
    pub a_b_3: String,
    /// The property `größe`.
    #[serde(rename = "größe")]
    pub gru00f6u00dfe: String,
    /// The property `"quoted"`.
    #[serde(rename = "\"quoted\"")]
    pub quoted: String,
    /// The property `back\slash`.
    #[serde(rename = "back\\slash")]
    pub back_slash: String,
    /// The property "".
    #[serde(rename = "")]
    pub field: String,
    /// The property `async`.
    pub r#async: String,
    /// The property `Self`.
    #[serde(rename = "Self")]
    pub self_2: String,
    /// */ pub fn broken() {}
    /// &#96;&#96;&#96;rust
    /// panic!()
    /// &#96;&#96;&#96;
    /// #!&#91;deny(warnings)] "quoted" &lt;b> &#91;link] \
    ///
    /// Example: "&#96; */".
    pub a_very_long_name_of_a_property_that_rustfmt_would_break_if_it_was_not_told_to_leave_it_alone_as_it_is: String,
    /// &#96;&#96;&#96; a
    pub kinds: HostileKinds,
}

impl TryFrom<restwright::schema::Bag> for Hostile {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Hostile> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Hostile) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// &#96;&#96;&#96; a
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum HostileKinds {
    /// The value `self`.
    #[serde(rename = "self")]
    Self_,
    /// The value `a b`.
    #[serde(rename = "a b")]
    AB,
    /// The value `a-b`.
    #[serde(rename = "a-b")]
    AB2,
    /// The value "".
    #[serde(rename = "\u{a}")]
    Value,
    /// The value `Ok`.
    #[serde(rename = "Ok")]
    Ok,
}

/// What it is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "species")]
pub enum Kind {
    /// The variant `cat`.
    #[serde(rename = "cat")]
    Cat(KindCat),
    /// The variant `dog`.
    #[serde(rename = "dog")]
    Dog(KindDog),
}

impl TryFrom<restwright::schema::Bag> for Kind {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Kind> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Kind) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `KindCat`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct KindCat {
    /// The property `indoor`.
    pub indoor: bool,
}

impl TryFrom<restwright::schema::Bag> for KindCat {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<KindCat> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: KindCat) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `KindDog`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct KindDog {
    /// The property `size`.
    pub size: KindDogSize,
}

impl TryFrom<restwright::schema::Bag> for KindDog {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<KindDog> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: KindDog) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `KindDogSize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum KindDogSize {
    /// The value `small`.
    #[serde(rename = "small")]
    Small,
    /// The value `large`.
    #[serde(rename = "large")]
    Large,
}

/// The shape `Label`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Label {
    /// The property `text`.
    pub text: String,
}

impl TryFrom<restwright::schema::Bag> for Label {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Label> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Label) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ListPetsFiltersMood`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ListPetsFiltersMood {
    /// The value `calm`.
    #[serde(rename = "calm")]
    Calm,
    /// The value `wild`.
    #[serde(rename = "wild")]
    Wild,
}

/// The shape `Option2`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Option2 {
    /// The property `some`.
    pub some: bool,
}

impl TryFrom<restwright::schema::Bag> for Option2 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Option2> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Option2) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `Parent`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Parent {
    /// The property `child`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<Box<Pet>>,
}

impl TryFrom<restwright::schema::Bag> for Parent {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Parent> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Parent) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ParentCreateInput`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ParentCreateInput {
    /// The property `child`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<Box<PetCreateInput>>,
}

impl TryFrom<restwright::schema::Bag> for ParentCreateInput {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ParentCreateInput> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ParentCreateInput) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// An animal that wants a home.
///
/// Or has one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pet {
    /// At least 1.
    pub id: i64,
    /// The name of the pet.
    ///
    /// 1 to 100 characters. Example: `Rex`.
    pub name: String,
    /// Deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    /// The property `breed`.
    pub breed: Option<String>,
    /// From 0 to 8. `4` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legs: Option<i32>,
    /// From 0 to 4294967295.
    pub steps: i64,
    /// At least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stars: Option<i64>,
    /// A multiple of 5.
    pub rank: i64,
    /// At most 10000. Above 0.
    #[serde(rename = "weightKg")]
    pub weight_kg: f64,
    /// From -3.4028235e+38 to 3.4028235e+38.
    pub ratio: f64,
    /// The property `vaccinated`.
    pub vaccinated: bool,
    /// The format is `date`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub born: Option<String>,
    /// The format is `date-time`.
    pub found_at: String,
    /// The format is `uuid`.
    pub tag: String,
    /// The property `mood`.
    pub mood: PetMood,
    /// One of `1`, `2`, `3`.
    pub grade: i64,
    /// At most 10 items. The items must be unique. Each: At most 30 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `notes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<PetNotesItem>>,
    /// The property `labels`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<std::collections::BTreeMap<String, Label>>,
    /// The property `extra`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<serde_json::Value>,
    /// The property `kind`.
    pub kind: Kind,
    /// The property `chip`.
    pub chip: PetChip,
    /// The property `typed`.
    pub typed: Typed,
    /// The property `mother`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mother: Option<Box<Parent>>,
    /// The property `children`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<Pet>>,
    /// The property `friend`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friend: Option<Box<Pet>>,
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

/// The shape `PetChip`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PetChip {
    /// The property `number`.
    pub number: String,
    /// The property `is read`.
    #[serde(rename = "is read")]
    pub is_read: bool,
}

impl TryFrom<restwright::schema::Bag> for PetChip {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<PetChip> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: PetChip) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// An animal that wants a home.
///
/// Or has one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PetCreateInput {
    /// The name of the pet.
    ///
    /// 1 to 100 characters. Example: `Rex`.
    pub name: String,
    /// The property `secret`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    /// The property `breed`.
    pub breed: Option<String>,
    /// From 0 to 8. `4` by default.
    pub legs: i32,
    /// From 0 to 4294967295.
    pub steps: i64,
    /// At least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stars: Option<i64>,
    /// A multiple of 5.
    pub rank: i64,
    /// At most 10000. Above 0.
    #[serde(rename = "weightKg")]
    pub weight_kg: f64,
    /// From -3.4028235e+38 to 3.4028235e+38.
    pub ratio: f64,
    /// The property `vaccinated`.
    pub vaccinated: bool,
    /// The format is `date-time`.
    pub found_at: String,
    /// The format is `uuid`.
    pub tag: String,
    /// The property `mood`.
    pub mood: PetMood,
    /// One of `1`, `2`, `3`.
    pub grade: i64,
    /// At most 10 items. The items must be unique. Each: At most 30 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The property `notes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<PetNotesItem>>,
    /// The property `labels`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<std::collections::BTreeMap<String, Label>>,
    /// The property `extra`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<serde_json::Value>,
    /// The property `kind`.
    pub kind: Kind,
    /// The property `chip`.
    pub chip: PetChip,
    /// The property `typed`.
    pub typed: Typed,
    /// The property `mother`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mother: Option<Box<ParentCreateInput>>,
    /// The property `children`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<PetCreateInput>>,
    /// The property `friend`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friend: Option<Box<PetCreateInput>>,
}

impl TryFrom<restwright::schema::Bag> for PetCreateInput {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<PetCreateInput> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: PetCreateInput) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `PetCreated`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PetCreated {
    /// The property `data`.
    pub data: Pet,
}

impl TryFrom<restwright::schema::Bag> for PetCreated {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<PetCreated> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: PetCreated) -> Result<Self, Self::Error> {
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
    /// The value `1st`.
    #[serde(rename = "1st")]
    Value1st,
    /// The value "".
    #[serde(rename = "")]
    Value,
}

/// The shape `PetNotesItem`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PetNotesItem {
    /// The property `text`.
    pub text: String,
}

impl TryFrom<restwright::schema::Bag> for PetNotesItem {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<PetNotesItem> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: PetNotesItem) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// A Rust type that run-time declarations may refer to.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Typed {
    /// The name of a typed value.
    pub name: String,
}

impl TryFrom<restwright::schema::Bag> for Typed {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<Typed> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: Typed) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ViewPetBody203`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ViewPetBody203 {
    /// The property `why`.
    pub why: String,
}

impl TryFrom<restwright::schema::Bag> for ViewPetBody203 {
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {
        bag.read()
    }
}

impl TryFrom<ViewPetBody203> for restwright::schema::Bag {
    type Error = restwright::schema::BagError;

    fn try_from(shape: ViewPetBody203) -> Result<Self, Self::Error> {
        Self::from_typed(&shape)
    }
}

/// The shape `ViewPetQueryFieldsItem`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ViewPetQueryFieldsItem {
    /// The value `name`.
    #[serde(rename = "name")]
    Name,
    /// The value `id`.
    #[serde(rename = "id")]
    Id,
}

// end generated shapes
