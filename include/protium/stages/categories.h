// SPDX-License-Identifier: Apache-2.0
// Constructors of stages of categories.
// Written by scripts/stage_doors.py. What is not set has the default of docs/reference/stages.md;
// `id`, `inputs` and `outputs` are as those of ImputerOptions. Implemented by the room stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/pipeline.h"

namespace protium {

// one_hot_encoder: turns text or whole numbers into a column of 0 and 1 per value:
// <input>__<id>__<value>
struct OneHotEncoderOptions {
  std::string id;
  Inputs inputs;
  // the most frequent values get a column each, the rest share `other`; unless set, every value
  // gets one
  std::optional<int64_t> max_categories;
  // what happens to values not seen in training; one of zeros, other, error
  std::optional<std::string> unseen;
  // what happens to NULL; its own column is `missing`; one of zeros, own_column, error
  std::optional<std::string> missing;
  // leaves out the column of the most frequent value
  std::optional<bool> drop_first;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("max_categories", max_categories);
    visit("unseen", unseen);
    visit("missing", missing);
    visit("drop_first", drop_first);
  }
};
inline StageOptions OneHotEncoder(const OneHotEncoderOptions& options) {
  return {"one_hot_encoder", options};
}

// frequency_encoder: how often a text, whole number or NULL occurs in the training rows
struct FrequencyEncoderOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // share of all training rows, or number of rows; 0 for values not seen in training; one of share,
  // count
  std::optional<std::string> how;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("how", how);
  }
};
inline StageOptions FrequencyEncoder(const FrequencyEncoderOptions& options) {
  return {"frequency_encoder", options};
}

// target_encoder: the mean label of the training rows with the same text or whole number, out of
// fold for the training rows themselves
struct TargetEncoderOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // the numeric column whose mean encodes a value
  std::optional<std::string> label;
  // number of rows with the overall mean to add to those of each value; Spark's smoothing
  std::optional<double> smoothing;
  // number of parts that the training rows are cut into; each row gets the mean over the other
  // parts; 1: the mean over all rows, including itself, as in Spark
  std::optional<int64_t> parts;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("label", label);
    visit("smoothing", smoothing);
    visit("parts", parts);
  }
};
inline StageOptions TargetEncoder(const TargetEncoderOptions& options) {
  return {"target_encoder", options};
}

// hasher: replaces texts and whole numbers with indices without learning: pmod(hash(text), buckets)
// of Spark's SQL
struct HasherOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  // number of indices; different values may share one
  std::optional<int64_t> buckets;
  // what happens to NULL; its own index is the last; one of own_index, null, error
  std::optional<std::string> missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("buckets", buckets);
    visit("missing", missing);
  }
};
inline StageOptions Hasher(const HasherOptions& options) { return {"hasher", options}; }

// hashed_cross: one index for a combination of texts or whole numbers: <a>__<b>__<id>
struct HashedCrossOptions {
  std::string id;
  Inputs inputs;
  // number of indices; different combinations may share one
  std::optional<int64_t> buckets;
  // what happens to rows with a NULL among the inputs; its own index is the last; one of own_index,
  // null, error
  std::optional<std::string> missing;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("buckets", buckets);
    visit("missing", missing);
  }
};
inline StageOptions HashedCross(const HashedCrossOptions& options) {
  return {"hashed_cross", options};
}

// id: marks texts and whole numbers as ids: a net has a row for each, however many
struct IdOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
  }
};
inline StageOptions Id(const IdOptions& options) { return {"id", options}; }

}  // namespace protium
