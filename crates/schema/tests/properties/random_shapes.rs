//! Schemas that are declared at run time.

use std::cell::Cell;

use restwright_schema::{Code, ReadError, Registry, SchemaObject, SchemaSide, Violations};
use serde_json::Value;

use crate::choices::{Choices, run};
use crate::oracle::validator;
use crate::shapes::Object;
use crate::texts::{Writer, damage};

fn text(object: &Object, choices: &mut Choices<'_>, face: SchemaSide) -> String {
    let wrong_once_in = *choices.pick(&[0, 0, 40, 12]);
    let input = face == SchemaSide::Input;
    let mut writer = Writer { choices, root: object, text: String::new(), depth: 0, input, wrong_once_in };
    writer.object(object, None);
    writer.text
}

/// Returns `true` if a property name occurs twice in an object.
fn has_duplicates(text: &str) -> bool {
    let any = Registry::new().compile(SchemaObject::any(), SchemaSide::Input, None);
    let read = any.read_value(text.as_bytes(), 100);
    matches!(&read, Err(ReadError::Violations(violations)) if violations.iter().any(|one| one.code == Code::DUPLICATE_PROPERTY))
}

/// Returns `true` if the violations contain a property name that differs from another only in the case of a UUID.
fn is_duplicate(violations: &Violations) -> bool {
    violations.iter().any(|violation| violation.code == Code::DUPLICATE_PROPERTY)
}

/// Returns `true` if the JSON contains a number beyond 2^53, whose multiples the validator checks on the rounded
/// number.
fn is_rounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > 9e15),
        Value::Array(items) => items.iter().any(is_rounded),
        Value::Object(properties) => properties.values().any(is_rounded),
        _ => false,
    }
}

/// Returns `true` if the JSON contains a double that may be read as a different integer, or as an integer although it
/// is none.
fn hides_digits(value: &Value, text: &str) -> bool {
    match value {
        Value::Number(number) if number.is_f64() => {
            let double = number.as_f64().unwrap_or_default();
            double.abs() > 9e15 || (double == 0.0 && text.contains("e-400"))
        }
        Value::Array(items) => items.iter().any(|item| hides_digits(item, text)),
        Value::Object(properties) => properties.values().any(|property| hides_digits(property, text)),
        _ => false,
    }
}

/// Returns `true` if a recursively closed schema may accept or reject a value, and the JSON Schema the opposite. It accepts
/// properties that clients cannot set, and rejects unknown properties of the first variant of a union that matches without
/// them.
fn may_differ(object: &Object, side: SchemaSide, accepts: bool) -> bool {
    let declared = format!("{object:?}");
    let reason = if accepts { "read_only: true" } else { "AnyOf" };
    side == SchemaSide::Input && declared.contains("Recursively") && declared.contains(reason)
}

#[test]
fn guided_read_complete_walk_and_json_schema_agree() {
    let (accepted, guided, compared) = (Cell::new(0), Cell::new(0), Cell::new(0));
    run("random shapes", |choices, text_choices| {
        let object = Object::random(choices, 0, &mut 0);
        let face = *choices.pick(&[SchemaSide::Input, SchemaSide::Output]);
        let text = text(&object, text_choices, face);

        let mut registry = Registry::new();
        let kind = registry.define_collection(&object.collection());
        let shape = registry.compile(&kind, face, None);
        if text_choices.once_in(2) {
            registry.note_use(&SchemaObject::from(&kind), face, None);
        }
        let schema = registry.json_schema(&kind, face, None);
        let walked = shape.read_value(text.as_bytes(), 100);
        let context = || format!("\n{text}\n{walked:?}\n{schema}\n{:#?}", registry.components());

        let holds = match &walked {
            Ok(_) => true,
            Err(ReadError::Violations(violations)) if !violations.is_empty() => false,
            Err(_) => return Err(format!("a JSON text is no syntax error{}", context())),
        };
        if let Some(verdict) = shape.guided_verdict::<Value>(text.as_bytes()) {
            guided.set(guided.get() + 1);
            if verdict != holds {
                return Err(format!("the guided read says {verdict}{}", context()));
            }
        }
        if shape.read::<Value>(text.as_bytes(), 100).is_ok() != holds {
            return Err(format!("the read says otherwise{}", context()));
        }
        accepted.set(accepted.get() + u32::from(holds));

        let published = format!("{schema}{:?}", registry.components());
        let duplicate = has_duplicates(&text)
            || matches!(&walked, Err(ReadError::Violations(violations)) if is_duplicate(violations));
        if let (false, Ok(value)) = (duplicate, serde_json::from_str::<Value>(&text))
            && !(published.contains("multipleOf") && is_rounded(&value))
            && !hides_digits(&value, &text)
        {
            compared.set(compared.get() + 1);
            let oracle = validator(&schema, registry.components());
            if oracle.is_valid(&value) != holds && !may_differ(&object, face, holds) {
                let errors: Vec<_> = oracle.iter_errors(&value).map(|error| error.to_string()).collect();
                return Err(format!("the JSON Schema says otherwise: {errors:?}{}", context()));
            }
            if shape.check_value(&value, 100).is_ok() != holds {
                return Err(format!("the check of the value says otherwise{}", context()));
            }
        }
        // A dropped property may have been counted, or may have made two items different.
        let counts_unknown = ["minProperties", "uniqueItems"].iter().any(|keyword| published.contains(keyword));
        // A default that is filled in was not part of the JSON, where properties are counted.
        let counts_defaults = ["maxProperties", "default"].iter().all(|keyword| published.contains(keyword));
        // Without its unknown properties, a value may match an earlier variant.
        let has_unions = format!("{object:?}").contains("AnyOf");
        if let (Ok(value), false) = (&walked, counts_unknown || counts_defaults || has_unions) {
            let again = shape.read_value(value.to_string().as_bytes(), 100);
            if again.as_ref() != Ok(value) {
                return Err(format!("the normalised value is not normal: {again:?}{}", context()));
            }
            // The first read of an import decides about all later ones.
            let rewritten = shape.import_json(text.as_bytes());
            if let Some(rewritten) = rewritten
                && shape.read_value(rewritten.as_bytes(), 100).as_ref() != Ok(value)
            {
                return Err(format!("an import reads another value: {rewritten}{}", context()));
            }
        }
        Ok(())
    });
    println!("{} accepted, {} guided, {} compared with JSON Schema", accepted.get(), guided.get(), compared.get());
}

#[test]
fn rejects_damaged_json_alike() {
    run("damaged texts", |choices, text_choices| {
        let object = Object::random(choices, 2, &mut 0);
        let bytes = damage(&text(&object, text_choices, SchemaSide::Input), text_choices);
        let mut registry = Registry::new();
        let kind = registry.define_collection(&object.collection());
        let shape = registry.compile(&kind, SchemaSide::Input, None);

        let walked = shape.read_value(&bytes, 3);
        let context = || format!("\n{}\n{walked:?}", String::from_utf8_lossy(&bytes));
        if shape.guided_verdict::<Value>(&bytes).is_some_and(|verdict| verdict != walked.is_ok()) {
            return Err(format!("the guided read says otherwise{}", context()));
        }
        let plain = serde_json::from_slice::<Value>(&bytes);
        match (&walked, &plain) {
            (Err(ReadError::Syntax { .. }), Ok(_)) => Err(format!("JSON is said to be none{}", context())),
            (Err(ReadError::Syntax { line, column, .. }), Err(error)) if std::str::from_utf8(&bytes).is_ok() => {
                // Huge numbers are skipped.
                let same = (*line, *column) == (error.line().max(1), error.column().max(1));
                if same || error.to_string().contains("out of range") {
                    Ok(())
                } else {
                    Err(format!("the place of the mistake is {error}{}", context()))
                }
            }
            (Ok(_), Err(error)) => Err(format!("what is no JSON is taken: {error}{}", context())),
            (Err(ReadError::Violations(violations)), Err(error)) if !error.to_string().contains("out of range") => {
                Err(format!("what is no JSON has violations: {violations} {error}{}", context()))
            }
            (Err(ReadError::Violations(violations)), _) if violations.len() > 3 => {
                Err(format!("more violations than asked for{}", context()))
            }
            _ => Ok(()),
        }
    });
}
