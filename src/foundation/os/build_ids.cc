// SPDX-License-Identifier: Apache-2.0
#include "os/build_ids.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace protium {
namespace {

// Sizes in a note are padded to whole words.
size_t Padded(size_t size) { return (size + 3) & ~size_t{3}; }

// The id among the notes of a segment; empty if there is none.
std::string IdIn(std::span<const unsigned char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const size_t name = sizeof head, text = name + Padded(head.n_namesz);
    const size_t end = text + Padded(head.n_descsz);
    if (end > notes.size()) break;
    const bool gnu = head.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0;
    if (gnu && head.n_type == NT_GNU_BUILD_ID) {
      std::string id;
      for (const unsigned char byte : notes.subspan(text, head.n_descsz)) {
        id += fmt::format("{:02x}", byte);
      }
      return id;
    }
    notes = notes.subspan(end);
  }
  return {};
}

struct Search {
  const std::vector<std::string_view>& names;
  std::map<std::string, std::string> found;
};

int Visit(dl_phdr_info* library, size_t, void* context) {
  Search& search = *static_cast<Search*>(context);
  std::string_view file(library->dlpi_name);
  file.remove_prefix(file.rfind('/') == std::string_view::npos ? 0 : file.rfind('/') + 1);
  const auto begins = [&](std::string_view name) { return file.starts_with(name); };
  if (std::ranges::none_of(search.names, begins)) return 0;
  std::string& id = search.found[std::string(file.substr(0, file.find(".so")))];
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || !id.empty()) continue;
    const auto* const begin =
        reinterpret_cast<const unsigned char*>(library->dlpi_addr + segment.p_vaddr);
    id = IdIn({begin, segment.p_memsz});
  }
  return 0;
}

}  // namespace

std::map<std::string, std::string> LoadedBuilds(const std::vector<std::string_view>& names) {
  Search search{names, {}};
  ::dl_iterate_phdr(Visit, &search);
  return std::move(search.found);
}

}  // namespace protium
