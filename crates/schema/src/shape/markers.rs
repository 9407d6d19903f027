//! Marker traits that define which constraints a Rust type supports.
//!
//! Implement them for a custom type that uses the schema of another type. Properties of the custom type then accept the
//! same constraints.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

use crate::shape::patch::Patch;

macro_rules! marker {
    ($name:ident $({ $element:ident: $what:literal })?, $takes:literal, $message:literal, $label:literal) => {
        #[doc = concat!("Types whose properties support ", $takes, ".")]
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $name {
            $(#[doc = $what] type $element;)?
        }

        impl<T: $name> $name for Option<T> { $(type $element = T::$element;)? }
        impl<T: $name + ?Sized> $name for Box<T> { $(type $element = T::$element;)? }
        impl<T: $name + ?Sized> $name for Rc<T> { $(type $element = T::$element;)? }
        impl<T: $name + ?Sized> $name for Arc<T> { $(type $element = T::$element;)? }
        impl<T: $name> $name for Patch<T> { $(type $element = T::$element;)? }
    };
}

marker!(
    HasCharacters,
    "`min_length`, `max_length`, `pattern` and `format`",
    "`min_length`, `max_length`, `pattern` and `format` are for strings, but `{Self}` is not a string",
    "not a string; for a number write `minimum` and `maximum`, for a list `min_items` and `max_items`"
);
marker!(
    HasRange,
    "`minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` and `multiple_of`",
    "`minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum` and `multiple_of` are for numbers, but `{Self}` is not a number",
    "not a number; for a string write `min_length` and `max_length`, for a list `min_items` and `max_items`"
);
marker!(
    HasScale,
    "`scale`",
    "`scale` is for decimals, but `{Self}` is not a decimal",
    "not a decimal; use `rust_decimal::Decimal` for exact numbers with digits after the point"
);
marker!(
    HasItems { Item: "The type of the items." },
    "`min_items`, `max_items` and `items`",
    "`min_items`, `max_items` and `items` are for lists, but `{Self}` is not a list",
    "not a list; for a string write `min_length` and `max_length`, for a map `min_properties` and `max_properties`"
);
marker!(HasUniqueItems, "`unique_items`", "`unique_items` is for lists, but `{Self}` is not a list", "not a list");
marker!(
    HasSize,
    "`max_size`, `accept` and `check_content`",
    "`max_size`, `accept` and `check_content` are for files, but `{Self}` is not a file",
    "not a file; for a string write `max_length`, and for a list of files `items(max_size = ..)`"
);
marker!(
    HasProperties { Value: "The type of the values." },
    "`min_properties`, `max_properties` and `values`",
    "`min_properties`, `max_properties` and `values` are for maps, but `{Self}` is not a map",
    "not a map; for a list write `min_items` and `max_items`"
);

macro_rules! implement {
    ($name:ident for $($type:ty),*) => {
        $(impl $name for $type {})*
    };
}

implement!(HasCharacters for String, str, &str, Cow<'_, str>);
implement!(HasRange for i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);
implement!(HasRange for NonZero<i8>, NonZero<i16>, NonZero<i32>, NonZero<i64>, NonZero<isize>);
implement!(HasRange for NonZero<u8>, NonZero<u16>, NonZero<u32>, NonZero<u64>, NonZero<usize>);

#[cfg(feature = "rust_decimal")]
implement!(HasRange for rust_decimal::Decimal);
#[cfg(feature = "rust_decimal")]
implement!(HasScale for rust_decimal::Decimal);

#[cfg(feature = "url")]
implement!(HasCharacters for url::Url);

macro_rules! lists {
    ($($name:ident $({ $element:ident })?),*) => {
        $(
            impl<T> $name for Vec<T> { $(type $element = T;)? }
            impl<T> $name for VecDeque<T> { $(type $element = T;)? }
            impl<T> $name for [T] { $(type $element = T;)? }
            impl<T> $name for BTreeSet<T> { $(type $element = T;)? }
            impl<T, S> $name for HashSet<T, S> { $(type $element = T;)? }
            impl<T, const N: usize> $name for [T; N] { $(type $element = T;)? }
        )*
    };
}

lists!(HasItems { Item }, HasUniqueItems);

impl<K, V> HasProperties for BTreeMap<K, V> {
    type Value = V;
}

impl<K, V, S> HasProperties for HashMap<K, V, S> {
    type Value = V;
}
