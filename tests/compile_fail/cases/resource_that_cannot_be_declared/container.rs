use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::MemoryStore;
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "things")]
struct NoSlash {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", pagnation = page, without(updates), delete(veiw), tag = "A", tag = "B")]
struct Misspelt {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", pagination = pages)]
struct Pages {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", pagination = page(default = 50, max = 10, max_offset = -1))]
struct TooMany {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", pagination = cursor)]
struct Cursors {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things", name = "thing", new(names = "NewOne"))]
struct Names {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/things")]
#[schema(changes)]
struct Changes {
    #[property(id)]
    id: i64,
}

fn main() {
    let _ = Api::builder(Configuration::new("things", "1.0.0"))
        .resource::<NoSlash>(MemoryStore::new(), Access::public());
}

fn names(_: NewNoSlash, _: NoSlashChanges, _: NoSlashFilters, _: NoSlashSort) {}
