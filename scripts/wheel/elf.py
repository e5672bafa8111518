# SPDX-License-Identifier: Apache-2.0
"""What a 64-bit little-endian ELF file needs, and changes to it that keep every offset in place.

1. Names change only for others of the same length, so the table of strings stays as it is.
2. DT_RUNPATH becomes DT_RPATH, which holds for the libraries of libraries as well.
3. Symbols bound STB_GNU_UNIQUE become weak: the loader makes those one for the whole process, also
   across libraries that were loaded apart, such as two versions of Arrow.
4. A symbol that asks for a newer version of glibc than a package may need asks for none any more, so
   that the loader looks for it by its name in all libraries of the process.
"""

import struct

_NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29
_VERSYM, _VERDEF, _VERNEED, _VERNEEDNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE, 0x6FFFFFFF
_DYNSYM, _DYNAMIC_SEGMENT, _LOAD_SEGMENT = 11, 2, 1
_WEAK, _UNIQUE = 2, 10
_UNDEFINED = 0  # The section of a symbol that another file has,
_ANY_VERSION = 1  # and its version, if any will do.
_NOTHING = 0x60000010  # A tag that no loader knows.


def number(version):
    """(2, 34) for "GLIBC_2.34"; () for what is no version of glibc."""
    parts = version.removeprefix("GLIBC_").split(".")
    is_one = version.startswith("GLIBC_") and all(part.isdigit() for part in parts)
    return tuple(map(int, parts)) if is_one else ()


class Elf:
    """A file in memory; save() writes it back."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no ELF file of 64 bits")
        self._read_segments()

    @staticmethod
    def is_one(path):
        with open(path, "rb") as file:
            return file.read(6) == b"\x7fELF\x02\x01"

    def _read_segments(self):
        at, = struct.unpack_from("<Q", self.bytes, 32)
        size, count = struct.unpack_from("<HH", self.bytes, 54)
        self._loads, self.dynamic = [], []
        for i in range(count):
            kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", self.bytes, at + i * size)
            if kind == _LOAD_SEGMENT:
                self._loads.append((address, offset, length))
            if kind == _DYNAMIC_SEGMENT:
                self._read_dynamic(offset, length)
        self._strings = self._offset(self._value(_STRTAB)) if self.dynamic else 0

    def _read_dynamic(self, offset, length):
        for at in range(offset, offset + length, 16):
            tag, value = struct.unpack_from("<QQ", self.bytes, at)
            if tag == 0:
                return
            self.dynamic.append((at, tag, value))

    def _value(self, wanted):
        return next((value for _, tag, value in self.dynamic if tag == wanted), 0)

    def _offset(self, address):
        for start, offset, length in self._loads:
            if start <= address < start + length:
                return offset + address - start
        raise ValueError(f"{self.path}: the address {address:#x} is in no segment")

    def _text(self, offset):
        start = self._strings + offset
        return self.bytes[start:self.bytes.index(0, start)].decode()

    @property
    def needed(self):
        return [self._text(value) for _, tag, value in self.dynamic if tag == _NEEDED]

    @property
    def soname(self):
        return next((self._text(value) for _, tag, value in self.dynamic if tag == _SONAME), "")

    def _version_records(self):
        """(offset, offset of a library's name, [offset of an entry for a version that is needed of it])."""
        if not self._value(_VERNEED):
            return
        at = self._offset(self._value(_VERNEED))
        for _ in range(self._value(_VERNEEDNUM)):
            _, count, file, first, following = struct.unpack_from("<HHIII", self.bytes, at)
            entries, own = [], at + first
            for _ in range(count):
                entries.append(own)
                own += struct.unpack_from("<I", self.bytes, own + 12)[0]
            yield at, file, entries
            at += following

    def _version_at(self, entry):
        """(index that symbols have it by, name)."""
        index, name = struct.unpack_from("<HI", self.bytes, entry + 6)
        return index, self._text(name)

    @property
    def versions(self):
        """All versions of symbols that are needed, such as "GLIBC_2.34"."""
        return [self._version_at(entry)[1] for _, _, entries in self._version_records() for entry in entries]

    def rename(self, names):
        """Changes what the file calls itself and what it asks for, by a dict of names."""
        spots = {value for _, tag, value in self.dynamic if tag in (_NEEDED, _SONAME)}
        spots |= {file for _, file, _ in self._version_records()}
        for spot in spots:
            name = self._text(spot)
            if name not in names:
                continue
            new = names[name].encode()
            if len(new) != len(name):
                raise ValueError(f"{name} and {names[name]} differ in length")
            self.bytes[self._strings + spot:self._strings + spot + len(new)] = new

    def pass_on_run_path(self):
        for at, tag, _ in self.dynamic:
            if tag == _RUNPATH:
                struct.pack_into("<Q", self.bytes, at, _RPATH)

    def _symbols(self):
        """(number, offset) of each symbol that the loader knows."""
        at, = struct.unpack_from("<Q", self.bytes, 40)
        size, count = struct.unpack_from("<HH", self.bytes, 58)
        for i in range(count):
            _, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", self.bytes, at + i * size)
            if kind == _DYNSYM:
                yield from enumerate(range(offset, offset + length, 24))

    def bind_weakly(self):
        """How many symbols were unique in the process."""
        found = 0
        for _, symbol in self._symbols():
            info = self.bytes[symbol + 4]
            if info >> 4 == _UNIQUE:
                self.bytes[symbol + 4] = _WEAK << 4 | info & 15
                found += 1
        return found

    def defined(self):
        """Names of the symbols that it has for others."""
        names = set()
        for _, symbol in self._symbols():
            name, _, _, section = struct.unpack_from("<IBBH", self.bytes, symbol)
            if section != _UNDEFINED:
                names.add(self._text(name))
        return names

    def _set(self, wanted, value, tag=None):
        """Another value for an entry of the dynamic section, and another tag if one is given."""
        for at, known, _ in self.dynamic:
            if known == wanted:
                struct.pack_into("<QQ", self.bytes, at, known if tag is None else tag, value)

    def _keep_versions(self, is_kept):
        """Leaves out of what is needed the versions for which `is_kept` is false: {index: name}."""
        left_out, records = {}, []
        for at, _, entries in self._version_records():
            kept = []
            for entry in entries:
                index, name = self._version_at(entry)
                if is_kept(name):
                    kept.append(entry)
                else:
                    left_out[index] = name
            for entry, following in zip(kept, kept[1:] + kept[-1:]):
                struct.pack_into("<I", self.bytes, entry + 12, following - entry)
            if kept:
                struct.pack_into("<H", self.bytes, at + 2, len(kept))
                struct.pack_into("<I", self.bytes, at + 8, kept[0] - at)
                records.append(at)
        for at, following in zip(records, records[1:] + records[-1:]):
            struct.pack_into("<I", self.bytes, at + 12, following - at)
        if left_out:
            self._begin_versions_with(records)
        return left_out

    def _begin_versions_with(self, records):
        """Of which there may be none; the loader then looks for no versions at all."""
        first = self._value(_VERNEED)
        if records:
            self._set(_VERNEED, first + records[0] - self._offset(first))
            self._set(_VERNEEDNUM, len(records))
        else:
            for tag in (_VERNEED, _VERNEEDNUM) if self._value(_VERDEF) else (_VERNEED, _VERNEEDNUM, _VERSYM):
                self._set(tag, 0, _NOTHING)
        self._read_segments()

    def let_go_of(self, newest):
        """Lets symbols of glibc that ask for a version after `newest`, such as (2, 28), take any:
        {name: version}. The machine's loader then takes glibc's oldest or its only one.
        """
        versions, names = self._value(_VERSYM), {}
        freed = self._keep_versions(lambda name: number(name) <= newest)
        versions = self._offset(versions) if freed else 0
        for i, symbol in self._symbols() if freed else ():
            index, = struct.unpack_from("<H", self.bytes, versions + 2 * i)
            if index in freed:
                struct.pack_into("<H", self.bytes, versions + 2 * i, _ANY_VERSION)
                name, = struct.unpack_from("<I", self.bytes, symbol)
                names[self._text(name)] = freed[index]
        return names

    def save(self):
        with open(self.path, "wb") as file:
            file.write(self.bytes)
