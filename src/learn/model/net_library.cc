// SPDX-License-Identifier: Apache-2.0
#include "learn/model/net_library.h"

#include <system_error>

#include "base/digest.h"
#include "format/file.h"
#include "learn/extension.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

bool Holds(const fs::path& file, const std::string& sha256) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const Result<std::string> hash = FileSha256(file.string());
  return hash.ok() && *hash == sha256;
}

}  // namespace

Result<NetLibrary> KeepExtension(const fs::path& folder, const fs::path& file) {
  PT_LET(const auto mapped, MappedFile::Open(file.string()));
  NetLibrary library{
      .file = file.string(), .kept = file.string(), .sha256 = Sha256Hex(mapped->text())};
  if (folder.empty()) return library;
  const fs::path kept = fs::absolute(folder / "extensions" / file.filename());
  library.kept = kept.string();
  if (Holds(kept, library.sha256)) return library;
  PT_TRY(MakeFolder(kept.parent_path()));
  PT_TRY(WriteFile(kept, mapped->text()));
  return library;
}

Status KeepExtension(const fs::path& folder, Chain& chain) {
  const fs::path file = chain.ExtensionFile();
  if (file.empty()) return Status::OK();
  PT_LET(chain.extension, KeepExtension(folder, file));
  return Status::OK();
}

Result<Catalogue> OpenExtension(const NetLibrary& library) {
  // Where it was built it finds what it is linked to itself, so that file comes first.
  return OpenExtension(fs::path(Holds(library.file, library.sha256) ? library.file : library.kept));
}

}  // namespace protium
