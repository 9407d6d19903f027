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
            pub(crate) fn name(&self) -> &'static str {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.name(),)* }
            }

            pub(crate) fn type_name(&self) -> &'static str {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.type_name(),)* }
            }

            /// Returns `true` if numbers are checked as exact integers, and `false` if the nearest double is checked.
            #[inline]
            pub(crate) fn reads_integers(&self) -> bool {
                self.type_name() == "integer"
            }

            pub(crate) fn is_numeric(&self) -> bool {
                matches!(self.type_name(), "integer" | "number")
            }

            pub(crate) fn takes(&self) -> &'static [&'static str] {
                match self { $($(#[$attribute])* Self::$name(_) => <$kind as ScalarRules>::TAKES,)* }
            }

            pub(crate) fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.constrain(constraint),)* }
            }

            pub(crate) fn conflicts(&self) -> Vec<String> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.conflicts(),)* }
            }

            pub(crate) fn prepare(&mut self, patterns: &mut CompiledPatterns) -> Result<(), String> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.prepare(patterns),)* }
            }

            #[inline]
            pub(crate) fn normal<'v>(&self, value: Scalar<'v>) -> Scalar<'v> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.normal(value),)* }
            }

            #[inline]
            pub(crate) fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.check(value, sink),)* }
            }

            pub(crate) fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.read_text(text),)* }
            }

            pub(crate) fn schema(&self) -> Map<String, Value> {
                match self { $($(#[$attribute])* Self::$name(kind) => kind.schema(),)* }
            }
        }
    };
}
