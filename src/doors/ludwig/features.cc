// SPDX-License-Identifier: Apache-2.0
// Input and output features: https://ludwig.ai/latest/configuration/features/supported_data_types/
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/fault.h"
#include "ludwig/draft.h"

namespace protium::ludwig {
namespace {

// Before the id of a stage among names of columns.
constexpr char kStageMark = '\x01';

// Ludwig's own defaults, which a job states explicitly.
constexpr double kMostWords = 256, kMostCommonWords = 20000;

std::string Stage(const std::string& kind, const std::string& id, const std::string& inputs,
                  const std::string& more = "") {
  return fmt::format("[[pipeline]]\nkind = \"{}\"\nid = \"{}\"\ninputs = [{}]\n{}", kind, id,
                     inputs, more);
}

std::string OfStage(const std::string& id) { return fmt::format("{{ stage = \"{}\" }}", id); }

// "scale", "scale_2", ...
std::string IdOf(const std::string& name, size_t position) {
  return position == 0 ? name : fmt::format("{}_{}", name, position + 1);
}

// How missing numbers are filled and all are scaled. Columns with the same settings share two
// stages.
struct NumberWay {
  std::string fill;   // The imputer's options; empty: none.
  std::string scale;  // The kind of stage; empty: none.
  auto operator<=>(const NumberWay&) const = default;
};

std::string FillOf(const Feature& feature, Draft& draft) {
  const std::string strategy =
      feature.Text("preprocessing", "missing_value_strategy").value_or("fill_with_const");
  if (strategy == "fill_with_mean") return "with = \"mean\"\n";
  if (strategy == "fill_with_mode") return "with = \"mode\"\n";
  if (strategy == "drop_row") {
    draft.dropped_null.push_back(feature.column);
    return "";
  }
  const double value = feature.Number("preprocessing", "fill_value").value_or(0);
  if (strategy != "fill_with_const") {
    draft.AddNote(
        *feature.own,
        fmt::format("{}: missing_value_strategy {} needs an order of rows, which a job does "
                    "not have; missing numbers become the median",
                    feature.column, strategy));
    return "with = \"median\"\n";
  }
  return fmt::format("with = \"constant\"\nvalue = {}\n", Number(value));
}

std::string ScaleOf(const Feature& feature, Draft& draft) {
  const std::string way = feature.Word("preprocessing", "normalization").value_or("zscore");
  if (way == "zscore") return "standard_scaler";
  if (way == "minmax") return "min_max_scaler";
  if (way == "log1p") return "log_transform";
  if (way == "iq") return "robust_scaler";
  if (way != "none" && way != "null") {
    draft.AddNote(*feature.own, fmt::format("{}: no scaling is called {}; it is standard_scaler",
                                            feature.column, way));
    return "standard_scaler";
  }
  return "";
}

void AddNumbers(const std::map<NumberWay, std::vector<std::string>>& ways, Draft& draft) {
  size_t position = 0;
  for (const auto& [way, columns] : ways) {
    std::vector<std::string> quoted;
    for (const std::string& each : columns) quoted.push_back(Quoted(each));
    std::string inputs = fmt::format("{}", fmt::join(quoted, ", "));
    if (!way.fill.empty()) {
      const std::string id = IdOf("fill", position);
      draft.stages.push_back(Stage("imputer", id, inputs, way.fill));
      inputs = OfStage(id);
    }
    if (!way.scale.empty()) {
      const std::string id = IdOf("scale", position);
      draft.stages.push_back(Stage(way.scale, id, inputs));
      inputs = OfStage(id);
    }
    draft.numeric.push_back(inputs);
    ++position;
  }
}

void ReportEncoder(const Feature& feature, Draft& draft) {
  const auto encoder = feature.Text("encoder", "type");
  const bool usual = !encoder || *encoder == "passthrough" || *encoder == "dense" ||
                     *encoder == "parallel_cnn" || *encoder == "embed";
  if (!usual) {
    draft.AddNote(*feature.own,
                  fmt::format("{}: the encoder {} has no counterpart; the net reads the "
                              "column as its other columns",
                              feature.column, *encoder));
  }
  if (const auto width = feature.Number("encoder", "embedding_size")) {
    draft.embeddings.push_back(int64_t(*width));
  }
}

// Adds one text: a fixed number of words, for the net text_classifier.
void AddText(const Feature& feature, Draft& draft) {
  if (draft.vocabulary > 0) {
    draft.AddNote(*feature.own,
                  fmt::format("{}: a net reads one column of texts; left out", feature.column));
    return;
  }
  const double length = feature.Number("preprocessing", "max_sequence_length").value_or(kMostWords);
  const double most = feature.Number("preprocessing", "most_common").value_or(kMostCommonWords);
  draft.stages.push_back(Stage("tokenizer", "words", Quoted(feature.column)));
  draft.stages.push_back(
      Stage("text_indexer", "index_words", OfStage("words"),
            fmt::format("outputs = [\"word_indices\"]\nlength = {}\nvocab_size = {}\n",
                        Number(length), Number(most))));
  draft.vectors.push_back(
      fmt::format("{{ column = \"word_indices\", length = {} }}", Number(length)));
  draft.vocabulary = int64_t(most) + 2;
}

void AddInput(const Feature& feature, std::map<NumberWay, std::vector<std::string>>& ways,
              Draft& draft) {
  ReportEncoder(feature, draft);
  if (feature.type == "number") {
    ways[{FillOf(feature, draft), ScaleOf(feature, draft)}].push_back(feature.column);
  } else if (feature.type == "category" || feature.type == "binary") {
    const auto missing = feature.Text("preprocessing", "missing_value_strategy");
    if (missing == "drop_row") draft.dropped_null.push_back(feature.column);
    if (missing && *missing != "drop_row") {
      draft.AddNote(*feature.own,
                    fmt::format("{}: missing_value_strategy {}: a missing category is "
                                "one of its own here",
                                feature.column, *missing));
    }
    draft.categories.push_back(feature.column);
  } else if (feature.type == "text" || feature.type == "sequence") {
    AddText(feature, draft);
  } else if (feature.type == "date") {
    draft.stages.push_back(Stage("datetime_parts", "parts_of_" + feature.column,
                                 Quoted(feature.column),
                                 "parts = [\"year\", \"month\", \"day\", \"day_of_week\"]\n"));
    draft.categories.push_back(kStageMark + ("parts_of_" + feature.column));
  } else {
    draft.AddNote(*feature.own,
                  fmt::format("{}: inputs of the type {} have no counterpart; left out",
                              feature.column, feature.type));
  }
}

// The net for texts reads no categories: they become columns of zeros and ones.
void AddCategories(Draft& draft) {
  if (draft.categories.empty()) return;
  std::vector<std::string> inputs;
  for (const std::string& each : draft.categories) {
    inputs.push_back(each.starts_with(kStageMark) ? OfStage(each.substr(1)) : Quoted(each));
  }
  const std::string listed = fmt::format("{}", fmt::join(inputs, ", "));
  if (draft.vocabulary > 0) {
    draft.stages.push_back(Stage("one_hot_encoder", "index", listed, "max_categories = 50\n"));
    draft.numeric.push_back(OfStage("index"));
  } else {
    draft.stages.push_back(Stage("string_indexer", "index", listed));
    draft.categorical.push_back(OfStage("index"));
  }
}

// Takes an output's own dense layers.
void TakeDecoder(const Feature& feature, Draft& draft) {
  const double layers = feature.Number("decoder", "num_fc_layers").value_or(0);
  const double width = feature.Number("decoder", "fc_output_size").value_or(256);
  for (int i = 0; i < int(layers) && i < 100; ++i) draft.output_layers.push_back(int64_t(width));
  feature.Text("decoder", "type");
}

std::string NumberLoss(const Feature& feature, Draft& draft) {
  const std::string loss = feature.Text("loss", "type").value_or("mean_squared_error");
  if (loss == "mean_squared_error") return "loss = \"mse\"";
  if (loss == "mean_absolute_error") return "loss = \"mae\"";
  if (loss == "huber") {
    return fmt::format("loss = {{ name = \"huber\", delta = {} }}",
                       Number(feature.Number("loss", "delta").value_or(1)));
  }
  draft.AddNote(*feature.own,
                fmt::format("{}: the loss {} has no counterpart; it is mse", feature.column, loss));
  return "loss = \"mse\"";
}

void AddNumberOutput(const Feature& feature, Draft& draft) {
  draft.estimator.push_back(NumberLoss(feature, draft));
  const std::string way = feature.Word("preprocessing", "normalization").value_or("zscore");
  const std::string scale = way == "log1p" ? "log1p" : way == "zscore" ? "standard" : "none";
  if (way == "minmax" || way == "iq") {
    draft.AddNote(*feature.own,
                  fmt::format("{}: a label is scaled by standard or log1p, not by {}; it "
                              "is not scaled",
                              feature.column, way));
  }
  draft.estimator.push_back(fmt::format("label_scale = \"{}\"", scale));
}

void AddClassOutput(const Feature& feature, Draft& draft) {
  const bool two = feature.type == "binary";
  const std::string name = two ? "binary_cross_entropy" : "cross_entropy";
  std::string options;
  if (const auto weight = feature.Number("loss", "positive_class_weight"); two && weight) {
    options = fmt::format(", positive_weight = {}", Number(*weight));
  }
  feature.Text("loss", "type");
  draft.estimator.push_back(fmt::format("loss = {{ name = \"{}\"{} }}", name, options));
  if (const auto threshold = feature.own->TakeNumber("threshold"); two && threshold) {
    draft.estimator.push_back(fmt::format("threshold = {}", Number(*threshold)));
  }
  if (feature.own->TakeTruth("calibration").value_or(false)) {
    draft.estimator.emplace_back("calibration = \"temperature\"");
  }
}

}  // namespace

Status AddInputs(Yaml& root, Draft& draft) {
  PT_LET(const std::vector<Feature> features, FeaturesOf(root, "input_features"));
  std::map<NumberWay, std::vector<std::string>> ways;
  for (const Feature& each : features) AddInput(each, ways, draft);
  AddNumbers(ways, draft);
  AddCategories(draft);
  if (!draft.numeric.empty() || !draft.categorical.empty() || !draft.vectors.empty()) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "none of the input features has a counterpart",
               .why = fmt::format("the first is of the type {}", features.front().type),
               .fix = "docs/nets.md says how images and nets of your own are read"});
}

Status AddOutputs(Yaml& root, Draft& draft) {
  PT_LET(const std::vector<Feature> features, FeaturesOf(root, "output_features"));
  const Feature& first = features.front();
  if (first.type != "number" && first.type != "binary" && first.type != "category") {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("outputs of the type {} have no counterpart", first.type),
                 .where = fmt::format("line {}", first.own->line()),
                 .why = "a job learns numbers and classes"});
  }
  first.type == "number" ? AddNumberOutput(first, draft) : AddClassOutput(first, draft);
  for (const Feature& each : features) {
    const bool beside = each.type == first.type && first.type != "category";
    if (&each == &first || beside) {
      draft.labels.push_back(each.column);
      TakeDecoder(each, draft);
      continue;
    }
    draft.AddNote(*each.own,
                  fmt::format("{}: a net learns several numbers, or several answers of yes "
                              "or no, and nothing else at once; left out",
                              each.column));
  }
  return Status::OK();
}

}  // namespace protium::ludwig
