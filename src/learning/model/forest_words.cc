// SPDX-License-Identifier: Apache-2.0
#include "model/forest_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

namespace protium {
namespace {

constexpr int kMostStages = 16;  // Between a column of the table and one of the forest.

// An entry of a stage's `learned`.
struct LearnedEntry {
  std::string kind;
  const Json* entry = nullptr;
};
using LearnedByOutput = std::map<std::string, LearnedEntry>;

const Json* MemberOf(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

// Files may have anything in the place of these lists.
LearnedByOutput ByOutput(const Json& stages) {
  LearnedByOutput all;
  const Json* const list = MemberOf(stages, "stages");
  if (list == nullptr) return all;
  for (const Json& stage : *list) {
    const Json* const learned = MemberOf(stage, "learned");
    if (learned == nullptr) continue;
    for (const Json& each : *learned) {
      if (each.is_object()) all[TextAt(each, "output")] = {TextAt(stage, "kind"), &each};
    }
  }
  return all;
}

// The texts that a string_indexer has for its indices.
std::vector<std::string> TextsOf(const Json& learned) {
  std::vector<std::string> texts;
  if (const Json* const keys = MemberOf(learned, "keys")) {
    for (const Json& key : *keys) {
      texts.push_back(key.is_string() ? key.get<std::string>() : Dump(key));
    }
  }
  const size_t keys = texts.size();
  for (const auto& [key, text] : {std::pair{"unseen", "(others)"}, {"missing", "(missing)"}}) {
    const int64_t at = WholeAt(learned, key, -1);
    if (at < int64_t(keys) || at > int64_t(keys) + 1) continue;
    texts.resize(std::max(texts.size(), size_t(at) + 1));
    texts[size_t(at)] = text;
  }
  return texts;
}

// Follows the column back to that of the table, through stages that change nothing but units.
ColumnWords WordsOf(const ForestColumn& column, const LearnedByOutput& learned) {
  ColumnWords out{.name = column.name};
  bool indexed = column.cardinality == 0;
  for (int stage = 0; stage < kMostStages; ++stage) {
    const auto found = learned.find(out.name);
    if (found == learned.end()) break;
    const auto& [kind, entry] = found->second;
    if (kind == "string_indexer" && !indexed) {
      out.texts = TextsOf(*entry);
      indexed = true;
    } else if (kind == "standard_scaler" && column.cardinality == 0) {
      const double deviation = NumberAt(*entry, "deviation");
      if (!(deviation > 0)) break;
      out.factor *= deviation;
      out.offset = out.offset * deviation + NumberAt(*entry, "mean");
    } else if (kind != "imputer" || !indexed) {
      break;
    }
    out.name = TextAt(*entry, "input");
  }
  return out;
}

std::string TextOf(const Objective& objective, size_t output) {
  const size_t labels = objective.labels.size(), outputs = size_t(objective.outputs());
  const ScaledLabel& label = objective.labels[output * labels / outputs];
  const std::string& name = label.column;
  switch (objective.kind) {
    case TargetKind::kTwoClasses:
      return fmt::format("log-odds of {} = {}", name, objective.classes.back());
    case TargetKind::kFlags:
      return "log-odds of " + name;
    case TargetKind::kClasses:
      return fmt::format("score of {} = {}, before softmax", name, objective.classes[output]);
    case TargetKind::kQuantiles:
      return fmt::format("{}, quantile {}", name,
                         objective.levels[output % objective.levels.size()]);
    case TargetKind::kValues:
      break;
  }
  if (label.log1p) return fmt::format("logarithm of 1 + {}", name);
  return objective.logarithmic ? "logarithm of " + name : name;
}

}  // namespace

std::string ColumnWords::TextOf(int64_t category) const {
  return category < int64_t(texts.size()) ? texts[size_t(category)] : std::to_string(category);
}

std::vector<ColumnWords> WordsOfColumns(const std::vector<ForestColumn>& columns,
                                        const Json& stages) {
  std::vector<ColumnWords> all;
  std::map<std::string, int> times;
  const LearnedByOutput learned = ByOutput(stages);
  for (const ForestColumn& each : columns) {
    all.push_back(WordsOf(each, learned));
    ++times[all.back().name];
  }
  for (size_t c = 0; c < all.size(); ++c) {
    if (times[all[c].name] > 1 && all[c].name != columns[c].name) {
      all[c].name += " (" + columns[c].name + ")";
    }
  }
  return all;
}

std::vector<OutputWords> WordsOfOutputs(const Objective& objective) {
  const size_t count = size_t(objective.outputs()), labels = objective.labels.size();
  std::vector<OutputWords> outputs;
  for (size_t o = 0; o < count; ++o) {
    const ScaledLabel& label = objective.labels[o * labels / count];
    OutputWords output{.text = TextOf(objective, o)};
    if (OfNumbers(objective.kind)) {
      output.factor = label.deviation, output.offset = label.mean;
    } else {
      output.factor = 1 / objective.decision.temperature;
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace protium
