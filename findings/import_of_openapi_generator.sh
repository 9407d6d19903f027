#!/usr/bin/env bash
# openapi-generator 7.26.0 (openapi-generator-cli, PyPI): clients of Rust, Kotlin and C# send a body of CSV or JSON lines as a JSON string.
#
# Expected: a body whose media types are `application/jsonl`, `application/x-ndjson` and `text/csv`, each with a string as schema, is sent as it is, with one of
# these media types. The clients of Java and PHP do so.
# Behaviour: the Rust client calls `json(&body)`, so it sends a JSON string as `application/json`. The C# client sends `JsonSerializer.Serialize(body)` with
# one of the media types. The Kotlin client writes JSON for each media type that ends with `json`, and chooses `application/x-ndjson`.
# Source: https://pypi.org/project/openapi-generator-cli/7.26.0/, the templates `rust/reqwest/api.mustache`,
# `csharp/libraries/generichost/api.mustache` and `kotlin-client/libraries/jvm-okhttp/infrastructure/ApiClient.kt.mustache`.
# Output seen on 2026-11-30:
#   rust: req_builder.json(&p_body_body)
#   csharp: new StringContent(JsonSerializer.Serialize(body, _jsonSerializerOptions))
#   kotlin: localVariableHeaders["Content-Type"] = "application/x-ndjson"
#   java: HttpRequest.BodyPublishers.ofString(body)
#   php: $httpBody = $body;
#
# Fails if this changes. Needs Java 11 or newer.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openapi-generator-cli==7.26.0
cat >openapi.json <<'JSON'
{
    "openapi": "3.1.0",
    "info": { "title": "Pets", "version": "1" },
    "paths": { "/pets": { "post": {
        "operationId": "importPets",
        "requestBody": { "required": true, "content": {
            "application/jsonl": { "schema": { "type": "string" } },
            "application/x-ndjson": { "schema": { "type": "string", "format": "binary" } },
            "text/csv": { "schema": { "type": "string" } }
        } },
        "responses": { "204": { "description": "Imported." } }
    } } }
}
JSON
expect() { # expect generator file line [option..]
    local generator=$1 file=$2 line=$3
    shift 3
    venv/bin/openapi-generator-cli generate --generator-name "$generator" --input-spec openapi.json --output "$generator" "$@" >"$generator.log" 2>&1
    grep -qF "$line" "$generator/$file" || { echo "$generator: $file lacks $line"; exit 1; }
    echo "$generator: $line"
}
expect rust src/apis/default_api.rs 'req_builder.json(&p_body_body)'
expect csharp src/Org.OpenAPITools/Api/DefaultApi.cs 'new StringContent(JsonSerializer.Serialize(body, _jsonSerializerOptions))'
expect kotlin src/main/kotlin/org/openapitools/client/apis/DefaultApi.kt 'localVariableHeaders["Content-Type"] = "application/x-ndjson"'
expect java src/main/java/org/openapitools/client/api/DefaultApi.java 'HttpRequest.BodyPublishers.ofString(body)' --library native
expect php lib/Api/DefaultApi.php '$httpBody = $body;'
