// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "os/fd.h"
#include "spark/ship/closure.h"

// Reads only program headers: PT_INTERP names the loader, PT_GNU_PROPERTY points to the note with
// the processor's features. Offsets and lengths come from the file and are bounded before use.

namespace protium {
namespace {

constexpr size_t kMaxHeaders = 64, kMaxText = 4096;

// Reads up to `cap` of the `bytes` at `offset`.
std::string ReadPart(int fd, uint64_t offset, uint64_t bytes, size_t cap = kMaxText) {
  std::string part(std::min<uint64_t>(bytes, cap), '\0');
  const ssize_t got = ::pread(fd, part.data(), part.size(), static_cast<off_t>(offset));
  part.resize(got > 0 ? got : 0);
  return part;
}

template <class T>
bool At(const std::string& bytes, size_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

// Reads the x86 psABI's property list: (type, size, content), each padded to 8 bytes, after the
// note's header and its name "GNU\0".
uint32_t IsaNeeded(const std::string& note) {
  Elf64_Nhdr header;
  if (!At(note, 0, header) || header.n_type != NT_GNU_PROPERTY_TYPE_0) return 0;
  for (size_t at = sizeof header + 4; at < note.size();) {
    uint32_t type, size, value;
    if (!At(note, at, type) || !At(note, at + 4, size)) return 0;
    if (type == GNU_PROPERTY_X86_ISA_1_NEEDED && At(note, at + 8, value)) return value;
    at += 8 + (size_t{size} + 7) / 8 * 8;
  }
  return 0;
}

}  // namespace

ElfNotes ReadElfNotes(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string start = fd ? ReadPart(fd.get(), 0, sizeof(Elf64_Ehdr)) : "";
  Elf64_Ehdr header;
  ElfNotes notes;
  if (!At(start, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return notes;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return notes;
  }
  for (size_t i = 0; i < std::min<size_t>(header.e_phnum, kMaxHeaders); ++i) {
    Elf64_Phdr part;
    if (!At(ReadPart(fd.get(), header.e_phoff + i * sizeof part, sizeof part), 0, part)) break;
    const bool is_text = part.p_type == PT_INTERP || part.p_type == PT_GNU_PROPERTY;
    const std::string text = is_text ? ReadPart(fd.get(), part.p_offset, part.p_filesz) : "";
    if (part.p_type == PT_INTERP) notes.loader = text.c_str();
    if (part.p_type == PT_GNU_PROPERTY) notes.isa_needed = IsaNeeded(text);
  }
  return notes;
}

}  // namespace protium
