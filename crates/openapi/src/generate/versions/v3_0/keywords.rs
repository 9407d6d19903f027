//! Lists the schema keywords of OpenAPI 3.1, and determines how each keyword is converted to OpenAPI 3.0.3.

use serde_json::{Map, Value};

use super::rules;
use super::schema::{Conversion, ConvertedSchema};

/// Defines how the conversion to OpenAPI 3.0 treats a schema keyword.
#[derive(Clone, Copy)]
pub(super) enum Treatment {
    /// OpenAPI 3.0 supports the keyword with the same meaning.
    Kept,
    /// A rule converts the keyword to keywords of OpenAPI 3.0. If the new keywords accept more values, the rule reports
    /// a loss.
    Converted(KeywordRule),
    /// The keyword is omitted and reported as a loss, because the schema then accepts more values.
    Lost,
    /// The annotation is omitted and reported as a loss. The schema still accepts the same values.
    AnnotationLost,
    /// The keyword is omitted without a report, because clients do not need it.
    Omitted,
}

/// A function that converts one keyword of a schema to OpenAPI 3.0. It can also read the other keywords of the schema.
pub(super) type KeywordRule = fn(&mut Conversion<'_>, &Value, &Map<String, Value>, &mut ConvertedSchema);

/// Returns how the conversion treats a keyword. JSON Schema treats unknown keywords as annotations.
pub(super) fn treatment(keyword: &str) -> Treatment {
    let known = KEYWORDS.iter().find(|(name, _)| *name == keyword);
    match known {
        Some((_, treatment)) => *treatment,
        None if keyword.starts_with("x-") => Treatment::Kept,
        None => Treatment::AnnotationLost,
    }
}

use Treatment::{AnnotationLost, Converted, Kept, Lost, Omitted};

/// The keywords of JSON Schema 2020-12 and of OpenAPI 3.1, each with its treatment. Keywords that this crate writes are
/// never lost.
pub(super) const KEYWORDS: &[(&str, Treatment)] = &[
    // JSON Schema Core, section 8
    ("$ref", Converted(rules::reference)),
    ("$dynamicRef", Lost),
    ("$schema", Omitted),
    ("$id", Omitted),
    ("$anchor", Omitted),
    ("$dynamicAnchor", Omitted),
    ("$vocabulary", Omitted),
    ("$comment", Omitted),
    // A reference to a definition is lost.
    ("$defs", Omitted),
    // Section 10
    ("allOf", Converted(rules::all_of)),
    ("anyOf", Converted(rules::any_of)),
    ("oneOf", Converted(rules::one_of)),
    ("not", Converted(rules::not)),
    ("if", Lost),
    ("then", Omitted),
    ("else", Omitted),
    ("dependentSchemas", Lost),
    ("prefixItems", Converted(rules::prefix_items)),
    ("items", Converted(rules::items)),
    ("contains", Lost),
    ("properties", Converted(rules::properties)),
    ("patternProperties", Converted(rules::pattern_properties)),
    ("additionalProperties", Converted(rules::additional_properties)),
    ("propertyNames", Lost),
    // Section 11
    ("unevaluatedItems", Lost),
    ("unevaluatedProperties", Lost),
    // JSON Schema Validation, section 6
    ("type", Converted(rules::types)),
    ("enum", Converted(rules::enumeration)),
    ("const", Converted(rules::constant)),
    ("multipleOf", Kept),
    ("maximum", Converted(rules::maximum)),
    ("exclusiveMaximum", Converted(rules::exclusive_maximum)),
    ("minimum", Converted(rules::minimum)),
    ("exclusiveMinimum", Converted(rules::exclusive_minimum)),
    ("maxLength", Kept),
    ("minLength", Kept),
    ("pattern", Kept),
    ("maxItems", Kept),
    ("minItems", Kept),
    ("uniqueItems", Kept),
    // Without `contains`, these keywords have no effect.
    ("maxContains", Omitted),
    ("minContains", Omitted),
    ("maxProperties", Kept),
    ("minProperties", Kept),
    ("required", Converted(rules::required)),
    ("dependentRequired", Lost),
    // Section 7
    ("format", Kept),
    // Section 8
    ("contentEncoding", Converted(rules::content_encoding)),
    ("contentMediaType", Converted(rules::content_media_type)),
    ("contentSchema", AnnotationLost),
    // Section 9
    ("title", Kept),
    ("description", Kept),
    ("default", Kept),
    ("deprecated", Kept),
    ("readOnly", Kept),
    ("writeOnly", Kept),
    ("examples", Converted(rules::examples)),
    // OpenAPI 3.1, section 4.8.24
    ("discriminator", Kept),
    ("xml", Kept),
    ("externalDocs", Kept),
    ("example", Kept),
];
