// SPDX-License-Identifier: Apache-2.0
#include "model/check_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pipeline/estimator.h"
#include "recipe/changes.h"

namespace protium {
namespace {

// The optimizer keeps its state: sgd has none without momentum.
Status CheckChange(const TrainOptions& train, size_t change, const std::string& path,
                   const Catalogue& catalogue) {
  const ChangeOptions& own = train.changes[change];
  const std::string where = fmt::format("{}.{}", path, change);
  if (change > 0 && own.after <= train.changes[change - 1].after) {
    return fields::Refuse(where + ".after", "more than that of the change before", own.after);
  }
  if (!own.optimizer.is_object())
    return fields::Refuse(where + ".optimizer", "a table", own.optimizer);
  std::vector<std::string> numbers;
  for (const auto& [name, value] : train.optimizer.options.items()) {
    if (value.is_number()) numbers.push_back(name);
  }
  for (const auto& [name, value] : own.optimizer.items()) {
    if (std::ranges::find(numbers, name) != numbers.end() && value.is_number()) continue;
    return fields::Refuse(where + ".optimizer." + name,
                          "a number, and one of " + Dump(Json(numbers)), value);
  }
  Choice then = OptimizerAfter(train, own.after);
  PT_TRY(CompleteNamed(catalogue.optimizers, "optimizer", where + ".optimizer", then));
  const auto stateless = [](const Choice& of) { return of.options.value("momentum", 0.0) == 0; };
  if (then.name != "sgd" || stateless(then) == stateless(train.optimizer)) return Status::OK();
  return fields::Refuse(where + ".optimizer.momentum",
                        stateless(then) ? "above 0, as it was before" : "0, as it was before",
                        then.options["momentum"]);
}

}  // namespace

Status CheckChanges(const TrainOptions& train, const std::string& path,
                    const Catalogue& catalogue) {
  for (size_t i = 0; i < train.changes.size(); ++i) PT_TRY(CheckChange(train, i, path, catalogue));
  return Status::OK();
}

}  // namespace protium
