// SPDX-License-Identifier: Apache-2.0
#include "job/split.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/cells.h"
#include "stages/stage.h"

namespace protium {
namespace {

Result<std::shared_ptr<arrow::Field>> FindIn(const arrow::Schema& schema, const std::string& column,
                                             const std::string& where) {
  auto field = schema.GetFieldByName(column);
  if (field != nullptr) return field;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the table has no column \"{}\"", column),
               .where = where,
               .fix = Suggest(column, schema.field_names())});
}

Status CheckSplitColumn(const JobSplit& split, const arrow::Schema& schema) {
  if (split.column.empty()) return Status::OK();
  if (!split.by.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "split has both by and column",
                 .where = "split.column",
                 .why = "by holds out rows by a hash, column those that it marks",
                 .fix = "leave out one of them"});
  }
  PT_LET(const auto field, FindIn(schema, split.column, "split.column"));
  if (field->type()->id() == arrow::Type::BOOL) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("column \"{}\" is {}, not boolean", split.column,
                                   TypeText(*field->type())),
               .where = "split.column",
               .fix = "write a condition for it in the SQL: day >= DATE '2015-06-14' AS held_out"});
}

// The column is one of times, and `from` is a time of its kind.
Status CheckMoments(const JobSplit& split, const arrow::Schema& schema) {
  PT_LET(const auto field, FindIn(schema, split.by_time, "split.by_time"));
  const bool text = field->type()->id() == arrow::Type::STRING;
  const Status fits = CheckTime(*field->type());
  if (!fits.ok()) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("column \"{}\" is {}, not {}", split.by_time, TypeText(*field->type()),
                             fits.message()),
         .where = "split.by_time",
         .fix = text ? fmt::format("read it in the SQL: to_date({0}) AS {0}", split.by_time) : ""});
  }
  const bool number = arrow::is_integer(field->type()->id());
  const bool whole = split.from.find_first_not_of("0123456789") == split.from.npos;
  if (split.from.empty() || number == whole) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("\"{}\" is not a {}, as column \"{}\" holds", split.from,
                                   number ? "whole number" : "date or a time", split.by_time),
               .where = "split.from",
               .fix = number ? "from = \"2025\"" : "from = \"2025-06-01\""});
}

Status CheckSplitTime(const JobSplit& split, const arrow::Schema& schema) {
  if (split.by_time.empty()) {
    if (split.from.empty()) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "split has from, and no column of times",
                 .where = "split.from",
                 .fix = "set by_time to a column of dates or times"});
  }
  if (!split.by.empty() || !split.column.empty()) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = fmt::format("split has both by_time and {}", split.by.empty() ? "column" : "by"),
         .where = "split.by_time",
         .why = "by_time holds out the latest rows, whatever their other values",
         .fix = "leave out one of them"});
  }
  return CheckMoments(split, schema);
}

// The id, or else the kind, of a stage that reads earlier rows; empty: there is none.
Result<std::string> StageOfHistory(const Job& job) {
  if (!job.pipeline) return std::string();
  PT_LET(const Catalogue catalogue, WithBuiltIns(job.catalogue));
  for (const StageOptions& each : job.pipeline->stages()) {
    PT_LET(const StageRow* const row, FindRow(catalogue.stages, "kind of stage", each.kind, ""));
    if (row->reads_history) return each.options.ToJson().value("id", each.kind);
  }
  return std::string();
}

// Rows that a hash takes out of a series would be missing between those that are left.
Status CheckWholeSeries(const Job& job) {
  const auto& split = job.file.split;
  const auto& folds = job.file.folds;
  const bool torn_split =
      split && split->by.empty() && split->by_time.empty() && split->column.empty();
  const bool torn_folds = folds && folds->by.empty() && folds->by_time.empty();
  if (!torn_split && !torn_folds) return Status::OK();
  PT_LET(const std::string stage, StageOfHistory(job));
  if (stage.empty()) return Status::OK();
  const char* const section = torn_split ? "split" : "folds";
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format(
                   "{} takes single rows out of the series that the stage \"{}\" looks back on",
                   section, stage),
               .where = section,
               .fix = "set by_time to the column that orders the rows, or by to those that name a "
                      "series"});
}

}  // namespace

Status CheckSplit(const Job& job, const arrow::Schema& schema) {
  PT_TRY(CheckWholeSeries(job));
  if (!job.file.split) return Status::OK();
  PT_TRY(CheckSplitColumn(*job.file.split, schema));
  return CheckSplitTime(*job.file.split, schema);
}

}  // namespace protium
