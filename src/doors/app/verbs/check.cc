// SPDX-License-Identifier: Apache-2.0
// `protium check`: all mistakes of a job file that can be found without reading its tables.
#include "job/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/verb.h"
#include "base/fault.h"
#include "engine/address.h"
#include "pipeline/estimator_kind.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace {

// "1 table", "5 tables".
std::string Count(size_t number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// What was checked: "5 tables, 26 columns, 4 stages, a gang of 2".
std::string Checked(const JobCheck& check) {
  std::string text = Count(check.job.file.tables.all.size(), "table");
  if (check.columns) text += ", " + Count(check.columns->size(), "column");
  if (!check.job.pipeline) return text;
  const auto& stages = check.job.pipeline->stages();
  text += ", " + Count(stages.size(), "stage");
  if (!check.job.estimator) return text;
  const auto found = FindEstimator(stages, check.job.catalogue);
  if (!found.ok()) return text;
  return text + fmt::format(", a gang of {}", (*found)->options.gang.workers.max);
}

// Which extensions were left alone, and what is unknown as a result; empty if there are none.
std::string UnloadedText(const Unloaded& unloaded) {
  if (unloaded.files.empty()) return {};
  std::string text = fmt::format("not loaded: {}\n", fmt::join(unloaded.files, ", "));
  if (!unloaded.names.empty()) {
    text += fmt::format("so not checked: {}\n", fmt::join(unloaded.names, ", "));
  }
  return text + "--load-extensions loads them, which runs their code\n";
}

Json CheckAsJson(const JobCheck& check) {
  Json errors = Json::array();
  for (const Status& each : check.mistakes) errors.push_back(StatusToJson(each));
  Json json = {{"ok", check.mistakes.empty()}, {"errors", errors}};
  const Unloaded& unloaded = check.job.unloaded;
  if (unloaded.files.empty()) return json;
  json["not_loaded"] = unloaded.files;
  json["not_checked"] = unloaded.names;
  return json;
}

// Prints all but the last here; the last becomes the command's own fault.
Status Print(const JobCheck& check, bool json, const Invocation& invocation) {
  const std::vector<Status>& mistakes = check.mistakes;
  if (json) {
    PT_TRY(PrintResult(Dump(CheckAsJson(check)) + "\n"));
    invocation.answered = true;
  } else if (!mistakes.empty()) {
    PrintNote(UnloadedText(check.job.unloaded));
  }
  for (size_t i = 0; i + 1 < mistakes.size(); ++i) {
    Fault fault = FaultOf(mistakes[i]);
    fault.kept.clear();  // The last one says it for all.
    fault.where = WithoutSecrets(fault.where);
    PrintNote(Render(fault) + "\n");
  }
  return mistakes.empty() ? Status::OK() : mistakes.back();
}

Status Check(const Arguments& arguments, const Invocation& invocation) {
  if (invocation.program != nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = "check looks at job files, and a program has none",
                 .fix = invocation.name + " plan"});
  }
  const std::string file = arguments.operand(0);
  std::vector<std::string> sets = arguments.Values("--set");
  if (arguments.Has("--engine")) sets.push_back("engine.address=" + arguments.Value("--engine"));
  const JobCheck check = CheckJob(
      file, sets, arguments.Has("--load-extensions") ? Extensions::kLoad : Extensions::kLeaveAlone);
  PT_TRY(Print(check, arguments.Has("--json"), invocation));
  if (arguments.Has("--json")) return Status::OK();
  return PrintResult(FittedLines(
      fmt::format("OK  {}: {}; its SQL and types: protium plan {}\n", file, Checked(check), file) +
      UnloadedText(check.job.unloaded)));
}

}  // namespace

CommandVerb CheckVerb() {
  return {{.name = "check",
           .operands = {"JOB"},
           .flags = {SetFlag(),
                     EngineFlag(),
                     {"--load-extensions", "",
                      "loads the job's extensions, which runs their code, to check what names them",
                      ""},
                     JsonFlag()},
           .says = "finds the mistakes in a job file, in no time",
           .more = "Checks everything that plan checks but the SQL and the types of columns, and "
                   "tells all\nmistakes that do not follow from each other. Reads the first lines "
                   "of tables only.\n"},
          Check};
}

}  // namespace protium
