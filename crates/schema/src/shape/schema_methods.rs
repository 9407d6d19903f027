//! Defines the methods that [`SchemaObject`](crate::SchemaObject) and [`Property`](crate::Property) share.

/// Implements the shared methods for a type with the method `fn schema_mut(&mut self) -> &mut SchemaObject`.
macro_rules! schema_methods {
    ($type:ty) => {
        impl $type {
            /// Sets the minimum number of characters of a string.
            pub fn min_length(self, characters: usize) -> Self {
                self.constrained(&Constraint::MinLength(characters))
            }

            /// Sets the maximum number of characters of a string.
            pub fn max_length(self, characters: usize) -> Self {
                self.constrained(&Constraint::MaxLength(characters))
            }

            /// Requires that the string contains a match of a regular expression. Use `^` and `$` to match the whole
            /// string.
            ///
            /// The pattern uses the subset of ECMA-262 that every JSON Schema implementation interprets the same way.
            /// Classes are ASCII. Look-around, back-references, named groups, inline flags and `\p` are not supported.
            pub fn pattern(self, pattern: &str) -> Self {
                self.constrained(&Constraint::Pattern(pattern.to_owned()))
            }

            /// Requires a string format, such as [`Format::EMAIL`].
            pub fn format(self, format: Format) -> Self {
                self.constrained(&Constraint::Format(format))
            }

            /// Sets the minimum value of a number.
            pub fn minimum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::Minimum(bound.into()))
            }

            /// Sets the maximum value of a number.
            pub fn maximum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::Maximum(bound.into()))
            }

            /// Requires that a number is above `bound` (`exclusiveMinimum`).
            pub fn exclusive_minimum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::ExclusiveMinimum(bound.into()))
            }

            /// Requires that a number is below `bound` (`exclusiveMaximum`).
            pub fn exclusive_maximum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::ExclusiveMaximum(bound.into()))
            }

            /// Requires that a number is a multiple of `step`, which must be above 0.
            pub fn multiple_of(self, step: impl Into<Number>) -> Self {
                self.constrained(&Constraint::MultipleOf(step.into()))
            }

            /// Sets the maximum number of digits after the point of a decimal, at most 28. A resource writes exactly this
            /// number of digits in responses.
            pub fn scale(self, digits: u32) -> Self {
                self.constrained(&Constraint::Scale(digits))
            }

            /// Sets the minimum number of items of an array.
            pub fn min_items(self, items: usize) -> Self {
                self.constrained(&Constraint::MinItems(items))
            }

            /// Sets the maximum number of items of an array.
            pub fn max_items(self, items: usize) -> Self {
                self.constrained(&Constraint::MaxItems(items))
            }

            /// Rejects arrays with duplicate items. `1` equals `1.0`, and the order of properties in objects is
            /// ignored.
            pub fn unique_items(self) -> Self {
                self.constrained(&Constraint::UniqueItems)
            }

            /// Changes the schema of the items of an array, for example `items(|item| item.min_length(1))`.
            pub fn items(mut self, change: impl FnOnce(SchemaObject) -> SchemaObject) -> Self {
                self.schema_mut().change_items(change);
                self
            }

            /// Changes the schema of the values of a map, for example `values(|value| value.minimum(0))`.
            pub fn values(mut self, change: impl FnOnce(SchemaObject) -> SchemaObject) -> Self {
                self.schema_mut().change_values(change);
                self
            }

            /// Sets the minimum number of properties of an object or map.
            pub fn min_properties(self, properties: usize) -> Self {
                self.constrained(&Constraint::MinProperties(properties))
            }

            /// Sets the maximum number of properties of an object or map.
            pub fn max_properties(self, properties: usize) -> Self {
                self.constrained(&Constraint::MaxProperties(properties))
            }

            /// Sets the maximum size of a file in bytes.
            pub fn max_size(self, bytes: u64) -> Self {
                self.constrained(&Constraint::MaxSize(bytes))
            }

            /// Sets the media types of a file, such as `image/*` or `image/png, image/jpeg`.
            pub fn accept(self, media_types: &str) -> Self {
                self.constrained(&Constraint::Accept(media_types.to_owned()))
            }

            /// Checks that the first bytes of a file match an accepted media type. A media type without a signature, such
            /// as `text/csv`, is then never accepted. Requires [`accept`](Self::accept).
            pub fn check_content(self) -> Self {
                self.constrained(&Constraint::CheckContent)
            }

            /// Accepts only one constant value (`const`).
            pub fn constant(mut self, value: impl Into<Value>) -> Self {
                self.schema_mut().constant = Some(Box::new(value.into()));
                self
            }

            /// Sets the default value. The property is then optional in requests, and responses always contain it.
            pub fn default_value(mut self, value: impl Into<Value>) -> Self {
                self.schema_mut().default = Some(Box::new(value.into()));
                self
            }

            /// Accepts null in addition to other values.
            pub fn nullable(mut self) -> Self {
                self.schema_mut().nullable = true;
                self
            }

            /// Rejects null, even if the Rust type is an `Option`. Use it for values that are sent as strings, such as
            /// parameters.
            pub fn not_null(mut self) -> Self {
                self.schema_mut().nullable = false;
                self
            }

            /// Marks the value as deprecated in the OpenAPI document.
            pub fn deprecated(mut self) -> Self {
                self.schema_mut().documentation_mut().deprecated = true;
                self
            }

            /// Sets the title in the OpenAPI document.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.schema_mut().documentation_mut().title = Some(title.into());
                self
            }

            /// Sets the description in the OpenAPI document, in CommonMark.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.schema_mut().documentation_mut().description = Some(description.into());
                self
            }

            /// Adds an example to the OpenAPI document.
            pub fn example(mut self, example: impl Into<Value>) -> Self {
                self.schema_mut().documentation_mut().examples.push(example.into());
                self
            }

            fn constrained(mut self, constraint: &Constraint) -> Self {
                self.schema_mut().constrain(constraint);
                self
            }
        }
    };
}
