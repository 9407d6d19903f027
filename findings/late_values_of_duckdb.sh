#!/usr/bin/env bash
# duckdb 2.0.1 (PyPI): `read_json` returns null for values of a column that is null in the first 20,480 rows, without an error.
#
# Expected: a value that does not fit the type of the sample is an error, as in `read_csv`, or the column has the type JSON.
# Behaviour: a column without a value in the sample has the type "NULL". Every later value of the column is null, so `count` and `sum` are wrong.
# `sample_size = -1` reads the types from the whole file. A column whose first 20,480 values are integers is an error at a later string.
# Source: https://duckdb.org/docs/stable/data/json/loading_json, the parameter `sample_size`.
# Output seen on 2026-11-30:
#   by default: type "NULL", 0 of 5000 values
#   sample_size = -1: type VARCHAR, 5000 of 5000 values
#   a string after integers: InvalidInputException
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1

venv/bin/python - <<'PYTHON'
import json

import duckdb


def write(name, values):
    with open(name, "w") as file:
        file.writelines(json.dumps({"note": value}) + "\n" for value in values)


write("late.jsonl", [None] * 25_000 + ["paid"] * 5_000)
found = []
for about, setting in [("by default", ""), ("sample_size = -1", ", sample_size = -1")]:
    types = duckdb.sql(f"DESCRIBE SELECT * FROM read_json('late.jsonl'{setting})").fetchall()[0]
    count = duckdb.sql(f"SELECT count(note) FROM read_json('late.jsonl'{setting})").fetchall()[0]
    print(f"{about}: type {types[1]}, {count[0]} of 5000 values")
    found.append((types[1], count[0]))
assert found == [('"NULL"', 0), ("VARCHAR", 5_000)], found

write("mixed.jsonl", [*range(25_000), "paid"])
try:
    duckdb.sql("SELECT count(note) FROM read_json('mixed.jsonl')").fetchall()[0]
    print("a string after integers: no error")
    raise SystemExit(1)
except duckdb.Error as error:
    print(f"a string after integers: {type(error).__name__}")
PYTHON
