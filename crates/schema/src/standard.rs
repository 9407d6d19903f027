//! Implements [`Schema`] for types of the standard library and of serde_json.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::format::Format;
use crate::shape::{
    BooleanType, Checks, IntegerType, MapKey, NumberType, PropertyCollection, Registry, Schema, SchemaObject,
    SchemaType, StringType,
};

macro_rules! scalars {
    ($($type:ty => $kind:expr;)*) => {
        $(impl Schema for $type {
            type Changes = Self;

            fn schema_type(_: &mut Registry) -> SchemaType {
                SchemaType::from($kind)
            }
        })*
    };
}

scalars! {
    String => text();
    str => text();
    char => SchemaObject::string().min_length(1).max_length(1).schema_type;
    Ipv4Addr => SchemaObject::string().format(Format::IPV4).schema_type;
    Ipv6Addr => SchemaObject::string().format(Format::IPV6).schema_type;
    IpAddr => parsed::<Self>("ip");
    SocketAddr => parsed::<Self>("socket-address");
    SocketAddrV4 => parsed::<Self>("socket-address");
    SocketAddrV6 => parsed::<Self>("socket-address");
    bool => BooleanType;
    i8 => IntegerType::new("int8", i8::MIN, i8::MAX);
    i16 => IntegerType::new("int16", i16::MIN, i16::MAX);
    i32 => IntegerType::new("int32", i32::MIN, i32::MAX);
    i64 => IntegerType::new("int64", i64::MIN, i64::MAX);
    isize => IntegerType::new("int64", isize::MIN, isize::MAX);
    u8 => IntegerType::new("uint8", u8::MIN, u8::MAX);
    u16 => IntegerType::new("uint16", u16::MIN, u16::MAX);
    u32 => IntegerType::new("uint32", u32::MIN, u32::MAX);
    u64 => IntegerType::new("uint64", 0, i64::MAX);
    usize => IntegerType::new("uint64", 0, i64::MAX);
    NonZero<i8> => IntegerType::new("int8", i8::MIN, i8::MAX).without_zero();
    NonZero<i16> => IntegerType::new("int16", i16::MIN, i16::MAX).without_zero();
    NonZero<i32> => IntegerType::new("int32", i32::MIN, i32::MAX).without_zero();
    NonZero<i64> => IntegerType::new("int64", i64::MIN, i64::MAX).without_zero();
    NonZero<isize> => IntegerType::new("int64", isize::MIN, isize::MAX).without_zero();
    NonZero<u8> => IntegerType::new("uint8", 1, u8::MAX);
    NonZero<u16> => IntegerType::new("uint16", 1, u16::MAX);
    NonZero<u32> => IntegerType::new("uint32", 1, u32::MAX);
    NonZero<u64> => IntegerType::new("uint64", 1, i64::MAX);
    NonZero<usize> => IntegerType::new("uint64", 1, i64::MAX);
    f32 => NumberType::float();
    f64 => NumberType::double();
    serde_json::Value => SchemaType::any();
}

fn text() -> SchemaType {
    StringType::default().into()
}

/// Returns a schema for strings that `T` can parse with `FromStr`.
fn parsed<T: std::str::FromStr>(format: &'static str) -> SchemaType {
    SchemaObject::string().format(Format::custom(format, |text| text.parse::<T>().is_ok())).schema_type
}

/// Describes the object that serde writes for a `Duration`, such as `{"secs":90,"nanos":0}`.
impl Schema for Duration {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        let nanos = crate::shape::uint32("nanos").maximum(999_999_999);
        PropertyCollection::new("").property(crate::shape::uint64("secs")).property(nanos).closed().into()
    }
}

impl<T: Schema> Schema for Option<T> {
    type Changes = Self;

    const OPTIONAL: bool = true;
    const NULLABLE: bool = true;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        T::schema_type(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        if let Some(value) = self {
            value.run_checks(checks);
        }
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        match self {
            Some(value) => value.refuse_failures(failures, checks),
            None => failures.refuse(checks),
        }
    }
}

macro_rules! pointers {
    ($($type:ty $(where $bound:ident)?),*) => {
        $(impl<T: Schema $(+ $bound)? + ?Sized> Schema for $type {
            type Changes = Self;

            const OPTIONAL: bool = T::OPTIONAL;
            const NULLABLE: bool = T::NULLABLE;
            const REQUIRES_DEFAULT: bool = T::REQUIRES_DEFAULT;

            fn schema_type(registry: &mut Registry) -> SchemaType {
                T::schema_type(registry)
            }

            fn run_checks(&self, checks: &mut Checks<'_>) {
                (**self).run_checks(checks);
            }

            #[cfg(feature = "validator")]
            fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
                (**self).refuse_failures(failures, checks);
            }
        })*
    };
}

pointers!(&T, Box<T>, Rc<T>, Arc<T>, Cow<'_, T> where ToOwned);

macro_rules! tuples {
    ($($($item:ident $index:tt),+;)*) => {
        $(
            /// Describes an array with one schema for each item.
            #[diagnostic::do_not_recommend]
            impl<$($item: Schema),+> Schema for ($($item,)+) {
                type Changes = Self;

                fn schema_type(registry: &mut Registry) -> SchemaType {
                    SchemaType::tuple([$(element::<$item>(registry)),+])
                }

                fn run_checks(&self, checks: &mut Checks<'_>) {
                    $(checks.item($index, &self.$index);)+
                }
            }
        )*
    };
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
}

impl<T: Schema> Schema for [T] {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        SchemaType::array(element::<T>(registry))
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_items(self, checks);
    }
}

impl<T: Schema> Schema for Vec<T> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        <[T]>::schema_type(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_items(self, checks);
    }
}

impl<T: Schema> Schema for VecDeque<T> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        <[T]>::schema_type(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_items(self, checks);
    }
}

impl<T: Schema, const N: usize> Schema for [T; N] {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        SchemaObject::array(element::<T>(registry)).min_items(N).max_items(N).schema_type
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_items(self, checks);
    }
}

impl<T: Schema, S> Schema for HashSet<T, S> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        set::<T>(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_set(checks);
    }
}

impl<T: Schema> Schema for BTreeSet<T> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        set::<T>(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_items(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_set(checks);
    }
}

impl<K: MapKey, V: Schema, S> Schema for HashMap<K, V, S> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        map::<K, V>(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_values(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_values(self, checks);
    }
}

impl<K: MapKey, V: Schema> Schema for BTreeMap<K, V> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        map::<K, V>(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        check_values(self, checks);
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::Failures, checks: &mut Checks<'_>) {
        failures.refuse_values(self, checks);
    }
}

/// Describes an object with arbitrary property names and values.
impl Schema for serde_json::Map<String, serde_json::Value> {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaType::map(SchemaType::any())
    }
}

fn element<T: Schema>(registry: &mut Registry) -> SchemaObject {
    crate::shape::typed_schema::<T>(registry).into_schema()
}

fn set<T: Schema>(registry: &mut Registry) -> SchemaType {
    let items = element::<T>(registry);
    registry.note_set(&items);
    SchemaObject::array(items).unique_items().schema_type
}

fn map<K: MapKey, V: Schema>(registry: &mut Registry) -> SchemaType {
    let (keys, values) = (K::schema_type(registry), element::<V>(registry));
    // Any string is a key, so the names need no check.
    if keys == text() { SchemaType::map(values) } else { SchemaType::keyed_map(keys, values) }
}

fn check_values<'t, K: MapKey + 't, V: Schema + 't>(
    values: impl IntoIterator<Item = (&'t K, &'t V)>,
    checks: &mut Checks<'_>,
) {
    for (key, value) in values {
        checks.property(&key.property_name(), value);
    }
}

fn check_items<'t, T: Schema + 't>(items: impl IntoIterator<Item = &'t T>, checks: &mut Checks<'_>) {
    for (index, item) in items.into_iter().enumerate() {
        checks.item(index, item);
    }
}
