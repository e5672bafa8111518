// SPDX-License-Identifier: Apache-2.0
#include "catalogue/extension.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Status Unusable(const fs::path& file, std::string why, std::string fix = {}) {
  return Fail({.exit = Exit::kInput,
               .what = "extension " + file.string() + " cannot be used",
               .where = "extensions",
               .why = std::move(why),
               .fix = std::move(fix)});
}

bool IsSharedLibrary(const fs::path& file) {
  Elf64_Ehdr header{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  return in && std::string_view(reinterpret_cast<char*>(header.e_ident), SELFMAG) == ELFMAG &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN;
}

}  // namespace

Status CheckExtensionFile(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return Unusable(file, "there is no such file");
  return IsSharedLibrary(file) ? Status::OK() : Unusable(file, "it is not a shared library");
}

Result<Catalogue> OpenExtension(const fs::path& file) {
  PT_TRY(CheckExtensionFile(file));
  // An absolute path, since dlopen searches the library path for a name without a slash. RTLD_NOW
  // makes a missing symbol an error here and not a crash during training; RTLD_LOCAL separates two
  // extensions that define the same names.
  void* const library = ::dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Unusable(file, ::dlerror());
  const auto built_for =
      reinterpret_cast<const char* (*)()>(::dlsym(library, "protium_extension_built_for"));
  const auto add_rows =
      reinterpret_cast<void (*)(Catalogue*)>(::dlsym(library, "protium_extension"));
  if (built_for == nullptr || add_rows == nullptr) {
    return Unusable(file, "it is not an extension", "define PROTIUM_EXTENSION in it");
  }
  if (std::string(built_for()) != PROTIUM_BUILT_FOR) {
    return Unusable(file,
                    std::string("it was built for ") + built_for() + ", this is " PROTIUM_BUILT_FOR,
                    "build it again with this version's headers");
  }
  Catalogue rows;
  add_rows(&rows);
  for (NetRow& row : rows.nets) row.extension = fs::absolute(file);
  for (LossRow& row : rows.losses) row.extension = fs::absolute(file);
  for (MetricRow& row : rows.metrics) row.extension = fs::absolute(file);
  return rows;
}

Result<std::shared_ptr<const Catalogue>> WithExtensions(const std::shared_ptr<const Catalogue>& own,
                                                        const std::vector<fs::path>& files) {
  if (files.empty()) return own;
  Catalogue all = own ? *own : Catalogue{};
  for (const fs::path& file : files) {
    PT_LET(Catalogue rows, OpenExtension(file));
    std::ranges::move(rows.nets, std::back_inserter(all.nets));
    std::ranges::move(rows.losses, std::back_inserter(all.losses));
    std::ranges::move(rows.metrics, std::back_inserter(all.metrics));
  }
  const auto shared = std::make_shared<const Catalogue>(std::move(all));
  // Called only for its checks of rows and names.
  PT_TRY(WithBuiltIns(shared).status());
  return shared;
}

}  // namespace protium
