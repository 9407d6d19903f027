//! Parses `modes(..)` and `exclude(..)`, which select the bodies and responses that contain a property.

use crate::errors::Errors;
use crate::settings::Setting;
use crate::suggest;

/// The set of bodies and responses that contain a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShapeSet {
    pub(super) create: bool,
    pub(super) update: bool,
    pub(super) view: bool,
    pub(super) list: bool,
}

impl ShapeSet {
    pub(super) const ALL: Self = Self { create: true, update: true, view: true, list: true };
    pub(super) const NONE: Self = Self { create: false, update: false, view: false, list: false };
    /// Selects the responses of the view and list operations.
    pub(super) const READ: Self = Self { view: true, list: true, ..Self::NONE };
    /// Selects the request bodies of the create and update operations.
    pub(super) const WRITTEN: Self = Self { create: true, update: true, ..Self::NONE };

    /// Parses a setting such as `modes(create, view)` or `exclude(list)`.
    pub(super) fn parse(setting: &Setting, errors: &mut Errors) -> Self {
        let mut shapes = Self::NONE;
        for mode in setting.list(errors) {
            mode.flag(errors);
            match mode.name.to_string().as_str() {
                "create" => shapes.create = true,
                "update" => shapes.update = true,
                "view" => shapes.view = true,
                "list" => shapes.list = true,
                other => {
                    let known = ["create", "update", "view", "list"];
                    errors.push(mode.span(), suggest::unknown("mode", other, &known));
                }
            }
        }
        shapes
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            create: self.create && other.create,
            update: self.update && other.update,
            view: self.view && other.view,
            list: self.list && other.list,
        }
    }

    pub(super) fn without(self, other: Self) -> Self {
        let Self { create, update, view, list } = other;
        self.and(Self { create: !create, update: !update, view: !view, list: !list })
    }

    /// Returns whether a response contains the property.
    pub(super) fn is_read(self) -> bool {
        self.view || self.list
    }

    /// Returns whether a request contains the property.
    pub(super) fn is_written(self) -> bool {
        self.create || self.update
    }
}
