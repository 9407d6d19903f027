"""Prints the tools that fastmcp makes of documents, and their parameters: tools.py DOCUMENT.. DOCUMENT_OF_3_2"""
import asyncio
import json
import logging
import pathlib
import sys

import httpx2
from fastmcp import FastMCP

logging.disable(logging.CRITICAL)


async def tools_of(path):
    server = FastMCP.from_openapi(json.loads(pathlib.Path(path).read_text()), client=httpx2.AsyncClient(base_url="http://127.0.0.1"))
    tools = await server.list_tools()
    parameters = [(tool.name, name) for tool in tools for name in tool.parameters.get("properties", {})]
    return {"tools": len(tools), "parameters": parameters}


*paths, newest = sys.argv[1:]
found = {pathlib.Path(path).parent.name: asyncio.run(tools_of(path)) for path in paths}
try:
    found["3.2"] = asyncio.run(tools_of(newest))
except Exception as error:  # noqa: BLE001
    found["3.2"] = {"error": str(error)}
print(json.dumps(found))
