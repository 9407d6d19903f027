#!/usr/bin/env bash
# Sends a form with curl in several ways. Each line of the output is the name of the way, a tab, and the body of the response.
set -euo pipefail

url=$API_URL/forms
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '\x89PNG\r\n--\r\n\x00' >"$folder/png"
printf '{"a":1}' >"$folder/json"
: >"$folder/empty"
text=$'Zoë "7"\r\n{x} & y=z+1%'
texts=('json_text={"a":1}' empty_text= integer=42 number=1.5 flag=on kind=second day=2024-02-29 at=2024-07-18T11:00 start=12:30
    instant=2024-07-18T11:00:00Z nothing= tags=a 'tags=["b"]' 'numbers[]=1' 'numbers[]=2' empty_list= 'pair[0]=1' 'pair[1]=x')
address='address={"city":"Zürich","zip":8000}'
lines=('lines={"article":"a","count":1}' 'lines={"article":"b","count":2}')
list='lines=[{"article":"a","count":1},{"article":"b","count":2}]'
others=('labels={"x":1,"y z":2}' 'payment={"card":"7"}')
brackets=('address[city]=Zürich' 'address[zip]=8000' 'lines[0][article]=a' 'lines[0][count]=1' 'lines[1][article]=b'
    'lines[1][count]=2' 'labels[x]=1' 'labels[y z]=2' 'payment[card]=7')
files=(-F "file=@\"$folder/png\";filename=\"ä \\\"7\\\".png\";type=image/png" -F "files=@$folder/json;filename=a.json;type=application/json"
    -F "files=@$folder/empty;filename=b.txt;type=text/plain")

show() { # show way arguments..
    printf '%s\t%s\n' "$1" "$(curl --silent --show-error "${@:2}" "$url")"
}

parts() { # parts media_type field.. : sets `arguments`
    local field
    arguments=(--form-string "text=$text")
    for field in "${texts[@]}"; do arguments+=(--form-string "$field"); done
    for field in "${@:2}"; do arguments+=(-F "${field%%=*}=\"$(sed 's/[\\"]/\\&/g' <<<"${field#*=}")\"$1"); done
    arguments+=("${files[@]}")
}

parts ';type=application/json' "$address" "${lines[@]}" "${others[@]}"
show "curl, a part for each item" "${arguments[@]}"
parts ';type=application/json' "$address" "$list" "${others[@]}"
show "curl, one part" "${arguments[@]}"
parts '' "$address" "$list" "${others[@]}"
show "curl, text parts" "${arguments[@]}"
parts '' "${brackets[@]}"
show "curl, brackets" "${arguments[@]}"
arguments=(--data-urlencode "text=$text")
for field in "${texts[@]}" "$address" "${lines[@]}" "${others[@]}"; do arguments+=(--data-urlencode "$field"); done
show "urlencoded curl, JSON" "${arguments[@]}"
