//! Defines [`JsonWriter`], a serializer with the same output as serde_json. It needs about half the CPU instructions.
//!
//! serde_json writes each bracket, quote and comma separately, and checks every field name for escapes. This serializer
//! writes the separator, the name and the colon of a field together. The names of derived structs are checked at
//! compile time.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};
use serde_json::Error;

use super::buffer::Buffer;

/// A serializer for objects, arrays, and strings that need no escapes. It delegates numbers, escaped strings and map
/// keys to serde_json.
pub(super) struct JsonWriter<'b>(pub(super) &'b mut Buffer);

/// An object or an array that is being written.
pub(super) struct Open<'b> {
    target: &'b mut Buffer,
    /// The byte to write before the next value. It is first the opening bracket, then a comma.
    separator: u8,
    end: &'static [u8],
}

/// The first character of the private struct names that serde_json uses for `RawValue` and `Number`. It uses such a
/// name for `Number` only with the feature `arbitrary_precision`. These structs have one field, and only serde_json can
/// write them.
const PRIVATE: char = '$';

/// A struct whose fields are written one by one.
pub(super) enum Struct<'b> {
    Open(Open<'b>),
    /// A `RawValue` or `Number`, which serde_json writes. See [`PRIVATE`].
    Private(&'static str, &'b mut Buffer),
}

/// The only field of a `RawValue` or `Number`. See [`PRIVATE`].
struct PrivateField<'v, T: ?Sized> {
    owner: &'static str,
    name: &'static str,
    value: &'v T,
}

impl<T: Serialize + ?Sized> Serialize for PrivateField<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut open = serializer.serialize_struct(self.owner, 1)?;
        open.serialize_field(self.name, self.value)?;
        open.end()
    }
}

impl<'b> JsonWriter<'b> {
    /// Delegates the serialization of a value to serde_json.
    fn leave(
        self,
        write: impl FnOnce(&mut serde_json::Serializer<&mut Buffer>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        write(&mut serde_json::Serializer::new(self.0))
    }

    fn open_variant(self, variant: &str, separator: u8, end: &'static [u8]) -> Result<Open<'b>, Error> {
        self.0.put(b"{");
        JsonWriter(self.0).serialize_str(variant)?;
        self.0.put(b":");
        Ok(Open { target: self.0, separator, end })
    }
}

impl Open<'_> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.target.put(&[self.separator]);
        self.separator = b',';
        value.serialize(JsonWriter(self.target))
    }

    /// Writes a field of a struct. The name is a constant after inlining, so the compiler checks it for escapes.
    #[inline(always)]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        if is_plain(name) {
            self.target.put_name(self.separator, name);
            self.separator = b',';
        } else {
            self.element(name)?;
            self.target.put(b":");
        }
        value.serialize(JsonWriter(self.target))
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
    type SerializeSeq = Open<'b>;
    type SerializeTuple = Open<'b>;
    type SerializeTupleStruct = Open<'b>;
    type SerializeTupleVariant = Open<'b>;
    type SerializeMap = Open<'b>;
    type SerializeStruct = Struct<'b>;
    type SerializeStructVariant = Open<'b>;

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
        if !is_plain(text) {
            return self.leave(|json| json.serialize_str(text));
        }
        self.0.put_text(text);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, text: &T) -> Result<(), Error> {
        self.leave(|json| json.collect_str(text))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.leave(|json| json.serialize_bytes(bytes))
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
        value.serialize(JsonWriter(open.target))?;
        open.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'b>, Error> {
        Ok(Open { target: self.0, separator: b'[', end: b"]" })
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'b>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'b>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'b>, Error> {
        self.open_variant(variant, b'[', b"]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'b>, Error> {
        Ok(Open { target: self.0, separator: b'{', end: b"}" })
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'b>, Error> {
        if name.starts_with(PRIVATE) {
            return Ok(Struct::Private(name, self.0));
        }
        Ok(Struct::Open(Open { target: self.0, separator: b'{', end: b"}" }))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'b>, Error> {
        self.open_variant(variant, b'{', b"}}")
    }
}

macro_rules! implement {
    ($($contract:ident::$method:ident($($name:ident: $type:ty)?) by $write:ident,)*) => {$(
        impl $contract for Open<'_> {
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
            Self::Private(owner, target) => write_private(target, &PrivateField { owner, name, value }),
        }
    }

    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        match self {
            Self::Open(open) => open.close(),
            Self::Private(..) => Ok(()),
        }
    }
}

#[cold]
fn write_private<T: Serialize + ?Sized>(target: &mut Buffer, field: &PrivateField<'_, T>) -> Result<(), Error> {
    JsonWriter(target).leave(|json| field.serialize(json))
}

impl SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Error;

    /// Writes the key of a map entry. serde_json serializes it as the object `{"key":null}`, because not every key is a
    /// string.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let start = self.target.as_bytes().len();
        JsonWriter(self.target).leave(|json| json.collect_map([(key, ())]))?;
        self.target.drop_end("null}".len());
        if let Some(bracket) = self.target.get_mut(start) {
            *bracket = self.separator;
        }
        self.separator = b',';
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(JsonWriter(self.target))
    }

    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

/// Returns `true` if the string contains no bytes that JSON escapes.
#[inline]
fn is_plain(text: &str) -> bool {
    !text.bytes().fold(false, |escaped, byte| escaped | (ESCAPED.get(usize::from(byte)) == Some(&true)))
}

/// The bytes that JSON escapes (RFC 8259, section 7).
#[expect(clippy::indexing_slicing, reason = "it is evaluated when it is compiled")]
static ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};
