"""Talks to examples/files through PyPI's websockets."""
import asyncio
import json
import os

import websockets
from websockets.asyncio.client import connect

URL = os.environ["API_URL"].replace("http", "ws") + "/discussion"


async def refused(origin):
    try:
        async with connect(URL, origin=origin):
            return None
    except websockets.exceptions.InvalidStatus as error:
        return error.response.status_code


async def closed(message):
    async with connect(URL) as socket:
        await socket.send(message)
        await socket.wait_closed()
        return socket.close_code, socket.close_reason


async def main():
    # The client offers compression, which the server does not accept.
    async with connect(URL) as ann, connect(URL) as bo:
        for number, text in enumerate(["Hello", "κόσμε", "x" * 500]):
            await (ann if number % 2 else bo).send(json.dumps({"text": text}))
            for socket in (ann, bo):
                assert json.loads(await socket.recv())["text"] == text
        # A message in three frames, and a ping with its pong.
        await ann.send(['{"text":', '"in ', 'parts"}'])
        assert json.loads(await bo.recv())["text"] == "in parts"
        await asyncio.wait_for(await bo.ping(b"data"), 10)
        await ann.close(4321, "bye")
        assert ann.close_code == 4321, ann.close_code

    assert await closed('{"text": ""}') == (1007, "/text: must have at least 1 character")
    assert await closed("no JSON") == (1007, "the message is not JSON (line 1, column 2)")
    assert await closed(b"binary") == (1003, "the message must be text")
    assert (await closed('{"text": "' + "x" * 1_100_000))[0] == 1009
    assert await refused("https://evil.example") == 403
    assert await refused(os.environ["API_URL"]) is None
    print("websockets", websockets.__version__)


# A message that never arrives fails the run.
asyncio.run(asyncio.wait_for(main(), 60))
