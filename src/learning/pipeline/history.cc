// SPDX-License-Identifier: Apache-2.0
#include "pipeline/history.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "plan/aggregates.h"
#include "stages/history_stage.h"

namespace protium {
namespace {

std::vector<const HistoryStage*> StagesOf(const Chain& chain) {
  std::vector<const HistoryStage*> stages;
  for (const PlacedStage& each : chain.stages) {
    if (each.stage->history() != nullptr) stages.push_back(each.stage->history());
  }
  return stages;
}

// What the stages read: all have the same groups and time (Placer::CheckHistory).
struct Read {
  Columns by;
  std::string time;
  Columns values;
  bool moments = true;  // Whether times are dates or timestamps, not whole numbers.
};

Read ReadOf(const Chain& chain) {
  const auto stages = StagesOf(chain);
  Read read{.by = stages.front()->by(), .time = stages.front()->time()};
  read.moments = !arrow::is_integer(chain.Find(read.time)->type->id());
  std::set<std::string> seen;
  for (const HistoryStage* each : stages) {
    for (size_t i = 0; i < each->num_values(); ++i) {
      if (seen.insert(each->inputs()[i]).second) read.values.push_back(each->inputs()[i]);
    }
  }
  return read;
}

std::string Name(const std::string& column) { return NameList({column}); }

// The columns that the stages read, of the table `from`, in types that kept and given rows share.
// `has`: the columns of that table.
std::string InOneType(const Read& read, const std::string& from, const Columns& has) {
  std::string list;
  const auto add = [&](const std::string& column, const char* type) {
    const bool there = std::ranges::find(has, column) != has.end();
    list += fmt::format(", CAST({} AS {}) AS {}", there ? from + "." + Name(column) : "NULL", type,
                        Name(column));
  };
  for (const std::string& each : read.by) add(each, "STRING");
  add(read.time, read.moments ? "TIMESTAMP" : "BIGINT");
  for (const std::string& each : read.values) add(each, "DOUBLE");
  return list;
}

constexpr const char* kGiven = "__is_given";

// Given columns pass under other names, in their own types, beside what the stages read.
std::string GivenName(size_t i) { return "__given_" + std::to_string(i); }

std::string GivenColumns(const std::string& from, const Columns& columns) {
  std::string list;
  for (size_t i = 0; i < columns.size(); ++i) {
    list += fmt::format("{}.{} AS {}, ", from, Name(columns[i]), GivenName(i));
  }
  return list;
}

// Both tables below each other. The join with no row gives kept rows the given columns, as NULLs of
// their types.
Plan BelowEachOther(const Read& read, const Plan& rows, const Columns& columns,
                    const Plan& history) {
  Columns kept = read.by;
  kept.push_back(read.time);
  kept.insert(kept.end(), read.values.begin(), read.values.end());
  const std::string moment = read.moments ? "TIMESTAMP" : "BIGINT";
  std::string same = "1 = 1", groups, grouping;
  for (const std::string& each : read.by) {
    same += fmt::format(" AND CAST(h.{0} AS STRING) <=> f.{0}", Name(each));
    groups += fmt::format("CAST({0} AS STRING) AS {0}, ", Name(each));
    grouping +=
        (grouping.empty() ? " GROUP BY " : ", ") + fmt::format("CAST({} AS STRING)", Name(each));
  }
  std::string text = fmt::format(
      "SELECT {0}true AS {2}{3} FROM given AS g UNION ALL SELECT {1}false AS {2}{4} FROM history "
      "AS "
      "h JOIN (SELECT {5}min(CAST({6} AS {7})) AS __first FROM given{8}) AS f ON {9} LEFT JOIN "
      "(SELECT * FROM given WHERE 1 = 0) AS e ON 1 = 0 WHERE CAST(h.{6} AS {7}) < f.__first",
      GivenColumns("g", columns), GivenColumns("e", columns), kGiven, InOneType(read, "g", columns),
      InOneType(read, "h", kept), groups, Name(read.time), moment, grouping, same);
  return MakePlan(Sql{.text = std::move(text),
                      .names = {"given", "history"},
                      .verb = "put behind the rows that the model keeps"},
                  {rows, history});
}

}  // namespace

bool ReadsHistory(const Chain& chain) { return !StagesOf(chain).empty(); }

std::vector<const HistoryStage*> HistoryPredictionsRead(const Chain& chain) {
  if (!chain.estimator) return StagesOf(chain);
  Columns wanted = chain.estimator->numeric;
  const Columns& categorical = chain.estimator->categorical;
  wanted.insert(wanted.end(), categorical.begin(), categorical.end());
  for (const ListInput& each : chain.estimator->lists) wanted.push_back(each.column);
  std::vector<const HistoryStage*> read;
  // Backwards, so that what a stage reads is wanted before its maker is looked at.
  for (size_t i = chain.stages.size(); i-- > 0;) {
    const Stage& stage = *chain.stages[i].stage;
    const bool used = std::ranges::any_of(stage.outputs(), [&](const std::string& output) {
      return std::ranges::find(wanted, output) != wanted.end();
    });
    if (!used) continue;
    wanted.insert(wanted.end(), stage.inputs().begin(), stage.inputs().end());
    if (stage.history() != nullptr) read.push_back(stage.history());
  }
  return read;
}

Columns HistoryOutputs(const Chain& chain) {
  Columns outputs;
  for (const HistoryStage* each : StagesOf(chain)) {
    outputs.insert(outputs.end(), each->outputs().begin(), each->outputs().end());
  }
  return outputs;
}

Plan ApplyHistory(const Chain& chain, Plan rows, Columns& columns) {
  for (const HistoryStage* each : StagesOf(chain)) {
    rows = each->Apply(std::move(rows), columns);
    columns.insert(columns.end(), each->outputs().begin(), each->outputs().end());
  }
  return rows;
}

Plan RowsToKeep(const Chain& chain, const Plan& rows) {
  const Read read = ReadOf(chain);
  Columns columns = read.by;
  columns.push_back(read.time);
  columns.insert(columns.end(), read.values.begin(), read.values.end());
  const Columns order(columns.begin(), columns.begin() + std::ptrdiff_t(read.by.size()) + 1);
  std::string wanted;
  const std::string time = Name(read.time);
  for (const HistoryStage* each : StagesOf(chain)) {
    const Reach reach = each->reach();
    wanted += wanted.empty() ? "" : " OR ";
    if (reach.rows) {
      wanted += fmt::format("__back <= {}", *reach.rows);
    } else if (reach.micros) {
      wanted += fmt::format(
          "unix_micros(CAST({} AS TIMESTAMP)) > unix_micros(CAST(__last AS "
          "TIMESTAMP)) - {}",
          time, *reach.micros);
    } else {
      wanted += "1 = 1";
    }
  }
  const std::string groups = read.by.empty() ? "" : "PARTITION BY " + NameList(read.by) + " ";
  std::string text = fmt::format(
      "SELECT {0} FROM (SELECT {0}, row_number() OVER ({1}ORDER BY {2} DESC) AS __back, max({2}) "
      "OVER ({1}) AS __last FROM rows) AS numbered WHERE {3} ORDER BY {4}",
      NameList(columns), groups, time, wanted, NameList(order));
  return MakePlan(Sql{.text = std::move(text),
                      .names = {"rows"},
                      .verb = "the last rows",
                      .without_ties = true},
                  {rows});
}

Plan BehindHistory(const Chain& chain, const Plan& rows, Columns& columns, const Plan& history) {
  const Read read = ReadOf(chain);
  const Plan given = MakePlan(Materialize{"rows to score"}, {rows});
  Columns all;
  for (size_t i = 0; i < columns.size(); ++i) all.push_back(GivenName(i));
  all.push_back(kGiven);
  all.insert(all.end(), read.by.begin(), read.by.end());
  all.push_back(read.time);
  all.insert(all.end(), read.values.begin(), read.values.end());
  const Plan together = ApplyHistory(chain, BelowEachOther(read, given, columns, history), all);
  std::string list;
  for (size_t i = 0; i < columns.size(); ++i) {
    list += fmt::format("{} AS {}, ", GivenName(i), Name(columns[i]));
  }
  const Columns outputs = HistoryOutputs(chain);
  std::string order;
  for (const std::string& each : read.by) order += fmt::format("rows.{}, ", Name(each));
  columns.insert(columns.end(), outputs.begin(), outputs.end());
  return MakePlan(Sql{.text = fmt::format("SELECT {}{} FROM rows WHERE {} ORDER BY {}rows.{}", list,
                                          NameList(outputs), kGiven, order, Name(read.time)),
                      .names = {"rows"},
                      .verb = "the rows to score"},
                  {together});
}

}  // namespace protium
