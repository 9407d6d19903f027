#!/usr/bin/env bash
# SQLite before and after 3.45.0 and 3.54.0: an index on `date(..)` or `time(..)` of an older version is inconsistent in a newer one.
#
# Expected: `date(v)` of a string is deterministic, so SQLite accepts it in an index, and a file keeps the same answers in every version.
# Behaviour: for a day that its month lacks, `date` returned the string as it is until 3.44.2, and returns a day of the next month since 3.45.0. `time` of
# 24:00:00 returned it as it is until 3.53.4, and returns 00:00:00 since 3.54.0. With any modifier, such as '+0 days', all versions return the later
# answer. An index of the old version keeps the old answers: the new version reports an inconsistent index, and a search by the new answer finds no row.
# Source: https://sqlite.org/forum/forumpost/5e608b77d414cdd21600bf97bc497dcd768a4a64490b39b1feb95aea0f838c37, where `date` of 3.45.1 moves such a day into
# the next month, and https://sqlite.org/lang_datefunc.html, which names no difference between versions.
# Output seen on 2026-11-30:
#   3.44.2: date 2024-02-31, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
#   3.45.0: date 2024-03-02, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
#   3.53.4: date 2024-03-02, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
#   3.54.0: date 2024-03-02, with a modifier 2024-03-02; time 00:00:00, with a modifier 00:00:00
#   a file of 3.44.2 in 3.54.0: row 1 missing from index days; found by index 0, without index 1
#
# Fails if this changes. Needs pip.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 3.44.2.0 3.45.0.0 3.53.4.0 3.54.0.0; do
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-cache-dir --only-binary :all: \
        --target "$version" "apsw==$version"
done
cat >run.py <<'PY'
import sys

import apsw

step, file = sys.argv[1:]
connection = apsw.Connection(file)
one = lambda sql: connection.execute(sql).fetchone()
if step == "values":
    version = one("SELECT sqlite_version()")[0]
    date, later_date, time, later_time = one(
        "SELECT date('2024-02-31'), date('2024-02-31', '+0 days'), time('24:00:00'), time('24:00:00', '+0 seconds')"
    )
    print(f"{version}: date {date}, with a modifier {later_date}; time {time}, with a modifier {later_time}")
elif step == "create":
    connection.execute("CREATE TABLE t (v TEXT); CREATE INDEX days ON t (date(v)); INSERT INTO t VALUES ('2024-02-31')")
else:
    [check] = one("PRAGMA integrity_check")
    count = "SELECT count(*) FROM t {} WHERE date(v) = '2024-03-02'"
    by_index, without = one(count.format("INDEXED BY days"))[0], one(count.format("NOT INDEXED"))[0]
    print(f"a file of 3.44.2 in 3.54.0: {check}; found by index {by_index}, without index {without}")
PY
{
    for version in 3.44.2.0 3.45.0.0 3.53.4.0 3.54.0.0; do
        PYTHONPATH=$version python3 run.py values :memory:
    done
    PYTHONPATH=3.44.2.0 python3 run.py create days.db
    PYTHONPATH=3.54.0.0 python3 run.py check days.db
} | tee seen
diff seen - <<'SEEN'
3.44.2: date 2024-02-31, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
3.45.0: date 2024-03-02, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
3.53.4: date 2024-03-02, with a modifier 2024-03-02; time 24:00:00, with a modifier 00:00:00
3.54.0: date 2024-03-02, with a modifier 2024-03-02; time 00:00:00, with a modifier 00:00:00
a file of 3.44.2 in 3.54.0: row 1 missing from index days; found by index 0, without index 1
SEEN
