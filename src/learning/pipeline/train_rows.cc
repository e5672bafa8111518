// SPDX-License-Identifier: Apache-2.0
#include "pipeline/train_rows.h"

#include <arrow/type.h>

#include <set>
#include <utility>

#include "base/splitmix.h"
#include "pipeline/decimal_columns.h"
#include "pipeline/held_out.h"
#include "pipeline/history.h"
#include "plan/time_cut.h"

// The plans of one fitting, from the bottom up: the kept table; with validation, a column that
// marks held-out rows; the marks of parts, if stages ask for them; a projection to the sources, the
// part numbers and the held-out mark; a filter of the rows with labels; and, for the stages,
// another one that drops held-out rows. The marks precede the projection, since the hash may use
// columns that nothing else reads.

namespace protium {
namespace {

constexpr const char* kHeldOut = "__held_out";

// The seed differs from the test split's. A split takes the rows whose hash is below its share:
// with equal seeds and columns, the rows with the lowest hashes are already on the test side, and
// few or none would be left for validation.
int64_t HeldOutSeed(int64_t seed) { return int64_t(SplitMix(uint64_t(seed) + kSplitMixStep) >> 1); }

// A third seed, for the same reason: with the validation split's seed, the rows with the lowest
// hashes would all be held out, and the first parts would have few training rows.
int64_t PartsSeed(int64_t seed) { return HeldOutSeed(HeldOutSeed(seed)); }

// Whether a projection only selects columns, and computes none except decimals as doubles.
bool OnlyChooses(const Plan& plan) {
  const auto* const project = std::get_if<Project>(&plan->verb);
  if (project == nullptr) return false;
  for (const NamedExpr& each : project->columns) {
    if (each.expr.kind != Expr::Kind::kColumn && !IsDecimalAsDouble(each.expr)) return false;
  }
  return true;
}

// Whether the plan reads a kept table directly, whole or filtered: keeping it again would only copy
// it.
bool IsKept(const Plan& plan) {
  if (std::holds_alternative<Materialize>(plan->verb)) return true;
  const bool thins = std::holds_alternative<Filter>(plan->verb) ||
                     std::holds_alternative<Split>(plan->verb) || OnlyChooses(plan);
  return thins && IsKept(plan->inputs.front());
}

// Returns the table, kept. Keeps only the columns that fitting reads, unless rows are held out by
// all columns: then the hash needs them all.
Plan KeepTable(const Chain& chain, const Plan& table) {
  if (IsKept(table)) return table;
  const ValidationOptions none;
  const ValidationOptions& validation =
      chain.estimator ? chain.estimator->options.train.validation : none;
  const bool whole = validation.share > 0 && validation.by.empty() && validation.by_time.empty();
  return MakePlan(Materialize{"train"}, {whole ? table : WithColumns(table, chain.sources, {})});
}

// The distinct numbers of parts that stages request. Stages with the same number share a column.
std::set<int64_t> PartsOf(const Chain& chain) {
  std::set<int64_t> parts;
  for (const PlacedStage& each : chain.stages) {
    if (each.stage->parts() > 0) parts.insert(each.stage->parts());
  }
  return parts;
}

// The columns whose hash decides a row's part: texts, whole numbers, booleans and dates, whose text
// is the same on every engine; floating-point numbers only if the table has nothing else.
Columns CutBy(const Chain& chain) {
  Columns exact;
  for (const std::string& column : chain.sources) {
    const arrow::DataType& type = *chain.Find(column)->type;
    if (CheckCategories(type).ok() || type.id() == arrow::Type::DATE32) exact.push_back(column);
  }
  return exact.empty() ? chain.sources : exact;
}

Plan MarkHeldOut(const Chain& chain, const std::string& column, Plan rows) {
  const MeasureOptions& train = chain.estimator->options.train;
  const ValidationOptions& validation = train.validation;
  if (!validation.column.empty()) {
    const Expr marked = MakeCall("if", {Col(validation.column), Lit(true), Lit(false)});
    return WithColumns(std::move(rows), chain.sources, {{column, marked}});
  }
  if (!validation.by_time.empty()) {
    return MarkInTime({.time = validation.by_time, .part = validation.share}, column,
                      std::move(rows));
  }
  return MakePlan(MarkSplit{.by = validation.by,
                            .part = validation.share,
                            .seed = HeldOutSeed(train.seed),
                            .column = column},
                  {std::move(rows)});
}

// The same rows with the outputs of stages that read earlier ones. Kept, since windows over all
// rows are costly.
Plan WithEarlierRows(const Chain& chain, const TrainRows& rows) {
  Columns columns = chain.sources;
  for (const int64_t parts : PartsOf(chain)) columns.push_back(PartColumn(parts));
  if (!rows.held_out.empty()) columns.push_back(rows.held_out);
  Columns all = LearnedFrom(chain);
  if (!rows.held_out.empty()) all.push_back(rows.held_out);
  const Plan added = ApplyHistory(chain, rows.kept, columns);
  return MakePlan(Materialize{"history"}, {WithColumns(added, all, {})});
}

}  // namespace

std::optional<SplitOptions> HeldOutSplit(const ValidationOptions& validation, int64_t seed) {
  if (!validation.HoldsOut()) return std::nullopt;
  if (!validation.column.empty()) return SplitOptions{.column = validation.column};
  return SplitOptions{.by = validation.by,
                      .test = validation.share,
                      .seed = HeldOutSeed(seed),
                      .by_time = validation.by_time};
}

// Marks are nested: a row of part 0 has all of them, a row of the last part none, and a row's part
// is the lowest mark it has, minus 1.
Plan NumberParts(Plan rows, const Columns& by, int64_t parts, int64_t seed, NamedExpr& number) {
  number.expr = Lit(parts - 1);
  for (int64_t i = parts - 1; i > 0; --i) {
    const std::string mark = number.name + "_" + std::to_string(i);
    rows = MakePlan(
        MarkSplit{.by = by, .part = double(i) / double(parts), .seed = seed, .column = mark},
        {std::move(rows)});
    number.expr = MakeCall("if", {Col(mark), Lit(i - 1), std::move(number.expr)});
  }
  return rows;
}

Columns LearnedFrom(const Chain& chain) {
  Columns columns = chain.sources;
  for (std::string& each : HistoryOutputs(chain)) columns.push_back(std::move(each));
  for (const int64_t parts : PartsOf(chain)) columns.push_back(PartColumn(parts));
  return columns;
}

std::optional<Expr> HasLabel(const Chain& chain) {
  if (!chain.estimator) return std::nullopt;
  std::optional<Expr> all;
  for (const std::string& name : ListLabels(chain.estimator->options)) {
    const StageColumn& label = *chain.Find(name);
    // A label made by a stage does not exist in the table.
    if (label.maker >= 0) continue;
    const bool floating = arrow::is_floating(label.type->id());
    const Expr value = floating ? MakeCall("nan_to_null", {Col(name)}) : Col(name);
    const Expr there = MakeCall("is_not_null", {value});
    all = all ? (*all && there) : there;
  }
  return all;
}

TrainRows RowsFor(const Chain& chain, const Plan& table) {
  TrainRows rows;
  Plan marked = KeepTable(chain, table);
  if (chain.estimator && chain.estimator->options.train.validation.HoldsOut()) {
    rows.held_out = kHeldOut;
    marked = MarkHeldOut(chain, rows.held_out, std::move(marked));
  }
  std::vector<NamedExpr> mark;
  const int64_t seed = chain.estimator ? chain.estimator->options.train.seed : 0;
  for (const int64_t parts : PartsOf(chain)) {
    NamedExpr& number = mark.emplace_back(NamedExpr{PartColumn(parts), {}});
    marked = NumberParts(std::move(marked), CutBy(chain), parts, PartsSeed(seed), number);
  }
  if (!rows.held_out.empty()) mark.push_back({rows.held_out, Col(rows.held_out)});
  rows.kept = WithColumns(std::move(marked), chain.sources, std::move(mark));
  if (ReadsHistory(chain)) rows.kept = WithEarlierRows(chain, rows);
  const std::optional<Expr> labelled = HasLabel(chain);
  rows.all = labelled ? MakePlan(Filter{*labelled}, {rows.kept}) : rows.kept;
  rows.learning =
      rows.held_out.empty() ? rows.all : MakePlan(Filter{!Col(rows.held_out)}, {rows.all});
  return rows;
}

}  // namespace protium
