// SPDX-License-Identifier: Apache-2.0
#include "mirror/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/fault.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kCheckpoints = "checkpoints";

// Of an engine on other hosts, for as long as it works: "spark-<process>".
bool IsOfEngine(const fs::directory_entry& entry, const std::string& path) {
  std::error_code ignored;
  return path.starts_with("spark-") && entry.is_directory(ignored);
}

// The names below `folder`, sorted, without drafts. Those that vanish meanwhile may be among them.
std::vector<std::string> NamesIn(const fs::path& folder, const fs::path& below) {
  std::vector<std::string> names;
  std::error_code error;
  fs::recursive_directory_iterator at(below, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string path = at->path().lexically_relative(folder).string();
    const bool left_out = IsDraftName(at->path().filename().string()) || path == "lock" ||
                          path == "spill" || path == kCheckpoints || IsOfEngine(*at, path);
    if (left_out || at->is_symlink(ignored)) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->is_regular_file(ignored)) names.push_back(path);
  }
  std::ranges::sort(names);
  return names;
}

// The names and identities of all checkpoints.
std::vector<std::pair<std::string, CachedFile>> Checkpoints(const fs::path& folder) {
  std::vector<std::pair<std::string, CachedFile>> found;
  for (const std::string& name : NamesIn(folder / kCheckpoints, folder / kCheckpoints)) {
    const auto file = LookAt(folder / kCheckpoints / name);
    if (file.ok()) found.emplace_back(name, *file);
  }
  return found;
}

bool Link(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::create_hard_link(from, to, error);
  if (error) {
    error.clear();
    fs::copy_file(from, to, error);
  }
  return !error;
}

}  // namespace

Result<std::vector<SnapshotFile>> TakeSnapshot(const fs::path& folder, const fs::path& scratch) {
  std::vector<SnapshotFile> files;
  for (std::string& name : NamesIn(folder, folder)) {
    fs::path at = folder / name;
    files.push_back({std::move(name), std::move(at)});
  }
  // Listed again after the links were made: if nothing changed in between, they are of one moment.
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
    const auto before = Checkpoints(folder);
    const bool linked = std::ranges::all_of(before, [&](const auto& each) {
      return Link(folder / kCheckpoints / each.first, scratch / each.first);
    });
    if (!linked || Checkpoints(folder) != before) continue;
    for (const auto& [name, file] : before) {
      files.push_back({fmt::format("{}/{}", kCheckpoints, name), scratch / name});
    }
    return files;
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "the checkpoints in " + folder.string() + " change too fast to be copied"});
}

bool OnlyGrows(const std::string& path) {
  return path.ends_with(".jsonl") || path.starts_with("logs/") || path.find("/logs/") != path.npos;
}

}  // namespace protium
