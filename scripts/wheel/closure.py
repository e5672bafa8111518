# SPDX-License-Identifier: Apache-2.0
"""Makes an installed package stand by itself: brings the libraries that it needs of the system, under
names that no other library of a process has, and says what is left to be asked of the machine.
"""

import os
import re
import shutil
import subprocess

import contents
from elf import Elf

# What every Linux with a C++ program has; the wheel's tag says from which glibc on.
_OF_THE_MACHINE = re.compile(
    r"^(ld-linux-x86-64\.so\.2|linux-vdso\.so\.1|lib(c|m|dl|rt|util|resolv|pthread|stdc\+\+|gcc_s)\.so\.\d+)$")
# Loaded by worker processes alone, where nobody else's are.
_OF_WORKERS = re.compile(r"^lib(torch_cpu|c10|gomp|cudart|cupti)\b")


def files_in(folder):
    """All ELF files below a folder."""
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sorted(path for path in paths if not os.path.islink(path) and Elf.is_one(path))


def _found_by_loader(path):
    """{name: file} of all that the loader would load for it."""
    if not Elf(path).needed:  # Linked statically.
        return {}
    told = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    lost = re.findall(r"^\s*(\S+) => not found", told, re.MULTILINE)
    if lost:
        raise SystemExit(f"wheel: {path} needs {', '.join(lost)}, which this machine does not have")
    return dict(re.findall(r"^\s*(\S+) => (\S+)", told, re.MULTILINE))


def bring(prefix):
    """Copies into PREFIX/lib/protium what the files of PREFIX need and is not there.

    Gives the files that were copied.
    """
    target, brought = os.path.join(prefix, "lib", "protium"), set()
    for path in files_in(prefix):
        for name, file in _found_by_loader(path).items():
            inside = os.path.realpath(file).startswith(os.path.realpath(prefix) + os.sep)
            place = os.path.join(target, name)
            if inside or _OF_THE_MACHINE.match(name) or os.path.exists(place):
                continue
            shutil.copyfile(os.path.realpath(file), place)
            os.chmod(place, 0o755)
            brought.add(os.path.realpath(file))
    return brought


def set_apart(prefix):
    """Gives the libraries in PREFIX/lib/protium names of their own: "libarrow" becomes "pt_arrow"."""
    folder = os.path.join(prefix, "lib", "protium")
    names = {name: "pt_" + name[3:] for name in os.listdir(folder)
             if name.startswith("lib") and ".so" in name and not _OF_WORKERS.match(name)}
    for path in files_in(prefix):
        elf = Elf(path)
        elf.rename(names)
        elf.pass_on_run_path()
        elf.bind_weakly()
        elf.save()
    for old, new in names.items():
        os.rename(os.path.join(folder, old), os.path.join(folder, new))


def strip(prefix):
    """Takes out what only debuggers and linkers read."""
    for path in files_in(prefix):
        os.chmod(path, 0o755)
        subprocess.run(["strip", "--strip-unneeded", path], check=True)


def check(prefix):
    """Every name that is asked for is inside or of the machine's."""
    files = [Elf(path) for path in files_in(prefix)]
    there = {os.path.basename(elf.path) for elf in files}
    for elf in files:
        for name in elf.needed:
            if name not in there and not _OF_THE_MACHINE.match(name):
                raise SystemExit(f"wheel: {elf.path} needs {name}, which is not inside")


def stand_alone(prefix):
    """All of the above: afterwards PREFIX runs wherever it is moved."""
    contents.record(prefix, bring(prefix))
    strip(prefix)
    set_apart(prefix)
    check(prefix)


def least(prefix, what):
    """The newest version of `what` ("GLIBC", "GLIBCXX") that a file asks for: (2, 36)."""
    pattern = re.compile(rf"^{what}_(\d+(?:\.\d+)+)$")
    found = [tuple(int(part) for part in match.group(1).split("."))
             for path in files_in(prefix) for match in map(pattern.match, Elf(path).versions) if match]
    return max(found)
