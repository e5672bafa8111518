// SPDX-License-Identifier: Apache-2.0
// sum() and avg(), over groups and over windows. DuckDB adds doubles in any order (noted as not
// exact), and decimals and whole numbers exactly.
#include <utility>

#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

Status RefuseTotal(const TypedCall& call) {
  return call.Refuse(call.name + "() is given " + call.types[0].SparkName(),
                     "Spark adds up only numbers", "count with count_if(), or cast to a number");
}

// The same aggregate, with its FILTER and window, by another function.
Json As(const char* function, const Json& node) {
  Json other = tree::Take(node);
  other["function_name"] = function;
  return other;
}

// Fails, or is NULL if `tried`, beyond 38 digits: DuckDB adds decimals in 128 bits, whatever number
// of digits its result type states.
Json Checked(Json sum, const SqlType& type, bool tried = false) {
  if (type.precision < kMostDigits) return tree::Cast(std::move(sum), type, tried);
  return DecimalCall('r', std::move(sum), tree::WholeConstant(type.scale), type, tried);
}

// A try_ function must be NULL where 128 bits overflow, but DuckDB fails there.
Status CheckTried(const TypedCall& call) {
  constexpr int kSurelyFits = 28;  // 10^10 rows of this many digits fit 38.
  const SqlType& type = call.types[0];
  if (type != SqlType::kDecimal || type.precision <= kSurelyFits) return Status::OK();
  return call.Refuse(call.name + "() is given " + type.SparkName(),
                     "the embedded engine fails where the sum has more than 38 digits",
                     "use CAST(x AS DECIMAL(28, s))");
}

// For intervals of days and times: the microseconds are added up.
Result<SqlType> TotalInterval(TypedCall& call, bool mean) {
  const SqlType type{SqlType::kInterval};
  Json micros =
      tree::Call("pt_interval_micros", Json::array({tree::Take(call.argument(0))}), call.node);
  call.node["children"][0] = std::move(micros);
  Json total = As("sum", call.node);
  if (mean) {
    const SqlType whole = SqlType::Decimal(kMostDigits, 0);
    total = DecimalCall('/', tree::Cast(std::move(total), whole),
                        tree::Cast(As("count", call.node), SqlType::Decimal(20, 0)), whole);
  }
  total = tree::Cast(std::move(total), {SqlType::kBigint});
  tree::Replace(call.node, tree::Call("pt_interval_of_micros", Json::array({total}), call.node));
  return type;
}

// Casts text to doubles. False for types that have no total, such as dates.
bool MakeNumber(TypedCall& call) {
  const SqlType& type = call.types[0];
  if (type == SqlType::kText || type == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  return call.types[0].IsNumber() || call.types[0] == SqlType::kUnknown;
}

// Spark's Sum: ten digits more, for up to 10^10 rows.
SqlType SumType(const SqlType& decimal) {
  return SqlType::Decimal(decimal.precision + 10, decimal.scale);
}

}  // namespace

// sum(): a double for doubles and texts, a decimal for decimals, a BIGINT for whole numbers;
// try_sum() is NULL where the sum does not fit.
Result<SqlType> TypeTotal(TypedCall& call) {
  if (call.types.size() != 1) return SqlType{};
  const bool tried = call.name == "try_sum";
  if (call.types[0] == SqlType::kInterval && !tried) return TotalInterval(call, /*mean=*/false);
  if (!MakeNumber(call)) return RefuseTotal(call);
  const SqlType type = call.types[0];
  if (!type.IsWhole() && type != SqlType::kDecimal) call.typer.NoteDoubles(call.node, call.name);
  if (type == SqlType::kUnknown) return type;
  if (tried) PT_TRY(CheckTried(call));
  Json sum = As("sum", call.node);
  if (type.IsReal()) {
    tree::Replace(call.node, std::move(sum));
    return SqlType{SqlType::kDouble};
  }
  if (type == SqlType::kDecimal) {
    tree::Replace(call.node, Checked(std::move(sum), SumType(type), tried));
    return SumType(type);
  }
  // DuckDB sums whole numbers in 128 bits; pt_narrow() fails beyond 64, as Spark does.
  const SqlType whole{SqlType::kBigint};
  tree::Replace(call.node, tried ? tree::Cast(std::move(sum), whole, tried)
                                 : tree::Call("pt_narrow", Json::array({sum}), sum));
  return whole;
}

// Spark's Average of decimals: their sum divided by their count, with four more digits after the
// point. DuckDB would make doubles of them.
Result<SqlType> TypeMean(TypedCall& call) {
  if (call.types.size() != 1) return SqlType{};
  const bool tried = call.name == "try_avg";
  if (call.types[0] == SqlType::kInterval && !tried) return TotalInterval(call, /*mean=*/true);
  if (!MakeNumber(call)) return RefuseTotal(call);
  const SqlType type = call.types[0];
  if (!type.IsWhole() && type != SqlType::kDecimal) call.typer.NoteDoubles(call.node, call.name);
  if (type != SqlType::kDecimal) return SqlType{SqlType::kDouble};
  if (tried) PT_TRY(CheckTried(call));
  const SqlType result = SqlType::Decimal(type.precision + 4, type.scale + 4);
  Json sum = Checked(As("sum", call.node), SumType(type), tried);
  Json count = tree::Cast(As("count", call.node), SqlType::Decimal(20, 0));
  tree::Replace(call.node, DecimalCall('/', std::move(sum), std::move(count), result, tried));
  return result;
}

// Variance and the like are our own aggregates (functions/moment_functions.h). DuckDB's windows
// pass only the first of several states to aggregates of its C API, so there DuckDB's own
// aggregates replace them; where those differ, the call is refused.
Result<SqlType> TypeMoment(TypedCall& call) {
  PT_LET(const SqlType type, TypeBySignature(call));
  const bool sample = call.name == "std" || call.name == "stddev";
  const std::string name = sample                    ? "stddev_samp"
                           : call.name == "variance" ? "var_samp"
                                                     : call.name;
  const bool window = tree::FindKind(call.node) == tree::Kind::kWindow;
  if (window && (name == "corr" || name == "kurtosis" || name == "skewness" ||
                 name == "regr_intercept" || name == "regr_slope")) {
    return RefuseWindow(call);
  }
  call.node["function_name"] = window ? name : "pt_" + name;
  return type;
}

// percentile(x, p) interpolates and is a double, percentile_approx() takes one of the values; with
// a list of p the result is a list of these.
Result<SqlType> TypePercentile(TypedCall& call) {
  if (call.types.size() < 2) return SqlType{};
  const bool approximate = call.name != "percentile";
  const SqlType type = call.types[0];
  if (!approximate && (type.IsNumber() || type == SqlType::kText || type == SqlType::kNull)) {
    call.CoerceTo(0, {SqlType::kDouble});
  }
  const SqlType value = call.types[0];
  if (call.types[1].IsList()) return SqlType::ListOf(value);
  return call.types[1].IsNumber() ? value : SqlType{};
}

}  // namespace protium
