// SPDX-License-Identifier: Apache-2.0
#include "model/forest_words.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/text.h"

namespace protium {
namespace {

constexpr int kMostStages = 16;  // Between a column of the table and one of the forest.

Json ListAt(const Json& json, const char* key) {
  return json.is_object() ? json.value(key, Json()) : Json();
}

// What a stage learned to make the column `output` with; null if there is none.
Json LearnedFor(const Json& stages, const std::string& output, std::string& kind) {
  for (const Json& stage : ListAt(stages, "stages")) {
    for (const Json& each : ListAt(stage, "learned")) {
      if (!each.is_object() || TextAt(each, "output") != output) continue;
      kind = TextAt(stage, "kind");
      return each;
    }
  }
  return {};
}

std::vector<std::string> NumberedTexts(int64_t count) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < count; ++i) texts.push_back(std::to_string(i));
  return texts;
}

// Puts the texts of a string_indexer in the place of its indices.
void TakeTexts(const Json& learned, std::vector<std::string>& texts) {
  const auto set = [&](int64_t at, std::string text) {
    if (at >= 0 && at < int64_t(texts.size())) texts[size_t(at)] = std::move(text);
  };
  int64_t at = 0;
  for (const Json& key : ListAt(learned, "keys")) {
    set(at++, key.is_string() ? key.get<std::string>() : Dump(key));
  }
  set(WholeAt(learned, "unseen", -1), "(others)");
  set(WholeAt(learned, "missing", -1), "(missing)");
}

// Follows the column back to that of the table, through stages that change nothing but units.
ColumnWords WordsOf(const ForestColumn& column, const Json& stages) {
  ColumnWords out{.name = column.name, .texts = NumberedTexts(column.cardinality)};
  bool indexed = column.cardinality == 0;
  for (int stage = 0; stage < kMostStages; ++stage) {
    std::string kind;
    const Json learned = LearnedFor(stages, out.name, kind);
    if (kind == "string_indexer" && !indexed) {
      TakeTexts(learned, out.texts);
      indexed = true;
    } else if (kind == "standard_scaler" && column.cardinality == 0) {
      const double deviation = NumberAt(learned, "deviation");
      if (!(deviation > 0)) break;
      out.factor *= deviation;
      out.offset = out.offset * deviation + NumberAt(learned, "mean");
    } else if (kind != "imputer" || !indexed) {
      break;
    }
    out.name = TextAt(learned, "input");
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

std::vector<ColumnWords> WordsOfColumns(const std::vector<ForestColumn>& columns,
                                        const Json& stages) {
  std::vector<ColumnWords> all;
  std::map<std::string, int> times;
  for (const ForestColumn& each : columns) {
    all.push_back(WordsOf(each, stages));
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
