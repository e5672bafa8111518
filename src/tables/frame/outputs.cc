// SPDX-License-Identifier: Apache-2.0
// Refuses outputs. Files and folders are compared by device and inode, never by path: links, ".."
// and case-insensitive disks give one file many names.
#include "frame/outputs.h"

#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "base/fault.h"
#include "os/fd.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// What a run reserves for itself.
constexpr const char* kOwn[] = {"run.json",    "events.jsonl", "job.json",      "result.json",
                                "report.html", "inputs.json",  "lock",          "stages.json",
                                "logs",        "checkpoints",  "model",         "spill",
                                "trials.json", "trials.csv",   "trials",        "tables",
                                "labels.json", "sources.json", "continues.json"};

using FileId = std::pair<dev_t, ino_t>;

// Identifies what a path leads to, through links; none if it leads nowhere.
std::optional<FileId> FindFileId(const fs::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return FileId(facts.st_dev, facts.st_ino);
}

// Walks up the path and compares folders by identity, so that a link to the folder counts as well.
bool LiesIn(const fs::path& file, const FileId& folder) {
  for (fs::path above = file.parent_path(); above != above.parent_path();
       above = above.parent_path()) {
    if (FindFileId(above) == folder) return true;
  }
  return false;
}

// Whether `folder` is a folder that holds the file at any depth.
bool HoldsFile(const fs::path& folder, const FileId& file) {
  std::error_code error;
  constexpr auto kReadable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, kReadable, error), end; !error && at != end;
       at.increment(error)) {
    if (FindFileId(at->path()) == file) return true;
  }
  return false;
}

bool IsLike(const fs::path& target, const InputPattern& input) {
  if (::fnmatch(input.pattern.c_str(), target.filename().c_str(), FNM_PERIOD) != 0) return false;
  const std::optional<FileId> folder = FindFileId(input.folder);
  if (!folder) return false;
  return input.below ? LiesIn(target, *folder) : FindFileId(target.parent_path()) == folder;
}

Status Refuse(std::string what, std::string why, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .why = std::move(why),
               .fix = std::move(fix),
               .kept = "nothing was written"});
}

}  // namespace

Status RefuseUpward(const fs::path& path) {
  if (std::find(path.begin(), path.end(), "..") == path.end()) return Status::OK();
  return Refuse("the output \"" + path.string() + "\" leads out of its folder with \"..\"",
                "outputs are in the run folder, or at an absolute path", "leave out the \"..\"");
}

Status RefuseInputs(const InputRecord& inputs, const fs::path& target) {
  constexpr const char* kElsewhere = "choose another path";
  const std::optional<FileId> id = FindFileId(target);
  std::error_code ignored;
  const bool folder = fs::is_directory(target, ignored);
  // A target that does not exist yet is no input and holds none; a pattern may still match it.
  for (const auto& [path, file] : inputs.files()) {
    if (!id) break;
    const bool same = FindFileId(path) == id;
    if (!same && !(folder && LiesIn(path, *id))) continue;
    return Refuse("the output " + target.string() + (same ? " is" : " holds") +
                      " an input of this run" + (path == target ? "" : ", " + path),
                  "inputs are never written to", kElsewhere);
  }
  for (const InputPattern& each : inputs.patterns()) {
    if (!IsLike(target, each)) continue;
    return Refuse("the output " + target.string() + " would be read as part of an input",
                  "this run reads all files matching " + each.pattern +
                      (each.below ? " below " : " in ") + each.folder,
                  kElsewhere);
  }
  return Status::OK();
}

Status RefuseRead(std::span<const fs::path> read, const fs::path& target) {
  const std::optional<FileId> id = FindFileId(target);
  if (!id) return Status::OK();
  std::error_code ignored;
  const bool folder = fs::is_directory(target, ignored);
  for (const fs::path& each : read) {
    const bool same = FindFileId(each) == id || HoldsFile(each, *id);
    if (!same && !(folder && LiesIn(fs::absolute(each, ignored), *id))) continue;
    return Refuse("the output " + target.string() +
                      (same ? " is read by this command" : " holds what this command reads") +
                      (each == target ? "" : ": " + each.string()),
                  "inputs are never written to, with --force neither", "choose another path");
  }
  return Status::OK();
}

// Goes by the first component: everything below logs/, checkpoints/, model/, trials/, tables/ and
// spill/ belongs to the run.
Status RefuseOwnFiles(const fs::path& inside) {
  const fs::path first = inside.empty() ? inside : *inside.begin();
  if (std::find(std::begin(kOwn), std::end(kOwn), first) == std::end(kOwn)) return Status::OK();
  return Refuse("the output \"" + inside.string() + "\" would overwrite a file of the run itself",
                "", "give it another name");
}

std::vector<fs::path> OwnFilesOf(const fs::path& run) {
  std::vector<fs::path> files;
  for (const char* name : kOwn) files.push_back(run / name);
  return files;
}

Status RefuseExisting(const fs::path& target) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(target, ignored))) return Status::OK();
  return Refuse(target.string() + " already exists, and this run did not write it", "",
                "choose another path, or overwrite it with --force");
}

Status CheckNewOutput(const fs::path& target, bool replaces,
                      std::span<const fs::path> perhaps_read) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(target, ignored);
  const bool may_be_read = std::ranges::any_of(perhaps_read, [&](const fs::path& each) {
    const std::optional<FileId> id = FindFileId(each);
    return id && (FindFileId(whole) == id || LiesIn(whole, *id));
  });
  if (!replaces && !may_be_read) PT_TRY(RefuseExisting(target));
  fs::path folder = whole.parent_path();
  while (folder.has_relative_path() && !fs::exists(folder, ignored)) folder = folder.parent_path();
  if (!fs::is_directory(folder, ignored)) {
    return Refuse("the output " + target.string() + " cannot be written",
                  folder.string() + " is a file, not a folder", "choose another path");
  }
  if (::access(folder.c_str(), W_OK) == 0) return Status::OK();
  return SystemFault("write in the folder " + folder.string(), errno);
}

}  // namespace protium
