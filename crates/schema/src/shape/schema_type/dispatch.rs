//! Defines [`ScalarType`](super::ScalarType), an enum of the scalar types, for static dispatch.

/// Defines the enum of scalar types. Its methods call the same method of the contained type.
macro_rules! scalar_types {
    ($($(#[$attribute:meta])* $name:ident($kind:ty),)*) => {
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum ScalarType {
            $($(#[$attribute])* $name($kind),)*
        }

        $($(#[$attribute])* impl From<$kind> for SchemaType {
            fn from(kind: $kind) -> Self {
                Self(SchemaTypeRepr::Scalar(ScalarType::$name(kind)))
            }
        })*

        impl ScalarType {
            pub(in crate::shape) fn name(&self) -> &'static str {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.name(),)* }
            }

            pub(in crate::shape) fn type_name(&self) -> &'static str {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.type_name(),)* }
            }

            /// Returns `true` if numbers are checked as exact integers, and `false` if the nearest double is checked.
            #[inline]
            pub(in crate::shape) fn reads_integers(&self) -> bool {
                self.type_name() == "integer"
            }

            pub(in crate::shape) fn is_numeric(&self) -> bool {
                matches!(self.type_name(), "integer" | "number")
            }

            pub(in crate::shape) fn takes(&self) -> &'static [&'static str] {
                match self { $($(#[$attribute])* Self::$name(_) => <$kind as ScalarRules>::TAKES,)* }
            }

            pub(in crate::shape) fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.constrain(constraint),)* }
            }

            pub(in crate::shape) fn conflicts(&self) -> Vec<String> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.conflicts(),)* }
            }

            pub(in crate::shape) fn prepare(&mut self, patterns: &mut CompiledPatterns) -> Result<(), String> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.prepare(patterns),)* }
            }

            #[inline]
            pub(in crate::shape) fn normal<'v>(&self, value: Scalar<'v>) -> Scalar<'v> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.normal(value),)* }
            }

            #[inline]
            pub(in crate::shape) fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.check(value, sink),)* }
            }

            pub(in crate::shape) fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.read_text(text),)* }
            }

            pub(in crate::shape) fn schema(&self) -> Map<String, Value> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.schema(),)* }
            }
        }
    };
}
