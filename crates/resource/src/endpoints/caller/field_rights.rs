//! Defines [`FieldRights`], the fields that a caller may read and write.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::BuildContext;
use restwright_core::auth::Identity;
use restwright_core::conditional::EntityTag;
use restwright_core::http::Method;
use restwright_core::schema::{Code, Mode, Property, Registry, SchemaSide, Violation};
use serde_json::Value;

use crate::definition::{EntityDefinition, FieldAccess, FieldDefinition};
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::settings::OperationSettings;
use crate::endpoints::erased::kind::Shape;

/// The fields of a resource that only some callers may read or write.
pub(in crate::endpoints) struct Guards(Vec<Guard>);

struct Guard {
    field: Cow<'static, str>,
    read: Option<FieldAccess>,
    write: Option<FieldAccess>,
}

/// The fields that a caller may not read or write. The value is empty if every caller may read and write all fields.
#[derive(Clone, Default)]
pub(in crate::endpoints) struct FieldRights(Option<Arc<Lacking>>);

struct Lacking {
    unreadable: Vec<Cow<'static, str>>,
    unwritable: Vec<Cow<'static, str>>,
    /// A digest of the restricted fields that the caller may read. Only some callers may read or write a restricted field.
    variant: u64,
}

impl Guards {
    /// Returns the fields that only some callers may read or write, or `None` if the definition has no such fields.
    pub(in crate::endpoints) fn of(definition: &EntityDefinition) -> Option<Arc<Self>> {
        let guarded = definition.fields().filter(|field| field.write_access().is_some());
        let guards: Vec<_> = guarded.map(Guard::new).collect();
        (!guards.is_empty()).then(|| Arc::new(Self(guards)))
    }

    pub(in crate::endpoints) fn rights(&self, caller: &Identity) -> FieldRights {
        let lacking = |access: fn(&Guard) -> Option<&FieldAccess>| {
            let lacks = |guard: &&Guard| access(guard).is_some_and(|access| !access.admits(caller));
            self.0.iter().filter(lacks).map(|guard| guard.field.clone()).collect::<Vec<_>>()
        };
        let unreadable = lacking(|guard| guard.read.as_ref());
        let readable = self.0.iter().filter(|guard| guard.read.is_some() && !unreadable.contains(&guard.field));
        let variant = digest(readable.map(|guard| &*guard.field));
        FieldRights(Some(Arc::new(Lacking { unreadable, unwritable: lacking(|guard| guard.write.as_ref()), variant })))
    }

    /// Returns the JSON names of the restricted fields in the given schemas. `side` selects the names in requests or in responses.
    pub(in crate::endpoints) fn names(
        &self,
        info: &ResourceInfo,
        shapes: &[Shape],
        side: SchemaSide,
        registry: &mut Registry,
    ) -> Vec<FieldNames> {
        let names = self.0.iter().map(|guard| {
            let mut names = vec![guard.field.clone().into_owned()];
            for shape in shapes {
                let schema = info.kind.schema_type(*shape, registry);
                let properties = registry.collection(&schema).into_iter().flat_map(|shape| shape.properties());
                for property in properties.filter(|property| is_of_field(property, &guard.field)) {
                    names.push(property.name_in(side).to_owned());
                    names.extend(property.aliases_in(side).iter().map(|alias| alias.clone().into_owned()));
                }
            }
            names.sort_unstable();
            names.dedup();
            FieldNames { field: guard.field.clone(), names }
        });
        names.collect()
    }
}

/// A field and its names in JSON.
#[derive(Clone)]
pub(in crate::endpoints) struct FieldNames {
    pub(in crate::endpoints) field: Cow<'static, str>,
    pub(in crate::endpoints) names: Vec<String>,
}

impl Guard {
    fn new(field: &FieldDefinition) -> Self {
        let (read, write) = (field.read_access().cloned(), field.write_access().cloned());
        Self { field: field.owned_name(), read, write }
    }
}

impl FieldRights {
    pub(in crate::endpoints) fn may_read(&self, field: &str) -> bool {
        self.unreadable().iter().all(|unreadable| unreadable != field)
    }

    pub(in crate::endpoints) fn may_write(&self, field: &str) -> bool {
        self.unwritable().iter().all(|unwritable| unwritable != field)
    }

    pub(in crate::endpoints) fn unreadable(&self) -> &[Cow<'static, str>] {
        self.0.as_ref().map(|lacking| lacking.unreadable.as_slice()).unwrap_or_default()
    }

    pub(in crate::endpoints) fn unwritable(&self) -> &[Cow<'static, str>] {
        self.0.as_ref().map(|lacking| lacking.unwritable.as_slice()).unwrap_or_default()
    }

    /// Returns `true` if the resource has fields that only some callers may read or write.
    pub(in crate::endpoints) fn are_guarded(&self) -> bool {
        self.0.is_some()
    }

    /// Appends a digest of the fields that the caller may read to an entity tag. Callers who may read different fields receive different
    /// tags.
    pub(in crate::endpoints) fn tag(&self, version: EntityTag) -> EntityTag {
        match &self.0 {
            Some(lacking) => version.with_variant(format_args!("{:x}", lacking.variant)),
            None => version,
        }
    }

    /// Returns the JSON names of the members that the caller may not read.
    pub(in crate::endpoints) fn hidden(&self, names: &[FieldNames]) -> Vec<String> {
        let hidden = names.iter().filter(|field| !self.may_read(&field.field));
        hidden.flat_map(|field| field.names.iter().cloned()).collect()
    }

    /// Returns a digest of the restricted fields that the caller may read. Returns `None` if every caller may read and write all fields.
    pub(in crate::endpoints) fn variant(&self) -> Option<u64> {
        self.0.as_ref().map(|lacking| lacking.variant)
    }

    /// Removes the pointer and the message from a violation of a value that the caller neither sent nor may read.
    pub(in crate::endpoints) fn concealed(&self, violation: Violation, sent: Option<&Value>) -> Violation {
        let first = violation.pointer.split('/').nth(1).unwrap_or_default().to_owned();
        let field = first.replace("~1", "/").replace("~0", "~");
        let is_known = match sent {
            Some(sent) => sent.get(&field).is_some(),
            None => self.may_write(&field),
        };
        if is_known || self.may_read(&field) {
            return violation;
        }
        Violation::new("", Code::INVALID, "does not fit the stored values")
    }

    /// Returns a string that lists the fields that the caller may not read or write. Digests of the string are the same in every process.
    /// Returns `None` if every caller may read and write all fields.
    #[cfg(any(feature = "cursor", feature = "idempotency"))]
    pub(in crate::endpoints) fn text(&self) -> Option<String> {
        let lacking = self.0.as_ref()?;
        Some(format!("unreadable {:?} unwritable {:?}", lacking.unreadable, lacking.unwritable))
    }
}

/// Returns the 64-bit FNV-1a hash of the given names. The hash is the same in every process.
fn digest<'n>(names: impl Iterator<Item = &'n str>) -> u64 {
    let bytes = names.flat_map(|name| name.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn is_of_field(property: &Property, field: &str) -> bool {
    property.name() == field || property.name_in(SchemaSide::Output) == field
}

/// Adds the required permissions to the schema description of each restricted field. Fields that only some callers may read become optional
/// in responses.
pub(in crate::endpoints) fn describe(info: &ResourceInfo, registry: &mut Registry) {
    for field in info.definition.fields().filter(|field| field.write_access().is_some()) {
        for (shape, access, verb) in [
            (Shape::View, field.read_access(), "read"),
            (Shape::Item, field.read_access(), "read"),
            (Shape::New, field.write_access(), "write"),
            (Shape::Update, field.write_access(), "write"),
        ] {
            let Some(access) = access else { continue };
            let sentence = format!("Only callers with {access} may {verb} this property.");
            let schema = info.kind.schema_type(shape, registry);
            let named = registry.collection(&schema).and_then(|shape| {
                let mut properties = shape.properties().iter();
                properties.find(|property| is_of_field(property, field.name())).map(|found| found.name().to_owned())
            });
            let Some(name) = named else { continue };
            registry.amend(&schema, &name, |property| {
                let property = if verb == "read" { property.output_optional() } else { property };
                let described = property.description_text().unwrap_or_default();
                // Several operations share a shape.
                if described.contains(&sentence) {
                    return property;
                }
                let description = format!("{described} {sentence}");
                property.description(description.trim_start().to_owned())
            });
        }
    }
}

/// Returns an error for each property that a create or `PUT` body requires, although some callers may not write the property.
pub(in crate::endpoints) fn check_required(
    settings: &OperationSettings,
    context: &mut BuildContext<'_>,
) -> Vec<String> {
    let declared = context.route().declaration();
    if settings.mode != Mode::Create && declared.method != Method::PUT {
        return Vec::new();
    }
    let info = &settings.resource;
    let schema = info.kind.schema_type(Shape::New, context.registry());
    let properties = context.registry().collection(&schema).map(|new| new.properties().to_vec()).unwrap_or_default();
    let required = properties.iter().filter(|property| property.is_required_in(SchemaSide::Input));
    let guarded = required.filter_map(|property| {
        let field = info.definition.fields().find(|field| is_of_field(property, field.name()))?;
        let access = field.write_access()?;
        let is_implied = declared.access.as_ref().is_some_and(|declared| access.is_implied_by(declared));
        (!is_implied).then(|| {
            format!(
                "a new entity of `{}` requires `{}`, which only callers with {access} may write; give the field a default, or require the same \
                 in the access of creates and replacements",
                info.definition.name(),
                field.name()
            )
        })
    });
    guarded.collect()
}
