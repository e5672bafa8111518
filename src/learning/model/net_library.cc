// SPDX-License-Identifier: Apache-2.0
#include "model/net_library.h"

#include <utility>

#include "base/digest.h"
#include "catalogue/extension.h"
#include "format/file.h"
#include "model/copy_file.h"

namespace protium {

namespace fs = std::filesystem;

Result<NetLibrary> KeepExtension(const fs::path& folder, const fs::path& file) {
  NetLibrary library{.file = file.string(), .kept = file.string()};
  if (folder.empty()) {
    PT_LET(library.sha256, FileSha256(library.file));
    return library;
  }
  // Two libraries may have the same file name, so each copy gets its own folder.
  const std::string own = Sha256Hex(fs::absolute(file).string()).substr(0, 8);
  const fs::path kept = fs::absolute(folder / "extensions" / own / file.filename());
  PT_LET(library.sha256, CopyFile(file, kept));
  library.kept = kept.string();
  return library;
}

Status KeepExtensions(const fs::path& folder, Chain& chain) {
  for (const fs::path& file : chain.ExtensionFiles()) {
    PT_LET(NetLibrary library, KeepExtension(folder, file));
    chain.extensions.push_back(std::move(library));
  }
  return Status::OK();
}

Result<Catalogue> OpenExtension(const NetLibrary& library) {
  // Prefers the original: the loader finds libraries that it links by a path relative to its own
  // folder.
  return OpenExtension(fs::path(Holds(library.file, library.sha256) ? library.file : library.kept));
}

}  // namespace protium
