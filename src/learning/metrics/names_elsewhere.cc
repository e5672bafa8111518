// SPDX-License-Identifier: Apache-2.0
#include "metrics/names_elsewhere.h"

#include <string_view>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

// {their name, ours}.
constexpr std::pair<std::string_view, std::string_view> kNamesElsewhere[] = {
    {"acc", "accuracy"},
    {"average_precision", "pr_auc"},
    {"binary_logloss", "log_loss"},
    {"brier_score", "brier"},
    {"cross_entropy", "log_loss"},
    {"l1", "mae"},
    {"l2", "mse"},
    {"logloss", "log_loss"},
    {"mean_absolute_error", "mae"},
    {"mean_absolute_percentage_error", "mape"},
    {"mean_squared_error", "mse"},
    {"mlogloss", "log_loss"},
    {"multi_logloss", "log_loss"},
    {"neg_brier_score", "brier"},
    {"neg_log_loss", "log_loss"},
    {"neg_mean_absolute_error", "mae"},
    {"neg_mean_squared_error", "mse"},
    {"neg_root_mean_squared_error", "rmse"},
    {"roc_auc", "auc"},
    {"root_mean_squared_error", "rmse"},
};

}  // namespace

Status RefuseNameElsewhere(const std::string& name, const std::string& where) {
  for (const auto& [theirs, ours] : kNamesElsewhere) {
    if (name != theirs) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown metric \"" + name + "\"",
                 .where = where,
                 .fix = "did you mean \"" + std::string(ours) + "\"?"});
  }
  return Status::OK();
}

}  // namespace protium
