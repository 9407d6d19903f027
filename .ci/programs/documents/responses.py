"""Sends requests to an example through Prism, and compares each response with the document: responses.py EXAMPLE DOCUMENT PRISM

Prism lists what violates the document in a header of the response. openapi-core checks the same responses in this process. Each operation is called
with success, apart from streams that do not end. Then each operation is called in ways that a client gets wrong. Prints JSON: the number of responses
that each program checked, what it found in responses, and what Prism found in valid requests.
"""
import collections
import json
import os
import pathlib
import sys
import uuid

import requests
from openapi_core import Config, OpenAPI
from openapi_core.contrib.requests import RequestsOpenAPIRequest, RequestsOpenAPIResponse

EXAMPLE, DOCUMENT, PRISM = sys.argv[1:]
KEY = os.environ["API_KEY"]
JSON, MERGE_PATCH, JSON_PATCH = "application/json", "application/merge-patch+json", "application/json-patch+json"
# They respond with a stream, or with 101.
ENDLESS = {"watchDocuments", "discussDocuments", "watchTickets"}
document = json.loads(pathlib.Path(DOCUMENT).read_text())
# openapi-core reads only `application/json` as JSON without these settings, and no bytes as strings.
# It passes the parameters of a media type, such as the `header` of `text/csv; header=present`.
STRINGS = ("*/*", "application/jsonl", "application/x-ndjson", "text/csv")
READERS = {"application/problem+json": json.loads} | dict.fromkeys(STRINGS, lambda content, **_: content.decode())
# The document of an example does not contain where the service is.
checker = OpenAPI.from_dict(document | {"servers": [{"url": PRISM}]}, config=Config(extra_media_type_deserializers=READERS))
session = requests.Session()
counts, found, of_requests, successes = collections.Counter(), [], [], set()


def operation_of(method, path):
    """Returns the operation of a request, by the template with the most fixed segments."""
    def fits(template):
        pairs = list(zip(template.split("/"), path.split("/"), strict=False))
        return template.count("/") == path.count("/") and all(one == other or one.startswith("{") for one, other in pairs)

    templates = sorted(filter(fits, document["paths"]), key=lambda template: template.count("{"))
    return next(document["paths"][one][method.lower()]["operationId"] for one in templates if method.lower() in document["paths"][one])


def send(method, path, body=None, is_valid=True, key=KEY, **headers):
    """Sends a request through Prism, and checks the response in both programs."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    form = {}
    if isinstance(body, dict) and "files" in body:
        form, body = body, None
    elif body is not None and not isinstance(body, bytes):
        headers.setdefault("Content-Type", JSON)
        body = json.dumps(body).encode()
    if key:
        headers["X-Api-Key"] = key
    response = session.request(method, PRISM + path, data=form.get("data", body), files=form.get("files"), headers=headers, timeout=30)
    operation = operation_of(method, path.partition("?")[0])
    where = f"{operation}: {response.status_code}"
    if response.ok:
        successes.add(operation)
    if is_valid and not response.ok and response.status_code != 304:
        sys.exit(f"{where} {response.text}")
    violations = json.loads(response.headers.get("sl-violations", "[]"))
    counts["Prism"] += 1
    for violation in violations:
        if violation["location"][0] == "response":
            found.append(f"Prism, {where}: {violation}")
        elif is_valid:
            of_requests.append(f"{operation} {headers.get('Content-Type', '')}: {violation['message']}")
    counts["openapi-core"] += 1
    try:
        checker.validate_response(RequestsOpenAPIRequest(response.request), RequestsOpenAPIResponse(response))
    except Exception as error:  # noqa: BLE001
        found.append(f"openapi-core, {where}: {error!r} {error.__cause__!r}")
    return response


def created(path, body):
    """Creates an entity. Returns its path and its properties."""
    response = send("POST", path, body)
    entity = response.json()["data"]
    return f"{path}/{entity['id']}", entity


def read_and_change(path, change, patches=(JSON, MERGE_PATCH)):
    """Reads an entity again with its tag, and changes it in each form."""
    tag = send("GET", path).headers.get("ETag")
    if tag:
        send("GET", path, If_None_Match=tag)
    for patch in patches:
        condition = {"If_Match": tag} if tag else {}
        tag = send("PATCH", path, change, Content_Type=patch, **condition).headers.get("ETag")
    return tag


def animals():
    animal, _ = created("/animals", {"name": "Ada", "species": "cat", "weight_kg": 4.2, "born_on": "2020-02-29"})
    created("/animals", {"name": "Bo", "species": "dog", "weight_kg": 12, "tags": ["a"]})
    read_and_change(animal, {"born_on": None})
    send("GET", "/animals?filter[species][in]=cat,dog&filter[weight_kg][gt]=4&order_by=-name&limit=1")
    send("DELETE", animal)
    owner = {"name": "Ada", "email": "ada@example.com", "address": {"street": "Way 1", "city": "Town", "zip": "10115"}}
    pet, _ = created("/pets", {"name": "Mia", "species": "cat", "weight_kg": 4.2, "owner": owner})
    read_and_change(pet, {"birth_date": None}, [JSON])
    for path in ("/pets?page=2&limit=3", "/pets/by-cursor?limit=2", "/pets/by-offset?offset=2", "/health", "/livez", "/readyz", "/metrics"):
        send("GET", path)
    send("POST", "/shelters", {"name": "North", "places": 3, "address": {"street": "Way 1", "city": "Town", "zip": "10115"}})
    send("DELETE", pet)


def contracts():
    customer, properties = created("/customers", {"name": "Ada", "email": "ada@example.com"})
    read_and_change(customer, {"contact": {"name": "Bob", "email": "bob@example.com"}})
    tag = send("GET", customer).headers["ETag"]
    send("PUT", customer, {"name": "Ada", "email": "ada@example.com", "contact": "+49 30 1234"}, If_Match=tag)
    address, _ = created(f"{customer}/addresses", {"usage": "invoices", "street": "Way 1", "city": "Town"})
    read_and_change(address, {"city": "Village"})
    contract, _ = created("/contracts", {"customer_id": properties["id"], "title": "Flat 7"})
    read_and_change(contract, {"title": "Flat 8"})
    invoice = {"number": "N-1", "due_on": "2026-12-31", "period": ["2026-11-01", "2026-11-30"], "lines": [{"text": "Rent", "quantity": 1, "cents": 90_000}]}
    path, _ = created(f"{contract}/invoices", invoice)
    tag = read_and_change(path, {"paid": True})
    batch = [invoice | {"number": f"N-{number}"} for number in (2, 3)]
    second, third = send("POST", f"{contract}/invoices/batch", {"data": batch}, Idempotency_Key="a").json()["data"]
    tags = {one["id"]: send("GET", f"{contract}/invoices/{one['id']}").headers["ETag"] for one in (second, third)}
    changes = [{"id": identifier, "if_match": tag, "changes": {"paid": True}} for identifier, tag in tags.items()]
    send("PATCH", f"{contract}/invoices/batch", {"data": changes})
    tags = {one["id"]: send("GET", f"{contract}/invoices/{one['id']}").headers["ETag"] for one in (second, third)}
    send("POST", f"{contract}/invoices/batch/delete", {"data": [{"id": identifier, "if_match": tag} for identifier, tag in tags.items()]})
    send("GET", f"/contracts?include=customer&filter[customer.name][contains]=ad&order_by=-customer.name&filter[customer_id]={properties['id']}")
    for listed in ("/customers", f"{customer}/addresses", f"{contract}/invoices?limit=1", "/report"):
        send("GET", listed)
    events = send("GET", "/events?limit=5").json()["data"]
    send("GET", f"/events/{events[0]['id']}")
    send("DELETE", path, If_Match=send("GET", path).headers["ETag"])
    send("DELETE", address, If_Match=send("GET", address).headers["ETag"])
    send("DELETE", contract, If_Match=send("GET", contract).headers["ETag"])
    other, _ = created("/customers", {"name": "Eve", "email": "eve@example.com"})
    send("DELETE", other, If_Match=send("GET", other).headers["ETag"])


def files():
    file = {"files": {"file": ("a.txt", b"hello", "text/plain")}, "data": {"title": "A letter"}}
    path, _ = created("/documents", file)
    send("GET", "/documents")
    send("GET", f"{path}/file")
    send("GET", f"{path}/file", Range="bytes=1-2")
    send("DELETE", path)


def tracker():
    organisation = send("GET", "/organisations").json()["data"][0]
    read_and_change(f"/organisations/{organisation['id']}", {"name": "North"})
    project, properties = created("/projects", {"key": "ABC", "name": "A project"})
    read_and_change(project, {"name": "The project"})
    send("PUT", project, {"key": "ABC", "name": "A project"}, If_Match=send("GET", project).headers["ETag"])
    ticket, _ = created("/tickets", {"project_id": properties["id"], "title": "A ticket", "labels": ["urgent"], "estimate": "1.50"})
    read_and_change(ticket, {"text": None, "labels": ["late"]})
    send("PATCH", ticket, [{"op": "replace", "path": "/title", "value": "Patched"}], Content_Type=JSON_PATCH)
    send("PUT", f"{ticket}/attachment", b"hello", Content_Type="text/plain")
    send("GET", f"{ticket}/attachment")
    send("GET", f"{ticket}/attachment", Range="bytes=1-2")
    send("PUT", f"{ticket}/attachment", b"again", Content_Type="text/plain")
    send("DELETE", f"{ticket}/attachment")
    comment, _ = created(f"{ticket}/comments", {"text": "Seen."})
    read_and_change(comment, {"text": "Repaired."})
    for path in ("/projects", "/tickets?include=comments,project&filter[state][in]=open,closed&order_by=-title", f"{ticket}/comments"):
        send("GET", path)
    for media_type in ("text/csv", "application/jsonl", "application/x-ndjson"):
        send("GET", "/tickets", Accept=media_type)
    send("POST", f"{ticket}/close")
    send("POST", f"{ticket}/reopen")
    batch = [{"project_id": properties["id"], "title": title} for title in "ab"]
    identifiers = [one["id"] for one in send("POST", "/tickets/batch", {"data": batch}).json()["data"]]
    send("PATCH", "/tickets/batch", {"data": [{"id": one, "changes": {"title": "c"}} for one in identifiers]})
    send("POST", "/tickets/batch/delete", {"data": [{"id": one} for one in identifiers]})
    send("DELETE", comment)
    send("DELETE", ticket)
    send("DELETE", project)


def wrong_requests():
    """Sends each operation in ways that a client gets wrong."""
    for template, item in document["paths"].items():
        path = template
        for parameter in ("id", "customer_id", "contract_id", "ticket_id"):
            path = path.replace(f"{{{parameter}}}", "1000000" if template.startswith("/pets") else str(uuid.UUID(int=7 << 76 | 2 << 62)))
        for method, operation in item.items():
            if method not in ("get", "post", "put", "patch", "delete") or operation["operationId"] in ENDLESS:
                continue
            bodies = operation.get("requestBody", {}).get("content", {})
            takes = {"Content_Type": next(iter(bodies))} if bodies else {}
            if "multipart/form-data" in bodies:
                takes = {"Content_Type": "multipart/form-data; boundary=a"}
            body = b"{}" if bodies else None
            send(method, path, body, False, **takes)
            send(method, path, body, False, None, **takes)
            send(method, path, body, False, "wrong.key", **takes)
            send(method, f"{path}?nothing=1&limit=0&page=x", body, False, **takes)
            send(method, path, body, False, If_Match='"wrong"', **takes)
            send(method, path, body, False, Accept="application/xml", **takes)
            if bodies:
                # Prism reads each body of JSON, so only bodies that are well-formed reach the example.
                send(method, path, b"[]", False, **takes)
                send(method, path, b"<a/>", False, Content_Type="application/xml")


{"animals": animals, "contracts": contracts, "files": files, "tracker": tracker}[EXAMPLE]()
wrong_requests()
operations = {operation["operationId"] for item in document["paths"].values() for operation in item.values() if isinstance(operation, dict)}
if missing := operations - successes - ENDLESS:
    found.append(f"no success of {', '.join(sorted(missing))}")
print(json.dumps({"counts": counts, "found": found, "requests": of_requests}))
