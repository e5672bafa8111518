// SPDX-License-Identifier: Apache-2.0
// Variance, skewness, covariance, correlation and regression. DuckDB has them, but loses digits
// that Spark keeps where values are large beside their spread, and fails where Spark returns NaN.
// These take Spark's steps (CentralMomentAgg, Covariance, PearsonCorrelation).
#include "local/functions/moment_functions.h"

#include <cmath>

namespace protium {
namespace {

using Aggregate = duck::Owned<duckdb_aggregate_function, duckdb_destroy_aggregate_function>;

// Spark keeps doubles, whose rounding depends on how it divides the rows; a wider type comes nearer
// to what all of these are near to. DuckDB keeps states at multiples of 8 bytes.
using Wide = long double;

// The mean of the values so far, and the sums of the second to fourth powers of what they are away
// from it.
struct [[gnu::packed, gnu::aligned(8)]] Moments {
  Wide n = 0, mean = 0, m2 = 0, m3 = 0, m4 = 0;

  void Add(Wide x) {
    n += 1;
    const Wide delta = x - mean, delta_n = delta / n;
    mean += delta_n;
    m2 += delta * (delta - delta_n);
    const Wide delta2 = delta * delta, delta_n2 = delta_n * delta_n;
    m3 = m3 - 3 * delta_n * m2 + delta * (delta2 - delta_n2);
    m4 = m4 - 4 * delta_n * m3 - 6 * delta_n2 * m2 + delta * (delta * delta2 - delta_n * delta_n2);
  }
  void Merge(const Moments& other) {
    if (other.n == 0) return;
    const Wide n1 = n, n2 = other.n, sum = n1 + n2;
    const Wide delta = other.mean - mean, delta_n = delta / sum;
    const Wide delta_n2 = delta_n * delta_n;
    m4 += other.m4 + delta_n2 * delta_n * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2) +
          6 * delta_n2 * (n1 * n1 * other.m2 + n2 * n2 * m2) +
          4 * delta_n * (n1 * other.m3 - n2 * m3);
    m3 +=
        other.m3 + delta_n2 * delta * n1 * n2 * (n1 - n2) + 3 * delta_n * (n1 * other.m2 - n2 * m2);
    m2 += other.m2 + delta * delta_n * n1 * n2;
    mean += delta_n * n2;
    n = sum;
  }
};

// The same of pairs: `products` is the sum of the products of both distances.
struct [[gnu::packed, gnu::aligned(8)]] Pairs {
  Wide n = 0, mean_x = 0, mean_y = 0, products = 0, squares_x = 0, squares_y = 0;

  void Add(Wide x, Wide y) {
    n += 1;
    const Wide dx = x - mean_x, dy = y - mean_y;
    mean_x += dx / n;
    mean_y += dy / n;
    products += dx * (y - mean_y);
    squares_x += dx * (x - mean_x);
    squares_y += dy * (y - mean_y);
  }
  void Merge(const Pairs& other) {
    if (other.n == 0) return;
    const Wide n1 = n, n2 = other.n, sum = n1 + n2;
    const Wide dx = other.mean_x - mean_x, dy = other.mean_y - mean_y;
    const Wide dx_n = dx / sum, dy_n = dy / sum;
    products += other.products + dx * dy_n * n1 * n2;
    squares_x += other.squares_x + dx * dx_n * n1 * n2;
    squares_y += other.squares_y + dy * dy_n * n1 * n2;
    mean_x += dx_n * n2;
    mean_y += dy_n * n2;
    n = sum;
  }
};

// Of pairs as Spark's regr_...() take them, the dependent value first: those of x alone are summed
// up as Moments, with other roundings than those of Pairs.
struct [[gnu::packed, gnu::aligned(8)]] Regression {
  Pairs pairs;
  Moments x, y;

  void Add(Wide dependent, Wide independent) {
    pairs.Add(independent, dependent);
    x.Add(independent);
    y.Add(dependent);
  }
  void Merge(const Regression& other) {
    pairs.Merge(other.pairs);
    x.Merge(other.x);
    y.Merge(other.y);
  }
};

using Number = std::optional<double>;

Number Rounded(Wide value) { return static_cast<double>(value); }
Number Over(Wide value, Wide count) { return count > 0 ? Rounded(value / count) : std::nullopt; }
Number RootOver(Wide value, Wide count) {
  return count > 0 ? Rounded(std::sqrt(value / count)) : std::nullopt;
}

Number PopulationVariance(const Moments& m) { return Over(m.m2, m.n); }
Number SampleVariance(const Moments& m) { return Over(m.m2, m.n - 1); }
Number PopulationDeviation(const Moments& m) { return RootOver(m.m2, m.n); }
Number SampleDeviation(const Moments& m) { return RootOver(m.m2, m.n - 1); }
Number Skewness(const Moments& m) {
  if (m.n == 0 || m.m2 == 0) return std::nullopt;
  return Rounded(std::sqrt(m.n) * m.m3 / std::sqrt(m.m2 * m.m2 * m.m2));
}
Number Kurtosis(const Moments& m) {
  if (m.n == 0 || m.m2 == 0) return std::nullopt;
  return Rounded(m.n * m.m4 / (m.m2 * m.m2) - 3);
}

Number PopulationCovariance(const Pairs& p) { return Over(p.products, p.n); }
Number SampleCovariance(const Pairs& p) { return Over(p.products, p.n - 1); }
// Of more than one row where one side does not vary it is an error, as Spark's is in ANSI mode.
bool IsConstant(const Pairs& p) { return p.n > 1 && std::sqrt(p.squares_x * p.squares_y) == 0; }
Number Correlation(const Pairs& p) {
  return p.n > 1 ? Rounded(p.products / std::sqrt(p.squares_x * p.squares_y)) : std::nullopt;
}

Number SquaresOfX(const Regression& r) { return r.x.n > 0 ? Rounded(r.x.m2) : std::nullopt; }
Number SquaresOfY(const Regression& r) { return r.y.n > 0 ? Rounded(r.y.m2) : std::nullopt; }
Number Products(const Regression& r) {
  return r.pairs.n > 0 ? Rounded(r.pairs.products) : std::nullopt;
}
Number Slope(const Regression& r) {
  return r.x.n > 0 && r.x.m2 != 0 ? Rounded(r.pairs.products / r.x.m2) : std::nullopt;
}
Number Intercept(const Regression& r) {
  if (r.x.n == 0 || r.x.m2 == 0) return std::nullopt;
  return Rounded(r.pairs.mean_y - r.pairs.products / r.x.m2 * r.pairs.mean_x);
}
Number Determination(const Regression& r) {
  if (r.pairs.n < 2 || r.pairs.squares_x == 0) return std::nullopt;
  if (r.pairs.squares_y == 0) return 1.0;
  const Wide correlation = r.pairs.products / std::sqrt(r.pairs.squares_x * r.pairs.squares_y);
  return Rounded(correlation * correlation);
}

template <class State>
State& At(duckdb_aggregate_state state) {
  return *reinterpret_cast<State*>(state);
}

// Adds a row to its state; one with a null is left out.
void AddRow(Moments& state, const cells::Column* columns, idx_t row) {
  if (columns[0].Valid(row)) state.Add(static_cast<double*>(columns[0].data())[row]);
}
template <class State>
void AddRow(State& state, const cells::Column* columns, idx_t row) {
  if (!columns[0].Valid(row) || !columns[1].Valid(row)) return;
  state.Add(static_cast<double*>(columns[0].data())[row],
            static_cast<double*>(columns[1].data())[row]);
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

template <class State, Number (*kResult)(const State&)>
void Finalize(duckdb_function_info, duckdb_aggregate_state* states, duckdb_vector result,
              idx_t count, idx_t offset) {
  auto* const values = static_cast<double*>(duckdb_vector_get_data(result));
  for (idx_t i = 0; i < count; ++i) {
    const Number value = kResult(At<State>(states[i]));
    values[offset + i] = value.value_or(0);
    if (!value) cells::SetNull(result, offset + i);
  }
}

void FinalizeCorrelation(duckdb_function_info info, duckdb_aggregate_state* states,
                         duckdb_vector result, idx_t count, idx_t offset) {
  for (idx_t i = 0; i < count; ++i) {
    if (!IsConstant(At<Pairs>(states[i]))) continue;
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

template <class State, Number (*kResult)(const State&)>
Status Register(const duck::Connection& connection, const char* name, int arguments) {
  return Register<State>(connection, name, arguments, Finalize<State, kResult>);
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
  PT_TRY(Register<Pairs>(connection, "pt_corr", 2, FinalizeCorrelation));
  PT_TRY((Register<Regression, Determination>(connection, "pt_regr_r2", 2)));
  PT_TRY((Register<Regression, Slope>(connection, "pt_regr_slope", 2)));
  PT_TRY((Register<Regression, Intercept>(connection, "pt_regr_intercept", 2)));
  PT_TRY((Register<Regression, SquaresOfX>(connection, "pt_regr_sxx", 2)));
  PT_TRY((Register<Regression, Products>(connection, "pt_regr_sxy", 2)));
  return Register<Regression, SquaresOfY>(connection, "pt_regr_syy", 2);
}

}  // namespace protium
