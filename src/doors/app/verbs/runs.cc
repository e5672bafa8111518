// SPDX-License-Identifier: Apache-2.0
// `protium runs`: lists the runs in --runs-dir, shows one, compares two, and (runs_change.cc)
// removes and labels them. Everything that shows runs only reads the folders, so it works while a
// run goes on or after it was killed.
#include "app/verbs/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/run/compare.h"
#include "app/run/named_run.h"
#include "app/run/run_report.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "run/labels.h"
#include "terminal/printing.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// Shows what `inspect RUN` does; without a name, the last run.
Status Show(const Arguments& arguments) {
  const std::string which = arguments.operand(1).empty() ? "last" : arguments.operand(1);
  PT_LET(const NamedRun named, FindNamedRun(arguments, which, Parts::kFacts));
  const fs::path& run = named.path;
  const RunLabels labels = ReadLabels(run);
  if (arguments.Has("--json")) {
    Json json = RunAsJson(run);
    json["tags"] = labels.tags;
    json["note"] = labels.note;
    return PrintResult(Dump(json) + "\n");
  }
  PT_LET(std::string text, RunAsText(run));
  std::string tags;
  for (const std::string& tag : labels.tags) tags += (tags.empty() ? "" : ", ") + tag;
  if (!tags.empty()) text += "tags    " + tags + "\n";
  if (!labels.note.empty()) text += "note    " + labels.note + "\n";
  return PrintResult(text);
}

Status Compare(const Arguments& arguments) {
  if (arguments.num_operands() != 3) {
    return Fail({.exit = Exit::kUsage,
                 .what = "runs compare needs two runs",
                 .fix = "protium runs compare last~1 last"});
  }
  PT_LET(const NamedRun a, FindNamedRun(arguments, arguments.operand(1), Parts::kModel));
  PT_LET(const NamedRun b, FindNamedRun(arguments, arguments.operand(2), Parts::kModel));
  const Json compared = CompareRuns(a.path, b.path);
  if (arguments.Has("--json")) return PrintResult(Dump(compared) + "\n");
  return PrintResult(ComparedAsText(compared));
}

// The first operand is a subcommand.
Status ShowRuns(const Arguments& arguments, const Invocation& invocation) {
  const std::string what = arguments.operand(0).empty() ? "list" : arguments.operand(0);
  if (what == "list" && arguments.num_operands() < 2) return ListTheRuns(arguments);
  if (what == "show" && arguments.num_operands() < 3) return Show(arguments);
  if (what == "compare") return Compare(arguments);
  if (what == "rm") return RemoveRuns(arguments);
  if (what == "tag") return TagRun(arguments);
  if (what == "note") return NoteOnRun(arguments);
  const std::vector<std::string> known = {"list", "show", "compare", "rm", "tag", "note"};
  if (std::ranges::find(known, what) != known.end()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("runs {}: unexpected argument \"{}\"", what,
                                     arguments.operand(arguments.num_operands() - 1)),
                 .fix = "protium runs --help"});
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("unknown command \"{}\" of runs", what),
               .fix = Suggest(what, known)});
}

}  // namespace

CommandVerb RunsVerb() {
  return {{.name = "runs",
           .operands = {"[list|show|compare|rm|tag|note]", "[RUN...]"},
           .flags = {{"--limit", "N", "lists only the last N", ""},
                     {"--sort", "KEY", "sorts by started (the default), name, state or test", ""},
                     {"--state", "STATE", "lists runs in this state: done, failed, ...", ""},
                     {"--name", "NAME", "lists runs whose name begins with this", ""},
                     RunsDirFlag(),
                     JsonFlag()},
           .says = "lists, shows, compares, removes and labels runs",
           .more = "A run is given as `last`, `last~1`, a tag, the beginning of its name, or its "
                   "folder.\n"
                   "\n  protium runs --sort test --limit 5\n  protium runs compare last~1 last\n"
                   "  protium runs tag last best-so-far\n  protium runs note best-so-far \"with "
                   "weather\"\n  protium runs rm last~3 last~2\n"},
          ShowRuns};
}

}  // namespace protium
