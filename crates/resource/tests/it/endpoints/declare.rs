//! Resources of two tenants, declared by a macro without the derive.

use jiff::Timestamp;
use restwright::list::{Filter, Value, ValueType};
use restwright::prelude::*;
use restwright::schema::{Changes, Checks};
use restwright_resource::{
    Entity, EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, Resource, Row, RowError, assign,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A resource with the values that clients set at the creation, the values that they may change, and the values that the service sets.
macro_rules! resource {
    (
        $(#[$about:meta])* $name:ident ($new:ident, $draft:ident) at $path:literal,
        id $id:ty, $filters:ty, $pagination:ident, $definition:expr,
        given { $($given:ident: $given_type:ty),* }
        sent { $($(#[$shape:meta])* $sent:ident: $sent_type:ty),* }
        set { $($set:ident: $set_type:ty = $start:expr),* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Schema, Record)]
        pub(crate) struct $name {
            $(pub(crate) $given: $given_type,)*
            $($(#[$shape])* pub(crate) $sent: $sent_type,)*
            $(pub(crate) $set: $set_type,)*
        }

        #[derive(Clone, Deserialize, Schema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $new {
            $(pub(crate) $given: $given_type,)*
            $($(#[$shape])* pub(crate) $sent: $sent_type,)*
        }

        #[derive(Clone, Deserialize, Schema)]
        #[serde(deny_unknown_fields)]
        #[schema(changes(derive(Clone)))]
        pub(crate) struct $draft {
            $($(#[$shape])* pub(crate) $sent: $sent_type,)*
        }

        impl Entity for $name {
            fn from_row(row: &mut Row) -> Result<Self, RowError> {
                Ok(Self {
                    $($given: row.take(stringify!($given))?,)*
                    $($sent: row.take(stringify!($sent))?,)*
                    $($set: row.take(stringify!($set))?,)*
                })
            }

            fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
                let row = Row::new(definition)$(.with(stringify!($given), &self.$given))*;
                Ok(row$(.with(stringify!($sent), &self.$sent))*$(.with(stringify!($set), &self.$set))*)
            }

            fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
                $(if field == stringify!($set) {
                    return assign(&mut self.$set, value);
                })*
                let _ = value;
                false
            }
        }

        impl Resource for $name {
            const NAME: &'static str = stringify!($name);
            const PATH: &'static str = $path;

            const PAGINATION: restwright_resource::ResourcePagination = restwright_resource::ResourcePagination::$pagination;
            type Id = $id;
            type New = $new;
            type Update = <$draft as Schema>::Changes;
            type View = Self;
            type Item = Self;
            type Filters = $filters;
            type Sort = ByTitle;

            fn definition() -> EntityDefinition {
                $definition
            }

            fn create(new: $new) -> Self {
                Self { $($given: new.$given,)* $($sent: new.$sent,)* $($set: $start,)* }
            }

            fn change(&mut self, changes: Self::Update, checks: &mut Checks<'_>) {
                let mut draft = $draft { $($sent: self.$sent.clone(),)* };
                changes.apply_to(&mut draft, checks);
                $(self.$sent = draft.$sent;)*
            }
        }
    };
}
#[derive(Filters)]
pub(crate) struct TitleFilters {
    #[filter(eq, contains)]
    title: Filter<String>,
}

#[derive(Filters)]
pub(crate) struct ContractFilters {
    #[filter(eq, contains)]
    title: Filter<String>,
    #[filter(eq, in)]
    customer_id: Filter<Uuid>,
}

#[derive(Clone, Copy, Sort)]
pub(crate) enum ByTitle {
    Title,
    #[sort(id)]
    Id,
}

fn text(name: &'static str) -> FieldDefinition {
    FieldDefinition::new(name, ValueType::Text)
}

fn tenant() -> FieldDefinition {
    text("tenant").scope()
}

fn customer_id() -> FieldDefinition {
    FieldDefinition::new("customer_id", ValueType::Uuid).nullable().references("customers", OnDelete::Restrict)
}

resource! {
    /// A customer. The store generates the identifier.
    Customer (NewCustomer, CustomerDraft) at "/customers",
    id Uuid, TitleFilters, Page,
    EntityDefinition::new("customers", "id", IdentifierKind::Uuid).field(text("title").unique()).field(tenant()),
    given {}
    sent { #[property(min_length = 1, max_length = 40)] title: String }
    set { id: Uuid = Uuid::nil(), tenant: String = String::new() }
}

resource! {
    /// A contract. Clients give the identifier.
    Contract (NewContract, ContractDraft) at "/contracts",
    id String, ContractFilters, Cursor,
    EntityDefinition::new("contracts", "id", IdentifierKind::Given(ValueType::Text))
        .field(text("title").unique())
        .field(tenant())
        .field(customer_id())
        .field(FieldDefinition::new("created_at", ValueType::DateTime).created_at())
        .field(FieldDefinition::new("updated_at", ValueType::DateTime).updated_at())
        .field(FieldDefinition::new("version", ValueType::Integer).version()),
    given { id: String }
    sent { #[property(min_length = 1, max_length = 40)] title: String, customer_id: Option<Uuid> }
    set {
        tenant: String = String::new(),
        created_at: Timestamp = Timestamp::UNIX_EPOCH,
        updated_at: Timestamp = Timestamp::UNIX_EPOCH,
        version: i64 = 0
    }
}

resource! {
    /// An invoice of a contract.
    Invoice (NewInvoice, InvoiceDraft) at "/contracts/{contract_id}/invoices",
    id i64, TitleFilters, Page,
    EntityDefinition::new("invoices", "id", IdentifierKind::Integer)
        .field(text("title").unique())
        .field(tenant())
        .field(text("contract_id").parent(Contract::definition(), OnDelete::Cascade))
        .field(customer_id()),
    given {}
    sent { #[property(min_length = 1, max_length = 40)] title: String, customer_id: Option<Uuid> }
    set { id: i64 = 0, tenant: String = String::new(), contract_id: String = String::new() }
}

resource! {
    /// A project of a customer.
    Project (NewProject, ProjectDraft) at "/customers/{customer_id}/projects",
    id Uuid, TitleFilters, Page,
    EntityDefinition::new("projects", "id", IdentifierKind::Uuid)
        .field(text("title"))
        .field(tenant())
        .field(FieldDefinition::new("customer_id", ValueType::Uuid).parent(Customer::definition(), OnDelete::Restrict)),
    given {}
    sent { title: String }
    set { id: Uuid = Uuid::nil(), tenant: String = String::new(), customer_id: Uuid = Uuid::nil() }
}

resource! {
    /// A task of a project of a customer. The order of the parents in the definition differs from the path.
    Task (NewTask, TaskDraft) at "/customers/{customer_id}/projects/{project_id}/tasks",
    id i64, TitleFilters, Page,
    EntityDefinition::new("tasks", "id", IdentifierKind::Integer)
        .field(text("title"))
        .field(tenant())
        .field(FieldDefinition::new("project_id", ValueType::Uuid).parent(Project::definition(), OnDelete::Cascade))
        .field(FieldDefinition::new("customer_id", ValueType::Uuid).parent(Customer::definition(), OnDelete::Restrict)),
    given {}
    sent { title: String }
    set { id: i64 = 0, tenant: String = String::new(), customer_id: Uuid = Uuid::nil(), project_id: Uuid = Uuid::nil() }
}

resource! {
    /// A record of an event.
    Audit (NewAudit, AuditDraft) at "/audits",
    id i64, TitleFilters, Page,
    EntityDefinition::new("audits", "id", IdentifierKind::Integer)
        .field(text("title"))
        .field(tenant())
        .field(FieldDefinition::new("count", ValueType::Integer)),
    given {}
    sent { title: String }
    set { id: i64 = 0, tenant: String = String::new(), count: i64 = 0 }
}

resource! {
    /// A resource that lets clients write the tenant, and whose parent has identifiers of another type.
    Writable (NewWritable, WritableDraft) at "/projects/{project_id}/writables",
    id i64, TitleFilters, Page,
    EntityDefinition::new("writables", "id", IdentifierKind::Integer)
        .field(text("title"))
        .field(tenant())
        .field(text("project_id").parent(Project::definition(), OnDelete::Cascade)),
    given { tenant: String }
    sent { title: String }
    set { id: i64 = 0, project_id: String = String::new() }
}
