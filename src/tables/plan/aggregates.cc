// SPDX-License-Identifier: Apache-2.0
#include "plan/aggregates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "plan/functions.h"

namespace protium {
namespace {

// In the order of the struct: name, door, arguments, SQL, windows_only, ranged.
constexpr AggregateFunction kAggregates[] = {
    {"count_rows", "CountRows", 0, "count(*)"},
    {"count", "CountOf", 1, "count({0})"},
    {"count_distinct", "CountDistinct", 1, "count(DISTINCT {0})"},
    {"sum", "Sum", 1, "sum({0})"},
    {"avg", "Avg", 1, "avg({0})"},
    {"min", "Min", 1, "min({0})"},
    {"max", "Max", 1, "max({0})"},
    {"median", "Median", 1, "median({0})"},
    {"stddev", "StdDev", 1, "stddev_samp({0})"},
    {"variance", "Variance", 1, "var_samp({0})"},
    {"any_true", "AnyTrue", 1, "bool_or({0})"},
    {"all_true", "AllTrue", 1, "bool_and({0})"},
    {"min_by", "MinBy", 2, "min_by({0}, {1})"},
    {"max_by", "MaxBy", 2, "max_by({0}, {1})"},
    {"row_number", "RowNumber", 0, "row_number()", true, false},
    {"rank", "Rank", 0, "rank()", true, false},
    {"dense_rank", "DenseRank", 0, "dense_rank()", true, false},
    {"lag", "Lag", 1, "lag({0}, {1})", true, false},
    {"lead", "Lead", 1, "lead({0}, {1})", true, false},
};

// Splits the expressions of one list; numbers its columns.
class Lifter {
 public:
  Lifter(bool windows, const Columns& taken) : windows_(windows) {
    for (const std::string& name : taken) taken_.insert(Lower(name));
  }

  // Returns what is left of `expr` after its aggregates became columns. `within` is the aggregate
  // whose argument this is; null outside of any.
  Result<Expr> Lift(const Expr& expr, const AggregateFunction* within) {
    if (expr.kind != Expr::Kind::kCall) return expr;
    const AggregateFunction* const found = FindAggregate(expr.name);
    if (found != nullptr) return Call(expr, *found, within);
    Expr lifted = expr;
    for (Expr& each : lifted.arguments) {
      PT_LET(each, Lift(each, within));
    }
    return lifted;
  }

  LiftedColumns Take() { return std::move(lifted_); }

 private:
  Result<Expr> Call(const Expr& expr, const AggregateFunction& function,
                    const AggregateFunction* within) {
    if (within != nullptr) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("{}() within {}()", function.door, within->door),
                   .fix = "compute the inner one first, by an Aggregate() or Window() of its own"});
    }
    if (function.windows_only && !windows_) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("{}() needs rows in an order", function.door),
                   .fix = "compute it with Window()"});
    }
    // No function has more than two, an offset included; texts with fewer placeholders leave the
    // rest unused.
    std::vector<std::string> arguments(2);
    for (size_t i = 0; i < expr.arguments.size() && i < arguments.size(); ++i) {
      PT_LET(arguments[i], Argument(expr.arguments[i], i, function));
    }
    const std::string column = Next();
    lifted_.calls.push_back({column,
                             fmt::format(fmt::runtime(function.sql), arguments[0], arguments[1]),
                             function.ranged});
    return Col(column);
  }

  // An argument becomes a column of its own, even if it is a column already. An offset is written
  // into the text.
  Result<std::string> Argument(const Expr& expr, size_t index, const AggregateFunction& function) {
    if (static_cast<int32_t>(index) >= function.arguments) {
      const auto* const offset = std::get_if<int64_t>(&expr.value);
      if (expr.kind == Expr::Kind::kLiteral && offset != nullptr) return std::to_string(*offset);
      return Fail({.exit = Exit::kBug, .what = "an offset that is not a number"});
    }
    PT_LET(Expr lifted, Lift(expr, &function));
    const std::string name = Next();
    lifted_.arguments.push_back({name, std::move(lifted)});
    return InQuotes(name, '\"');
  }

  std::string Next() {
    std::string name;
    do {
      name = fmt::format("pt_{}", next_++);
    } while (taken_.contains(name));
    return name;
  }

  const bool windows_;
  std::set<std::string> taken_;  // In lower case, since SQL compares names that way.
  LiftedColumns lifted_;
  int next_ = 0;
};

}  // namespace

const AggregateFunction* FindAggregate(std::string_view name) {
  const auto* const found = std::ranges::find(kAggregates, name, &AggregateFunction::name);
  return found == std::end(kAggregates) ? nullptr : found;
}

Result<LiftedColumns> LiftAggregates(const std::vector<NamedExpr>& columns, bool windows,
                                     const Columns& taken) {
  Lifter lifter(windows, taken);
  std::vector<NamedExpr> lifted;
  for (const NamedExpr& each : columns) {
    PT_LET(Expr expr, lifter.Lift(each.expr, nullptr));
    lifted.push_back({each.name, std::move(expr)});
  }
  LiftedColumns result = lifter.Take();
  result.columns = std::move(lifted);
  return result;
}

std::string OrderList(const std::vector<SortKey>& keys) {
  std::string list;
  for (const SortKey& key : keys) {
    // States where NULL goes, since the defaults of engines differ. It counts as less than any
    // value.
    list += (list.empty() ? "" : ", ") + InQuotes(key.column, '\"') +
            (key.descending ? " DESC NULLS LAST" : " ASC NULLS FIRST");
  }
  return list;
}

std::vector<SortKey> GroupOrder(const MapTask& task) {
  std::vector<SortKey> keys;
  for (const std::string& name : task.groups) keys.push_back(Asc(name));
  keys.insert(keys.end(), task.order.begin(), task.order.end());
  return keys;
}

Plan InGroups(const MapTask& task, const Plan& input, const std::string& clauses) {
  if (task.groups.empty()) return input;
  return MakePlan(Sql{.text = "SELECT * FROM t " + clauses,
                      .names = {"t"},
                      .verb = "in groups by " + NameList(task.groups)},
                  {input});
}

std::string NameList(const Columns& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + InQuotes(name, '\"');
  return list;
}

}  // namespace protium
