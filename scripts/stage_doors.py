# SPDX-License-Identifier: Apache-2.0
"""Writes include/protium/stages/*.h, the constructors of stages, and python/protium/stages.json, which
stages.py makes its own of, from docs/reference/job.schema.json.

With --check it writes nothing and fails where they are stale.
"""

import json
import re
import subprocess
import sys
import textwrap

import source_text

_FOLDER = "include/protium/stages"
# The kinds that stages/options.h has typed itself, and that which programs write as JSON: its members are of any kind.
_TYPED = {"string_indexer", "imputer", "standard_scaler", "torch_estimator", "tree_estimator", "average"}
# {header: (what it holds, the last kind in it)}, in the order of the catalogue.
_HEADERS = {
    "categories": ("of categories", "id"),
    "numbers": ("of numbers", "polynomial_expansion"),
    "rows": ("of vectors, dates and earlier rows", "expanding"),
    "others": ("of words, images, nets and SQL", "sql_transformer"),
}
_PLAIN = {"integer": "int64_t", "number": "double", "boolean": "bool", "string": "std::string"}


def type_of(name, schema):
    if name in ("id", "inputs", "outputs"):
        return {"id": "std::string", "inputs": "Inputs", "outputs": "Columns"}[name]
    if "enum" in schema:
        return "std::optional<std::string>"
    if schema.get("type") != "array":
        return f"std::optional<{_PLAIN[schema['type']]}>"
    items = schema["items"]
    item = "std::string" if "enum" in items else "VectorColumn" if items["type"] == "object" else _PLAIN[items["type"]]
    return f"std::optional<std::vector<{item}>>"


def comment(text, indent=""):
    return textwrap.wrap(text, 100, initial_indent=indent + "// ", subsequent_indent=indent + "// ",
                         break_on_hyphens=False)


def comment_of(schema):
    choices = "; one of " + ", ".join(schema["enum"]) if "enum" in schema else ""
    return comment(schema["description"] + choices, "  ")


def constructor(kind, schema):
    name = "".join(word.capitalize() for word in kind.split("_"))
    fields = [field for field in schema["allOf"][0]["properties"].items() if field[0] != "kind"]
    lines = comment(f"{kind}: {schema['description']}") + [f"struct {name}Options {{"]
    for field, own in fields:
        if field not in ("id", "inputs", "outputs"):
            lines += comment_of(own)
        lines.append(f"  {type_of(field, own)} {field};")
    lines += ["  template <class Visit>", "  void Fields(Visit& visit) {"]
    lines += [f'    visit("{field}", {field});' for field, _ in fields]
    lines += ["  }", "};", f"inline StageOptions {name}(const {name}Options& options) {{",
              f'  return {{"{kind}", options}};', "}", ""]
    return lines


def stages_in_schema():
    return json.loads(source_text.read("docs/reference/job.schema.json"))["definitions"]["stages"]["anyOf"]


def meaning(schema):
    choices = "; one of " + ", ".join(schema["enum"]) if "enum" in schema else ""
    return schema.get("description", "") + choices


# {kind: what it does and its options}, as Python's constructors show them.
def for_python():
    kinds = {}
    for stage in stages_in_schema():
        fields = stage["allOf"][0]["properties"]
        kinds[fields["kind"]["const"]] = {
            "says": stage["description"],
            "options": {name: meaning(own) for name, own in fields.items() if name != "kind"}}
    return {"python/protium/stages.json": json.dumps(kinds, indent=1, ensure_ascii=False) + "\n"}


def headers():
    stages = stages_in_schema()
    written, names = {}, iter(_HEADERS.items())
    name, (holds, last) = next(names)
    lines = []
    for stage in stages:
        kind = stage["allOf"][0]["properties"]["kind"]["const"]
        if kind not in _TYPED:
            lines += constructor(kind, stage)
        if kind == last:
            written[name] = opening(holds) + lines + ["}  // namespace protium", ""]
            lines = []
            name, (holds, last) = next(names, (None, (None, None)))
    return {f"{_FOLDER}/{name}.h": formatted("\n".join(lines)) for name, lines in written.items()}


def opening(holds):
    return ["// SPDX-License-Identifier: Apache-2.0",
            f"// Constructors of stages {holds}.",
            "// Written by scripts/stage_doors.py. What is not set has the default of docs/reference/stages.md;",
            "// `id`, `inputs` and `outputs` are as those of ImputerOptions. Implemented by the room stages.",
            "#pragma once", "", "#include <cstdint>", "#include <optional>", "#include <string>",
            "#include <vector>", "", '#include "protium/pipeline.h"', "", "namespace protium {", ""]


def formatted(text):
    return subprocess.run(["clang-format", "--assume-filename", f"{_FOLDER}/x.h"], input=text, check=True,
                          capture_output=True, text=True).stdout


def main():
    check = "--check" in sys.argv
    stale = []
    for path, text in {**headers(), **for_python()}.items():
        try:
            same = source_text.read(path) == text
        except FileNotFoundError:
            same = False
        if same:
            continue
        stale.append(path)
        if not check:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)
    if check and stale:
        sys.exit("\n".join(f"{path} is stale: python3 scripts/stage_doors.py" for path in stale))


main()
