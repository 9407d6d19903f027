//! Defines [`JsonWriter`], a serializer with the same output as serde_json. It needs about half the CPU instructions.
//!
//! serde_json writes each bracket, quote and comma separately, and checks every field name for escapes. This serializer
//! writes the separator, the name and the colon of a field together. The names of derived structs are checked at
//! compile time. It also notes where the members of an object begin, for [`Members`](super::Members).

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::buffer::{Buffer, is_plain};

/// A serializer for objects, arrays, and strings that need no escapes. It delegates numbers, escaped strings and map
/// keys to serde_json.
pub(crate) struct JsonWriter<'b> {
    pub(super) target: &'b mut Buffer,
    /// The places of the members if the value is an object. `None` if they are not needed.
    pub(super) places: Option<&'b mut Vec<MemberPlace>>,
    /// `true` if strings and bytes are JSON, which is written as it is.
    is_written: bool,
}

/// A value of any type that can be serialized, as a trait object.
pub(crate) trait WriteJson {
    fn write(&self, writer: JsonWriter<'_>) -> Result<(), Error>;
}

impl<T: Serialize> WriteJson for T {
    fn write(&self, writer: JsonWriter<'_>) -> Result<(), Error> {
        self.serialize(writer)
    }
}

/// The place of a member in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberPlace {
    /// The position of the name, which is in quotes.
    pub(super) start: usize,
    /// The position of the value, after the colon.
    pub(super) value: usize,
}

/// An object or an array that is being written.
pub(crate) struct ContainerWriter<'b> {
    target: &'b mut Buffer,
    /// The places of the members. See [`JsonWriter::places`].
    places: Option<&'b mut Vec<MemberPlace>>,
    /// The byte to write before the next value. It is first the opening bracket, then a comma.
    separator: u8,
    end: &'static [u8],
}

/// The private struct name of JSON that is already written. Its only field contains the bytes.
pub(super) const WRITTEN: &str = "$restwright::written";

/// The private struct names of `RawValue` and `Number` in serde_json, and of [`WRITTEN`] JSON. `Number` has its name only with the feature
/// `arbitrary_precision`. The only field of these structs is a string or bytes with JSON.
const PRIVATE: [&str; 3] = ["$serde_json::private::RawValue", "$serde_json::private::Number", WRITTEN];

/// A struct whose fields are written one by one.
pub(crate) enum Struct<'b> {
    Open(ContainerWriter<'b>),
    /// A struct that contains written JSON. See [`PRIVATE`].
    Written(&'b mut Buffer),
}

impl<'b> JsonWriter<'b> {
    /// Creates a writer that appends to `target`. Adds the places of the members to `places` if the value is an object.
    pub(super) fn new(target: &'b mut Buffer, places: Option<&'b mut Vec<MemberPlace>>) -> Self {
        Self { target, places, is_written: false }
    }

    /// Delegates the serialization of a value to serde_json.
    fn leave(
        self,
        write: impl FnOnce(&mut serde_json::Serializer<&mut Buffer>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        write(&mut serde_json::Serializer::new(self.target))
    }

    /// Opens an object whose only member is named after the variant.
    fn open_variant(self, variant: &str, separator: u8, end: &'static [u8]) -> Result<ContainerWriter<'b>, Error> {
        let mut object = ContainerWriter { target: self.target, places: self.places, separator: b'{', end };
        object.put_name(variant)?;
        Ok(ContainerWriter { places: None, separator, ..object })
    }
}

impl ContainerWriter<'_> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.target.put(&[self.separator]);
        self.separator = b',';
        value.serialize(JsonWriter::new(self.target, None))
    }

    /// Writes a field of a struct. The name is a constant after inlining, so the compiler checks it for escapes.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if self.places.is_none() && is_plain(name) {
            self.target.put_name(self.separator, name);
            self.separator = b',';
        } else {
            self.put_name(name)?;
        }
        value.serialize(JsonWriter::new(self.target, None))
    }

    /// Writes the name of a member that needs escapes or whose place is noted.
    fn put_name(&mut self, name: &str) -> Result<(), Error> {
        let start = self.target.as_bytes().len() + 1;
        self.element(name)?;
        self.target.put(b":");
        self.note(start);
        Ok(())
    }

    /// Notes the place of a member whose value is written next.
    fn note(&mut self, start: usize) {
        if let Some(places) = &mut self.places {
            places.push(MemberPlace { start, value: self.target.as_bytes().len() });
        }
    }

    #[inline(always)]
    fn close(self) -> Result<(), Error> {
        if self.separator != b',' {
            self.target.put(&[self.separator]);
        }
        self.target.put(self.end);
        Ok(())
    }
}

impl<'b> Serializer for JsonWriter<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = ContainerWriter<'b>;
    type SerializeTuple = ContainerWriter<'b>;
    type SerializeTupleStruct = ContainerWriter<'b>;
    type SerializeTupleVariant = ContainerWriter<'b>;
    type SerializeMap = ContainerWriter<'b>;
    type SerializeStruct = Struct<'b>;
    type SerializeStructVariant = ContainerWriter<'b>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.leave(|json| json.serialize_bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        self.leave(|json| json.serialize_i64(value))
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        self.leave(|json| json.serialize_i128(value))
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.leave(|json| json.serialize_u64(value))
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        self.leave(|json| json.serialize_u128(value))
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.leave(|json| json.serialize_f32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.leave(|json| json.serialize_f64(value))
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.leave(|json| json.serialize_char(value))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        if self.is_written {
            self.target.put(text.as_bytes());
            return Ok(());
        }
        if !is_plain(text) {
            return self.leave(|json| json.serialize_str(text));
        }
        self.target.put_text(text);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, text: &T) -> Result<(), Error> {
        self.leave(|json| json.collect_str(text))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_written {
            self.target.put(bytes);
            return Ok(());
        }
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.leave(|json| json.serialize_unit())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let open = self.open_variant(variant, b',', b"}")?;
        value.serialize(JsonWriter::new(open.target, None))?;
        open.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ContainerWriter<'b>, Error> {
        Ok(ContainerWriter { target: self.target, places: None, separator: b'[', end: b"]" })
    }

    fn serialize_tuple(self, _: usize) -> Result<ContainerWriter<'b>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ContainerWriter<'b>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ContainerWriter<'b>, Error> {
        self.open_variant(variant, b'[', b"]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ContainerWriter<'b>, Error> {
        Ok(ContainerWriter { target: self.target, places: self.places, separator: b'{', end: b"}" })
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'b>, Error> {
        if name.starts_with('$') && PRIVATE.contains(&name) {
            return Ok(Struct::Written(self.target));
        }
        Ok(Struct::Open(ContainerWriter { target: self.target, places: self.places, separator: b'{', end: b"}" }))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ContainerWriter<'b>, Error> {
        self.open_variant(variant, b'{', b"}}")
    }
}

macro_rules! implement {
    ($($contract:ident::$method:ident($($name:ident: $type:ty)?) by $write:ident,)*) => {$(
        impl $contract for ContainerWriter<'_> {
            type Ok = ();
            type Error = Error;

            #[inline(always)]
            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $type,)? value: &T) -> Result<(), Error> {
                self.$write($($name,)? value)
            }

            #[inline(always)]
            fn end(self) -> Result<(), Error> {
                self.close()
            }
        }
    )*};
}

implement! {
    SerializeSeq::serialize_element() by element,
    SerializeTuple::serialize_element() by element,
    SerializeTupleStruct::serialize_field() by element,
    SerializeTupleVariant::serialize_field() by element,
    SerializeStructVariant::serialize_field(name: &'static str) by field,
}

impl SerializeStruct for Struct<'_> {
    type Ok = ();
    type Error = Error;

    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        match self {
            Self::Open(open) => open.field(name, value),
            Self::Written(target) => value.serialize(JsonWriter { target, places: None, is_written: true }),
        }
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        match self {
            Self::Open(open) => open.close(),
            Self::Written(_) => Ok(()),
        }
    }
}

impl SerializeMap for ContainerWriter<'_> {
    type Ok = ();
    type Error = Error;

    /// Writes the key of a map entry. serde_json serializes it as the object `{"key":null}`, because not every key is a
    /// string.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let start = self.target.as_bytes().len();
        JsonWriter::new(self.target, None).leave(|json| json.collect_map([(key, ())]))?;
        self.target.drop_end("null}".len());
        if let Some(bracket) = self.target.get_mut(start) {
            *bracket = self.separator;
        }
        self.separator = b',';
        if self.places.is_some() {
            self.note(start + 1);
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(JsonWriter::new(self.target, None))
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}
