// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "app/verbs/runs.h"
#include "base/fault.h"
#include "base/units.h"
#include "mirror/change.h"
#include "run/labels.h"
#include "run/list.h"
#include "run/remove.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Returns the run named by the operand after the command, which `words` more must follow.
Result<NamedRun> RunOf(const Arguments& arguments, size_t words, const char* usage) {
  if (arguments.num_operands() == 2 + words) {
    return FindNamedRun(arguments, arguments.operand(1), Parts::kFacts);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "runs " + arguments.operand(0) + " needs a run" +
                       (words > 0 ? " and a " + arguments.operand(0) : ""),
               .fix = usage});
}

Status PutLabels(const NamedRun& run, const RunLabels& labels) {
  if (!run.place) return WriteLabels(run.path, labels);
  return ReplaceFile(*run.place, kLabelsFile, LabelsText(labels), NoteWait);
}

Status PrintLabels(const Arguments& arguments, const fs::path& run, const RunLabels& labels) {
  const std::string name = run.filename().string();
  if (arguments.Has("--json")) {
    return PrintResult(Dump({{"run", name}, {"tags", labels.tags}, {"note", labels.note}}) + "\n");
  }
  std::string text = name;
  for (const std::string& tag : labels.tags) text += "  " + tag;
  if (!labels.note.empty()) text += "  " + labels.note;
  return PrintResult(text + "\n");
}

}  // namespace

namespace {

// Each run once.
Result<std::vector<NamedRun>> RunsToRemove(const Arguments& arguments) {
  std::vector<NamedRun> runs;
  for (size_t i = 1; i < arguments.num_operands(); ++i) {
    PT_LET(NamedRun run, FindNamedRun(arguments, arguments.operand(i), Parts::kFacts));
    run.path = fs::absolute(run.path).lexically_normal();
    if (!run.path.has_filename()) run.path = run.path.parent_path();
    if (std::ranges::count(runs, run.path, &NamedRun::path) == 0) runs.push_back(std::move(run));
  }
  if (!runs.empty()) return runs;
  return Fail({.exit = Exit::kUsage,
               .what = "runs rm needs at least one run",
               .fix = "protium runs rm last"});
}

// Returns the bytes that are free now.
Result<int64_t> Remove(const NamedRun& run) {
  if (run.place) return RemoveFromStore(*run.place, NoteWait);
  const int64_t bytes = FolderBytes(run.path);
  PT_TRY(RemoveRun(run.path));
  return bytes;
}

}  // namespace

// Looks up all runs, and refuses if any is still going here, before removing the first.
Status RemoveRuns(const Arguments& arguments) {
  PT_LET(const std::vector<NamedRun> runs, RunsToRemove(arguments));
  for (const NamedRun& run : runs) {
    if (!IsLocked(run.path)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = run.path.filename().string() + " is still running",
                 .fix = "stop it first, with Ctrl-C where it runs",
                 .kept = "no run was removed"});
  }
  Json removed = Json::array();
  for (const NamedRun& run : runs) {
    PT_LET(const int64_t bytes, Remove(run));
    removed.push_back({{"run", run.path.filename().string()}, {"bytes", bytes}});
    if (arguments.Has("--json")) continue;
    PT_TRY(PrintResult(fmt::format("removed {}, {} freed\n",
                                   run.place ? run.place->text() : run.path.string(),
                                   BytesText(double(bytes)))));
  }
  if (!arguments.Has("--json")) return Status::OK();
  return PrintResult(Dump({{"removed", removed}}) + "\n");
}

Status TagRun(const Arguments& arguments) {
  PT_LET(const NamedRun run, RunOf(arguments, 1, "protium runs tag last best-so-far"));
  RunLabels labels = ReadLabels(run.path);
  const std::string tag = arguments.operand(2);
  if (tag.empty()) {
    labels.tags.clear();
  } else if (std::ranges::find(labels.tags, tag) == labels.tags.end()) {
    PT_TRY(CheckTag(tag));
    PT_TRY(CheckTagIsFree(run.place ? run.path.parent_path() : fs::path(RunsDir(arguments)), tag,
                          run.path));
    labels.tags.push_back(tag);
  }
  PT_TRY(PutLabels(run, labels));
  return PrintLabels(arguments, run.path, labels);
}

Status NoteOnRun(const Arguments& arguments) {
  PT_LET(const NamedRun run, RunOf(arguments, 1, "protium runs note last \"with weather\""));
  RunLabels labels = ReadLabels(run.path);
  labels.note = arguments.operand(2);
  PT_TRY(CheckNote(labels.note));
  PT_TRY(PutLabels(run, labels));
  return PrintLabels(arguments, run.path, labels);
}

}  // namespace protium
