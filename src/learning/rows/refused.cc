// SPDX-License-Identifier: Apache-2.0
#include "rows/refused.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "protium/fields.h"

namespace protium {
namespace {

Status OverBudget(const Refused& refused) {
  if (!refused.disk.empty()) {
    return Fail({.exit = Exit::kNoRoom,
                 .what = fmt::format("packed rows need {} bytes; there is room for {} in memory "
                                     "and on the disk",
                                     refused.needed_bytes, refused.budget_bytes),
                 .where = refused.disk,
                 .why = refused.why,
                 .fix = "make room there, choose a folder on a larger disk (engine.spill), or "
                        "raise engine.rows_memory"});
  }
  return Fail({.exit = Exit::kNoRoom,
               .what = fmt::format("packed rows need {} bytes, the budget allows {}",
                                   refused.needed_bytes, refused.budget_bytes),
               .where = fmt::format("{} rows so far", refused.rows),
               .fix = "use more workers, fewer rows or columns, or a larger row budget"});
}

std::string SuggestFix(const RefusedCells& cells) {
  if (cells.reason == "NULL") {
    return "leave these rows out (WHERE " + cells.column +
           " IS NOT NULL) or fill them, as the stage imputer does";
  }
  if (cells.reason == "negative") {
    return "a weight says how often a row counts: 0 or more; leave these rows out (WHERE " +
           cells.column + " >= 0)";
  }
  return {};
}

// `rank` is not sent: MergeRefused() knows it from the position in its argument.
struct JsonCells : RefusedCells {
  template <class Visit>
  void Fields(Visit& visit) {
    visit("column", column);
    visit("reason", reason);
    visit("count", count);
    visit("first_row", first_row);
  }
};

struct JsonRefused {
  std::vector<JsonCells> cells;
  int64_t rows = 0;
  int64_t needed_bytes = 0;
  int64_t budget_bytes = 0;
  std::string disk;
  std::string why;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("cells", cells);
    visit("rows", rows);
    visit("needed_bytes", needed_bytes);
    visit("budget_bytes", budget_bytes);
    visit("disk", disk);
    visit("why", why);
  }
};

}  // namespace

RefusedCells& Refused::Of(const std::string& column, const std::string& reason) {
  for (RefusedCells& each : cells) {
    if (each.column == column && each.reason == reason) return each;
  }
  cells.push_back({.column = column, .reason = reason});
  return cells.back();
}

Status Refused::ToStatus() const {
  if (full()) return OverBudget(*this);
  if (cells.empty()) return Status::OK();
  // The first one found: one is enough to start looking.
  const RefusedCells& worst = cells.front();
  std::string what = fmt::format("column {} is {} in {} of {} rows", worst.column, worst.reason,
                                 worst.count, rows);
  if (cells.size() > 1) what += fmt::format(", and {} more such problems", cells.size() - 1);
  std::string where = fmt::format("column {}, first in row {}", worst.column, worst.first_row);
  if (worst.rank >= 0) where += fmt::format(" of rank {}", worst.rank);
  return Fail({.exit = Exit::kInput, .what = what, .where = where, .fix = SuggestFix(worst)});
}

Json RefusedToJson(const Refused& refused) {
  JsonRefused out{.rows = refused.rows,
                  .needed_bytes = refused.needed_bytes,
                  .budget_bytes = refused.budget_bytes,
                  .disk = refused.disk,
                  .why = refused.why};
  for (const RefusedCells& cells : refused.cells) out.cells.push_back({cells});
  return FieldsToJson(out);
}

Result<Refused> RefusedFromJson(const Json& json) {
  JsonRefused in;
  PT_TRY(FieldsFromJson(json, "refused", in));
  Refused out{.rows = in.rows,
              .needed_bytes = in.needed_bytes,
              .budget_bytes = in.budget_bytes,
              .disk = in.disk,
              .why = in.why};
  for (const JsonCells& cells : in.cells) out.cells.push_back(cells);
  return out;
}

Refused MergeRefused(const std::vector<Refused>& ranks) {
  Refused all;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const Refused& one = ranks[r];
    all.rows += one.rows;
    // A rank that exceeds its budget makes all fail, however much room the others have. `all`
    // begins with 0 of 0, so ranks with enough room change nothing.
    if (one.needed_bytes - one.budget_bytes > all.needed_bytes - all.budget_bytes) {
      all.needed_bytes = one.needed_bytes;
      all.budget_bytes = one.budget_bytes;
      all.disk = one.disk;
      all.why = one.why;
    }
    for (const RefusedCells& cells : one.cells) {
      RefusedCells& sum = all.Of(cells.column, cells.reason);
      sum.count += cells.count;
      // Ranks come in order, so the first that has such a cell is the lowest.
      if (sum.rank >= 0) continue;
      sum.first_row = cells.first_row;
      sum.rank = int32_t(r);
    }
  }
  return all;
}

}  // namespace protium
