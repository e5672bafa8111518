# SPDX-License-Identifier: Apache-2.0
"""Makes an installed package stand by itself: brings the libraries that it needs of the system, under
names that no other library of a process has, and says what is left to be asked of the machine.
"""

import os
import re
import shutil
import subprocess

import contents
from elf import Elf, number

# What every Linux with glibc has.
_OF_THE_MACHINE = re.compile(
    r"^(ld-linux-x86-64\.so\.2|linux-vdso\.so\.1|lib(c|m|dl|rt|util|resolv|pthread|gcc_s)\.so\.\d+)$")
# The oldest glibc that a package runs on: exp(), log() and pow() of older ones give other bits, and Arrow,
# LibTorch and DuckDB as they are downloaded need this one.
_OLDEST_GLIBC = (2, 28)
# Functions that glibc 2.28 has, too, under another version or in libpthread, libdl or libm.
_MOVED = re.compile(
    r"^(exp|log|log2|pow|dladdr|dlclose|dlerror|dlopen|dlsym|__libc_start_main|call_once|(cnd|mtx|thrd)_\w+"
    r"|pthread_(attr_setstacksize|condattr_setclock|create|detach|getspecific|join|key_(create|delete)|kill"
    r"|mutex_(timed|try)lock|mutexattr_(destroy|init|settype)|once"
    r"|rwlock_(destroy|init|rdlock|unlock|wrlock)|setname_np|setspecific|sigmask))$")
# Loaded by worker processes alone, where nobody else's are.
_OF_WORKERS = re.compile(r"^lib(torch_cpu|c10|gomp|cudart|cupti)\b")
# DuckDB loads them only as they were signed; their C++ library is the machine's.
_SIGNED = ".duckdb_extension"


def files_in(folder):
    """All ELF files below a folder that may be changed."""
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
    return sorted(path for path in paths
                  if not os.path.islink(path) and not path.endswith(_SIGNED) and Elf.is_one(path))


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


def _constructors(path):
    """How many functions a program wants called before its main."""
    told = subprocess.run(["readelf", "-W", "-S", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\.init_array\s+INIT_ARRAY\s+\S+\s+\S+\s+([0-9a-f]+)", told)
    return int(found.group(1), 16) // 8 if found else 0


def let_go_of_newer_glibc(prefix):
    """Makes everything run on glibc 2.28, with what that lacks in libprotium_older_glibc.so."""
    there = Elf(os.path.join(prefix, "lib", "libprotium_older_glibc.so")).defined()
    for path in files_in(prefix):
        elf = Elf(path)
        for name, version in sorted(elf.let_go_of(_OLDEST_GLIBC).items()):
            if name not in there and not _MOVED.match(name):
                raise SystemExit(f"wheel: {path} needs {name} of {version}, which older_glibc/functions.c lacks")
            # Before 2.34 glibc calls what the program's own start code tells it, which is newer here and
            # tells nothing; compilers leave one that does nothing.
            if name == "__libc_start_main" and _constructors(path) > 1:
                raise SystemExit(f"wheel: {path} has constructors, which glibc before 2.34 would not call")
        elf.save()


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
    let_go_of_newer_glibc(prefix)
    check(prefix)


def least_glibc(prefix):
    """The newest version of glibc that a file asks for: (2, 28)."""
    return max(number(version) for path in files_in(prefix) for version in Elf(path).versions)
