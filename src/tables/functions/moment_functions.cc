// SPDX-License-Identifier: Apache-2.0
// Variance, skewness, covariance, correlation and regression. DuckDB has them, but loses digits
// that Spark retains if values are large compared with their spread, and fails where Spark returns
// NaN.
#include "functions/moment_functions.h"

#include <cmath>

#include "functions/moments.h"

namespace protium {
namespace {

using Aggregate = duck::Owned<duckdb_aggregate_function, duckdb_destroy_aggregate_function>;

// Every sum is computed twice: in doubles, as in Spark, and in a wider type. If the two agree, the
// double is returned, whose last bits are then Spark's. If values are so large compared with their
// spread that doubles lose digits, Spark's result depends on how it divides the rows, and the wide
// result is close to all of these.

template <template <class> class Sums>
struct Both {
  Sums<double> plain;
  Sums<long double> wide;

  void Merge(const Both& other) {
    plain.Merge(other.plain);
    wide.Merge(other.wide);
  }
};

// Whether a double computed by Spark's steps lost no more than a few of its last bits.
bool Agree(double plain, long double wide) {
  constexpr long double kLeastDigits = 1e-12L;
  return std::fabs(plain - wide) <= kLeastDigits * std::fabs(wide) || std::isnan(plain);
}

template <class Function, template <class> class Sums>
std::optional<double> ResultOf(const Both<Sums>& state) {
  const auto plain = Function::Of(state.plain);
  const auto wide = Function::Of(state.wide);
  if (!plain || !wide || Agree(*plain, *wide)) return plain;
  return static_cast<double>(*wide);
}

template <class State>
State& At(duckdb_aggregate_state state) {
  return *reinterpret_cast<State*>(state);
}

double At(const cells::Column& column, idx_t row) {
  return static_cast<double*>(column.data())[row];
}

// Adds a row to its state; one with a null is skipped.
void AddRow(Both<Moments>& state, const cells::Column* columns, idx_t row) {
  if (!columns[0].Valid(row)) return;
  state.plain.Add(At(columns[0], row));
  state.wide.Add(At(columns[0], row));
}
template <template <class> class Sums>
void AddRow(Both<Sums>& state, const cells::Column* columns, idx_t row) {
  if (!columns[0].Valid(row) || !columns[1].Valid(row)) return;
  state.plain.Add(At(columns[0], row), At(columns[1], row));
  state.wide.Add(At(columns[0], row), At(columns[1], row));
}

template <class State>
void Update(duckdb_function_info, duckdb_data_chunk input, duckdb_aggregate_state* states) {
  const idx_t count = duckdb_data_chunk_get_column_count(input);
  const cells::Column columns[] = {cells::Column(input, 0), cells::Column(input, count - 1)};
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) AddRow(At<State>(states[row]), columns, row);
}

template <class State>
void Combine(duckdb_function_info, duckdb_aggregate_state* from, duckdb_aggregate_state* to,
             idx_t count) {
  for (idx_t i = 0; i < count; ++i) At<State>(to[i]).Merge(At<State>(from[i]));
}

template <template <class> class Sums, class Function>
void Finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* const values = static_cast<double*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) {
    const std::optional<double> value = ResultOf<Function>(At<Both<Sums>>(states[i]));
    values[offset + i] = value.value_or(0);
    if (!value) cells::SetNull(result, offset + i);
  }
}

void FinalizeCorrelation(duckdb_function_info info, duckdb_aggregate_state* states,
                         duckdb_vector result, idx_t count, idx_t offset) {
  for (idx_t i = 0; i < count; ++i) {
    if (!IsConstant(At<Both<Pairs>>(states[i]).plain)) continue;
    return duckdb_aggregate_function_set_error(
        info, "division by zero: corr() of a column with one value only");
  }
  Finalize<Pairs, Correlation>(info, states, result, count, offset);
}

template <class State>
Status Register(const duck::Connection& connection, const char* name, int arguments,
                duckdb_aggregate_finalize_t finalize) {
  const Aggregate function(duckdb_create_aggregate_function());
  const duck::Type number = cells::MakeType(DUCKDB_TYPE_DOUBLE);
  duckdb_aggregate_function_set_name(function.get(), name);
  for (int i = 0; i < arguments; ++i) {
    duckdb_aggregate_function_add_parameter(function.get(), number.get());
  }
  duckdb_aggregate_function_set_return_type(function.get(), number.get());
  duckdb_aggregate_function_set_functions(
      function.get(), [](duckdb_function_info) -> idx_t { return sizeof(State); },
      [](duckdb_function_info, duckdb_aggregate_state state) { At<State>(state) = State(); },
      Update<State>, Combine<State>, finalize);
  if (duckdb_register_aggregate_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function ", name);
}

template <template <class> class Sums, class Function>
Status Register(const duck::Connection& connection, const char* name, int arguments) {
  return Register<Both<Sums>>(connection, name, arguments, Finalize<Sums, Function>);
}

}  // namespace

Status RegisterMomentFunctions(const duck::Connection& connection) {
  PT_TRY((Register<Moments, PopulationVariance>(connection, "pt_var_pop", 1)));
  PT_TRY((Register<Moments, SampleVariance>(connection, "pt_var_samp", 1)));
  PT_TRY((Register<Moments, PopulationDeviation>(connection, "pt_stddev_pop", 1)));
  PT_TRY((Register<Moments, SampleDeviation>(connection, "pt_stddev_samp", 1)));
  PT_TRY((Register<Moments, Skewness>(connection, "pt_skewness", 1)));
  PT_TRY((Register<Moments, Kurtosis>(connection, "pt_kurtosis", 1)));
  PT_TRY((Register<Pairs, PopulationCovariance>(connection, "pt_covar_pop", 2)));
  PT_TRY((Register<Pairs, SampleCovariance>(connection, "pt_covar_samp", 2)));
  PT_TRY(Register<Both<Pairs>>(connection, "pt_corr", 2, FinalizeCorrelation));
  PT_TRY((Register<Regression, Determination>(connection, "pt_regr_r2", 2)));
  PT_TRY((Register<Regression, Slope>(connection, "pt_regr_slope", 2)));
  PT_TRY((Register<Regression, Intercept>(connection, "pt_regr_intercept", 2)));
  PT_TRY((Register<Regression, SquaresOfX>(connection, "pt_regr_sxx", 2)));
  PT_TRY((Register<Regression, CrossProducts>(connection, "pt_regr_sxy", 2)));
  return Register<Regression, SquaresOfY>(connection, "pt_regr_syy", 2);
}

}  // namespace protium
