// SPDX-License-Identifier: Apache-2.0
#include "model/copy_file.h"

#include <system_error>

#include "base/digest.h"
#include "format/file.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

// Uses a mapping, so the content need not fit into memory.
Result<std::string> CopyFile(const fs::path& from, const fs::path& to) {
  PT_LET(const auto mapped, MappedFile::Open(from.string()));
  std::string sha256 = Sha256Hex(mapped->text());
  if (Holds(to, sha256)) return sha256;
  PT_TRY(MakeFolder(to.parent_path()));
  PT_LET(AtomicFile file, AtomicFile::Make(to));
  PT_TRY(file.Write(mapped->text()));
  PT_TRY(file.Commit());
  return sha256;
}

bool Holds(const fs::path& file, const std::string& sha256) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  const Result<std::string> hash = FileSha256(file.string());
  return hash.ok() && *hash == sha256;
}

}  // namespace protium
