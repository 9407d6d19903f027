//! The methods that [`SchemaObject`](crate::SchemaObject) and [`Property`](crate::Property) have alike, written once.

/// Implements them for a type with `fn schema_mut(&mut self) -> &mut SchemaObject`.
macro_rules! schema_methods {
    ($type:ty) => {
        impl $type {
            /// Requires at least so many characters.
            pub fn min_length(self, characters: usize) -> Self {
                self.constrained(&Constraint::MinLength(characters))
            }

            /// Requires at most so many characters.
            pub fn max_length(self, characters: usize) -> Self {
                self.constrained(&Constraint::MaxLength(characters))
            }

            /// Requires a match somewhere in the text; `^` and `$` anchor it to the whole.
            ///
            /// The pattern is written in the subset of ECMA-262 that every JSON Schema implementation reads alike: classes are ASCII;
            /// without look-around, back-references, named groups, inline flags and `\p`.
            pub fn pattern(self, pattern: &str) -> Self {
                self.constrained(&Constraint::Pattern(pattern.to_owned()))
            }

            /// Requires a named format, such as [`Format::EMAIL`].
            pub fn format(self, format: Format) -> Self {
                self.constrained(&Constraint::Format(format))
            }

            /// Sets the smallest number.
            pub fn minimum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::Minimum(bound.into()))
            }

            /// Sets the largest number.
            pub fn maximum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::Maximum(bound.into()))
            }

            /// Requires numbers above a bound.
            pub fn exclusive_minimum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::ExclusiveMinimum(bound.into()))
            }

            /// Requires numbers below a bound.
            pub fn exclusive_maximum(self, bound: impl Into<Number>) -> Self {
                self.constrained(&Constraint::ExclusiveMaximum(bound.into()))
            }

            /// Requires multiples of a step above 0.
            pub fn multiple_of(self, step: impl Into<Number>) -> Self {
                self.constrained(&Constraint::MultipleOf(step.into()))
            }

            /// Requires at least so many items.
            pub fn min_items(self, items: usize) -> Self {
                self.constrained(&Constraint::MinItems(items))
            }

            /// Requires at most so many items.
            pub fn max_items(self, items: usize) -> Self {
                self.constrained(&Constraint::MaxItems(items))
            }

            /// Rejects equal items, where `1` equals `1.0` and objects are equal whatever the order of their properties.
            pub fn unique_items(self) -> Self {
                self.constrained(&Constraint::UniqueItems)
            }

            /// Changes the schema of each item of a list: `items(|item| item.min_length(1))`.
            pub fn items(mut self, change: impl FnOnce(SchemaObject) -> SchemaObject) -> Self {
                self.schema_mut().change_items(change);
                self
            }

            /// Changes the schema of each value of a map: `values(|value| value.minimum(0))`.
            pub fn values(mut self, change: impl FnOnce(SchemaObject) -> SchemaObject) -> Self {
                self.schema_mut().change_values(change);
                self
            }

            /// Requires at least so many properties.
            pub fn min_properties(self, properties: usize) -> Self {
                self.constrained(&Constraint::MinProperties(properties))
            }

            /// Requires at most so many properties.
            pub fn max_properties(self, properties: usize) -> Self {
                self.constrained(&Constraint::MaxProperties(properties))
            }

            /// Sets the only value that is allowed.
            pub fn constant(mut self, value: impl Into<Value>) -> Self {
                self.schema_mut().constant = Some(Box::new(value.into()));
                self
            }

            /// Sets the value that stands in for an absent one; a property with a default is optional for a client, and a response
            /// always has it.
            pub fn default_value(mut self, value: impl Into<Value>) -> Self {
                self.schema_mut().default = Some(Box::new(value.into()));
                self
            }

            /// Allows null.
            pub fn nullable(mut self) -> Self {
                self.schema_mut().nullable = true;
                self
            }

            /// Rejects null, whatever the type says: for what travels as text, where there is no null.
            pub fn not_null(mut self) -> Self {
                self.schema_mut().nullable = false;
                self
            }

            /// Marks it as one that clients should stop using.
            pub fn deprecated(mut self) -> Self {
                self.schema_mut().documentation_mut().deprecated = true;
                self
            }

            /// Sets the title in the documents.
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.schema_mut().documentation_mut().title = Some(title.into());
                self
            }

            /// Sets the description in the documents, in CommonMark.
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.schema_mut().documentation_mut().description = Some(description.into());
                self
            }

            /// Adds an example to the documents.
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
