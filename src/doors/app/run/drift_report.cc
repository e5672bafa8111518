// SPDX-License-Identifier: Apache-2.0
#include "app/run/drift_report.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_state.h"
#include "pipeline/profile.h"
#include "protium/events.h"
#include "run/terminal.h"

namespace protium {
namespace {

constexpr int64_t kUsualRows = 20'000;
constexpr size_t kMostSaid = 5;  // Columns.

// What is said of rows that have drifted, and nothing of others.
void Report(const RowDrift& drift, bool all, const Call& call) {
  if (drift.columns.empty()) return;
  call.Send(Warning{fmt::format(
      "{} of {} columns of {} differ from the rows that the model learned from: its predictions "
      "may be worse than on its test rows",
      drift.columns.size(), drift.compared,
      all ? "the rows" : fmt::format("{} rows, chosen evenly,", Grouped(drift.rows)))});
  for (size_t i = 0; i < drift.columns.size() && i < kMostSaid; ++i) {
    call.Send(Note{drift.columns[i].says});
  }
  const size_t more = drift.columns.size() - std::min(drift.columns.size(), kMostSaid);
  if (more > 0) call.Send(Note{fmt::format("and {} more, which --json lists", more)});
}

// Compares the first rows, and only if these differ reads all for some that are chosen evenly: the
// first rows of a sorted table are unlike the others.
Result<RowDrift> LookForDrift(const DataFrame& rows, const Json& kept, int64_t most,
                              int64_t count) {
  Result<RowDrift> drift = FindDrift(count <= most ? rows : rows.Limit(most), kept);
  if (!drift.ok() || drift->columns.empty() || count <= most) return drift;
  // Another than the seed of splits, whose parts may be what is scored.
  constexpr int64_t kSeed = 0xd21f7;
  return FindDrift(rows.Sample(double(most) / double(count), kSeed), kept);
}

Json ToJson(const RowDrift& drift) {
  Json columns = Json::object();
  for (const DriftedColumn& each : drift.columns) columns[each.name] = each.psi;
  return {{"rows", drift.rows}, {"columns", std::move(columns)}};
}

}  // namespace

Flag DriftFlag() {
  return {"--drift", "ROWS",
          "how many rows are compared with the training rows (20000), or all; 0: none", ""};
}

Result<int64_t> ReadDriftFlag(const Arguments& arguments) {
  if (arguments.Value("--drift") == "all") return INT64_MAX;
  const Result<int64_t> rows = arguments.Number("--drift", kUsualRows);
  if (rows.ok() && *rows >= 0) return rows;
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("--drift {} is not a number of rows", arguments.Value("--drift")),
       .fix = "--drift 20000, or --drift all"});
}

Result<Json> ReportDrift(const PipelineModel& model, const DataFrame& rows, int64_t most,
                         int64_t count) {
  const Json& kept = StateOf(model).profile;
  if (most == 0 || kept.is_null()) return Json();
  const Call call = StateOf(rows.session()).call();
  const Result<RowDrift> drift = LookForDrift(rows, kept, most, count);
  if (!drift.ok()) {
    if (call.stop.stop_requested()) return drift.status();
    call.Send(Warning{"the rows could not be compared with those that the model learned from: " +
                      FaultOf(drift.status()).what});
    return Json();
  }
  Report(*drift, count <= most, call);
  return ToJson(*drift);
}

}  // namespace protium
