// SPDX-License-Identifier: Apache-2.0
#include "run/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/fault.h"
#include "base/nearest.h"
#include "run/elsewhere.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// N of "last~N", 0 of "last"; nullopt for any other text.
std::optional<size_t> StepsBack(std::string_view what) {
  if (what == "last") return 0;
  if (!what.starts_with("last~")) return std::nullopt;
  what.remove_prefix(5);
  size_t steps = 0;
  const auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), steps);
  if (error != std::errc() || end != what.data() + what.size()) return std::nullopt;
  return steps;
}

Status NoSuchRun(const fs::path& runs, const std::string& what,
                 const std::vector<std::string>& ids) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("no run \"{}\" in {}", what, runs.string()),
               .why = ids.empty() ? "there are no runs in that folder" : "",
               .fix = ids.empty() ? "--runs-dir DIR, or PROTIUM_RUNS_DIR, says where runs are kept"
                                  : Suggest(what, ids)});
}

}  // namespace

std::string RunEntry::state() const {
  if (cut_off) return "cut off";
  for (const auto& [value, name] : Names(RunState{}).all) {
    if (value == header.state) return std::string(name);
  }
  return {};
}

// Sorts by start, and by folder for runs that started in the same millisecond.
std::vector<RunEntry> ListRuns(const fs::path& runs) {
  std::vector<RunEntry> entries;
  std::error_code error;
  for (const auto& item : fs::directory_iterator(runs, error)) {
    if (!fs::exists(item.path() / "run.json", error)) continue;
    Result<RunHeader> header = ReadRunHeader(item.path());
    if (!header.ok()) continue;
    RunEntry entry{.folder = item.path(),
                   .header = header.MoveValueUnsafe(),
                   .labels = ReadLabels(item.path())};
    entry.cut_off = entry.header.state == RunState::kRunning && !IsLocked(item.path()) &&
                    !WorksElsewhere(item.path());
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const RunEntry& a, const RunEntry& b) {
    return std::pair(a.header.started, a.folder) < std::pair(b.header.started, b.folder);
  });
  return entries;
}

Result<fs::path> FindRun(const fs::path& runs, const std::string& what) {
  std::error_code ignored;
  if (fs::exists(fs::path(what) / "run.json", ignored)) return fs::path(what);
  const std::vector<RunEntry> entries = ListRuns(runs);
  std::vector<std::string> ids;
  for (const RunEntry& entry : entries) ids.push_back(entry.folder.filename().string());
  if (const std::optional<size_t> back = StepsBack(what)) {
    if (*back < entries.size()) return entries[entries.size() - 1 - *back].folder;
    return NoSuchRun(runs, what, ids);
  }
  for (const RunEntry& entry : entries) {
    const std::vector<std::string>& tags = entry.labels.tags;
    if (std::find(tags.begin(), tags.end(), what) != tags.end()) return entry.folder;
  }
  std::vector<std::string> matches;
  for (const std::string& id : ids) {
    if (id == what) return runs / id;
    if (!what.empty() && id.starts_with(what)) matches.push_back(id);
  }
  if (matches.size() == 1) return runs / matches.front();
  if (matches.empty()) return NoSuchRun(runs, what, ids);
  std::string list;
  for (const std::string& id : matches) list += (list.empty() ? "" : ", ") + id;
  return Fail(
      {.exit = Exit::kInput,
       .what = fmt::format("\"{}\" is the beginning of the names of {} runs", what, matches.size()),
       .fix = "one of: " + list});
}

Status CheckTagIsFree(const fs::path& runs, const std::string& tag, const fs::path& run) {
  for (const RunEntry& each : ListRuns(runs)) {
    const std::string name = each.folder.filename().string();
    const bool tagged = std::ranges::find(each.labels.tags, tag) != each.labels.tags.end();
    if (name == run.filename() || (!tagged && !name.starts_with(tag))) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = tagged
                             ? fmt::format("the run {} has the tag \"{}\"", name, tag)
                             : fmt::format("the name of the run {} begins with \"{}\"", name, tag),
                 .fix = tagged ? fmt::format("protium runs tag {} \"\"  takes its tags away", name)
                               : "choose another word"});
  }
  return Status::OK();
}

Status MoveTag(const fs::path& runs, const std::string& tag, const fs::path& run) {
  RunLabels own = ReadLabels(run);
  if (std::ranges::find(own.tags, tag) == own.tags.end()) {
    own.tags.push_back(tag);
    PT_TRY(WriteLabels(run, own));
  }
  for (const RunEntry& each : ListRuns(runs)) {
    RunLabels labels = each.labels;
    if (each.folder.filename() == run.filename() || std::erase(labels.tags, tag) == 0) continue;
    PT_TRY(WriteLabels(each.folder, labels));
  }
  return Status::OK();
}

}  // namespace protium
