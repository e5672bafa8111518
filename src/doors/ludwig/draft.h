// SPDX-License-Identifier: Apache-2.0
// A job that is being made from a configuration, part by part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "ludwig/yaml.h"

namespace protium::ludwig {

struct Note {
  int64_t line = 0;
  std::string text;
};

// Columns, as passed to stages and the estimator. Texts are pieces of TOML.
struct Draft {
  std::vector<std::string> stages;       // Whole [[pipeline]] tables, in order.
  std::vector<std::string> categorical;  // Inputs of the estimator: {stage = "index"}.
  std::vector<std::string> numeric;
  std::vector<std::string> vectors;       // {column = "words", length = 64}
  std::vector<std::string> categories;    // The source columns of the categories.
  std::vector<std::string> dropped_null;  // Columns whose NULL drops the row.
  std::vector<std::string> flags;         // The boolean ones among the categories.
  std::string net;
  std::vector<std::string> labels;
  std::vector<std::string> estimator;  // Further lines of the estimator.
  std::vector<std::string> train;      // Lines below [train].
  std::vector<std::string> split;      // Lines below [split].
  std::string split_sql;               // A further column of the SELECT.
  std::vector<int64_t> embeddings;     // Requested widths.
  std::vector<int64_t> output_layers;  // Widths of the outputs' dense layers.
  int64_t vocabulary = 0;              // Of texts; 0: there is none.
  std::vector<Note> notes;

  void AddNote(const Yaml& at, std::string text) { notes.push_back({at.line(), std::move(text)}); }
};

// Quotes a text for TOML and SQL: "a \"b\"", `a b`.
std::string Quoted(const std::string& text);
std::string Name(const std::string& column);
std::string List(const std::vector<std::string>& texts);  // ["a", "b"]
std::string Number(double number);                        // 0.1, 20

// features.cc: adds stages for the inputs, and what is learned. `root` is the whole configuration.
Status AddInputs(Yaml& root, Draft& draft);
Status AddOutputs(Yaml& root, Draft& draft);
// combiner.cc: adds the net, after inputs and outputs.
void AddNet(Yaml& root, Draft& draft);
// trainer.cc: adds how it is trained, and which rows are held out.
void AddTrainer(Yaml& root, Draft& draft);
void AddSplit(Yaml& root, Draft& draft);

// Looks up `key` in a feature's own `section` ("preprocessing"), else in the configuration's
// defaults for the feature's type.
struct Feature {
  Yaml* own = nullptr;
  Yaml* common = nullptr;  // Below "defaults"; may be nullptr.
  std::string type;
  std::string column;

  std::optional<std::string> Text(const char* section, const char* key) const;
  // The same if a null is meaningful: it returns "null".
  std::optional<std::string> Word(const char* section, const char* key) const;
  std::optional<double> Number(const char* section, const char* key) const;
  std::optional<bool> Truth(const char* section, const char* key) const;
};

// Returns the features in a list of the configuration, in order. A feature without a name is a
// fault.
Result<std::vector<Feature>> FeaturesOf(Yaml& root, const char* list);

}  // namespace protium::ludwig
