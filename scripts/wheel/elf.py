# SPDX-License-Identifier: Apache-2.0
"""What a 64-bit little-endian ELF file needs, and changes to it that keep every offset in place.

1. Names change only for others of the same length, so the table of strings stays as it is.
2. DT_RUNPATH becomes DT_RPATH, which holds for the libraries of libraries as well.
3. Symbols bound STB_GNU_UNIQUE become weak: the loader makes those one for the whole process, also
   across libraries that were loaded apart, such as two versions of Arrow.
"""

import struct

_NEEDED, _STRTAB, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29
_VERNEED, _VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
_DYNSYM, _DYNAMIC_SEGMENT, _LOAD_SEGMENT = 11, 2, 1
_WEAK, _UNIQUE = 2, 10


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

    def _version_needs(self):
        """(offset of a library's name, names of the versions that are needed of it)."""
        if not self._value(_VERNEED):
            return
        at = self._offset(self._value(_VERNEED))
        for _ in range(self._value(_VERNEEDNUM)):
            _, count, file, first, following = struct.unpack_from("<HHIII", self.bytes, at)
            versions, own = [], at + first
            for _ in range(count):
                _, _, _, name, beyond = struct.unpack_from("<IHHII", self.bytes, own)
                versions.append(self._text(name))
                own += beyond
            yield file, versions
            at += following

    @property
    def versions(self):
        """All versions of symbols that are needed, such as "GLIBC_2.34"."""
        return [version for _, versions in self._version_needs() for version in versions]

    def rename(self, names):
        """Changes what the file calls itself and what it asks for, by a dict of names."""
        spots = {value for _, tag, value in self.dynamic if tag in (_NEEDED, _SONAME)}
        spots |= {file for file, _ in self._version_needs()}
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

    def bind_weakly(self):
        """How many symbols were unique in the process."""
        found = 0
        at, = struct.unpack_from("<Q", self.bytes, 40)
        size, count = struct.unpack_from("<HH", self.bytes, 58)
        for i in range(count):
            _, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", self.bytes, at + i * size)
            if kind != _DYNSYM:
                continue
            for symbol in range(offset, offset + length, 24):
                info = self.bytes[symbol + 4]
                if info >> 4 == _UNIQUE:
                    self.bytes[symbol + 4] = _WEAK << 4 | info & 15
                    found += 1
        return found

    def save(self):
        with open(self.path, "wb") as file:
            file.write(self.bytes)
