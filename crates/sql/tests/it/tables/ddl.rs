use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete, UniqueConstraint};
use restwright_sql::{SqlStore, TableMapping};

fn field(name: &'static str, value_type: ValueType) -> FieldDefinition {
    FieldDefinition::new(name, value_type)
}

fn check(store: &SqlStore, definitions: &[EntityDefinition], expected: &str) {
    definitions.iter().for_each(|definition| store.declare(definition).unwrap());
    assert_eq!(store.ddl(), expected);
}

fn sqlite() -> SqlStore {
    SqlStore::new("sqlite://none.db")
}

fn postgres() -> SqlStore {
    SqlStore::new("postgres://none/none")
}

fn every_type() -> EntityDefinition {
    EntityDefinition::new("things", "id", IdentifierKind::Uuid)
        .field(field("text", ValueType::Text).searchable())
        .field(field("kind", ValueType::Enumeration))
        .field(field("integer", ValueType::Integer).nullable().sortable())
        .field(field("number", ValueType::Number).sortable())
        .field(field("float", ValueType::Float))
        .field(field("flag", ValueType::Boolean))
        .field(field("date", ValueType::Date))
        .field(field("moment", ValueType::DateTime))
        .field(field("uuid", ValueType::Uuid))
        .field(field("decimal", ValueType::Decimal).sortable())
        .field(field("json", ValueType::Json))
        .field(field("version", ValueType::Integer).version())
}

#[test]
fn every_type_has_a_column() {
    check(
        &sqlite(),
        &[every_type()],
        r#"CREATE TABLE "things" (
  "id" BLOB NOT NULL,
  "text" TEXT NOT NULL,
  "text_folded" TEXT,
  "kind" TEXT NOT NULL,
  "integer" BIGINT,
  "number" REAL NOT NULL,
  "float" REAL NOT NULL,
  "flag" BOOLEAN NOT NULL,
  "date" TEXT NOT NULL,
  "moment" BIGINT NOT NULL,
  "uuid" BLOB NOT NULL,
  "decimal" TEXT NOT NULL,
  "json" TEXT NOT NULL,
  "version" BIGINT NOT NULL DEFAULT 1,
  "row_folding" INTEGER,
  PRIMARY KEY ("id")
);
CREATE INDEX "things_integer_idx" ON "things" ("integer", "id");
CREATE INDEX "things_number_idx" ON "things" ("number", "id");
CREATE INDEX "things_decimal_idx" ON "things" ("decimal", "id");
CREATE INDEX "things_row_folding_16_idx" ON "things" ("id") WHERE "row_folding" IS DISTINCT FROM 16;
"#,
    );
    check(
        &postgres(),
        &[every_type()],
        r#"CREATE TABLE "things" (
  "id" uuid NOT NULL,
  "text" text COLLATE "C" NOT NULL,
  "text_folded" text COLLATE "C",
  "kind" text COLLATE "C" NOT NULL,
  "integer" bigint,
  "number" double precision NOT NULL,
  "float" double precision NOT NULL,
  "flag" boolean NOT NULL,
  "date" date NOT NULL,
  "moment" timestamptz NOT NULL,
  "uuid" uuid NOT NULL,
  "decimal" numeric NOT NULL,
  "json" json NOT NULL,
  "version" bigint NOT NULL DEFAULT 1,
  "row_folding" integer,
  PRIMARY KEY ("id")
);
CREATE INDEX "things_integer_idx" ON "things" ("integer" NULLS FIRST, "id");
CREATE INDEX "things_number_idx" ON "things" ("number", "id");
CREATE INDEX "things_decimal_idx" ON "things" ("decimal", "id");
CREATE INDEX "things_row_folding_16_idx" ON "things" ("id") WHERE "row_folding" IS DISTINCT FROM 16;
"#,
    );
}

fn shelters() -> EntityDefinition {
    EntityDefinition::new("shelters", "id", IdentifierKind::Integer).field(field("tenant", ValueType::Integer).scope())
}

fn animals() -> EntityDefinition {
    EntityDefinition::new("animals", "id", IdentifierKind::Integer)
        .field(field("tenant", ValueType::Integer).scope())
        .field(field("shelter", ValueType::Integer).parent(shelters(), OnDelete::Cascade))
        .field(field("chip", ValueType::Text).nullable().unique())
        .field(field("name", ValueType::Text).sortable())
        .field(field("born", ValueType::Date).nullable().sortable())
        .field(field("friend", ValueType::Integer).nullable().references("animals", OnDelete::Restrict))
}

#[test]
fn indexes_start_with_the_scope() {
    check(
        &sqlite(),
        &[animals()],
        r#"CREATE TABLE "animals" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "tenant" BIGINT NOT NULL,
  "shelter" BIGINT NOT NULL,
  "chip" TEXT,
  "name" TEXT NOT NULL,
  "born" TEXT,
  "friend" BIGINT,
  "row_version" BIGINT NOT NULL DEFAULT 1,
  CONSTRAINT "animals_shelter_fkey" FOREIGN KEY ("tenant", "shelter") REFERENCES "shelters" ("tenant", "id") ON DELETE CASCADE,
  CONSTRAINT "animals_friend_fkey" FOREIGN KEY ("tenant", "shelter", "friend") REFERENCES "animals" ("tenant", "shelter", "id") ON DELETE NO ACTION
);
CREATE UNIQUE INDEX "animals_chip_key" ON "animals" ("tenant", "shelter", "chip");
CREATE UNIQUE INDEX "animals_tenant_shelter_id_uidx" ON "animals" ("tenant", "shelter", "id");
CREATE INDEX "animals_name_idx" ON "animals" ("tenant", "shelter", "name", "id");
CREATE INDEX "animals_born_idx" ON "animals" ("tenant", "shelter", "born", "id");
CREATE INDEX "animals_tenant_shelter_friend_fidx" ON "animals" ("tenant", "shelter", "friend");
CREATE TABLE "shelters" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "tenant" BIGINT NOT NULL,
  "row_version" BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX "shelters_tenant_id_uidx" ON "shelters" ("tenant", "id");
"#,
    );
    check(
        &postgres(),
        &[animals()],
        r#"CREATE TABLE "animals" (
  "id" bigint GENERATED BY DEFAULT AS IDENTITY,
  "tenant" bigint NOT NULL,
  "shelter" bigint NOT NULL,
  "chip" text COLLATE "C",
  "name" text COLLATE "C" NOT NULL,
  "born" date,
  "friend" bigint,
  "row_version" bigint NOT NULL DEFAULT 1,
  PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "animals_chip_key" ON "animals" ("tenant", "shelter", "chip");
CREATE UNIQUE INDEX "animals_tenant_shelter_id_uidx" ON "animals" ("tenant", "shelter", "id");
CREATE INDEX "animals_name_idx" ON "animals" ("tenant", "shelter", "name", "id");
CREATE INDEX "animals_born_idx" ON "animals" ("tenant", "shelter", "born" NULLS FIRST, "id");
CREATE INDEX "animals_tenant_shelter_friend_fidx" ON "animals" ("tenant", "shelter", "friend");
CREATE TABLE "shelters" (
  "id" bigint GENERATED BY DEFAULT AS IDENTITY,
  "tenant" bigint NOT NULL,
  "row_version" bigint NOT NULL DEFAULT 1,
  PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "shelters_tenant_id_uidx" ON "shelters" ("tenant", "id");
ALTER TABLE "animals" ADD CONSTRAINT "animals_shelter_fkey" FOREIGN KEY ("tenant", "shelter") REFERENCES "shelters" ("tenant", "id") ON DELETE CASCADE;
ALTER TABLE "animals" ADD CONSTRAINT "animals_friend_fkey" FOREIGN KEY ("tenant", "shelter", "friend") REFERENCES "animals" ("tenant", "shelter", "id") ON DELETE NO ACTION DEFERRABLE;
"#,
    );
}

#[test]
fn unique_indexes_treat_null_as_equal_to_null_if_the_constraint_does() {
    let folders = || {
        EntityDefinition::new("folders", "id", IdentifierKind::Integer)
            .field(field("tenant", ValueType::Integer).scope())
            .field(field("parent", ValueType::Integer).nullable())
            .field(field("name", ValueType::Text))
            .unique(UniqueConstraint::new(["parent", "name"]).nulls_equal())
    };
    let deleted_at = || field("deleted_at", ValueType::DateTime).nullable().deleted_at();
    let index = |ddl: &str| ddl.lines().find(|line| line.starts_with("CREATE UNIQUE")).map(str::to_owned).unwrap();
    for (definition, condition) in [(folders(), ""), (folders().field(deleted_at()), r#" WHERE "deleted_at" IS NULL"#)]
    {
        let (sqlite, postgres) = (sqlite(), postgres());
        sqlite.declare(&definition).unwrap();
        postgres.declare(&definition).unwrap();
        let start = r#"CREATE UNIQUE INDEX "folders_parent_name_ckey" ON "folders" ("tenant", "#;
        assert_eq!(
            index(&sqlite.ddl()),
            format!(r#"{start}"name", ifnull("parent", 0), ("parent" IS NULL)){condition};"#)
        );
        assert_eq!(index(&postgres.ddl()), format!(r#"{start}"parent", "name") NULLS NOT DISTINCT{condition};"#));
    }
}

#[test]
fn unique_indexes_ignore_case_if_the_constraint_does() {
    let labels = EntityDefinition::new("labels", "id", IdentifierKind::Integer)
        .field(field("kind", ValueType::Integer).nullable())
        .field(field("name", ValueType::Text))
        .unique(UniqueConstraint::new(["kind", "name"]).nulls_equal().ignore_case());
    let lines = |ddl: &str| -> Vec<String> {
        let is_shown = |line: &&str| line.contains("folded") || line.contains("lower");
        ddl.lines().filter(is_shown).map(|line| line.trim().to_owned()).collect()
    };
    for (sqlite, postgres, key, name) in [
        (
            sqlite(),
            postgres(),
            "coalesce(\"name_folded\", ",
            ("  \"name_folded\" TEXT,", "  \"name_folded\" text COLLATE \"C\","),
        ),
        (
            sqlite().table(TableMapping::new("labels").ascii_search("name")),
            postgres().table(TableMapping::new("labels").ascii_search("name")),
            "lower(",
            ("", ""),
        ),
    ] {
        sqlite.declare(&labels).unwrap();
        postgres.declare(&labels).unwrap();
        let start = r#"CREATE UNIQUE INDEX "labels_kind_name_ckey" ON "labels" ("#;
        let expected = |column: &str, index: String| -> Vec<String> {
            let column = Some(column.trim().to_owned()).filter(|column| !column.is_empty());
            column.into_iter().chain([index]).collect()
        };
        let of_sqlite = format!(r#"{start}({key}"name")), ifnull("kind", 0), ("kind" IS NULL));"#);
        assert_eq!(lines(&sqlite.ddl()), expected(name.0, of_sqlite));
        let of_postgres = format!(r#"{start}"kind", ({key}"name" COLLATE "C"))) NULLS NOT DISTINCT;"#);
        assert_eq!(lines(&postgres.ddl()), expected(name.1, of_postgres));
    }
}

#[test]
fn declared_indexes_end_with_the_identifier() {
    let definition = EntityDefinition::new("orders", "id", IdentifierKind::Integer)
        .field(field("tenant", ValueType::Integer).scope())
        .field(field("status", ValueType::Enumeration))
        .field(field("paid", ValueType::Date).nullable().sortable())
        .index(["status", "paid"])
        .index(["status"])
        // The index already exists.
        .index(["paid"])
        .index(["paid", "id"])
        .index(["id"]);
    let statements = |nulls: &str| {
        format!(
            r#"CREATE INDEX "orders_id_idx" ON "orders" ("tenant", "id");
CREATE INDEX "orders_paid_idx" ON "orders" ("tenant", "paid"{nulls}, "id");
CREATE INDEX "orders_status_paid_cidx" ON "orders" ("tenant", "status", "paid"{nulls}, "id");
CREATE INDEX "orders_status_idx" ON "orders" ("tenant", "status", "id");
"#
        )
    };
    let indexes = |ddl: String| ddl.split_once(");\n").unwrap().1.to_owned();
    let (sqlite, postgres) = (sqlite(), postgres());
    sqlite.declare(&definition).unwrap();
    postgres.declare(&definition).unwrap();
    assert_eq!(indexes(sqlite.ddl()), statements(""));
    assert_eq!(indexes(postgres.ddl()), statements(" NULLS FIRST"));
}

#[test]
fn names_come_from_the_mapping_and_are_quoted() {
    let definition = EntityDefinition::new("notes", "id", IdentifierKind::Given(ValueType::Text))
        .field(field("tenant", ValueType::Integer).scope())
        .field(field("text", ValueType::Text).searchable().sortable());
    let long = "n".repeat(60);
    let mapping = || {
        let mapping = TableMapping::new("notes").schema("my \"schema\"").table(long.as_str());
        mapping.column("text", "select").ascii_search("text").without_version()
    };
    check(
        &sqlite().table(mapping()),
        std::slice::from_ref(&definition),
        &format!(
            r#"CREATE TABLE "my ""schema"""."{long}" (
  "id" TEXT NOT NULL,
  "tenant" BIGINT NOT NULL,
  "select" TEXT NOT NULL,
  PRIMARY KEY ("tenant", "id")
);
CREATE INDEX "my ""schema"""."nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_e45df07bf7cbf58a_idx" ON "{long}" ("tenant", "select", "id");
"#
        ),
    );
    check(
        &postgres().table(mapping()),
        &[definition],
        &format!(
            r#"CREATE TABLE "my ""schema"""."{long}" (
  "id" text COLLATE "C" NOT NULL,
  "tenant" bigint NOT NULL,
  "select" text COLLATE "C" NOT NULL,
  PRIMARY KEY ("tenant", "id")
);
CREATE INDEX "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_e45df07bf7cbf58a_idx" ON "my ""schema"""."{long}" ("tenant", "select", "id");
"#
        ),
    );
}
