// SPDX-License-Identifier: Apache-2.0
// Which files a path means. A path that exists is taken as it is: a file, or a folder of files with
// the format's ending. Any other is a pattern. Names in a folder are sorted by bytes, whatever the
// file system's order, so that rows have the same order on every machine.
#include "frame/table_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "format/file_form.h"
#include "format/file_names.h"
#include "format/partitions.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  // A folder that cannot be read counts as empty: what is missing in it is reported by name.
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status Missing(const fs::path& path) {
  std::error_code ignored;
  // Its name exists, and would be suggested.
  if (fs::is_symlink(fs::symlink_status(path, ignored))) {
    return Fail({.exit = Exit::kInput,
                 .what = "the link " + path.string() + " leads to no file",
                 .why = "it points to " + fs::read_symlink(path, ignored).string(),
                 .fix = "point it to a file, or remove it"});
  }
  const fs::path folder = path.parent_path();
  const bool folder_there = fs::is_directory(folder, ignored);
  return Fail({.exit = Exit::kInput,
               .what = "there is no file " + path.string(),
               .why = folder_there ? "" : "there is no folder " + folder.string(),
               .fix = Suggest(path.filename().string(), NamesIn(folder))});
}

bool IsPattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

// Adds the file, unless nothing can be read there.
void AddFile(const fs::path& file, TableFiles& files) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) files.paths.push_back(file.string());
  std::error_code ignored;
  // A file may be removed while names are read; a link that exists leads nowhere.
  const bool link = fs::is_symlink(fs::symlink_status(file, ignored));
  if (error && (link || error != std::errc::no_such_file_or_directory)) {
    files.passed_over.push_back(file.string() + ": " + error.message());
  }
}

// Adds the files in `folder` with one of the endings.
void AddEnding(const fs::path& folder, const std::vector<std::string>& endings, TableFiles& files) {
  for (const std::string& name : NamesIn(folder)) {
    if (IsLikeOneOf(name, endings)) AddFile(folder / name, files);
  }
}

// Adds the files below `folder` whose relative path matches `patterns`, one per path component.
void AddLike(const fs::path& folder, std::span<const std::string> patterns, TableFiles& files) {
  for (const std::string& name : NamesIn(folder)) {
    if (::fnmatch(patterns.front().c_str(), name.c_str(), FNM_PERIOD) != 0) continue;
    const fs::path path = folder / name;
    if (patterns.size() > 1 && !IsHiddenName(name)) {
      AddLike(path, patterns.subspan(1), files);
    } else if (patterns.size() == 1) {
      AddFile(path, files);
    }
  }
}

// Whether `folder`, perhaps through a link, is one of those above it: its files would be read again
// and again.
bool IsAboveItself(const fs::path& folder) {
  std::error_code ignored;
  for (fs::path above = folder.parent_path(); above != above.parent_path();
       above = above.parent_path()) {
    if (fs::equivalent(folder, above, ignored)) return true;
  }
  return false;
}

// Adds the files with one of the endings in `folder` and in all folders below it.
void AddBelow(const fs::path& folder, const std::vector<std::string>& endings, TableFiles& files) {
  std::error_code ignored;
  for (const std::string& name : NamesIn(folder)) {
    const fs::path path = folder / name;
    if (IsHiddenName(name)) continue;
    if (!fs::is_directory(path, ignored)) {
      if (IsLikeOneOf(name, endings)) AddFile(path, files);
    } else if (fs::is_symlink(path, ignored) && IsAboveItself(path)) {
      files.passed_over.push_back(path.string() + ": it leads to a folder that it lies in");
    } else {
      AddBelow(path, endings, files);
    }
  }
}

// Splits `path` before its first component with a wildcard. Without `folders_too` only the last
// component may have one.
std::pair<fs::path, std::vector<std::string>> Parted(const fs::path& path, bool folders_too) {
  std::pair<fs::path, std::vector<std::string>> parted;
  std::error_code ignored;
  // A file called "a[1].csv" is taken literally.
  if (fs::exists(path, ignored)) return {path, {}};
  if (!folders_too) {
    const std::string last = path.filename().string();
    if (!IsPattern(last)) return {path, {}};
    return {path.parent_path(), {last}};
  }
  for (const fs::path& part : path) {
    if (parted.second.empty() && !IsPattern(part.string())) {
      parted.first /= part;
    } else {
      parted.second.push_back(part.string());
    }
  }
  return parted;
}

std::string Joined(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& each : patterns) text += (text.empty() ? "" : " or ") + each;
  return text;
}

// Walks up from `folder` past all folders that hold a value of a partition: a path that points into
// the tree ("flights/year=2013") still has the columns of the folders above it.
fs::path FindRoot(fs::path folder, const std::vector<std::string>& partitions) {
  const auto says = [&](const fs::path& each) {
    const std::string column = ColumnOfFolder(each.filename().string());
    return !column.empty() &&
           std::find(partitions.begin(), partitions.end(), column) != partitions.end();
  };
  while (says(folder)) folder = folder.parent_path();
  return folder;
}

}  // namespace

Result<TableFiles> FindFiles(const fs::path& path, Format format,
                             const std::vector<std::string>& partitions) {
  const bool tree = !partitions.empty();
  const auto [fixed, patterns] = Parted(path, tree);
  std::error_code ignored;
  if (!fs::exists(fixed, ignored)) return Missing(fixed);
  const bool folder = fs::is_directory(fixed, ignored);
  TableFiles files{.root = FindRoot(folder ? fixed : fixed.parent_path(), partitions)};
  if (!folder) {
    files.paths = {fixed.string()};
    return files;
  }
  const std::vector<std::string> endings = PatternsOf(format);
  if (!patterns.empty()) {
    AddLike(fixed, patterns, files);
    files.patterns = {{fixed.string(), patterns.back(), tree}};
  } else {
    tree ? AddBelow(fixed, endings, files) : AddEnding(fixed, endings, files);
    for (const std::string& each : endings) files.patterns.push_back({fixed.string(), each, tree});
  }
  if (!files.paths.empty()) return files;
  return Fail(
      {.exit = Exit::kInput,
       .what = "the folder " + fixed.string() + " holds no file matching " +
               (patterns.empty() ? Joined(endings) : path.lexically_relative(fixed).string())});
}

Result<FileForm> FindForm(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return FormNamed(path.string());
  for (const std::string& name : NamesIn(path)) {
    const auto form = FormOfName(name);
    if (!IsHiddenName(name) && form) return *form;
  }
  constexpr auto kReadable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, kReadable, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const auto form = FormOfName(name);
    if (!IsHiddenName(name) && form) return *form;
  }
  return Fail({.exit = Exit::kInput,
               .what = "the folder " + path.string() + " holds no table",
               .fix = "say the format of its files: format = \"csv\", \"parquet\", \"jsonl\" or "
                      "\"arrow\""});
}

}  // namespace protium
