// SPDX-License-Identifier: Apache-2.0
#include "learn/pipeline/train_rows.h"

#include <arrow/type.h>

#include <utility>

#include "base/splitmix.h"

namespace protium {
namespace {

constexpr const char* kHeldOut = "__held_out";

// Another seed than the test split's. A split takes the rows whose hash lies below its share: with
// equal seeds and columns, the rows with the lowest hashes are on the test side already, and few or
// none would be left for validation.
int64_t HeldOutSeed(int64_t seed) { return int64_t(SplitMix(uint64_t(seed) + kSplitMixStep) >> 1); }

// Whether the plan reads a kept table directly, whole or filtered: then keeping it again would only
// copy it.
bool IsKept(const Plan& plan) {
  if (std::holds_alternative<Materialize>(plan->verb)) return true;
  const bool thins =
      std::holds_alternative<Filter>(plan->verb) || std::holds_alternative<Split>(plan->verb);
  return thins && IsKept(plan->inputs.front());
}

// The table, kept. Only the columns that fitting reads are kept, unless rows are held out by all
// columns: then the hash needs them all.
Plan KeepTable(const Chain& chain, const Plan& table) {
  if (IsKept(table)) return table;
  const bool whole = chain.estimator && chain.estimator->options.train.validation.share > 0 &&
                     chain.estimator->options.train.validation.by.empty();
  return MakePlan(Materialize{"train"}, {whole ? table : WithColumns(table, chain.sources, {})});
}

}  // namespace

std::optional<Expr> HasLabel(const Chain& chain) {
  if (!chain.estimator) return std::nullopt;
  std::optional<Expr> all;
  for (const std::string& name : ListLabels(chain.estimator->options)) {
    const StageColumn& label = *chain.Find(name);
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
  if (chain.estimator && chain.estimator->options.train.validation.share > 0) {
    const TrainOptions& train = chain.estimator->options.train;
    rows.held_out = kHeldOut;
    marked = MakePlan(MarkSplit{.by = train.validation.by,
                                .part = train.validation.share,
                                .seed = HeldOutSeed(train.seed),
                                .column = rows.held_out},
                      {std::move(marked)});
  }
  std::vector<NamedExpr> mark;
  if (!rows.held_out.empty()) mark.push_back({rows.held_out, Col(rows.held_out)});
  rows.kept = WithColumns(std::move(marked), chain.sources, std::move(mark));
  const std::optional<Expr> labelled = HasLabel(chain);
  rows.all = labelled ? MakePlan(Filter{*labelled}, {rows.kept}) : rows.kept;
  rows.learning =
      rows.held_out.empty() ? rows.all : MakePlan(Filter{!Col(rows.held_out)}, {rows.all});
  return rows;
}

}  // namespace protium
