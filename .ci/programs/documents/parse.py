"""Parses all files of Kotlin and C# in folders, and prints those that are not valid: parse.py FOLDER.."""
import pathlib
import sys

import tree_sitter
import tree_sitter_c_sharp
import tree_sitter_kotlin

LANGUAGES = {".kt": tree_sitter_kotlin, ".cs": tree_sitter_c_sharp}
parsers = {suffix: tree_sitter.Parser(tree_sitter.Language(language.language())) for suffix, language in LANGUAGES.items()}
# The parsers find an error.
assert all(parser.parse(b"class {{").root_node.has_error for parser in parsers.values())
paths = [path for folder in sys.argv[1:] for path in pathlib.Path(folder).rglob("*") if path.suffix in parsers]
wrong = [path for path in paths if parsers[path.suffix].parse(path.read_bytes()).root_node.has_error]
print(len(paths), "files", *wrong)
sys.exit(1 if wrong or len(paths) < 500 else 0)
