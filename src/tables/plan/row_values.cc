// SPDX-License-Identifier: Apache-2.0
#include "plan/row_values.h"

#include <arrow/api.h>

#include <algorithm>

#include "base/fault.h"
#include "plan/row_columns.h"
#include "plan/row_functions.h"
#include "plan/row_kinds.h"

// Expressions are evaluated operand by operand, a whole batch at a time, into columns of values
// with a byte of validity for each row. InferKind() decides beforehand, from the types of columns
// and constants alone, whether that is possible; Evaluate() relies on it and does not check again.
//
// Some rows of a batch do not reach some parts of an expression: the branches of `if`, whatever
// follows the first value of coalesce. Values are computed for them all the same, but never used; a
// part that no row reaches is not computed, and only rows that reach it may fail. So for a single
// row, a tree of conditions is one path.

namespace protium {
namespace {

using Kind = RowValues::Kind;
using Rows = std::vector<uint8_t>;  // 1 for rows that reach a part.

bool Any(const Rows& rows) { return std::ranges::find(rows, 1) != rows.end(); }

// Returns those of `rows` for which `wanted` holds.
template <class Wanted>
Rows Those(const Rows& rows, const Wanted& wanted) {
  Rows those(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) those[i] = rows[i] != 0 && wanted(i) ? 1 : 0;
  return those;
}

RowValues OfLiteral(const Literal& literal, size_t rows) {
  RowValues values;
  values.valid.assign(rows, 1);
  if (const auto* flag = std::get_if<bool>(&literal)) {
    values.kind = Kind::kFlag;
    values.wholes.assign(rows, *flag ? 1 : 0);
  } else if (const auto* whole = std::get_if<int64_t>(&literal)) {
    values.kind = Kind::kWhole;
    values.wholes.assign(rows, *whole);
  } else if (const auto* number = std::get_if<double>(&literal)) {
    values.doubles.assign(rows, *number);
  } else if (const auto* text = std::get_if<std::string>(&literal)) {
    values.kind = Kind::kText;
    values.texts.assign(rows, *text);
  } else {
    return NullsOf(Kind::kNone, rows);
  }
  return values;
}

// Copies the rows of `more` that `wanted` marks.
void Take(const RowValues& more, RowValues& values, const Rows& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == 0) continue;
    values.valid[i] = more.valid[i];
    if (more.kind == Kind::kNone) continue;  // NULL has no value.
    if (values.kind == Kind::kDouble) {
      values.doubles[i] = more.doubles[i];
    } else if (values.kind == Kind::kText) {
      values.texts[i] = more.texts[i];
    } else {
      values.wholes[i] = more.wholes[i];
    }
  }
}

class Evaluation {
 public:
  explicit Evaluation(const arrow::RecordBatch& batch) : batch_(batch) {}

  Result<RowValues> Of(const Expr& expr, const Rows& rows) const {
    if (expr.kind == Expr::Kind::kColumn) {
      const auto column = batch_.GetColumnByName(expr.name);
      PT_CHECK(column != nullptr);
      return ValuesOf(*column);
    }
    if (expr.kind == Expr::Kind::kLiteral) return OfLiteral(expr.value, rows.size());
    if (expr.name == "if") return Chosen(expr, rows);
    if (expr.name == "coalesce") return FirstOf(expr.arguments, rows);
    if (expr.name == "and") return Both(expr.arguments, rows, 0);
    if (expr.name == "or") return Both(expr.arguments, rows, 1);
    if (expr.name == "pick") return Picked(expr.arguments, rows);
    if (expr.name == "error") return Failed(std::get<std::string>(expr.arguments[0].value), rows);
    if (expr.name == "element") {
      return ElementsOf(*batch_.GetColumnByName(expr.arguments[0].name),
                        std::get<int64_t>(expr.arguments[1].value));
    }
    std::vector<RowValues> arguments;
    for (const Expr& argument : expr.arguments) {
      PT_LET(arguments.emplace_back(), Of(argument, rows));
    }
    if (expr.name == "/") PT_TRY(CheckDivisors(arguments, rows));
    return Called(expr.name, std::move(arguments));
  }

 private:
  static Result<RowValues> Failed(const std::string& why, const Rows& rows) {
    if (!Any(rows)) return NullsOf(Kind::kNone, rows.size());
    return Fail({.exit = Exit::kInput, .what = why});
  }

  static Status CheckDivisors(const std::vector<RowValues>& sides, const Rows& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool divides = rows[i] != 0 && sides[0].valid[i] != 0 && sides[1].valid[i] != 0;
      if (divides && sides[1].doubles[i] == 0) {
        return Fail({.exit = Exit::kInput, .what = "division by zero"});
      }
    }
    return Status::OK();
  }

  // If the condition is NULL, the last value is taken, as in CASE.
  Result<RowValues> Chosen(const Expr& call, const Rows& rows) const {
    PT_LET(const RowValues flags, Of(call.arguments[0], rows));
    const Rows first = Those(rows, [&](size_t row) { return flags.True(row); });
    const Rows second = Those(rows, [&](size_t row) { return !flags.True(row); });
    RowValues values = NullsOf(Kind::kNone, rows.size());
    if (Any(first)) {
      PT_LET(values, Of(call.arguments[1], first));
    }
    if (Any(second)) {
      PT_LET(RowValues others, Of(call.arguments[2], second));
      // If one of the two has a type, it receives the other's rows.
      const bool typed = values.kind != Kind::kNone;
      Take(typed ? others : values, typed ? values : others, typed ? second : first);
      if (!typed) values = std::move(others);
    }
    if (values.kind != Kind::kNone) return values;
    return NullsOf(KindWithin(call, *batch_.schema()).value_or(Kind::kNone), rows.size());
  }

  Result<RowValues> FirstOf(const std::vector<Expr>& arguments, const Rows& rows) const {
    PT_LET(RowValues values, Of(arguments[0], rows));
    for (size_t next = 1; next < arguments.size(); ++next) {
      const Rows left = Those(rows, [&](size_t row) { return values.valid[row] == 0; });
      if (!Any(left)) break;
      PT_LET(const RowValues more, Of(arguments[next], left));
      Take(more, values, left);
    }
    return values;
  }

  // `and` with 0, `or` with 1, the value that decides the result whatever the other is, NULL
  // included.
  Result<RowValues> Both(const std::vector<Expr>& arguments, const Rows& rows,
                         int64_t settles) const {
    PT_LET(RowValues a, Of(arguments[0], rows));
    const auto settled = [&](const RowValues& side, size_t row) {
      return side.valid[row] != 0 && side.wholes[row] == settles;
    };
    const Rows left = Those(rows, [&](size_t row) { return !settled(a, row); });
    if (!Any(left)) return a;
    PT_LET(const RowValues b, Of(arguments[1], left));
    for (size_t row = 0; row < left.size(); ++row) {
      if (left[row] == 0) continue;
      a.wholes[row] = settled(b, row) ? settles : 1 - settles;
      a.valid[row] = settled(b, row) || (a.valid[row] != 0 && b.valid[row] != 0) ? 1 : 0;
    }
    return a;
  }

  // The literals do not become columns: there may be thousands of them.
  Result<RowValues> Picked(const std::vector<Expr>& arguments, const Rows& rows) const {
    PT_LET(const RowValues places, Of(arguments[0], rows));
    RowValues values = NullsOf(Kind::kDouble, rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t place = places.wholes[i];
      if (places.valid[i] == 0 || place < 0 || place + 1 >= std::ssize(arguments)) continue;
      values.doubles[i] = std::get<double>(arguments[size_t(place) + 1].value);
      values.valid[i] = 1;
    }
    return values;
  }

  const arrow::RecordBatch& batch_;
};

}  // namespace

Result<RowValues> Evaluate(const Expr& expr, const arrow::RecordBatch& batch) {
  return Evaluation(batch).Of(expr, Rows(size_t(batch.num_rows()), 1));
}

}  // namespace protium
