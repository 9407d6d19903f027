"""Sends a form through the client that openapi-python-client generated."""
import datetime
import io
import os

from generated import Client
from generated.api.default import send_parts
from generated.models import Address, Form, FormLabels, Kind, Line, PaymentCard
from generated.types import File

labels = FormLabels()
labels["x"], labels["y z"] = 1, 2
form = Form(
    text='Zoë "7"\r\n{x} & y=z+1%',
    json_text='{"a":1}',
    empty_text="",
    integer=42,
    number=1.5,
    # The client writes it like Python, as `True`.
    flag=True,
    kind=Kind("second"),
    day=datetime.date(2024, 2, 29),
    at="2024-07-18T11:00",
    start="12:30",
    instant=datetime.datetime(2024, 7, 18, 11, tzinfo=datetime.timezone.utc),
    tags=["a", '["b"]'],
    numbers=[1, 2],
    # The client leaves out an empty list.
    empty_list=[""],
    pair=[1, "x"],
    address=Address("Zürich", 8000),
    lines=[Line("a", 1), Line("b", 2)],
    labels=labels,
    payment=PaymentCard("7"),
    file=File(io.BytesIO(b"\x89PNG\r\n--\r\n\x00"), 'ä "7".png', "image/png"),
    files=[File(io.BytesIO(b'{"a":1}'), "a.json", "application/json"), File(io.BytesIO(b""), "b.txt", "text/plain")],
)
response = send_parts.sync_detailed(client=Client(os.environ["API_URL"]), body=form)
print("openapi-python-client", response.content.decode(), sep="\t")
