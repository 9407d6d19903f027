use restwright::prelude::*;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/contracts")]
struct Contract {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/annexes")]
struct NoParameter {
    #[property(id)]
    id: i64,
    #[property(parent(Contract, on_delete = keep))]
    contract_id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/contracts/{contract_id}/annexes")]
struct NoParent {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/contracts/{contract_id}/annexes")]
struct Consequences {
    #[property(id)]
    id: i64,
    #[property(parent(Contract, on_delete = cascades))]
    contract_id: i64,
    #[property(references)]
    second: i64,
    #[property(references(Contract, cascade))]
    third: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/folders/{folder_id}/folders")]
struct Folder {
    #[property(id)]
    id: i64,
    #[property(parent = Folder)]
    folder_id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/annexes")]
struct OtherType {
    #[property(id)]
    id: i64,
    #[property(references = Contract)]
    contract_id: String,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/annexes")]
struct NoResource {
    #[property(id)]
    id: i64,
    #[property(references = String)]
    contract_id: i64,
}

fn main() {}
