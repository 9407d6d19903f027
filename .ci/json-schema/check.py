"""The verdicts of Python's jsonschema: check.py FILE."""

import json
import sys

from jsonschema import Draft202012Validator, FormatChecker

# By the keyword and the value.
EXCEPTIONS = {
    ("optional/ecmascript-regex", r'"abc\n"'): "In Python, `$` also matches before a last line break.",
    ("optional/content", r'"Zm9v\n"'): "In Python, `$` also matches before a last line break.",
    ("format/email", '".test@example.com"'): "The library only looks for an `@`.",
    ("format/email", '"test.@example.com"'): "The library only looks for an `@`.",
    ("format/email", '"te..st@example.com"'): "The library only looks for an `@`.",
    ("format/email", '"joe.bloggs@invalid=domain.com"'): "The library only looks for an `@`.",
}

cases, failures, known = 0, [], set()
for line in open(sys.argv[1]):
    rule = json.loads(line)
    Draft202012Validator.check_schema(rule["schema"])
    validator = Draft202012Validator(rule["schema"], format_checker=Draft202012Validator.FORMAT_CHECKER)
    for text, expected in rule["values"]:
        cases += 1
        if validator.is_valid(json.loads(text)) == expected:
            continue
        exception = (rule["keyword"], text)
        known.add(exception)
        if exception not in EXCEPTIONS:
            failures.append(f"{rule['keyword']}: {text} is {'valid' if expected else 'invalid'}")
unused = EXCEPTIONS.keys() - known
failures.extend(f"{keyword}: the exception {text} is not needed" for keyword, text in unused)
for failure in failures:
    print(failure)
print(f"jsonschema: {cases} cases, {len(EXCEPTIONS)} exceptions, {len(failures)} failures")
sys.exit(bool(failures) or cases < 600)
