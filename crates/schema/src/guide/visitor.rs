//! [`Checking`]: a visitor that checks what arrives on the wire, then hands it to the type's own.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::Context;
use super::deserializer::Guided;
use super::items::Items;
use super::keys::Keys;
use super::properties::Properties;
use crate::equality::equals;
use crate::json::Json;
use crate::node::{Form, Node};
use crate::number::Number;
use crate::pending_violation::Verdict;
use crate::schema_type::Scalar;

pub(super) struct Checking<'g, V> {
    pub(super) context: &'g Context<'g>,
    pub(super) node: &'g Node,
    pub(super) nullable: bool,
    pub(super) visitor: V,
}

impl<V> Checking<'_, V> {
    #[inline]
    fn check<E: Error>(&self, value: Scalar<'_>) -> Result<(), E> {
        let holds = match &self.node.form {
            Form::Scalar(kind) => {
                let mut verdict = Verdict::default();
                kind.check(value, &mut verdict);
                !verdict.refused && self.node.constant.as_ref().is_none_or(|constant| is_constant(value, constant))
            }
            Form::Any => self.node.constant.is_none(),
            _ => false,
        };
        if holds { Ok(()) } else { refuse() }
    }

    #[inline]
    fn check_null<E: Error>(&self) -> Result<(), E> {
        if self.nullable || matches!(self.node.form, Form::Any) { Ok(()) } else { refuse() }
    }
}

/// Says nothing, since the complete walk will.
#[cold]
fn refuse<T, E: Error>() -> Result<T, E> {
    Err(E::custom("refused"))
}

fn is_constant(value: Scalar<'_>, constant: &serde_json::Value) -> bool {
    let value = match value {
        Scalar::Boolean(value) => Json::Boolean(value),
        Scalar::Number(number) => Json::Number(number.into()),
        Scalar::Text(text) => Json::Text(text.into()),
    };
    equals(&value, &Json::of(constant))
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Checking<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(formatter)
    }

    #[inline]
    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.check(Scalar::Boolean(value))?;
        self.visitor.visit_bool(value)
    }

    #[inline]
    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.check(Scalar::Number(value.into()))?;
        self.visitor.visit_i64(value)
    }

    #[inline]
    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.check(Scalar::Number(value.into()))?;
        self.visitor.visit_u64(value)
    }

    #[inline]
    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        let Some(number) = Number::finite(value) else { return refuse() };
        match &self.node.form {
            // The complete walk decides it on its digits, which the double may not show.
            Form::Scalar(kind) if kind.reads_integers() => return refuse(),
            _ => self.check(Scalar::Number(number))?,
        }
        self.visitor.visit_f64(value)
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.check(Scalar::Text(text))?;
        self.visitor.visit_str(text)
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.check(Scalar::Text(text))?;
        self.visitor.visit_borrowed_str(text)
    }

    #[inline]
    fn visit_string<E: Error>(self, text: String) -> Result<V::Value, E> {
        self.check(Scalar::Text(&text))?;
        self.visitor.visit_string(text)
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.check_null()?;
        self.visitor.visit_unit()
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.check_null()?;
        self.visitor.visit_none()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let guided = Guided::beside(&self, deserializer);
        self.visitor.visit_some(guided)
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let guided = Guided::beside(&self, deserializer);
        self.visitor.visit_newtype_struct(guided)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let (items, rules) = match &self.node.form {
            Form::Array(array) => (&array.items, Some(&array.rules)),
            Form::Any => (self.node, None),
            _ => return refuse(),
        };
        let mut items = Items::new(self.context, items, access);
        let value = self.visitor.visit_seq(&mut items)?;
        let mut verdict = Verdict::default();
        if let Some(rules) = rules {
            rules.check(items.count(), &mut verdict);
        }
        if verdict.refused { refuse() } else { Ok(value) }
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let keys = match &self.node.form {
            Form::Object(object) => Keys::of_object(object),
            Form::Map(map) => Keys::of_map(map),
            Form::Any => Keys::of_anything(self.node, self.context.is_tracing()),
            _ => return refuse(),
        };
        let mut properties = Properties::new(self.context, keys, access);
        let value = self.visitor.visit_map(&mut properties)?;
        if properties.are_complete() { Ok(value) } else { refuse() }
    }
}

/// A visitor for a unit variant, which is a string on the wire.
pub(super) struct UnitVariant<'g, V>(pub(super) Checking<'g, V>);

impl<'de, V: Visitor<'de>> Visitor<'de> for UnitVariant<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    #[inline]
    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.0.check(Scalar::Text(text))?;
        self.0.visitor.visit_enum(StrDeserializer::new(text))
    }
}
