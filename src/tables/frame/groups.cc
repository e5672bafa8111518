// SPDX-License-Identifier: Apache-2.0
// Groups and windows. Their expressions are split (plan/aggregates.h): a projection computes the
// arguments, an SQL text of ours calls the functions on plain columns, and another projection
// computes the rest around the calls. A projection that would change nothing is left out.
#include <arrow/type.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/group_batches.h"
#include "frame/verbs.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

// Returns the first column that `expr` reads and `known` (in lower case) does not hold; empty:
// none.
std::string UnknownColumn(const Expr& expr, const std::set<std::string>& known) {
  if (expr.kind == Expr::Kind::kColumn) return known.contains(Lower(expr.name)) ? "" : expr.name;
  for (const Expr& each : expr.arguments) {
    if (std::string name = UnknownColumn(each, known); !name.empty()) return name;
  }
  return {};
}

// Outside of aggregates only the keys are allowed: a group has many values of anything else.
Status CheckAfter(const LiftedColumns& lifted, const Columns& keys) {
  std::set<std::string> known;
  for (const std::string& key : keys) known.insert(Lower(key));
  for (const AggregateCall& call : lifted.calls) known.insert(call.column);
  for (const NamedExpr& column : lifted.columns) {
    const std::string name = UnknownColumn(column.expr, known);
    if (name.empty()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("aggregate \"{}\": column \"{}\" has many values in a group",
                                     column.name, name),
                 .fix = fmt::format(
                     "take one, such as Max(Col(\"{0}\")), or add \"{0}\" to the keys", name)});
  }
  return Status::OK();
}

// Returns the table whose columns the calls read.
Plan WithArguments(const Plan& plan, const Columns& kept, const LiftedColumns& lifted) {
  if (lifted.arguments.empty()) return plan;
  std::vector<NamedExpr> columns = PlainColumns(kept);
  columns.insert(columns.end(), lifted.arguments.begin(), lifted.arguments.end());
  return MakePlan(Project{std::move(columns)}, {plan});
}

Result<Plan> AggregatePlan(const Plan& plan, const Columns& keys,
                           const std::vector<NamedExpr>& columns) {
  PT_LET(LiftedColumns lifted, LiftAggregates(columns, false, keys));
  PT_TRY(CheckAfter(lifted, keys));
  std::string list = NameList(keys);
  for (const AggregateCall& call : lifted.calls) {
    list += (list.empty() ? "" : ", ") + call.sql + " AS " + InQuotes(call.column, '\"');
  }
  const std::string by = keys.empty() ? "" : " GROUP BY " + NameList(keys);
  const Plan grouped =
      SqlPlan("SELECT " + list + " FROM t" + by, {"t"}, {WithArguments(plan, keys, lifted)},
              fmt::format("group by {}", fmt::join(keys, ", ")));
  std::vector<NamedExpr> after = PlainColumns(keys);
  after.insert(after.end(), lifted.columns.begin(), lifted.columns.end());
  return MakePlan(Project{std::move(after)}, {grouped});
}

// Turns rows that do not have the value into NULL, which aggregates ignore.
Expr OnlyWhere(const Expr& condition, const Expr& expr) {
  Expr only = expr;
  if (expr.kind != Expr::Kind::kCall) return only;
  if (expr.name == "count_rows") return CountOf(If(condition, Lit(int64_t{1}), Lit({})));
  if (FindAggregate(expr.name) == nullptr) {
    for (Expr& each : only.arguments) each = OnlyWhere(condition, each);
  } else if (!only.arguments.empty()) {
    for (Expr& each : only.arguments) each = If(condition, each, Lit({}));
  }
  return only;
}

// Returns the value as people write it: the name of the column for this value.
std::string ValueName(const Literal& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "null";
}

std::vector<NamedExpr> PivotedColumns(const std::string& column, const std::vector<Literal>& values,
                                      const std::vector<NamedExpr>& columns) {
  std::vector<NamedExpr> pivoted;
  for (const Literal& value : values) {
    const bool null = std::holds_alternative<std::monostate>(value);
    const Expr condition = null ? IsNull(Col(column)) : Col(column) == Lit(value);
    for (const NamedExpr& each : columns) {
      const std::string name = ValueName(value);
      pivoted.push_back(
          {columns.size() == 1 ? name : name + "_" + each.name, OnlyWhere(condition, each.expr)});
    }
  }
  return pivoted;
}

std::string Bound(const std::optional<int64_t>& rows, const char* open) {
  if (!rows) return fmt::format("UNBOUNDED {}", open);
  if (*rows == 0) return "CURRENT ROW";
  return *rows < 0 ? fmt::format("{} PRECEDING", -*rows) : fmt::format("{} FOLLOWING", *rows);
}

std::string OverText(const WindowOptions& over, bool ranged) {
  std::string text;
  if (!over.by.empty()) text += "PARTITION BY " + NameList(over.by);
  if (!over.order.empty())
    text += (text.empty() ? "ORDER BY " : " ORDER BY ") + OrderList(over.order);
  if (!ranged || !over.range) return text;
  return text + fmt::format(" ROWS BETWEEN {} AND {}", Bound(over.range->from, "PRECEDING"),
                            Bound(over.range->to, "FOLLOWING"));
}

Status CheckOver(const WindowOptions& over, const arrow::Schema& schema,
                 const LiftedColumns& lifted) {
  for (const std::string& name : over.by) {
    PT_TRY(FindColumn(schema, name, "window by").status());
  }
  for (const SortKey& key : over.order) {
    PT_TRY(FindColumn(schema, key.column, "window in the order of").status());
  }
  const bool ordered = std::any_of(lifted.calls.begin(), lifted.calls.end(),
                                   [](const AggregateCall& call) { return !call.ranged; });
  if (over.order.empty() && (ordered || over.range)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "window: which row comes before another is not said",
                 .fix = "give the window an order: {.order = {Asc(\"day\")}}"});
  }
  if (over.range && over.range->from && over.range->to && *over.range->from > *over.range->to) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("window: its range starts at row {} and ends before it, at {}",
                                     *over.range->from, *over.range->to)});
  }
  return Status::OK();
}

Result<Plan> WindowPlan(const Plan& plan, const arrow::Schema& schema, const WindowOptions& over,
                        const std::vector<NamedExpr>& columns) {
  PT_LET(LiftedColumns lifted, LiftAggregates(columns, true, schema.field_names()));
  PT_TRY(CheckOver(over, schema, lifted));
  std::string list = NameList(schema.field_names());
  for (const AggregateCall& call : lifted.calls) {
    list += fmt::format(", {} OVER ({}) AS {}", call.sql, OverText(over, call.ranged),
                        InQuotes(call.column, '\"'));
  }
  const Plan windowed = SqlPlan("SELECT " + list + " FROM t", {"t"},
                                {WithArguments(plan, schema.field_names(), lifted)},
                                "window " + OverText(over, true));
  return MakePlan(Project{MergedColumns(schema, lifted.columns)}, {windowed});
}

}  // namespace

DataFrame DataFrame::Window(const WindowOptions& over, std::vector<NamedExpr> columns) const {
  return BuildFrame(*session_, [&]() -> Result<Plan> {
    PT_TRY(CheckNewNames(columns, "window"));
    PT_LET(const SchemaPtr schema, Schema());
    return WindowPlan(plan_, *schema, over, columns);
  });
}

Groups DataFrame::GroupBy(Columns keys) const { return {*this, std::move(keys)}; }

Groups Groups::Pivot(std::string column, std::vector<Literal> values) const {
  Groups pivoted = *this;
  pivoted.pivot_ = std::move(column);
  pivoted.values_ = std::move(values);
  return pivoted;
}

DataFrame Groups::Aggregate(std::vector<NamedExpr> columns) const {
  return BuildFrame(frame_.session(), [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, frame_.Schema());
    for (const std::string& key : keys_) {
      PT_TRY(FindColumn(*schema, key, "group by").status());
    }
    if (!pivot_.empty()) {
      PT_TRY(FindColumn(*schema, pivot_, "pivot").status());
      columns = PivotedColumns(pivot_, values_, columns);
    }
    std::vector<NamedExpr> all = PlainColumns(keys_);
    all.insert(all.end(), columns.begin(), columns.end());
    PT_TRY(CheckNewNames(all, "aggregate"));
    if (all.empty())
      return Fail({.exit = Exit::kUsage, .what = "aggregate: no column is asked for"});
    return AggregatePlan(frame_.plan(), keys_, columns);
  });
}

DataFrame Groups::Map(MapTask task, std::vector<SortKey> order) const {
  return BuildFrame(frame_.session(), [&]() -> Result<Plan> {
    PT_LET(const SchemaPtr schema, frame_.Schema());
    if (keys_.empty() || task.gang || !pivot_.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("map \"{}\" over groups: it needs keys, and neither a gang "
                                       "nor a pivot goes with it",
                                       task.task)});
    }
    PT_TRY(CheckGroupKeys(*schema, keys_));
    for (const SortKey& key : order) {
      PT_TRY(FindColumn(*schema, key.column, "groups in the order of").status());
    }
    task.groups = keys_;
    task.order = std::move(order);
    return MakePlan(WithOutput(std::move(task), *schema), {frame_.plan()});
  });
}

}  // namespace protium
