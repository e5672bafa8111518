// SPDX-License-Identifier: Apache-2.0
#include "gang/program_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/fault.h"
#include "os/process_tree.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status FileFault(const char* doing, const fs::path& path, const std::error_code& error) {
  return SystemFault(fmt::format("{} {}", doing, path.string()), error.value());
}

// Copies what is in `from` into `to`, as far as there is room.
class Copier {
 public:
  Status Folder(const fs::path& from, const fs::path& to) {
    std::error_code error;
    PT_TRY(MakeFolder(to));
    // Follows links, since their targets do not exist where the ranks are.
    for (fs::directory_iterator item(from, error), end; !error && item != end;
         item.increment(error)) {
      const fs::path target = to / item->path().filename();
      std::error_code ignored;  // A broken link is not a file either, which File() reports.
      if (item->is_directory(ignored)) {
        if (++depth_ > kMostFolders) return TooDeep(item->path());
        PT_TRY(Folder(item->path(), target));
        --depth_;
      } else {
        PT_TRY(File(item->path(), target));
      }
    }
    return error ? FileFault("read", from, error) : Status::OK();
  }

  Status File(const fs::path& from, const fs::path& to) {
    if (!IsRegularFile(from)) {
      return Fail({.exit = Exit::kUsage,
                   .what = from.string() + " is neither a file nor a folder",
                   .fix = "give --files a folder without it"});
    }
    std::error_code error;
    bytes_ += int64_t(fs::file_size(from, error));
    if (bytes_ > kMostShippedBytes) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("the files for the ranks have more than {} GiB, with {}",
                                       kMostShippedBytes >> 30, from.string()),
                   .fix = "keep large data on storage that the ranks reach"});
    }
    PT_TRY(MakeFolder(to.parent_path()));
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    return error ? FileFault("copy", from, error) : Status::OK();
  }

 private:
  static constexpr int kMostFolders = 64;

  // A link to a folder above it makes an endless cycle.
  static Status TooDeep(const fs::path& path) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("{} lies more than {} folders deep", path.string(), kMostFolders)});
  }

  int64_t bytes_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<ProgramFolder> ProgramFolder::Make(const ProgramSpec& spec) {
  ProgramFolder folder;
  if (!spec.folder.empty()) {
    folder.path_ = spec.folder;
    return folder;
  }
  PT_LET(TemporaryFolder own, TemporaryFolder::Make());
  folder.path_ = own.path();
  folder.own_.emplace(std::move(own));
  if (!spec.files.empty()) PT_TRY(Copier().Folder(spec.files, folder.path_));
  return folder;
}

Result<fs::path> ProgramFolder::Find(const std::string& name) const {
  const bool placed = name.find('/') != name.npos;
  if (placed && IsRegularFile(path_ / name)) return FindProgram(path_ / name, nullptr);
  const fs::path shipped = path_ / fs::path(name).filename();
  const bool is_here = placed && ::access(name.c_str(), X_OK) == 0;
  if (placed && !is_here && IsRegularFile(shipped)) return FindProgram(shipped, nullptr);
  return FindProgram(name, std::getenv("PATH"));
}

Status ShipFiles(const fs::path& folder, const std::vector<std::string>& words,
                 const fs::path& shared) {
  Copier copier;
  PT_TRY(MakeFolder(shared));
  if (!folder.empty()) PT_TRY(copier.Folder(folder, shared));
  for (size_t i = 0; i < words.size(); ++i) {
    const fs::path path = words[i];
    // A program given by its name alone is looked up on the ranks' hosts, and so are absolute paths
    // in arguments, which may exist there; arguments are shipped only if their path is relative.
    const bool program = i == 0 && words[i].find('/') != std::string::npos;
    if (!IsRegularFile(path) || (i == 0 && !program) || (i > 0 && path.is_absolute())) continue;
    const fs::path place = path.lexically_normal();
    const bool inside = !place.is_absolute() && !place.string().starts_with("..");
    PT_TRY(copier.File(path, shared / (inside ? place : place.filename())));
  }
  return Status::OK();
}

}  // namespace protium
