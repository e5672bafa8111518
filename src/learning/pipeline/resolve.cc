// SPDX-License-Identifier: Apache-2.0
// Resolves the names of columns and stages in a pipeline to positions in the chain.
#include <arrow/type.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "pipeline/placer.h"

namespace protium {

Result<Columns> Placer::Resolve(const Inputs& inputs, const std::string& key,
                                std::vector<size_t>& awaits) {
  Columns columns;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string at = key + "." + std::to_string(i);
    if (inputs[i].stage.empty()) {
      PT_TRY(Find(inputs[i].column, at, reads_));
      columns.push_back(inputs[i].column);
      continue;
    }
    PT_LET(const size_t maker, FindStage(inputs[i].stage, at));
    // Its columns are unknown, so the only repetition that can be detected now is naming it twice.
    if (chain_.stages[maker].open()) {
      if (std::find(awaits.begin(), awaits.end(), maker) != awaits.end()) {
        return Fail({.exit = Exit::kUsage,
                     .what = "stage \"" + inputs[i].stage + "\" is listed twice",
                     .where = path_ + "." + key});
      }
      awaits.push_back(maker);
      continue;
    }
    const Columns& made = chain_.stages[maker].stage->outputs();
    // A stage stands for all of its outputs, in their order; an open one has none yet.
    columns.insert(columns.end(), made.begin(), made.end());
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::find(columns.begin(), columns.begin() + i, columns[i]) == columns.begin() + i) {
      continue;
    }
    return Fail({.exit = Exit::kUsage,
                 .what = "column \"" + columns[i] + "\" is listed twice",
                 .where = path_ + "." + key});
  }
  return columns;
}

// The id of the stage being placed is already in ids_, but it is not an earlier stage.
Result<size_t> Placer::FindStage(const std::string& id, const std::string& key) {
  const auto found = ids_.find(id);
  if (found != ids_.end() && found->second < chain_.options.size()) return found->second;
  std::vector<std::string> known;
  for (const auto& [each, index] : ids_) {
    if (index < chain_.options.size()) known.push_back(each);
  }
  const bool later = id != id_ && std::ranges::find(announced_, id) != announced_.end();
  const bool column = !later && chain_.Find(id) != nullptr;
  return Fail({.exit = Exit::kUsage,
               .what = "there is no earlier stage \"" + id + "\"",
               .where = path_ + "." + key,
               .why = later    ? "stage \"" + id + "\" comes later, and stages run in their order"
                      : column ? "\"" + id + "\" is a column"
                               : "",
               .fix = column  ? "write the column as it is: \"" + id + "\""
                      : later ? "move the [[pipeline]] of \"" + id + "\" above this one"
                              : Suggest(id, known)});
}

Result<size_t> Placer::Find(const std::string& column, const std::string& key, Use use) {
  for (size_t i = 0; i < chain_.columns.size(); ++i) {
    const StageColumn& each = chain_.columns[i];
    if (each.name == column) {
      // A column that both training and scoring read counts as read by scoring.
      used_[i] = std::max(used_[i], use);
      return i;
    }
  }
  if (known_ != KnownOfTable::kNothing) return NoColumn(column, key);
  chain_.columns.push_back({.name = column, .type = arrow::null()});
  return chain_.columns.size() - 1;
}

Status Placer::NoColumn(const std::string& column, const std::string& key) const {
  std::vector<std::string> known;
  for (const StageColumn& each : chain_.columns) {
    // Suggests columns that stages make only if the user wrote such a name: otherwise "temp__fill"
    // would be confusing where "temp" is meant.
    if (each.maker < 0 || column.find("__") != column.npos) known.push_back(each.name);
  }
  const std::string stage = "{ stage = \"" + column + "\" }";
  const bool is_stage = ids_.contains(column) && column != id_;
  return Fail(
      {.exit = Exit::kUsage,
       .what = "there is no column \"" + column + "\"",
       .where = path_ + "." + key,
       .why = is_stage ? "\"" + column + "\" is a stage" : WhyUnknown(column),
       .fix = is_stage ? "for the columns that it makes write " + stage : Suggest(column, known)});
}

// A name such as "origin__hot__JFK" looks right but is unknown until the stage has learned; so does
// "temp__fill" before the stage "fill".
std::string Placer::WhyUnknown(const std::string& column) const {
  for (const PlacedStage& each : chain_.stages) {
    const std::string& id = each.stage->id();
    if (!each.open() || column.find("__" + id + "__") == column.npos) continue;
    return "the columns of stage \"" + id + "\" are not known before training: name the stage, " +
           "{ stage = \"" + id + "\" }";
  }
  for (size_t i = chain_.options.size(); i < announced_.size(); ++i) {
    const std::string& id = announced_[i];
    if (id.empty() || (column != id && !column.ends_with("__" + id))) continue;
    if (id == id_) return "stage \"" + id + "\" makes its columns, it cannot read them";
    return "stage \"" + id + "\" comes later, and stages run in their order";
  }
  return {};
}

}  // namespace protium
