// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "app/doctor/finding.h"
#include "app/doctor/task.h"
#include "base/fault.h"
#include "base/units.h"
#include "engine/address.h"
#include "engine/kind.h"
#include "events/events.h"
#include "frame/session_state.h"

namespace protium {

namespace {

// Two ranks if there are seats for two.
int32_t RanksAt(const std::string& address) {
  const Result<int32_t> seats = SeatsOf(address);
  return seats.ok() && *seats == 1 ? 1 : 2;
}

Finding Query(Session& session) {
  const Result<int64_t> rows = session.Sql("SELECT 1 AS one").Count();
  return {"engine", WithoutSecrets(StateOf(session).engine().address()) + " runs SQL",
          rows.status()};
}

// The engine warns with its first query if the server has no use for pools.
Finding PoolFinding(const std::string& pool, const std::string& warning) {
  Finding finding{"pool", fmt::format("jobs run in Spark's pool \"{}\", beside those of others "
                                      "(spark.scheduler.mode is FAIR)",
                                      pool)};
  if (warning.empty()) return finding;
  finding.status = Fail({.exit = Exit::kEnvironment, .what = warning});
  return finding;
}

// For other servers gRPC's error messages are unhelpful.
Status WithFix(const Status& status) {
  Fault fault = FaultOf(status);
  if (fault.fix.empty() && fault.what.find("http2") != std::string::npos) {
    fault.fix = "is that a Spark Connect server? Something else seems to answer there";
  }
  return Fail(std::move(fault));
}

// Returns the tasks' reports.
Result<std::vector<Json>> ToldBy(const DataFrame& tasks) {
  PT_LET(const BatchStreamPtr stream, tasks.Stream());
  std::vector<Json> told;
  while (true) {
    PT_LET(const auto batch, stream->Next());
    if (!batch) return told;
    const auto& cells = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t row = 0; row < cells.length(); ++row) {
      PT_LET(told.emplace_back(), ParseJson(std::string(cells.GetView(row))));
    }
  }
}

Result<std::vector<Json>> RunGang(Session& session, int32_t size) {
  return ToldBy(session.Sql("SELECT 1 AS one")
                    .Map({.task = "doctor",
                          .output = DoctorColumns(),
                          .workers = size,
                          .gang = GangSpec{.workers = size, .max_restarts = 0},
                          .needs = {.torch = true}}));
}

// The table has as many parts as the cluster has cores, unless its settings say otherwise: one task
// per core.
Finding ReachExecutors(Session& session) {
  const Result<std::vector<Json>> told =
      ToldBy(session.Sql("SELECT id FROM range(100000)")
                 .Map({.task = "reach", .output = DoctorColumns()}));
  if (!told.ok()) return {"executors", "", told.status()};
  std::map<std::string, std::set<std::string>> hosts;
  size_t executors = 0;
  for (const Json& each : *told) {
    executors +=
        hosts[each["host"].get<std::string>()].insert(each["executor"].get<std::string>()).second
            ? 1
            : 0;
  }
  std::string text;
  for (const auto& [host, there] : hosts) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", there.size(), host);
  }
  return {"executors", fmt::format("{} run{} the program, {} tasks at once: {}", executors,
                                   executors == 1 ? "s" : "", told->size(), text)};
}

// "cpu-1 (2 cores, 7.8 GiB)" once for each host.
std::string Hosts(const std::vector<Json>& ranks) {
  std::vector<std::string> hosts;
  for (const Json& rank : ranks) {
    const std::string host =
        fmt::format("{} ({} cores, {})", rank["host"].get<std::string>(),
                    rank["cores"].get<int64_t>(), BytesText(rank["memory_bytes"].get<int64_t>()));
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return fmt::format("{}", fmt::join(hosts, ", "));
}

void AddGang(Session& session, std::vector<Finding>& findings) {
  const int32_t size = RanksAt(StateOf(session).options().engine);
  const int64_t sum = int64_t{size} * (size + 1) / 2;  // Of the ranks' numbers, from 1.
  const Result<std::vector<Json>> ranks = RunGang(session, size);
  Finding gang{"gang", "", ranks.status()};
  if (!ranks.ok()) {
    findings.push_back(std::move(gang));
    return;
  }
  Finding torch{"training", "every rank loads LibTorch"};
  int64_t right = 0;
  for (const Json& rank : *ranks) {
    right += rank["sum"] == sum;
    const Status loaded = StatusFromJson(rank["torch"]);
    if (!loaded.ok()) torch.status = Annotate(loaded, "on " + rank["host"].get<std::string>());
  }
  gang.found = fmt::format("all-reduce over {} ranks on {}", ranks->size(), Hosts(*ranks));
  if (right != size || ranks->size() != size_t(size)) {
    gang.status = Fail({.exit = Exit::kBug, .what = "the all-reduce of a gang gave a wrong sum"});
  }
  findings.push_back(std::move(gang));
  findings.push_back(std::move(torch));
}

}  // namespace

std::vector<Finding> ExamineEngine(const std::string& address, const Json& engine_options,
                                   const std::filesystem::path& folder, const Call& call) {
  std::string warning;  // The latest.
  SessionOptions options;
  options.engine = address;
  options.engine_options = engine_options;
  options.folder = folder;
  options.call = call;
  options.call.events = [&](const Json& event) {
    if (Is<Warning>(event)) warning = TextAt(event, "message");
  };
  if (!KindOf(address).runs_here) {
    // So that nobody waits for the client's many retries to learn of a wrong port.
    const Status there = ReachHost(address);
    if (!there.ok()) return {{"engine", WithoutSecrets(address), there}};
  }
  const Result<std::unique_ptr<Session>> session = OpenSession(std::move(options));
  if (!session.ok()) return {{"engine", WithoutSecrets(address), WithFix(session.status())}};
  std::vector<Finding> findings = {Query(**session)};
  // Findings of tasks would only follow from that.
  if (!findings.back().status.ok()) return findings;
  if (!KindOf(address).runs_here) findings.push_back(ReachExecutors(**session));
  if (findings.back().status.ok()) AddGang(**session, findings);
  if (const std::string pool = TextAt(engine_options, "pool"); !pool.empty()) {
    findings.push_back(PoolFinding(pool, warning));
  }
  return findings;
}

}  // namespace protium
