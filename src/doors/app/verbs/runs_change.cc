// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "app/verbs/runs.h"
#include "base/fault.h"
#include "base/units.h"
#include "run/labels.h"
#include "run/list.h"
#include "run/remove.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Returns the run named by the operand after the command, which `words` more must follow.
Result<fs::path> RunOf(const Arguments& arguments, size_t words, const char* usage) {
  PT_TRY(RefusePlace(arguments, arguments.operand(1), "runs " + arguments.operand(0)));
  if (arguments.num_operands() == 2 + words) {
    return FindRun(RunsDir(arguments), arguments.operand(1));
  }
  return Fail({.exit = Exit::kUsage,
               .what = "runs " + arguments.operand(0) + " needs a run" +
                       (words > 0 ? " and one word more" : ""),
               .fix = usage});
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

// Looks up all runs, and refuses if any is still going, before removing the first.
Status RemoveRuns(const Arguments& arguments) {
  std::vector<fs::path> folders;
  for (size_t i = 1; i < arguments.num_operands(); ++i) {
    PT_TRY(RefusePlace(arguments, arguments.operand(i), "runs rm"));
    PT_LET(fs::path run, FindRun(RunsDir(arguments), arguments.operand(i)));
    run = fs::absolute(run).lexically_normal();
    if (!run.has_filename()) run = run.parent_path();
    if (std::ranges::find(folders, run) == folders.end()) folders.push_back(run);
  }
  if (folders.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "runs rm needs at least one run",
                 .fix = "protium runs rm last"});
  }
  for (const fs::path& run : folders) {
    if (!IsLocked(run)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = run.filename().string() + " is still running",
                 .fix = "stop it first, with Ctrl-C where it runs",
                 .kept = "no run was removed"});
  }
  Json removed = Json::array();
  for (const fs::path& run : folders) {
    const int64_t bytes = FolderBytes(run);
    PT_TRY(RemoveRun(run));
    removed.push_back({{"run", run.filename().string()}, {"bytes", bytes}});
    if (arguments.Has("--json")) continue;
    PT_TRY(
        PrintResult(fmt::format("removed {}, {} freed\n", run.string(), BytesText(double(bytes)))));
  }
  if (!arguments.Has("--json")) return Status::OK();
  return PrintResult(Dump({{"removed", removed}}) + "\n");
}

Status TagRun(const Arguments& arguments) {
  PT_LET(const fs::path run, RunOf(arguments, 1, "protium runs tag last best-so-far"));
  RunLabels labels = ReadLabels(run);
  const std::string tag = arguments.operand(2);
  if (tag.empty()) {
    labels.tags.clear();
  } else if (std::ranges::find(labels.tags, tag) == labels.tags.end()) {
    PT_TRY(CheckTag(tag));
    PT_TRY(CheckTagIsFree(RunsDir(arguments), tag, run));
    labels.tags.push_back(tag);
  }
  PT_TRY(WriteLabels(run, labels));
  return PrintLabels(arguments, run, labels);
}

Status NoteOnRun(const Arguments& arguments) {
  PT_LET(const fs::path run, RunOf(arguments, 1, "protium runs note last \"with weather\""));
  RunLabels labels = ReadLabels(run);
  labels.note = arguments.operand(2);
  PT_TRY(CheckNote(labels.note));
  PT_TRY(WriteLabels(run, labels));
  return PrintLabels(arguments, run, labels);
}

}  // namespace protium
