"""The rows that the cases export, and the comparison of their values."""
import datetime
import decimal
import json
import math
import re
import uuid

from programs import ROOT

# The properties of the example with their Rust types, by its source.
PROPERTIES = dict(re.findall(r"^    (\w+): (.+),$", (ROOT / "examples/small/every_type.rs").read_text().partition("struct Sample")[2].partition("}")[0], re.MULTILINE))
REQUIRED = [name for name in PROPERTIES if name != "id" and not name.startswith("maybe_")]

FIRST = {
    "code": "007", "letter": "ä", "color": "green", "active": True, "count": -7, "large": 123456789012345, "unsigned": 0, "single": 0.1, "ratio": -0.25,
    "price": "-3.50", "weight": "0.001", "taken_at": "2026-01-31T10:00:00.123456Z", "day": "2024-02-29", "local": "2026-01-31T10:00:00", "clock": "23:59:59",
    "length": "-PT1H30M", "address": "::1", "data": "AP8=", "tags": ["a,b", "", "\"q\"\n"], "place": {"city": "Bern", "floor": -1}, "scores": {"a b": 1},
}
SECOND = FIRST | {
    "code": "1e5", "letter": "x", "color": "red", "active": False, "count": 12, "price": "1234567.89", "weight": "12", "taken_at": "2026-02-01T00:00:00Z",
    "day": "1999-12-31", "clock": "00:00:00", "length": "PT0.5S", "address": "10.0.0.1", "data": "AA==", "tags": [], "place": {"city": "\u6f22", "floor": None},
    "scores": {"a b": -5},
}
TEXTS = [
    "=1+1", "@SUM(1,2)", "+1", "-", "'=1", "''", "2026-01-31", "2026-01-31T10:00:00Z", "0.10", "12,5", "1/2", "true", "null", "NULL", "NA", "N/A", "NaN", "None", ".",
    "#N/A", "\\N", "\\.", " both ", "\ttab", "a,b;c", "say \"hi\"", "two\nlines", "x\n\\.x\n", "\u6f22\u5b57 \U0001f600", "\ufeffmark", "{\"a\":1}", "[1]", "9007199254740993",
]
# Numbers at the limits of their types, empty strings, and maps with other keys.
LIMITS = [
    FIRST | {"large": -(2**63), "unsigned": 2**63 - 1, "count": -(2**31), "ratio": 1.7976931348623157e308, "single": 3.4028235e38, "scores": {}},
    SECOND | {"large": 2**53 + 1, "unsigned": 2**53 + 1, "ratio": 2.2250738585072014e-308, "weight": "0.0000000000000000000000000001", "scores": {"a b": 2**63 - 1}},
    FIRST | {"price": "-99999999999999999999999999.99", "weight": "9999999999999999999999999999", "ratio": 0.1 + 0.2},
    FIRST | {"taken_at": "9999-12-30T22:00:00.999999Z", "day": "9999-12-31", "local": "9999-12-31T23:59:59", "clock": "23:59:59.999999"},
    FIRST | {"taken_at": "0001-01-01T00:00:00Z", "day": "0001-01-01", "local": "0001-01-01T00:00:00", "length": "PT2562047788015215H30M7.999999999S"},
    FIRST | {"code": "", "data": "", "letter": "\"", "place": {"city": "", "floor": None}, "tags": [""], "scores": {}},
    FIRST | {"code": "ends\r\nhere", "letter": "\n"},
]


def rows_of(samples):
    """Returns rows whose optional properties have the values of the required ones, and a row whose optional properties are null."""
    rows = [sample | {f"maybe_{name}": value for name, value in sample.items()} for sample in samples]
    rows.append(FIRST | {f"maybe_{name}": None for name in FIRST})
    for number, row in enumerate(rows):
        row["key"] = str(uuid.UUID(int=number + 1))
        row["maybe_key"] = row["key"] if row["maybe_code"] is not None else None
    return rows


ORDINARY = rows_of([FIRST, SECOND, *(FIRST | {"code": text} for text in TEXTS)])
# In "codes", every code looks like a number.
SETS = {"ordinary": ORDINARY, "limits": rows_of(LIMITS), "codes": rows_of([FIRST, FIRST | {"code": "010"}])}


def kind(name):
    """Returns the Rust type of a property."""
    return re.sub(r"^Option<(.*)>$", r"\1", PROPERTIES[name])


def plain(name, value):
    """Returns a value of a program in the form in which all programs are compared."""
    rust = kind(name)
    if value is None or type(value).__name__ in ("NaTType", "NAType") or (isinstance(value, float) and math.isnan(value)):
        return None
    value = value.tolist() if hasattr(value, "tolist") else value
    if rust.startswith(("Vec", "BTreeMap", "Place")):
        return json.loads(value) if isinstance(value, str) else value
    if rust == "bool":
        return {"true": True, "false": False}.get(str(value).lower(), value)
    if rust in ("i32", "i64", "u64", "Decimal"):
        return decimal.Decimal(str(value)) if not isinstance(value, float) else decimal.Decimal(repr(value))
    if rust in ("f32", "f64"):
        return float(value)
    if rust in ("Timestamp", "DateTime"):
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(str(value))
        return moment.astimezone(datetime.timezone.utc) if moment.tzinfo else moment
    if rust == "Date":
        return str(value)
    if rust == "Time":
        if isinstance(value, datetime.timedelta):
            value = (datetime.datetime.min + value).time()
        return value if isinstance(value, datetime.time) else datetime.time.fromisoformat(value)
    return str(value)


def differs(name, read, value):
    """Returns `True` if a program has read another value."""
    try:
        return plain(name, read) != plain(name, value)
    except (ValueError, ArithmeticError):
        return type(read) is not type(value) or read != value


def differences(expected, found, losses, counts):
    """Compares rows by their key. A loss is the value that a program has in place of a value. Returns the values that differ, and counts all."""
    wrong, by_key = [], {str(row["key"]).lower(): row for row in found}
    if len(found) != len(expected):
        wrong.append(f"{len(found)} rows instead of {len(expected)}")
    for row in expected:
        other = by_key.get(row["key"], {})
        for name, value in row.items():
            counts["values"] += 1
            lost = losses[name](value) if name in losses else value
            read = other.get(name, "MISSING")
            if differs(name, read, lost):
                wrong.append(f"{name}: {read!r} instead of {value!r}" + (f", and with the loss {lost!r}" if lost != value else ""))
    return wrong
