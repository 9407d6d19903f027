"""The failures of schemathesis that are accepted, one by one; every other failure fails the run.

Most are requests that match the document and are rejected, because a schema cannot express the rule or the tool breaks it. The others concern
the method QUERY.
"""

import re
from collections.abc import Mapping

import schemathesis

# By the code of the problem.
PROBLEMS = {
    "precondition_failed": "A well-formed tag need not be the current one.",
    "precondition_required": "One of two optional headers is required, which parameters cannot express.",
}
# By the place and the code of the violation, with a pattern for pointers.
VIOLATIONS = {
    ("query", "/page", "maximum"): "The last page depends on `limit`.",
    ("query", "/offset", "maximum"): "The last offset depends on `limit`.",
    ("query", "/cursor", "cursor_invalid"): "Only the service makes cursors.",
    ("query", "/order_by", "duplicate_sort_field"): "`name` and `-name` are different items, and name the same field.",
    ("body", "/customer_id", "missing_reference"): "Whether the customer exists is no matter of form.",
    ("body", r"/data/\d+/id", "missing_reference"): "Whether the entity exists is no matter of form.",
    ("body", r"/data/\d+/id", "unique_items"): "A schema cannot require that one property of the items differs.",
    ("body", r"/(data/\d+/)?(changes/)?lines/\d+/(?!(text|quantity|cents)$).*", "invalid"): "The schema has no rule for the strings and names in a "
    "property that it does not name. NUL cannot be stored.",
}
# By the place and the value that the tool sends although the schema excludes it.
BROKEN_VALUES = {
    ("header", "/If-Match", "0"): "The first phase replaces values of patterns by `0`.",
    ("header", "/If-None-Match", "0"): "The first phase replaces values of patterns by `0`.",
    ("body", "/birth_date", ""): "The first phase ignores the format of a string that may be null.",
    ("body", "/born_on", ""): "The first phase ignores the format of a string that may be null.",
}
# By the code of the failure. OpenAPI 3.1 has no member for the method QUERY of lists; the document in 3.2 describes it.
UNDOCUMENTED = {
    "ST204": r"Unsupported method QUERY returned .*",
    "ST205": r".* Undocumented methods advertised: QUERY",
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if failure.code in UNDOCUMENTED:
        return not re.match(rf"(?:{UNDOCUMENTED[failure.code]})$", failure.message, re.MULTILINE)
    if failure.code != "ST202" or response.status_code not in (412, 422, 428):
        return True
    problem = response.json()
    if problem["code"] in PROBLEMS:
        return False
    violations = problem.get("errors", [])
    return not violations or not all(is_accepted(violation, case) for violation in violations)


def is_accepted(violation, case):
    place, pointer, code = violation["in"], violation["pointer"], violation["code"]
    rules = (rule for rule in VIOLATIONS if rule[0] == place and rule[2] == code)
    return any(re.fullmatch(rule[1], pointer, re.DOTALL) for rule in rules) or any(
        (place, pointer, value) in BROKEN_VALUES for value in sent(case, place, pointer[1:])
    )


def sent(case, place, name):
    values = {"header": case.headers, "body": case.body}.get(place)
    return [values[name]] if isinstance(values, Mapping) and name in values else []
