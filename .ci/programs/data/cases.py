"""Runs the blocks of the guide "Data tools" on exports of the example every_type, and imports what they write."""
import collections
import contextlib
import csv
import dataclasses
import datetime
import decimal
import importlib.metadata
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import warnings

import duckdb
import openpyxl
import samples
from programs import ROOT, TARGET, free_port, row, wait_for

GUIDE = (ROOT / "crates/restwright/src/guide/data_tools.md").read_text()
POSTGRES = os.environ.get("POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
MEDIA_TYPES = {"jsonl": "application/jsonl", "csv": "text/csv"}
SUM = sum(decimal.Decimal(line["price"]) for line in samples.ORDINARY)
SCHEMA = f"restwright_data_tools_{os.getpid()}"


class Server:
    """The example on a file of SQLite in a folder."""

    def __init__(self, folder):
        self.file, port = folder / "samples.db", free_port()
        self.url = f"http://127.0.0.1:{port}/samples"
        settings = {"DATABASE_URL": f"sqlite://{self.file}", "ADDRESS": f"127.0.0.1:{port}"}
        self.log = folder / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([TARGET / "debug/examples/every_type"], env=os.environ | settings, stdout=log, stderr=log)
        wait_for(port, self.process, self.log)

    def send(self, path="", body=None, **headers):
        """Returns the status and the body."""
        request = urllib.request.Request(self.url + path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(request) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def create(self, rows):
        for line in rows:
            status, body = self.send(body=json.dumps(line).encode(), Content_Type="application/json")
            assert status == 201, (line, body)

    def export(self, file_type):
        status, body = self.send(Accept=MEDIA_TYPES[file_type])
        assert status == 200, body
        return body

    def import_file(self, path):
        return self.send("/import", path.read_bytes(), Content_Type=MEDIA_TYPES[path.suffix[1:]])

    def rows(self):
        return [json.loads(line, parse_float=decimal.Decimal) for line in self.export("jsonl").decode().removesuffix("\n").split("\n") if line]

    def stop(self):
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def server():
    with tempfile.TemporaryDirectory() as folder:
        started = Server(pathlib.Path(folder))
        try:
            yield started
        finally:
            started.stop()


def blocks(title, language):
    """Returns the blocks of a language below a heading of the guide."""
    section = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE)
    return re.findall(rf"^```{language}\n(.*?)^```$", section[1], re.DOTALL | re.MULTILINE)


def run_python(block):
    names = {}
    exec(compile(block, "the block of the guide", "exec"), names)
    if "totals" in names and len(names["samples"]) == len(samples.ORDINARY):
        assert sum(names["totals"]) == SUM, names["totals"]
    read = names["samples"]
    # The types of polars, pyarrow and pandas.
    for method in ("to_dicts", "to_pylist"):
        if hasattr(read, method):
            return getattr(read, method)()
    return read.to_dict("records")


def run_duckdb(block):
    connection = duckdb.connect()
    connection.execute(block)
    read = connection.execute("SELECT * FROM samples")
    names = [column[0] for column in read.description]
    return [dict(zip(names, values)) for values in read.fetchall()]


def run_shell(block):
    folder = os.getcwd()
    scripts = pathlib.Path(sys.executable).parent
    settings = {"HOME": folder, "PATH": f"{scripts}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], env=os.environ | settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_csvkit(block):
    output = run_shell(block)
    if pathlib.Path("samples.csv").read_bytes().count(b"\n") > 30:
        assert decimal.Decimal(output.split()[-1].replace(",", "")) == SUM, output
    with open("rows.csv", newline="") as file:
        return [{name: cell or None for name, cell in line.items()} for line in csv.DictReader(file)]


def run_calc(block):
    run_shell(block)
    with warnings.catch_warnings():
        # Dates before 1900, which are among the losses.
        warnings.simplefilter("ignore")
        sheet = openpyxl.load_workbook("samples.xlsx").active
    names, *rows = sheet.iter_rows(values_only=True)
    # XLSX has one type for dates and times.
    rows = [[str(value.date()) if isinstance(value, datetime.datetime) and samples.kind(name) == "Date" else value for name, value in zip(names, row)] for row in rows]
    return [dict(zip(names, values)) for values in rows]


def postgres(*arguments):
    settings = {"PGOPTIONS": f"-c search_path={SCHEMA}", "PGCLIENTENCODING": "UTF8"}
    command = ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", *arguments, POSTGRES]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def run_postgres(block):
    """Creates the table with the columns that the guide has for each Rust type."""
    types = {}
    for rust, column in re.findall(r"^\| (`.*) \| `(\w[\w ]*)` \|$", GUIDE, re.MULTILINE):
        types |= dict.fromkeys(re.findall(r"`(\w+)", rust), column)
    columns = ", ".join(f"{name} {types[re.match(r'[A-Za-z0-9]+', samples.kind(name))[0]]}" for name in samples.PROPERTIES)
    postgres("--command", f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", "--command", f"CREATE SCHEMA {SCHEMA}", "--command", f"CREATE TABLE samples ({columns})")
    pathlib.Path("block.sql").write_text(block)
    postgres("--file", "block.sql")
    lines = postgres("--tuples-only", "--no-align", "--command", "SELECT row_to_json(samples) FROM samples")
    return [json.loads(line, parse_float=decimal.Decimal) for line in lines.removesuffix("\n").split("\n")]


def empty_is_null(value):
    return value or None


def with_keys(value):
    """A map has the keys of all rows."""
    return None if value is None else {"a b": None} | value


def double(value):
    return None if value is None else float(value)


def fifteen_digits(value):
    """Calc keeps 15 digits of a number, but all of the largest double."""
    rounded = None if value is None else float(f"{float(value):.14e}")
    return value if rounded == math.inf else rounded


def line_feeds(value):
    """Empty texts become null, and line breaks have no carriage return."""
    return value.replace("\r\n", "\n") or None if value else None


def no_early_date(value):
    return "#VALUE!" if value and value.startswith("0001") else value


def no_microseconds(value):
    return datetime.timedelta(days=1) if value == "23:59:59.999999" else value


def unescaped(value):
    """An import of CSV removes the escape of a formula, as the guide on exports says."""
    return "=1" if value == "'=1" else value


def both(losses):
    """The losses of required properties and of optional ones."""
    return losses | {f"maybe_{name}": loss for name, loss in losses.items()}


# For each program: its name in the guide, its version, how a block is run, the language of its blocks, and the file types in their order.
VERSION = importlib.metadata.version
PROGRAMS = {
    "DuckDB": (VERSION("duckdb"), run_duckdb, "sql", ["jsonl", "csv"]),
    "pandas": (VERSION("pandas"), run_python, "python", ["jsonl", "csv"]),
    "polars": (VERSION("polars"), run_python, "python", ["jsonl", "csv"]),
    "pyarrow": (VERSION("pyarrow"), run_python, "python", ["jsonl", "csv"]),
    "csvkit": (VERSION("csvkit"), run_csvkit, "sh", ["csv"]),
    "LibreOffice Calc": (os.environ["LIBREOFFICE"], run_calc, "sh", ["csv"]),
    "PostgreSQL": (os.environ["PSQL"], run_postgres, "sql", ["jsonl", "csv"]),
}
@dataclasses.dataclass
class Losses:
    """What a program has in place of values at the limits, by property: after it has read them, and after an import. Or the import rejects these properties."""

    read: dict = dataclasses.field(default_factory=dict)
    imported: dict = dataclasses.field(default_factory=dict)
    rejected: tuple = ()


MAPS = Losses(both({"scores": with_keys}), rejected=("scores", "maybe_scores"))
EMPTY = {"maybe_code": empty_is_null, "maybe_data": empty_is_null}
LOSSES = {
    ("DuckDB", "jsonl"): MAPS,
    ("pandas", "jsonl"): Losses({"maybe_large": double, "maybe_unsigned": double}, rejected=("ratio", "maybe_ratio", "maybe_large", "maybe_unsigned")),
    ("pandas", "csv"): Losses(both({"code": empty_is_null, "data": empty_is_null}), EMPTY),
    ("polars", "jsonl"): MAPS,
    ("pyarrow", "jsonl"): MAPS,
    ("csvkit", "csv"): Losses(
        both({"code": line_feeds, "data": empty_is_null}),
        {"code": lambda value: value.replace("\r\n", "\n"), "maybe_code": line_feeds, "maybe_data": empty_is_null},
    ),
    ("LibreOffice Calc", "csv"): Losses(
        both(dict.fromkeys(["large", "unsigned", "ratio", "price", "weight"], fifteen_digits))
        | both({"code": line_feeds, "data": empty_is_null, "day": no_early_date, "local": no_early_date, "clock": no_microseconds}),
        rejected=("large", "unsigned", "ratio", "maybe_large", "maybe_unsigned", "maybe_ratio"),
    ),
}


# Blocks whose prices and times are decimals and times of Python.
TYPED = {("DuckDB", "jsonl"), ("DuckDB", "csv"), ("pandas", "csv"), ("polars", "jsonl"), ("polars", "csv"), ("pyarrow", "jsonl"), ("pyarrow", "csv")}


def check(program, file_type, block, counts):
    """Runs a block on both sets of rows. Returns what differs."""
    _, execute, _, _ = PROGRAMS[program]
    wrong = []
    for name in ("ordinary", "limits"):
        rows = samples.SETS[name]
        losses = LOSSES.get((program, file_type), Losses()) if name == "limits" else Losses()
        about = f"{program}, {file_type}, {name}"
        with server() as source, server() as target, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            source.create(rows)
            pathlib.Path(f"samples.{file_type}").write_bytes(source.export(file_type))
            try:
                read = execute(block)
            except Exception as error:
                wrong.append(f"{about}: {type(error).__name__}: {str(error)[:1500]}")
                continue
            typed = all(isinstance(line["price"], decimal.Decimal) and isinstance(line["taken_at"], datetime.datetime) for line in read)
            if typed != ((program, file_type) in TYPED):
                wrong.append(f"{about}: decimals and times are {'' if typed else 'not '}typed")
            if name == "ordinary" and sum(decimal.Decimal(str(line["price"])) for line in read) != SUM:
                wrong.append(f"{about}: the sum of the prices")
            wrong += [f"{about}, read: {found}" for found in samples.differences(rows, read, losses.read, counts)]
            status, body = target.import_file(pathlib.Path(f"rows.{file_type}"))
            rejected = {error.get("pointer", "").split("/")[2] for error in json.loads(body)["errors"]} if status == 422 else set()
            imported = losses.imported
            if file_type == "csv" and name == "ordinary":
                imported = both({"code": unescaped})
            if status == 200 and not losses.rejected:
                wrong += [f"{about}, imported: {found}" for found in samples.differences(rows, target.rows(), imported, counts)]
            elif not rejected or not rejected <= set(losses.rejected):
                wrong.append(f"{about}: the import is {status}: {body.decode()[:1500]}")
    return wrong


def described(program, version, file_type):
    """Returns what the table of the guide has for a program, in this version, or `None`."""
    name = {"jsonl": "JSON lines", "csv": "CSV"}[file_type]
    line = re.search(rf"^\| {re.escape(program)} ([\d.]+) \| {name} \| (.*) \|$", GUIDE, re.MULTILINE)
    return f"{name}: {line[2]}" if line and f"{version}.".startswith(f"{line[1]}.") else None


def late_values(program, block):
    """Runs a block with and without a setting on a file whose optional properties are null up to the last row. Returns what the guide does not say."""
    setting, expected = LATE[program]
    full, null = samples.ORDINARY[0], samples.ORDINARY[-1]
    found = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with open("samples.jsonl", "w") as lines:
            lines.writelines(json.dumps({"id": number} | line) + "\n" for number, line in enumerate([null] * 21_000 + [full]))
        for text in (block, block.replace(setting, "")):
            try:
                last = [line for line in PROGRAMS[program][1](text) if line["id"] == 21_000]
                found.append("null" if last[0]["maybe_code"] is None else len(samples.differences([full], last, {}, collections.Counter())))
            except Exception as error:
                found.append(type(error).__name__)
    return [] if found == [0, expected] else [f"{program}, late values with and without `{setting}`: {found} instead of {[0, expected]}"]


def without_settings(program, found):
    """Runs blocks without a setting, or with another one. Returns the changes with which the guide's property has no other value."""
    wrong = []
    for name, position, setting, other, rows, differs in CHANGES:
        if name != program:
            continue
        assert setting in found[position], setting
        file_type = PROGRAMS[program][3][position]
        with server() as source, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            source.create(samples.SETS[rows])
            pathlib.Path(f"samples.{file_type}").write_bytes(source.export(file_type))
            try:
                read = PROGRAMS[program][1](found[position].replace(setting, other))
            except Exception:
                # The rest of the block needs the types.
                continue
        losses = LOSSES.get((program, file_type), Losses()).read
        if not any(line.startswith(f"{differs}: ") for line in samples.differences(samples.SETS[rows], read, losses, collections.Counter())):
            wrong.append(f"{program}, {file_type}: `{differs}` has the same values with `{other}` in place of `{setting}`")
    return wrong


# Settings without which a block loses values of a column that begins with null, and how.
LATE = {"DuckDB": (", sample_size = -1", "null"), "polars": (", infer_schema_length=None", "ComputeError"), "pyarrow": ("block_size=1 << 30", "ArrowNotImplementedError")}
# Changes of a block that lose values of a property: the program, the position of the block, the text, its replacement, the rows, and the property.
CHANGES = [
    ("DuckDB", 1, ", allow_quoted_nulls = false", "", "limits", "code"),
    ("DuckDB", 1, "all_varchar = true, ", "", "limits", "weight"),
    ("pandas", 0, ", dtype=False", "", "codes", "code"),
    ("pandas", 0, ", precise_float=True", "", "limits", "ratio"),
    ("pandas", 0, ', format="ISO8601"', "", "ordinary", "taken_at"),
    ("pandas", 0, "dtype=False, precise_float=True", 'engine="pyarrow", dtype_backend="pyarrow"', "ordinary", "day"),
    ("pandas", 1, "dtype=str, ", "", "codes", "code"),
    ("pandas", 1, ', keep_default_na=False, na_values=[""]', "", "ordinary", "code"),
    ("pandas", 1, ', format="ISO8601"', "", "ordinary", "taken_at"),
    ("polars", 1, ", infer_schema=False", "", "codes", "code"),
    ("pyarrow", 0, '"day", ', "", "ordinary", "day"),
    ("pyarrow", 1, ", quoted_strings_can_be_null=False", "", "limits", "code"),
    ("pyarrow", 1, ", strings_can_be_null=True", "", "ordinary", "maybe_code"),
    ("LibreOffice Calc", 0, ' --infilter="CSV:44,34,76,1,2/2/24/2,2057"', "", "ordinary", "letter"),
    ("LibreOffice Calc", 0, "2/2/24/2", "", "codes", "code"),
    ("csvkit", 0, " --blanks", "", "ordinary", "code"),
    ("csvkit", 0, " --no-inference", "", "codes", "code"),
]


def nested_in_csv(block):
    """DuckDB writes the nested values of JSON lines to CSV as text that is not JSON, except with `to_json`."""
    statement = "COPY samples TO 'rows.jsonl' (FORMAT json)"
    as_json = ", ".join(f"to_json({name}) AS {name}" for name in samples.PROPERTIES if samples.kind(name).startswith(("Vec", "Place", "BTreeMap")))
    statuses = []
    for copied in ("samples", f"(SELECT * REPLACE ({as_json}) FROM samples)"):
        assert statement in block
        with server() as source, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            source.create(samples.ORDINARY)
            pathlib.Path("samples.jsonl").write_bytes(source.export("jsonl"))
            run_duckdb(block.replace(statement, f"COPY {copied} TO 'rows.csv'"))
            statuses.append(source.import_file(pathlib.Path("rows.csv"))[0])
    return [] if statuses == [422, 200] else [f"DuckDB, CSV of JSON lines without and with to_json: {statuses}"]


def calc_cells(block):
    """Calc runs formulas, except in columns of text, and writes some numbers and times with fewer digits."""
    rows = ["code,ratio,clock", "'=1+1,0.123456789012345,12:30:00.256", "=1+1,1.23456e-7,23:59:59"]
    expected = ["\"'=1+1\",0.123456789012345,12:30:00.26", "2,1.23E-07,23:59:59"]
    settings = "2/2/24/2,2057"
    found = []
    for text in (block.replace(settings, ",2057"), block.replace(settings, "1/2,2057"), block.replace(settings, ",1033")):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            pathlib.Path("samples.csv").write_text("\r\n".join([*rows, ""]))
            run_shell(text)
            found.append(pathlib.Path("rows.csv").read_text().splitlines()[1:])
    right = [expected, [expected[0], '"=1+1",1.23E-07,23:59:59'], [expected[0], "2,1.23E-07,11:59:59 PM"]]
    return [] if found == right else [f"LibreOffice Calc, cells: {found} instead of {right}"]


def with_arrow(block):
    """The engine pyarrow of pandas keeps integers of a column with null."""
    with server() as source, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        source.create(samples.SETS["limits"])
        pathlib.Path("samples.jsonl").write_bytes(source.export("jsonl"))
        read = run_python(block.replace("dtype=False, precise_float=True", 'engine="pyarrow", dtype_backend="pyarrow"'))
    found = samples.differences(samples.SETS["limits"], read, {}, collections.Counter())
    return [f"pandas with pyarrow: {line}" for line in found if line.startswith(("maybe_large", "maybe_unsigned"))]


def line_breaks(block):
    """pyarrow reads a CSV of several blocks with line breaks in its cells, except without `newlines_in_values`."""
    found = []
    for text in (block, block.replace("newlines_in_values=True", "")):
        with server() as source, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            source.create(samples.rows_of([samples.FIRST | {"code": "\n"}] * 100))
            names, _, lines = source.export("csv").partition(b"\r\n")
            pathlib.Path("samples.csv").write_bytes(names + b"\r\n" + lines * 100)
            try:
                found.append(len(run_python(text)))
            except Exception as error:
                found.append(type(error).__name__)
    return [] if found == [10_100, "ArrowInvalid"] else [f"pyarrow, CSV of several blocks with and without newlines_in_values: {found}"]


# Checks of other sentences of the guide, on the block at a position.
OTHER = {"DuckDB": (0, nested_in_csv), "pandas": (0, with_arrow), "pyarrow": (1, line_breaks), "LibreOffice Calc": (0, calc_cells)}


def sqlite():
    """Runs the statements of the guide on the file of the example, while it runs. Returns what differs."""
    statements = blocks("SQLite", "sql")[0].strip().split("\n")
    months = collections.Counter(line["taken_at"][:7] for line in samples.ORDINARY)
    expected = [[str(SUM)], [f"{month}|{count}" for month, count in sorted(months.items())], [f"{2:032X}|{samples.ORDINARY[1]['code']}"]]
    with server() as source:
        source.create(samples.ORDINARY)

        def run(statement):
            done = subprocess.run(["sqlite3", source.file, statement], capture_output=True, text=True, check=True)
            return done.stdout.splitlines()

        found = [run(statement) for statement in statements]
        plain_sum = run("SELECT sum(price) FROM samples")
    wrong = [f"SQLite: {statement} is {lines} instead of {right}" for statement, lines, right in zip(statements, found, expected, strict=True) if lines != right]
    return wrong if plain_sum != [str(SUM)] else [*wrong, "SQLite: sum(price) is right"]


def curl():
    """Runs the commands of curl at the beginning of the guide. Returns what differs."""
    commands = [line.removeprefix("$ ") for line in re.search(r"^```console\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)[1].splitlines() if "curl" in line]
    with server() as source, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        source.create(samples.ORDINARY)
        commands = [command.replace("http://127.0.0.1:8080/samples", source.url) for command in commands]
        exports, imports = commands[:2], commands[2:]
        output = run_shell("\n".join([*exports, "cp samples.jsonl rows.jsonl", "cp samples.csv rows.csv", *imports]))
    expected = json.dumps({"data": len(samples.ORDINARY)}, separators=(",", ":")) * 2
    return [] if output == expected else [f"curl: {output} instead of {expected}"]


def main():
    failed = False
    only = sys.argv[1:]
    for program, (version, _, language, file_types) in PROGRAMS.items():
        if only and program not in only:
            continue
        counts, wrong, losses = collections.Counter(), [], []
        found = blocks(program, language)
        if len(found) != len(file_types):
            wrong.append(f"the guide has {len(found)} blocks of {language} for {program} instead of {len(file_types)}")
        for file_type, block in zip(file_types, found):
            wrong += check(program, file_type, block, counts)
            losses.append(described(program, version, file_type))
            if bool(losses[-1]) != ((program, file_type) in LOSSES):
                wrong.append(f"the guide must {'' if (program, file_type) in LOSSES else 'not '}describe losses of {program} {version} in {file_type}")
        wrong += without_settings(program, found)
        if program in LATE:
            wrong += late_values(program, found[0])
        if program in OTHER:
            position, other = OTHER[program]
            wrong += other(found[position])
        row(program, version, counts["values"], f"FAILED: {len(wrong)}" if wrong else "; ".join(filter(None, losses)))
        print(*wrong, sep="\n", end="\n" if wrong else "")
        failed |= bool(wrong)
    wrong = curl()
    print(*wrong, sep="\n", end="\n" if wrong else "")
    failed |= bool(wrong)
    wrong = sqlite()
    row("SQLite", os.environ["SQLITE"], 4, f"FAILED: {len(wrong)}" if wrong else "")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return failed or bool(wrong)


try:
    sys.exit(main())
finally:
    postgres("--command", f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
