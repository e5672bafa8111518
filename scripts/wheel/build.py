# SPDX-License-Identifier: Apache-2.0
"""build.py PREFIX OUT: makes a wheel of the Python package and of what is installed below PREFIX,
which it changes: bin/, lib/ and share/ of it go in. Man pages go where `man` looks for those of an
environment's commands, beside its bin/.
"""

import base64
import hashlib
import os
import re
import sys
import zipfile

import closure

_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.dirname(os.path.dirname(_HERE))
_PACKAGE = os.path.join(_ROOT, "python", "protium")

_METADATA = """Metadata-Version: 2.1
Name: protium
Version: {version}
Summary: From raw tables to a trained model and scored tables, in one job
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Description-Content-Type: text/markdown

Protium for Python: tables, SQL, pipelines and nets, with the command `protium`. Needs Linux on x86_64
with glibc {glibc} or newer, as RHEL 8, Debian 10 and Ubuntu 20.04 have it, and no package; frames of
pandas, Polars, pyarrow, DuckDB and NumPy come in and go out where these are installed. LibTorch
is inside and is loaded by worker processes alone.
"""


def _version():
    with open(os.path.join(_PACKAGE, "__init__.py")) as file:
        return re.search(r'^__version__ = "(.*)"', file.read(), re.MULTILINE).group(1)


def _data():
    """The folder of a wheel for what is installed below the environment's own."""
    return f"protium-{_version()}.data/data"


def _members(prefix):
    """(name in the wheel, file), sorted."""
    pairs = []
    for folder, inside in ((_PACKAGE, "protium"), (prefix, "protium/_native")):
        for at, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in ("__pycache__", "_native")]
            for name in names:
                path = os.path.join(at, name)
                name = os.path.relpath(path, folder)
                at_root = folder == prefix and name.startswith("share/man/")
                pairs.append((os.path.join(_data() if at_root else inside, name), path))
    return sorted(pairs)


class _Wheel:
    """A zip that keeps the hashes of what goes in. The same files give the same bytes."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._record = []

    def add(self, name, content, executable=False):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self._zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, info):
        name = info + "/RECORD"
        self._record.append(f"{name},,")
        self._zip.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), "\n".join(self._record) + "\n")
        self._zip.close()


def _dotted(version):
    return ".".join(str(part) for part in version)


def _write(prefix, out, tag, glibc):
    version = _version()
    info = f"protium-{version}.dist-info"
    path = os.path.join(out, f"protium-{version}-{tag}.whl")
    wheel = _Wheel(path + ".partial")
    for name, file in _members(prefix):
        with open(file, "rb") as opened:
            wheel.add(name, opened.read(), os.access(file, os.X_OK) and not name.endswith(".py"))
    said = _METADATA.format(version=version, glibc=_dotted(glibc))
    wheel.add(info + "/METADATA", said.encode())
    wheel.add(info + "/WHEEL", f"Wheel-Version: 1.0\nGenerator: protium\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(info + "/entry_points.txt", b"[console_scripts]\nprotium = protium.__main__:main\n")
    for name in ("LICENSE", "NOTICE"):
        with open(os.path.join(_ROOT, name), "rb") as file:
            wheel.add(f"{info}/{name}", file.read())
    wheel.close(info)
    os.rename(path + ".partial", path)
    return path


def main():
    prefix, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    closure.stand_alone(prefix)
    glibc = closure.least_glibc(prefix)
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_x86_64"
    path = _write(prefix, out, tag, glibc)
    print(f"{path}  {os.path.getsize(path) / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
