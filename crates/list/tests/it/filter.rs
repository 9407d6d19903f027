//! Every operator on every type that it is for, in both spellings.

use restwright::list::fold;
use restwright::testing::TestClient;

use crate::pets::{client, five};
use crate::{get, ids, violations};

/// `filter[field][operator]=value`, `field[operator]=value`, and for `eq` those without an operator, give these pets.
#[track_caller]
fn check(client: &TestClient, field: &str, operator: &str, value: &str, expected: &[i64]) {
    let mut spellings = vec![
        format!("filter[{field}][{operator}]"),
        format!("filter%5B{field}%5D%5b{operator}%5d"),
        format!("{field}[{operator}]"),
        format!("{field}%5B{operator}%5D"),
    ];
    if operator == "eq" {
        spellings.extend([format!("filter[{field}]"), format!("filter%5B{field}]"), field.to_owned()]);
    }
    for spelling in spellings {
        let response = get(client, &format!("/pets?order_by=id&{spelling}={value}"));
        assert_eq!(ids(&response), expected, "{spelling}={value}");
    }
}

#[test]
fn text() {
    let client = client(&five());
    for (operator, value, expected) in [
        ("eq", "Ada", &[1_i64] as &[i64]),
        ("eq", "ada", &[]),
        ("eq", "", &[]),
        ("ne", "Ada", &[2, 3, 4, 5]),
        ("in", "Ada,Rex", &[1, 2]),
        ("gt", "Rex", &[3, 4, 5]),
        ("gte", "Rex", &[2, 3, 4, 5]),
        ("lt", "Rex", &[1]),
        ("lte", "Rex", &[1, 2]),
        ("between", "Ada,Rex", &[1, 2]),
        ("contains", "A", &[1, 4]),
        ("contains", "%C3%A4r", &[3]),
        ("contains", "ZO%C3%8B", &[5]),
        ("contains", "%25", &[3]),
        ("contains", "_", &[4]),
        ("contains", "%5C", &[4]),
        ("contains", "", &[1, 2, 3, 4, 5]),
        ("starts_with", "a", &[1, 4]),
        ("starts_with", "%25", &[]),
        ("ends_with", "X", &[2]),
        ("ends_with", "100%25", &[3]),
        ("is_null", "true", &[]),
        ("is_null", "false", &[1, 2, 3, 4, 5]),
    ] {
        check(&client, "name", operator, value, expected);
    }
}

#[test]
fn text_that_may_be_null() {
    let client = client(&five());
    for (operator, value, expected) in [
        ("eq", "Ada%2C+the+1.", &[1_i64] as &[i64]),
        ("ne", "Ada%2C+the+1.", &[2, 3, 4, 5]),
        ("in", r"Ada\,+the+1.,x", &[1]),
        ("gt", "B", &[3]),
        ("gte", "", &[1, 3]),
        ("lt", "B", &[1]),
        ("lte", "~", &[1]),
        ("between", r"Ada\,+the+1.,B", &[1]),
        ("contains", "THE", &[1, 3]),
        ("starts_with", "ada,", &[1]),
        ("ends_with", "1.", &[1]),
        ("is_null", "true", &[2, 4, 5]),
        ("is_null", "false", &[1, 3]),
    ] {
        check(&client, "nickname", operator, value, expected);
    }
}

#[test]
fn enumerations() {
    let client = client(&five());
    for (operator, value, expected) in [
        ("eq", "dog", &[2_i64, 3] as &[i64]),
        ("ne", "dog", &[1, 4, 5]),
        ("in", "dog,fish", &[2, 3, 4]),
        ("is_null", "true", &[5]),
        ("is_null", "false", &[1, 2, 3, 4]),
    ] {
        check(&client, "species", operator, value, expected);
    }
}

#[test]
fn integers_and_numbers() {
    let client = client(&five());
    for (field, operator, value, expected) in [
        ("age", "eq", "3", &[1_i64, 3] as &[i64]),
        ("age", "eq", "3.0", &[1, 3]),
        ("age", "ne", "3", &[2, 4, 5]),
        ("age", "in", "1,9", &[2, 4]),
        ("age", "gt", "3", &[2]),
        ("age", "gte", "3", &[1, 2, 3]),
        ("age", "lt", "3", &[4]),
        ("age", "lte", "3", &[1, 3, 4]),
        ("age", "between", "1,3", &[1, 3, 4]),
        ("age", "between", "3,1", &[]),
        ("age", "is_null", "true", &[5]),
        ("weight_kg", "eq", "12.5", &[3]),
        ("weight_kg", "eq", "125e-1", &[3]),
        ("weight_kg", "ne", "12.5", &[1, 2, 4, 5]),
        ("weight_kg", "in", "0.1,30", &[2, 4]),
        ("weight_kg", "gt", "4.5", &[2, 3]),
        ("weight_kg", "gte", "4.5", &[1, 2, 3]),
        ("weight_kg", "lt", "4.5", &[4]),
        ("weight_kg", "lte", "4.5", &[1, 4]),
        ("weight_kg", "between", "-1,12.5", &[1, 3, 4]),
        ("weight_kg", "is_null", "true", &[5]),
        ("height_m", "eq", "0.01", &[4]),
        ("height_m", "ne", "0.01", &[1, 2, 3, 5]),
        ("height_m", "in", "0.01,3", &[2, 4]),
        ("height_m", "gt", "1", &[2, 3]),
        ("height_m", "gte", "0.45", &[1, 2, 3]),
        ("height_m", "lt", "0.45", &[4]),
        ("height_m", "lte", "0.45", &[1, 4]),
        ("height_m", "between", "0.01,0.45", &[1, 4]),
        ("height_m", "is_null", "false", &[1, 2, 3, 4]),
    ] {
        check(&client, field, operator, value, expected);
    }
}

#[test]
fn booleans() {
    let client = client(&five());
    for (operator, value, expected) in [
        ("eq", "true", &[1_i64, 4] as &[i64]),
        ("eq", "false", &[2, 3]),
        ("ne", "true", &[2, 3, 5]),
        ("is_null", "true", &[5]),
        ("is_null", "false", &[1, 2, 3, 4]),
    ] {
        check(&client, "calm", operator, value, expected);
    }
}

#[test]
fn dates_and_instants() {
    let client = client(&five());
    for (field, operator, value, expected) in [
        ("born", "eq", "2020-02-29", &[3_i64] as &[i64]),
        ("born", "ne", "2020-02-29", &[1, 2, 4, 5]),
        ("born", "in", "2020-02-29,2014-07-01", &[2, 3]),
        ("born", "gt", "2020-01-31", &[3, 4]),
        ("born", "gte", "2020-01-31", &[1, 3, 4]),
        ("born", "lt", "2020-01-31", &[2]),
        ("born", "lte", "2020-01-31", &[1, 2]),
        ("born", "between", "2020-01-01,2020-12-31", &[1, 3]),
        ("born", "is_null", "true", &[5]),
        ("seen", "eq", "2024-05-01T10:00:00Z", &[3]),
        ("seen", "eq", "2024-05-01T14:00:00%2B02:00", &[1]),
        ("seen", "eq", "2024-05-01T14:00:00+02:00", &[1]),
        ("seen", "between", "2024-05-01T12:00:00+02:00,2024-05-01T12:00:00-00:00", &[1, 3]),
        ("seen", "ne", "2024-05-01T12:00:00.000Z", &[2, 3, 4, 5]),
        ("seen", "in", "2024-05-01T12:00:00Z,2024-05-01T10:00:00Z", &[1, 3]),
        ("seen", "gt", "2024-05-01T12:00:00Z", &[2]),
        ("seen", "gte", "2024-05-01T12:00:00Z", &[1, 2]),
        ("seen", "lt", "2024-05-01T12:00:00Z", &[3, 4]),
        ("seen", "lte", "2024-05-01T12:00:00Z", &[1, 3, 4]),
        ("seen", "between", "2024-05-01T10:00:00Z,2024-05-01T12:00:00Z", &[1, 3]),
        ("seen", "is_null", "false", &[1, 2, 3, 4]),
    ] {
        check(&client, field, operator, value, expected);
    }
}

#[test]
fn uuids() {
    let client = client(&five());
    for (operator, value, expected) in [
        ("eq", "00000000-0000-0000-0000-000000000003", &[3_i64] as &[i64]),
        ("ne", "00000000-0000-0000-0000-000000000003", &[1, 2, 4, 5]),
        ("in", "00000000-0000-0000-0000-000000000003,00000000-0000-0000-0000-000000000001", &[1, 3]),
        ("is_null", "true", &[5]),
        ("is_null", "false", &[1, 2, 3, 4]),
    ] {
        check(&client, "chip", operator, value, expected);
    }
}

#[test]
fn conditions_combine_with_and() {
    let client = client(&five());
    let asked = "/pets?order_by=id&filter[weight_kg][gt]=1&weight_kg[lt]=20&species=dog";
    assert_eq!(ids(&get(&client, asked)), [3]);
}

#[test]
fn a_list_may_be_repeated() {
    let client = client(&five());
    let asked = "/pets?order_by=id&filter[species][in]=dog&filter[species][in]=cat,dog&species[in]=fish";
    assert_eq!(ids(&get(&client, asked)), [1, 2, 3, 4]);
    let hundred = vec!["1"; 100].join(",");
    assert_eq!(ids(&get(&client, &format!("/pets?age[in]={hundred}"))), [4]);
    let found = violations(&get(&client, &format!("/pets?age[in]={hundred}&age[in]=1")));
    assert_eq!(found, [("max_items".to_owned(), "/age[in]".to_owned())]);
}

#[test]
fn the_ends_of_a_range_may_be_given_one_by_one() {
    let client = client(&five());
    for query in [
        "filter[age][between]=1&filter[age][between]=3",
        "age[between]=1&age[between]=3",
        "age%5Bbetween%5D=1&filter[age][between]=3",
        "filter[age][between]=1,3",
    ] {
        assert_eq!(ids(&get(&client, &format!("/pets?order_by=id&{query}"))), [1, 3, 4], "{query}");
    }
}

#[test]
fn case_is_ignored_by_unicode_and_not_by_language() {
    assert_eq!(fold("STRASSE"), "strasse");
    assert_ne!(fold("Straße"), fold("STRASSE"));
    assert_eq!(fold("ẞ"), "ß");
    assert_ne!(fold("I"), fold("ı"));
    assert_eq!(fold("K"), fold("\u{212A}"));
}

#[test]
fn fields_that_are_declared_at_run_time() {
    let client = client(&five());
    for (asked, expected) in [
        ("", &[1_i64, 2] as &[i64]),
        ("?name=Ada", &[1]),
        // A piece of a text may be longer or shorter than a whole one.
        ("?filter[name][contains]=RGER+", &[3]),
        ("?filter[weight_kg][gte]=1&order_by=-name&limit=3", &[3, 2, 1]),
        ("?species[in]=fish", &[4]),
        ("?weight_kg[is_null]=true", &[5]),
    ] {
        assert_eq!(ids(&get(&client, &format!("/pets/declared{asked}"))), expected, "{asked}");
    }
    for (asked, code, pointer) in [
        ("species=dog", "unknown_operator", "/species"),
        ("limit=4", "maximum", "/limit"),
        ("weight_kg[gte]=much", "type", "/weight_kg[gte]"),
        ("weight_kg[gte]=0.5", "minimum", "/weight_kg[gte]"),
        ("name=Adam", "max_length", "/name"),
        ("order_by=weight_kg", "unknown_sort_field", "/order_by"),
    ] {
        let found = violations(&get(&client, &format!("/pets/declared?{asked}")));
        assert_eq!(found, [(code.to_owned(), pointer.to_owned())]);
    }
}
