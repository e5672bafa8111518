// SPDX-License-Identifier: Apache-2.0
// `protium check`: all mistakes of a job file that can be found without reading its tables, and, of
// a job without any, possible target leaks in the first rows.
#include "job/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "app/run/requests.h"
#include "app/verb.h"
#include "base/fault.h"
#include "engine/address.h"
#include "engine/kind.h"
#include "job/leak_check.h"
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
  const GangSpec& gang = (*found)->options.gang;
  text += fmt::format(", a gang of {}", gang.workers.max);
  return gang.servers == 0 ? text : text + " and " + Count(size_t(gang.servers), "server");
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

constexpr std::chrono::seconds kLookLimit{2};

// Whether all tables are files of this machine, which the embedded engine reads.
bool LiesHere(const Job& job) {
  const auto is_file = [](const auto& named) {
    return named.second.sources() == 0 && !named.second.table;
  };
  return KindOf(job.file.engine.address).runs_here &&
         std::ranges::all_of(job.file.tables.all, is_file);
}

Result<LeakLook> LookUntil(Deadline deadline, const Job& job, const Invocation& invocation) {
  PT_LET(RunRequest request, RequestForJob(job, invocation));
  request.session.call.deadline = deadline;
  PT_LET(const std::unique_ptr<Session> session, OpenSession(request.session));
  PT_LET(const JobFrames frames, OpenJob(*session, job));
  return LookAtFirstRows(job, frames);
}

// What the first rows say, for at most some seconds; nothing if that needs code of the job or
// another machine.
Result<LeakLook> LookAtTables(const JobCheck& check, const Invocation& invocation) {
  const Job& job = check.job;
  const bool learns = job.estimator && !job.file.stream && job.file.leaks.look;
  if (!check.mistakes.empty() || !job.unloaded.files.empty() || !learns || !LiesHere(job)) {
    return LeakLook();
  }
  const Deadline deadline = Clock::now() + kLookLimit;
  Result<LeakLook> look = LookUntil(deadline, job, invocation);
  if (look.ok() || Clock::now() < deadline) return look;
  return Fail(
      {.what = fmt::format("the first rows take over {} s; protium run looks before it trains",
                           kLookLimit.count())});
}

std::string LookText(const Result<LeakLook>& look) {
  if (!look.ok()) {
    return fmt::format("target leaks were not looked for: {}\n", FaultOf(look.status()).what);
  }
  std::string text;
  for (const std::string& each : look->findings) text += "warning  " + each + "\n";
  return text;
}

Json CheckAsJson(const JobCheck& check, const Result<LeakLook>& look) {
  Json errors = Json::array();
  for (const Status& each : check.mistakes) errors.push_back(StatusToJson(each));
  Json json = {{"ok", check.mistakes.empty()}, {"errors", errors}};
  if (look.ok() && !look->findings.empty()) json["leaks"] = look->findings;
  const Unloaded& unloaded = check.job.unloaded;
  if (unloaded.files.empty()) return json;
  json["not_loaded"] = unloaded.files;
  json["not_checked"] = unloaded.names;
  return json;
}

// Prints all but the last here; the last becomes the command's own fault.
Status Print(const JobCheck& check, const Result<LeakLook>& look, bool json,
             const Invocation& invocation) {
  const std::vector<Status>& mistakes = check.mistakes;
  if (json) {
    PT_TRY(PrintResult(Dump(CheckAsJson(check, look)) + "\n"));
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
  const Result<LeakLook> look = LookAtTables(check, invocation);
  PT_TRY(Print(check, look, arguments.Has("--json"), invocation));
  if (arguments.Has("--json")) return Status::OK();
  return PrintResult(FittedLines(
      fmt::format("OK  {}: {}; its SQL and types: protium plan {}\n", file, Checked(check), file) +
      UnloadedText(check.job.unloaded) + LookText(look)));
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
           .says = "finds the mistakes in a job file, and possible target leaks",
           .more = "Checks what plan checks, except the SQL and the types of columns, and reports "
                   "every mistake\n"
                   "that does not follow from another. If there are none, the job is run over its "
                   "first rows, for\n"
                   "two seconds at most, to warn of possible target leaks; leaks.look = false "
                   "turns that off.\n"
                   "Otherwise only the first lines of tables are read.\n"},
          Check};
}

}  // namespace protium
