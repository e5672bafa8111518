// SPDX-License-Identifier: Apache-2.0
// `protium doctor`: whether a job would run here, from the memory to a gang of two.
#include <fmt/format.h>

#include <filesystem>

#include "app/doctor/finding.h"
#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "engine/address.h"
#include "engine/kind.h"
#include "os/signals.h"
#include "terminal/one_file.h"
#include "terminal/printing.h"

namespace protium {

namespace {

// For a cluster that receives the program and LibTorch, 0.5 GB, for the first time; one that
// already has them takes seconds.
constexpr auto kTime = std::chrono::seconds(120);

// "OK     memory         7.8 GiB, ...", followed by the fix on the next line if something is wrong.
std::string FindingText(const Finding& finding) {
  if (finding.status.ok()) return fmt::format("OK     {:<14} {}\n", finding.name, finding.found);
  const Fault fault = FaultOf(finding.status);
  std::string text = fmt::format("WRONG  {:<14} {}\n", finding.name, fault.what);
  const std::string blanks(22, ' ');
  for (const auto& [label, value] :
       {std::pair{"where", &fault.where}, {"why", &fault.why}, {"fix", &fault.fix}}) {
    if (!value->empty()) text += fmt::format("{}{}: {}\n", blanks, label, *value);
  }
  return text;
}

Json FindingJson(const Finding& finding) {
  Json json = {{"name", finding.name}, {"ok", finding.status.ok()}};
  if (finding.status.ok()) json["found"] = finding.found;
  if (!finding.status.ok()) json["error"] = StatusToJson(finding.status);
  return json;
}

// Prints each finding as soon as it is available: the next one may take a while.
class Report {
 public:
  explicit Report(bool json) : json_(json) {}

  Status Add(const std::vector<Finding>& findings) {
    for (const Finding& each : findings) {
      if (!each.status.ok()) wrong_.push_back(each);
      all_.push_back(FindingJson(each));
      if (!json_) PT_TRY(PrintResult(FindingText(each)));
    }
    return Status::OK();
  }

  Status End(const Invocation& invocation) const {
    if (json_) {
      PT_TRY(PrintResult(Dump({{"ok", wrong_.empty()}, {"findings", all_}}) + "\n"));
      invocation.answered = true;
    }
    if (wrong_.empty()) return Status::OK();
    const Fault first = FaultOf(wrong_.front().status);
    return Fail({.exit = first.exit,
                 .what = fmt::format("a job could not run here: {} of {} checks failed",
                                     wrong_.size(), all_.size()),
                 .where = wrong_.front().name,
                 .fix = first.fix});
  }

 private:
  const bool json_;
  Json all_ = Json::array();
  std::vector<Finding> wrong_;
};

// The engine's own options.
Result<Json> OptionsOf(const std::string& engine, const std::string& pool) {
  if (pool.empty()) return Json::object();
  if (!KindOf(engine).runs_here) return Json{{"pool", pool}};
  return Fail({.exit = Exit::kUsage,
               .what = "--pool is for Spark's fair scheduler, and the engine is \"" + engine + "\"",
               .fix = "name a server of Spark with --engine, or leave --pool out"});
}

Status Examine(const Arguments& arguments, const Invocation& invocation) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const std::string engine = arguments.Value("--engine", "local");
  PT_LET(const Json options, OptionsOf(engine, arguments.Value("--pool")));
  const std::string runs = KnownRuns(arguments).string();
  Report report(arguments.Has("--json"));
  PT_TRY(report.Add(ExamineMachine(runs)));
  PT_LET(const std::unique_ptr<Scratch> scratch, Scratch::MakeFor(engine, "here"));
  const Call call{.stop = signals->token(), .deadline = Clock::now() + kTime};
  PT_TRY(report.Add(ExamineEngine(engine, options, scratch->path(), call)));
  return WithoutLogsIn(scratch->path(), report.End(invocation));
}

}  // namespace

CommandVerb DoctorVerb() {
  return {
      {.name = "doctor",
       .flags = {EngineFlag(),
                 {"--pool", "NAME", "with Spark: checks that jobs can run in this fair pool", ""},
                 RunsDirFlag(),
                 JsonFlag()},
       .says = "checks whether jobs can run here, and says what to fix",
       .more = "Checks cores, memory, disk, shared memory, ports, devices and LibTorch, then runs "
               "a query on\n"
               "the engine, the program on every executor of a cluster, and a gang of two. Fails "
               "if a job\n"
               "could not run.\n"
               "\n"
               "  protium doctor --engine sc://host:15002\n"},
      Examine};
}

}  // namespace protium
