// SPDX-License-Identifier: Apache-2.0
#include "pipeline/profile.h"

#include <arrow/api.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/fault.h"
#include "os/file.h"
#include "pipeline/drift.h"
#include "pipeline/kept_states.h"
#include "protium/events.h"
#include "statistics/exact_mean.h"

namespace protium {
namespace {

constexpr int kBars = 20;       // Of a histogram.
constexpr size_t kTop = 12;     // Most frequent values.
constexpr size_t kBinned = 20;  // Texts with a separate bin in the measurement of drift.
constexpr double kQuantiles[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

// The sampled cells of a column, ascending, with their numbers of rows: finite numbers, and texts.
struct CellCounts {
  std::vector<std::pair<double, int64_t>> numbers;
  std::vector<std::pair<std::string, int64_t>> texts;
  int64_t missing = 0;
  int64_t present = 0;
};

template <class Value>
void JoinEqual(std::vector<std::pair<Value, int64_t>>& list) {
  std::ranges::sort(list);
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (kept > 0 && list[kept - 1].first == list[i].first) {
      list[kept - 1].second += list[i].second;
    } else {
      list[kept++] = list[i];
    }
  }
  list.resize(kept);
}

CellCounts CountCells(const ColumnProfiles& state, size_t column) {
  CellCounts counts;
  for (const auto& [hash, row] : state.sample()) {
    const ProfileCell cell = column < row.cells.size() ? row.cells[column] : ProfileCell();
    if (const auto* number = std::get_if<double>(&cell); number && std::isfinite(*number)) {
      counts.numbers.emplace_back(*number + 0.0, row.count);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      counts.texts.emplace_back(*text, row.count);
    } else {
      counts.missing += row.count;
      continue;
    }
    counts.present += row.count;
  }
  JoinEqual(counts.numbers);
  JoinEqual(counts.texts);
  return counts;
}

// The smallest number that at least this share of them does not exceed.
double QuantileOf(const CellCounts& counts, double share) {
  const auto rank = int64_t(std::ceil(share * double(counts.present)));
  int64_t before = 0;
  for (const auto& [number, count] : counts.numbers) {
    before += count;
    if (before >= rank) return number;
  }
  return counts.numbers.back().first;
}

// The most frequent first, ties by value.
template <class Value>
Json TopOf(std::vector<std::pair<Value, int64_t>> list, int64_t rows) {
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.second > b.second; });
  Json top = Json::array();
  for (size_t i = 0; i < std::min(kTop, list.size()); ++i) {
    top.push_back({list[i].first, double(list[i].second) / double(rows)});
  }
  return top;
}

// Counts the cells below the first edge, between each two edges, and from the last edge on.
std::vector<int64_t> CountBetween(const CellCounts& counts, const std::vector<double>& edges) {
  std::vector<int64_t> bins(edges.size() + 1);
  for (const auto& [number, count] : counts.numbers) {
    bins[size_t(std::ranges::upper_bound(edges, number) - edges.begin())] += count;
  }
  return bins;
}

std::vector<double> ReadEdges(const Json& json) {
  std::vector<double> edges;
  for (const Json& each : json) {
    if (each.is_number()) edges.push_back(each.get<double>());
  }
  return edges;
}

Json AsShares(const std::vector<int64_t>& bins, int64_t rows) {
  Json shares = Json::array();
  for (const int64_t bin : bins) shares.push_back(double(bin) / double(std::max<int64_t>(1, rows)));
  return shares;
}

// Bars of equal width from the 1 % quantile to the 99 % quantile; values outside count in the first
// and last.
std::vector<double> HistogramEdges(const CellCounts& counts) {
  const double low = QuantileOf(counts, 0.01), high = QuantileOf(counts, 0.99);
  std::vector<double> edges;
  for (int i = 0; i <= kBars; ++i) edges.push_back(low + (high - low) * i / kBars);
  return edges;
}

Json Histogram(const CellCounts& counts, const std::vector<double>& edges) {
  if (edges.size() < 3 || edges.front() >= edges.back()) return {};
  // The outer edges only say where the first and the last bar are drawn.
  const std::vector<double> inner(edges.begin() + 1, edges.end() - 1);
  return {{"edges", edges}, {"shares", AsShares(CountBetween(counts, inner), counts.present)}};
}

// The bins in which drift is measured: between deciles for numbers, the most frequent values for
// texts.
DriftBins ChooseBins(const CellCounts& counts) {
  DriftBins bins{.of_texts = counts.numbers.empty()};
  if (!bins.of_texts) {
    for (int i = 1; i < 10; ++i) bins.edges.push_back(QuantileOf(counts, i / 10.0));
    bins.edges.erase(std::unique(bins.edges.begin(), bins.edges.end()), bins.edges.end());
    return bins;
  }
  auto texts = counts.texts;
  std::ranges::stable_sort(texts, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (size_t i = 0; i < std::min(kBinned, texts.size()); ++i) {
    bins.texts.push_back(texts[i].first);
  }
  return bins;
}

// The rows of each bin.
std::vector<int64_t> CountBins(const CellCounts& counts, const DriftBins& bins) {
  std::vector<int64_t> rows(bins.count());
  if (bins.of_texts) {
    for (const auto& [text, count] : counts.texts)
      rows[bins.BinOf(std::string_view(text))] += count;
  } else {
    for (const auto& [number, count] : counts.numbers) rows[bins.BinOf(number)] += count;
  }
  rows[bins.Missing()] += counts.missing;
  return rows;
}

// The exact figures.
Json ColumnToJson(const ColumnProfiles& state, size_t index, const ProfiledColumn& named) {
  static const ColumnProfiles::Column kNone;
  const auto& column = index < state.columns().size() ? state.columns()[index] : kNone;
  Json json = {{"column", named.name},
               {"kind", named.kind},
               {"type", named.type},
               {"missing", column.missing}};
  if (named.kind == "other") return json;
  if (column.infinite > 0) json["infinite"] = column.infinite;
  json["distinct"] = int64_t(column.distinct) << std::min(column.limit.level(), 40);
  json["distinct_exact"] = column.limit.level() == 0;
  const int64_t present = state.rows() - column.missing - column.infinite;
  if (named.kind == "text" || present <= 0) return json;
  json["low"] = column.low;
  json["high"] = column.high;
  json["mean"] = ExactMean(column.sum, present);
  return json;
}

Json TableToJson(const ColumnProfiles& state) {
  int64_t sampled = 0;
  for (const auto& [hash, row] : state.sample()) sampled += row.count;
  return {{"rows", state.rows()},
          {"sampled_rows", sampled},
          {"all_rows_sampled", !state.sampled()},
          {"columns", Json::array()}};
}

void AddValues(const CellCounts& counts, const std::vector<double>& edges, Json& column) {
  if (!counts.numbers.empty()) {
    Json quantiles = Json::array();
    for (const double share : kQuantiles) quantiles.push_back({share, QuantileOf(counts, share)});
    column["quantiles"] = std::move(quantiles);
    column["histogram"] = Histogram(counts, edges);
    column["top"] = TopOf(counts.numbers, counts.present);
  } else if (!counts.texts.empty()) {
    column["top"] = TopOf(counts.texts, counts.present);
  }
}

// The entry of a column in an earlier profile; null: none.
Json FindColumn(const Json& profile, const std::string& name) {
  for (const Json& each : profile.value("columns", Json::array())) {
    if (each.value("column", std::string()) == name) return each;
  }
  return {};
}

std::filesystem::path FileOf(const SessionState& session) {
  return session.folder() / "profile.json";
}

Status WriteProfile(const SessionState& session, const Json& profile) {
  return WriteFile(FileOf(session), Pretty(profile));
}

Status AddTest(SessionState& session, const Plan& rows, const arrow::Schema& schema, Json profile) {
  const Json train = profile["train"];
  Columns names;
  for (const Json& each : train.value("columns", Json::array())) {
    names.push_back(each.value("column", std::string()));
  }
  const ProfileNeed need = ProfileOf(names, schema);
  if (need.columns.empty()) return Status::OK();
  PT_LET(const FoundStates found, FindStates(session, rows, {need.need}));
  profile["test"] =
      TestProfileToJson(std::get<ColumnProfiles>(found.states[0]), need.columns, train);
  return WriteProfile(session, profile);
}

}  // namespace

Json ProfileToJson(const ColumnProfiles& state, const std::vector<ProfiledColumn>& columns) {
  Json table = TableToJson(state);
  for (size_t c = 0; c < columns.size(); ++c) {
    Json column = ColumnToJson(state, c, columns[c]);
    if (columns[c].kind != "other") {
      const CellCounts counts = CountCells(state, c);
      AddValues(counts, counts.numbers.empty() ? std::vector<double>() : HistogramEdges(counts),
                column);
      DriftBins bins = ChooseBins(counts);
      bins.rows = CountBins(counts, bins);
      column["bins"] = ToJson(bins);
    }
    table["columns"].push_back(std::move(column));
  }
  return table;
}

Json TestProfileToJson(const ColumnProfiles& state, const std::vector<ProfiledColumn>& columns,
                       const Json& train) {
  Json table = TableToJson(state);
  for (size_t c = 0; c < columns.size(); ++c) {
    Json column = ColumnToJson(state, c, columns[c]);
    const Json before = FindColumn(train, columns[c].name);
    const std::optional<DriftBins> bins =
        DriftBinsFromJson(before.is_object() ? before.value("bins", Json()) : Json());
    if (bins) {
      const CellCounts counts = CountCells(state, c);
      const Json drawn = before.value("histogram", Json());
      AddValues(counts,
                drawn.is_object() ? ReadEdges(drawn.value("edges", Json::array()))
                                  : std::vector<double>(),
                column);
      const auto drift = MeasureDrift(*bins, CountBins(counts, *bins));
      if (drift) {
        column["psi"] = drift->psi;
        column["drifted"] = drift->beyond_chance;
      }
    }
    table["columns"].push_back(std::move(column));
  }
  return table;
}

Json ProfileToKeep(const Json& train, const Columns& names) {
  Json columns = Json::array();
  for (const std::string& name : names) {
    const Json column = FindColumn(train, name);
    if (!column.is_object() || !column.contains("bins") || column["kind"] == "time") continue;
    columns.push_back({{"column", name}, {"kind", column["kind"]}, {"bins", column["bins"]}});
  }
  return {{"rows", train.value("rows", int64_t{0})}, {"columns", std::move(columns)}};
}

Result<RowDrift> FindDrift(const DataFrame& rows, const Json& kept) {
  SessionState& session = StateOf(rows.session());
  PT_LET(const SchemaPtr schema, rows.Schema());
  Columns names;
  for (const Json& each : kept.value("columns", Json::array())) {
    names.push_back(each.value("column", std::string()));
  }
  const ProfileNeed need = ProfileOf(names, *schema);
  RowDrift found;
  if (need.columns.empty()) return found;
  PT_LET(const FoundStates states, FindStates(session, rows.plan(), {need.need}));
  const ColumnProfiles& seen = std::get<ColumnProfiles>(states.states[0]);
  found.rows = seen.rows();
  for (size_t c = 0; c < need.columns.size(); ++c) {
    const Json before = FindColumn(kept, need.columns[c].name);
    const auto bins = DriftBinsFromJson(before.value("bins", Json()));
    if (!bins || before.value("kind", Json()) != need.columns[c].kind) continue;
    const auto drift = MeasureDrift(*bins, CountBins(CountCells(seen, c), *bins));
    if (!drift) continue;
    ++found.compared;
    if (!drift->beyond_chance) continue;
    const std::string& name = need.columns[c].name;
    found.columns.push_back({name, drift->psi, DescribeDrift(name, *bins, *drift)});
  }
  std::ranges::stable_sort(found.columns, std::ranges::greater(), &DriftedColumn::psi);
  return found;
}

ProfileNeed ProfileOf(const Columns& names, const arrow::Schema& schema) {
  ProfileNeed made{.need = {.kind = StateKind::kProfile}};
  for (const std::string& name : names) {
    const auto field = schema.GetFieldByName(name);
    if (field == nullptr) continue;
    if (made.columns.size() == kMostProfiled) {
      ++made.left_out;
      continue;
    }
    made.need.columns.push_back(name);
    made.columns.push_back({name, ProfileKind(*field->type()), field->type()->ToString()});
  }
  return made;
}

Result<Json> KeptProfile(const SessionState& session, const Columns& names) {
  std::error_code ignored;
  if (session.folder().empty() || !std::filesystem::exists(FileOf(session), ignored)) return Json();
  PT_LET(const std::string text, ReadFile(FileOf(session)));
  const Result<Json> profile = ParseJson(text);
  if (!profile.ok()) return Annotate(profile.status(), FileOf(session).string());
  return ProfileToKeep(profile->value("train", Json::object()), names);
}

void DropProfile(const SessionState& session) {
  std::error_code ignored;
  if (!session.folder().empty()) std::filesystem::remove(FileOf(session), ignored);
}

Status KeepProfile(SessionState& session, const ColumnProfiles& state, const ProfileNeed& need) {
  Json train = ProfileToJson(state, need.columns);
  if (need.left_out > 0) train["columns_left_out"] = need.left_out;
  return WriteProfile(session, {{"version", 1}, {"train", std::move(train)}});
}

Status ProfileTest(const DataFrame& test) {
  SessionState& session = StateOf(test.session());
  std::error_code ignored;
  if (session.folder().empty() || !std::filesystem::exists(FileOf(session), ignored)) {
    return Status::OK();
  }
  const auto look = [&]() -> Status {
    PT_LET(const std::string text, ReadFile(FileOf(session)));
    PT_LET(Json profile, ParseJson(text));
    if (!profile.is_object() || !profile.contains("train")) return Status::OK();
    PT_LET(const SchemaPtr schema, test.Schema());
    return AddTest(session, test.plan(), *schema, std::move(profile));
  };
  const Status status = look();
  if (status.ok() || session.call().stop.stop_requested()) return status;
  session.call().Send(Warning{"the test rows could not be profiled: " + FaultOf(status).what});
  return Status::OK();
}

}  // namespace protium
