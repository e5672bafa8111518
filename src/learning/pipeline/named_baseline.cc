// SPDX-License-Identifier: Apache-2.0
#include "pipeline/named_baseline.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/fault.h"
#include "frame/session_state.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/usual_steps.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

constexpr std::string_view kSeasonal = "seasonal";

Status NoSeason(const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = "the baseline \"seasonal\" has no season",
               .where = "train.baseline",
               .why = why,
               .fix = "say it in rows: baseline = \"seasonal@7\""});
}

// The column by which the first stage of earlier rows orders them; empty: there is none, which is
// refused when stages are placed.
std::string TimeOf(const std::vector<StageOptions>& stages, const Catalogue& catalogue) {
  for (const StageOptions& each : stages) {
    const auto row = std::ranges::find(catalogue.stages, each.kind, &StageRow::name);
    if (row == catalogue.stages.end() || !row->reads_history) continue;
    const Json time = each.options.ToJson().value("time", Json());
    return time.is_string() ? time.get<std::string>() : std::string();
  }
  return {};
}

// The times of the whole table.
struct Times {
  double seconds = 0;  // From the first to the last.
  int64_t distinct = 0;
};

Result<Times> CountTimes(const DataFrame& train, const std::string& time) {
  const std::string micros = fmt::format("unix_micros(CAST({} AS TIMESTAMP))", NameList({time}));
  const Plan plan =
      MakePlan(Sql{.text = fmt::format("SELECT CAST(max({0}) - min({0}) AS DOUBLE) AS span, "
                                       "CAST(count(DISTINCT {0}) AS DOUBLE) AS times FROM rows",
                                       micros),
                   .names = {"rows"},
                   .verb = "the times of the rows"},
               {train.plan()});
  // Without the events of a query, which would count as those of the job's table.
  SessionState& session = StateOf(train.session());
  Call call = session.call();
  call.events = nullptr;
  PT_LET(const BatchStreamPtr rows, session.engine().Execute(plan, call));
  Times times;
  while (true) {
    PT_LET(const auto batch, rows->Next());
    if (batch == nullptr) return times;
    if (batch->num_rows() == 0 || batch->column(0)->IsNull(0)) continue;
    const auto number = [&](int column) {
      return static_cast<const arrow::DoubleArray&>(*batch->column(column)).Value(0);
    };
    times = {number(0) / 1e6, int64_t(number(1))};
  }
}

}  // namespace

Result<std::optional<NamedBaseline>> ReadNamedBaseline(const std::string& text,
                                                       const std::string& where) {
  if (text == "last value" || text == kSeasonal) return NamedBaseline{1};
  std::string_view rest = text;
  if (!rest.starts_with(std::string(kSeasonal) + "@")) return std::nullopt;
  rest.remove_prefix(kSeasonal.size() + 1);
  NamedBaseline named;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), named.season);
  if (read.ec == std::errc() && read.ptr == rest.data() + rest.size() && named.season > 0) {
    return named;
  }
  return Fail({.exit = Exit::kUsage,
               .what = "\"" + text + "\" has no number of rows behind the @",
               .where = where,
               .fix = "write how many rows a season has: baseline = \"seasonal@7\""});
}

Result<std::vector<StageOptions>> WithSeasonFound(std::vector<StageOptions> stages,
                                                  const DataFrame& train,
                                                  const Catalogue& catalogue) {
  PT_LET(const auto found, FindEstimator(stages, catalogue));
  if (!found || found->options.train.baseline != kSeasonal) return stages;
  PT_LET(const SchemaPtr schema, train.Schema());
  if (schema->GetFieldByName(std::string(kSeasonal)) != nullptr) return stages;
  const std::string time = TimeOf(stages, catalogue);
  const auto field = schema->GetFieldByName(time);
  if (field == nullptr) return stages;
  if (arrow::is_integer(field->type()->id())) {
    return NoSeason("rows are ordered by whole numbers, which have no unit");
  }
  PT_LET(const Times times, CountTimes(train, time));
  const UsualStep* const step = FindUsualStep(times.seconds, times.distinct);
  if (step == nullptr) {
    return NoSeason(fmt::format("the times in \"{}\" are not a regular step apart", time));
  }
  Json options = found->own.ToJson();
  options["train"]["baseline"] = fmt::format("{}@{}", kSeasonal, step->season);
  stages[found->at].options = AnyOptions(options);
  return stages;
}

}  // namespace protium
