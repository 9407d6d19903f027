#!/usr/bin/env bash
# SQLite 3.54.1 (in apsw 3.54.1.0, PyPI) finds the rows of one parent by the index of the order, not by the index with two equal columns.
#
# Expected: a statement with `tenant = .. AND parent = .. ORDER BY title, id` uses the index on (tenant, parent), because both of its
# columns are equal to a value, and sorts the few rows that it finds.
# Behaviour: without statistics of `ANALYZE`, SQLite uses the index on (tenant, title, id), which needs no sort. Only `tenant` limits the rows, so it
# reads all rows of the tenant: here 12,400 rows in place of the 207 rows of the parent. After `ANALYZE`, or if a
# unary `+` hides the order from the indexes (`ORDER BY +title`), it uses the index on (tenant, parent).
# Source: https://www.sqlite.org/lang_analyze.html and https://www.sqlite.org/optoverview.html.
# Output seen on 2026-11-29:
#   without statistics: ['SEARCH lines USING INDEX by_title (tenant=?)']
#   with +title: ['SEARCH lines USING INDEX by_parent (tenant=? AND parent=?)', 'USE TEMP B-TREE FOR ORDER BY']
#   after ANALYZE: ['SEARCH lines USING INDEX by_parent (tenant=? AND parent=?)', 'USE TEMP B-TREE FOR ORDER BY']
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check apsw==3.54.1.0
venv/bin/python - <<'PYTHON'
import apsw

assert apsw.sqlite_lib_version() == "3.54.1", apsw.sqlite_lib_version()
database = apsw.Connection(":memory:")
database.execute("""
    CREATE TABLE lines (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, parent INTEGER NOT NULL, title TEXT NOT NULL);
    CREATE INDEX by_parent ON lines (tenant, parent);
    CREATE INDEX by_title ON lines (tenant, title, id);
""")
rows = [(number % 60, f"t{number % 7}") for number in range(12_400)]
database.executemany("INSERT INTO lines (tenant, parent, title) VALUES ('a', ?, ?)", rows)


def plan(name, order, expected):
    statement = f"SELECT id FROM lines WHERE tenant = 'a' AND parent = 7 ORDER BY {order}"
    found = [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}")]
    print(f"{name}: {found}")
    assert found == expected, expected


sorted_rows = ["SEARCH lines USING INDEX by_parent (tenant=? AND parent=?)", "USE TEMP B-TREE FOR ORDER BY"]
plan("without statistics", "title, id", ["SEARCH lines USING INDEX by_title (tenant=?)"])
plan("with +title", "+title, id", sorted_rows)
database.execute("ANALYZE")
plan("after ANALYZE", "title, id", sorted_rows)
PYTHON
