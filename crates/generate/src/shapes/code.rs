//! Generates Rust source for types and their conversions. The output matches rustfmt with a `max_width` of 100 or more.

use super::item::{ItemKind, RustItem, StructField, StructOf, UnionVariant};

/// The default of rustfmt's setting `max_width`. `MAX_ATTRIBUTE_WIDTH` is the default of `attr_fn_like_width`.
const MAX_WIDTH: usize = 100;
const MAX_ATTRIBUTE_WIDTH: usize = 70;

/// Returns the Rust source of a generated type and its conversions, with a final line break.
pub(super) fn code(item: &RustItem) -> String {
    let name = &item.name;
    let mut blocks = match &item.kind {
        ItemKind::Struct { fields, of } => {
            let mut blocks = vec![declaration(SERIALISED, "struct", name, fields.iter().flat_map(field))];
            blocks.extend(match of {
                StructOf::Bag => vec![from_bag(name), into_bag(name)],
                StructOf::Request => vec![from_input(name)],
                StructOf::Response(status) => vec![into_output(name, *status)],
                StructOf::Entity => vec![from_entity_bag(name)],
            });
            blocks
        }
        ItemKind::Enumeration(variants) => {
            let variants = variants.iter().map(|(variant, value)| plain_variant(variant, value));
            vec![declaration(COPIED_AND_SERIALISED, "enum", name, variants.flatten())]
        }
        ItemKind::Union { tag, variants } => {
            let attributes = format!("{SERIALISED}\n#[serde(tag = {})]", literal(tag));
            let declared = declaration(&attributes, "enum", name, variants.iter().flat_map(union_variant));
            vec![declared, from_bag(name), into_bag(name)]
        }
        ItemKind::Filters(fields) => vec![
            declaration("#[derive(Debug, Clone, Default)]", "struct", name, fields.iter().flat_map(filter)),
            filters(name, fields),
            from_filter_bag(name),
            fill(name, fields),
            into_filter_bag(name, fields),
        ],
        ItemKind::Sort(variants) => vec![
            declaration(
                "#[derive(Debug, Clone, Copy, PartialEq, Eq)]",
                "enum",
                name,
                variants.iter().flat_map(sort_variant),
            ),
            sort(name, variants),
            from_field_name(name, variants),
            into_field_name(name),
        ],
    };
    if let Some(declared) = blocks.first_mut() {
        *declared = format!("{}\n{declared}", item.docs.join("\n"));
    }
    blocks.into_iter().map(|block| formatted(&block)).collect::<Vec<_>>().join("\n")
}

/// Returns a string as a Rust string literal.
pub(super) fn literal(text: &str) -> String {
    let escape = |character: char| match character {
        '"' | '\\' => format!("\\{character}"),
        plain if plain == ' ' || plain.is_ascii_graphic() || plain.is_alphanumeric() => plain.to_string(),
        other => other.escape_unicode().to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

const SERIALISED: &str = "#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]";
const COPIED_AND_SERIALISED: &str =
    "#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]";

fn declaration(attributes: &str, keyword: &str, name: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("    {line}\n")).collect();
    let body = if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}}}") };
    format!("{attributes}\npub {keyword} {name} {body}\n")
}

fn field(field: &StructField) -> Vec<String> {
    let StructField { docs, identifier, name, rust_type, is_left_out } = field;
    let mut lines = docs.clone();
    if identifier.strip_prefix("r#").unwrap_or(identifier) != name {
        lines.push(rename(name));
    }
    if *is_left_out {
        lines.push("#[serde(skip_serializing_if = \"Option::is_none\")]".to_owned());
    }
    lines.push(format!("pub {identifier}: {rust_type},"));
    lines
}

fn filter(field: &StructField) -> Vec<String> {
    let mut lines = field.docs.clone();
    lines.push(format!("pub {}: restwright::list::Filter<{}>,", field.identifier, field.rust_type));
    lines
}

fn plain_variant(variant: &str, value: &str) -> [String; 3] {
    [format!("/// The value {}.", super::docs::code(value)), rename(value), format!("{variant},")]
}

fn union_variant(variant: &UnionVariant) -> [String; 3] {
    let UnionVariant { identifier, value, rust_type } = variant;
    [format!("/// The variant {}.", super::docs::code(value)), rename(value), format!("{identifier}({rust_type}),")]
}

fn sort_variant((variant, name): &(String, String)) -> [String; 2] {
    [format!("/// By the field {}.", super::docs::code(name)), format!("{variant},")]
}

fn rename(name: &str) -> String {
    format!("#[serde(rename = {})]", literal(name))
}

fn from_bag(name: &str) -> String {
    format!(
        "\
impl TryFrom<restwright::schema::Bag> for {name} {{
    type Error = restwright::schema::BagError;

    fn try_from(bag: restwright::schema::Bag) -> Result<Self, Self::Error> {{
        bag.read()
    }}
}}
"
    )
}

fn into_bag(name: &str) -> String {
    format!(
        "\
impl TryFrom<{name}> for restwright::schema::Bag {{
    type Error = restwright::schema::BagError;

    fn try_from(shape: {name}) -> Result<Self, Self::Error> {{
        Self::from_typed(&shape)
    }}
}}
"
    )
}

fn from_input(name: &str) -> String {
    format!(
        "\
impl TryFrom<restwright::Input> for {name} {{
    type Error = restwright::Problem;

    fn try_from(input: restwright::Input) -> Result<Self, Self::Error> {{
        Ok(input.read()?)
    }}
}}
"
    )
}

/// Generates the conversion from an `EntityBag` to a generated struct. The opposite conversion is not generated,
/// because `EntityBag::write` sets the values of an existing bag.
fn from_entity_bag(name: &str) -> String {
    format!(
        "\
impl TryFrom<&restwright::resource::EntityBag> for {name} {{
    type Error = restwright::schema::BagError;

    fn try_from(entity: &restwright::resource::EntityBag) -> Result<Self, Self::Error> {{
        entity.read()
    }}
}}
"
    )
}

fn into_output(name: &str, status: u16) -> String {
    format!(
        "\
impl TryFrom<{name}> for restwright::Output {{
    type Error = restwright::Problem;

    fn try_from(response: {name}) -> Result<Self, Self::Error> {{
        Self::from_typed({status}, &response)
    }}
}}
"
    )
}

fn filters(name: &str, fields: &[StructField]) -> String {
    let extend = |field: &StructField| {
        format!("        conditions.extend(self.{}.conditions({}));\n", field.identifier, literal(&field.name))
    };
    let lines: String = fields.iter().map(extend).collect();
    format!(
        "\
impl restwright::list::Filters for {name} {{
    fn conditions(&self) -> Vec<restwright::list::Condition> {{
        let mut conditions = Vec::new();
{lines}        conditions
    }}
}}
"
    )
}

fn from_filter_bag(name: &str) -> String {
    format!(
        "\
impl TryFrom<restwright::list::FilterBag> for {name} {{
    type Error = restwright::Problem;

    fn try_from(bag: restwright::list::FilterBag) -> Result<Self, Self::Error> {{
        let mut filters = Self::default();
        filters.fill(&bag)?;
        Ok(filters)
    }}
}}
"
    )
}

/// Generates the function that reads the values of filters from a `FilterBag`. It contains one statement per field,
/// because rustfmt would format a single expression differently depending on its width.
fn fill(name: &str, fields: &[StructField]) -> String {
    let read =
        |field: &StructField| format!("        self.{} = bag.read({})?;\n", field.identifier, literal(&field.name));
    let lines: String = fields.iter().map(read).collect();
    format!(
        "\
impl {name} {{
    fn fill(&mut self, bag: &restwright::list::FilterBag) -> Result<(), restwright::Problem> {{
{lines}        Ok(())
    }}
}}
"
    )
}

fn into_filter_bag(name: &str, fields: &[StructField]) -> String {
    let insert =
        |field: &StructField| format!("        bag.insert({}, filters.{});\n", literal(&field.name), field.identifier);
    let lines: String = fields.iter().map(insert).collect();
    format!(
        "\
impl From<{name}> for restwright::list::FilterBag {{
    fn from(filters: {name}) -> Self {{
        let mut bag = Self::default();
{lines}        bag
    }}
}}
"
    )
}

/// Generates a `Sort` implementation with the sort fields of the route, for use in `SortBag`.
fn sort(name: &str, variants: &[(String, String)]) -> String {
    let arm = |(variant, field): &(String, String)| format!("            Self::{variant} => {},\n", literal(field));
    let lines: String = variants.iter().map(arm).collect();
    format!(
        "\
impl restwright::list::Sort for {name} {{
    fn declare(route: &restwright::Route) -> Result<restwright::list::SortFields, restwright::BuildErrors> {{
        <restwright::list::FieldName as restwright::list::Sort>::declare(route)
    }}

    fn at(fields: &restwright::list::SortFields, index: usize) -> Option<Self> {{
        let field = <restwright::list::FieldName as restwright::list::Sort>::at(fields, index)?;
        field.try_into().ok()
    }}

    fn name(&self) -> &str {{
        match self {{
{lines}        }}
    }}
}}
"
    )
}

fn from_field_name(name: &str, variants: &[(String, String)]) -> String {
    let arm = |(variant, field): &(String, String)| format!("            {} => Ok(Self::{variant}),\n", literal(field));
    let lines: String = variants.iter().map(arm).collect();
    format!(
        "\
impl TryFrom<restwright::list::FieldName> for {name} {{
    type Error = restwright::Problem;

    fn try_from(field: restwright::list::FieldName) -> Result<Self, Self::Error> {{
        match restwright::list::Sort::name(&field) {{
{lines}            name => Err(restwright::Problem::internal(format!(\"no field `{{name}}`\"))),
        }}
    }}
}}
"
    )
}

fn into_field_name(name: &str) -> String {
    format!(
        "\
impl From<{name}> for restwright::list::FieldName {{
    fn from(field: {name}) -> Self {{
        Self::new(restwright::list::Sort::name(&field).to_owned())
    }}
}}
"
    )
}

/// Adds `#[rustfmt::skip]` to a block with a line that rustfmt would break, for example because of a long name.
fn formatted(block: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("///");
    let is_long = |line: &str| {
        let line_width = line.chars().count();
        let arguments = line.trim().strip_prefix("#[serde(").map(|arguments| arguments.chars().count());
        line_width > MAX_WIDTH || arguments.is_some_and(|width| width > MAX_ATTRIBUTE_WIDTH)
    };
    if !block.lines().filter(is_code).any(is_long) {
        return block.to_owned();
    }
    let comments = block.lines().take_while(|line| line.starts_with("///")).map(|line| format!("{line}\n"));
    let comments: String = comments.collect();
    format!("{comments}#[rustfmt::skip]\n{}", block.get(comments.len()..).unwrap_or_default())
}
