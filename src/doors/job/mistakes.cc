// SPDX-License-Identifier: Apache-2.0
// Reading stops at the first mistake, so all of them are found by reading again without the refused
// value. Mistakes that follow from a missing value are not reported.
#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "job/file_terms.h"
#include "job/finish.h"
#include "job/read_job.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Returns the path in the settings for the `path` of a fault of Finish(), which has moved the
// shorthand.
std::string PathInFile(const Job& job, const std::string& path) {
  if (!job.estimator) return path;
  for (const char* name : kShorthand) {
    const std::string own = PathOfShorthand(job, name);
    if (job.settings.tree.contains(name) && (path == own || path.starts_with(own + "."))) {
      return name + path.substr(own.size());
    }
  }
  return path;
}

bool IsWithin(const std::string& path, const std::string& outer) {
  return outer.empty() || path == outer || path.starts_with(outer + ".");
}

// "/a/b" for "a.b".
Json::json_pointer PointerTo(std::string_view path) {
  std::string pointer = "/";
  for (const char c : path)
    pointer += c == '.' ? "/" : c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return Json::json_pointer(pointer);
}

// Removes the value at `path` from the settings, so that the next mistake shows; returns the path
// of what was removed, or empty if that would cause mistakes of its own. A choice is removed as a
// whole, since options without their name belong to another one.
std::string LeaveOut(Settings& settings, std::string path) {
  // Most other mistakes are about these.
  if (path == "pipeline" || path == "tables" || path == "etl") return "";
  if (path.ends_with(".name") || path.ends_with(".kind")) path.resize(path.size() - 5);
  while (true) {
    const size_t dot = path.rfind('.');
    const std::string parent = dot == path.npos ? "" : path.substr(0, dot);
    Json* table = &settings.tree;
    if (!parent.empty()) {
      const Json::json_pointer at = PointerTo(parent);
      if (!settings.tree.contains(at)) return "";
      table = &settings.tree[at];
    }
    const std::string key = dot == path.npos ? path : path.substr(dot + 1);
    if (table->is_object()) return table->erase(key) > 0 ? path : "";
    // A stage cannot be removed: those after it would have other numbers.
    if (parent.empty() || parent == "pipeline") return "";
    path = parent;
  }
}

// Takes a misspelt section for the intended one; otherwise everything that needs it would be a
// mistake.
bool RespellSection(Settings& settings, const std::string& section) {
  fields::Keys keys;
  JobFile file;
  fields::VisitFields(file, keys);
  const std::vector<std::string> near = Nearest(section, keys.names);
  if (near.size() != 1 || settings.tree.contains(near[0])) return false;
  settings.tree[near[0]] = settings.tree[section];
  settings.tree.erase(section);
  CopyPlaces(settings, section, near[0]);
  return true;
}

// Does the same for a misspelt kind of stage: `path` is "pipeline.2.kind".
bool RespellKind(Settings& settings, const std::string& path) {
  const Json::json_pointer at = PointerTo(path);
  if (!path.ends_with(".kind") || !settings.tree.contains(at)) return false;
  Json& kind = settings.tree[at];
  if (!kind.is_string()) return false;
  const std::vector<std::string> near =
      Nearest(kind.get<std::string>(), ListNames(BuiltInCatalogue().stages));
  if (near.empty() || kind == near[0]) return false;
  kind = near[0];
  return true;
}

bool Respell(Settings& settings, const Fault& fault) {
  const bool section =
      fault.what.starts_with("unknown key") && fault.where.find('.') == std::string::npos;
  return section ? RespellSection(settings, fault.where) : RespellKind(settings, fault.where);
}

}  // namespace

JobMistakes FindMistakes(const fs::path& file, const std::vector<std::string>& sets,
                         Extensions extensions) {
  constexpr size_t kMost = 20;
  JobMistakes found;
  const Result<Settings> as_written = ReadToml(file);
  Result<Settings> settings = as_written.ok() ? LayOver(*as_written, sets) : as_written;
  if (!settings.ok()) {
    found.all.push_back(settings.status());
    return found;
  }
  std::vector<std::string> left_out;
  while (found.all.size() < kMost) {
    found.job = Job{.settings = *settings};
    const Status finished = Finish(found.job, *as_written, extensions);
    if (finished.ok()) return found;
    const Fault fault = FaultOf(finished);
    const std::string path = PathInFile(found.job, fault.where);
    // What follows from a removed value is not the user's mistake.
    const auto follows = [&](const std::string& each) { return IsWithin(each, path); };
    if (std::ranges::any_of(left_out, follows)) return found;
    found.all.push_back(Explained(found.job, finished));
    if (Respell(*settings, fault)) continue;
    if (IsWithin(path, "extensions")) extensions = Extensions::kMistaken;
    left_out.push_back(LeaveOut(*settings, path));
    if (left_out.back().empty()) return found;
  }
  return found;
}

}  // namespace protium
