// SPDX-License-Identifier: Apache-2.0
#include "app/run/named_run.h"

#include <fmt/format.h>

#include <utility>

#include "app/run/model_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "mirror/cache.h"
#include "mirror/intervals.h"
#include "run/list.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModel = "model";

Result<NamedRun> RunAt(const ObjectPlace& place, Parts parts) {
  PT_LET(fs::path path, BringRun(place, parts));
  return NamedRun{std::move(path), place};
}

// Users know the place, not its copy.
Status NamingPlace(Fault fault, const fs::path& copy, const ObjectPlace& place) {
  if (const size_t at = fault.what.find(copy.string()); at != fault.what.npos) {
    fault.what.replace(at, copy.string().size(), place.text());
  }
  return Fail(std::move(fault));
}

}  // namespace

Result<std::optional<ObjectPlace>> RunsPlace(const Arguments& arguments) {
  const std::string runs = RunsDir(arguments);
  if (!IsOnStore(runs)) return std::optional<ObjectPlace>();
  PT_LET(ObjectPlace place, ObjectPlace::Parse(runs));
  return std::optional(std::move(place));
}

Result<fs::path> FindRuns(const Arguments& arguments) {
  PT_LET(const auto place, RunsPlace(arguments));
  if (!place) return fs::path(RunsDir(arguments));
  std::vector<std::string> warnings;
  PT_LET(fs::path runs, BringRuns(*place, warnings));
  for (const std::string& each : warnings) PrintNote("warning: " + each + "\n");
  return runs;
}

fs::path KnownRuns(const Arguments& arguments) {
  const auto place = RunsPlace(arguments);
  if (!place.ok() || !*place) return RunsDir(arguments);
  return CacheOf(**place).ValueOr(fs::path());
}

Result<NamedRun> FindNamedRun(const Arguments& arguments, const std::string& what, Parts parts) {
  if (IsOnStore(what)) {
    PT_LET(const ObjectPlace place, ObjectPlace::Parse(what));
    return RunAt(place, parts);
  }
  PT_LET(const auto place, RunsPlace(arguments));
  PT_LET(const fs::path runs, FindRuns(arguments));
  Result<fs::path> found = FindRun(runs, what);
  if (place && !found.ok()) return NamingPlace(FaultOf(found.status()), runs, *place);
  PT_LET(fs::path run, std::move(found));
  if (place && run.parent_path() == runs) return RunAt(*place / run.filename().string(), parts);
  return NamedRun{std::move(run), {}};
}

Result<fs::path> FindNamedModel(const Arguments& arguments, const std::string& what) {
  std::error_code ignored;
  if (!IsOnStore(what)) {
    const bool local = fs::exists(what, ignored) || !IsOnStore(RunsDir(arguments));
    if (local) return FindModel(RunsDir(arguments), what);
    PT_LET(const NamedRun run, FindNamedRun(arguments, what, Parts::kModel));
    return FindModel(run.path.parent_path(), run.path.string());
  }
  PT_LET(const ObjectPlace place, ObjectPlace::Parse(what));
  const bool of_run = place.name() == kModel;
  PT_LET(const NamedRun run, RunAt(of_run ? place.parent() : place, Parts::kModel));
  return FindModel(run.path.parent_path(), run.path.string());
}

void NoteWait(const Attempt& attempt) {
  PrintNote(fmt::format("waits up to {} s for a sign of life of the job on {}\n", kLifeSign.count(),
                        attempt.Who()));
}

}  // namespace protium
