#!/usr/bin/env bash
# Generates a Python client of the served document, and sends the form through it. The output is like the output of the other programs.
set -euo pipefail
cd "$(dirname "$0")"

export PYTHONPATH=$PWD/generator PATH=$PWD/generator/bin:$PATH
rm -rf generated
openapi-python-client generate --path openapi.json --meta none --output-path generated --fail-on-warning >&2
python3 senders_generated.py
