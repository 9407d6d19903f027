use restwright::prelude::*;

#[derive(Clone, serde::Serialize, Resource)]
#[resource(path = "/issues", unique(project, nubmer), unique(tenant, title), unique(number), unique(title, title))]
struct Issue {
    #[property(id)]
    id: i64,
    #[property(scope = "tenant")]
    tenant: String,
    project: String,
    #[property(unique(id))]
    number: i64,
    #[property(unique())]
    title: String,
    #[property(unique = "title")]
    text: String,
    #[property(unique(project, nulls = distinct))]
    kind: Option<String>,
}

fn main() {}
