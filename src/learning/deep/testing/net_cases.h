// SPDX-License-Identifier: Apache-2.0
// Nets with weights and rows, for tests that compare what each computes in two ways.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "deep/float_tensor.h"
#include "deep/torch_tasks.h"
#include "pipeline/torch_task.h"
#include "tensor/philox.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {

struct NetCase {
  const char* name;
  const char* net;
  int64_t numeric = 3;
  std::vector<int64_t> cardinalities = {5, 200};
  int64_t list = 0;    // Length of the column "cells".
  int64_t tokens = 0;  // Its numbers are words below this.
};

inline void PrintTo(const NetCase& c, std::ostream* out) { *out << c.name; }

inline std::vector<NetCase> NetCases() {
  return {
      {"linear", R"({"name": "linear"})"},
      {"linear_of_categories", R"({"name": "linear"})", 0},
      {"tabular_mlp", R"({"name": "tabular_mlp", "hidden": [8, 4], "batch_norm": true})"},
      {"tabular_mlp_of_numbers", R"({"name": "tabular_mlp", "hidden": [8]})", 3, {}},
      {"factorization_machine", R"({"name": "factorization_machine", "factors": 3})"},
      {"dlrm", R"({"name": "dlrm", "bottom": [6], "top": [7, 5], "embedding": 3})"},
      {"dlrm_of_categories",
       R"({"name": "dlrm", "bottom": [], "top": [5], "embedding": 4})",
       0,
       {5, 200, 7}},
      {"wide_and_deep",
       R"({"name": "wide_and_deep", "hidden": [8], "batch_norm": true, "wide_only": ["c0"]})"},
      {"tabm", R"({"name": "tabm", "members": 3, "hidden": [8, 5], "pieces": 4})"},
      {"tabm_of_whole_numbers", R"({"name": "tabm", "members": 2, "hidden": [8], "pieces": 0})"},
      {"tabm_of_one_piece", R"({"name": "tabm", "hidden": [8], "pieces": 1})", 3, {}},
      {"cnn",
       R"({"name": "cnn", "filters": [4, 3], "batch_norm": true, "divide_by": 3, "hidden": [5]})",
       2,
       {},
       64},
      {"cnn_without_norm",
       R"({"name": "cnn", "filters": [4], "kernel": 5, "hidden": []})",
       0,
       {},
       64},
      {"text_classifier",
       R"({"name": "text_classifier", "vocabulary": 30, "embedding": 8})",
       2,
       {},
       6,
       33},
      {"text_classifier_with_blocks",
       R"({"name": "text_classifier", "vocabulary": 30, "embedding": 8, "layers": 2, "heads": 2})",
       0,
       {},
       6,
       33},
      {"ft_transformer", R"({"name": "ft_transformer", "width": 8, "heads": 2, "layers": 2})"},
      {"text_of_padding_alone",
       R"({"name": "text_classifier", "vocabulary": 30, "embedding": 8, "layers": 1, "heads": 2})",
       0,
       {},
       6,
       1}};
}

inline constexpr int64_t kNetCaseOutputs = 2;

inline NetConfig ConfigOf(const NetCase& c) {
  NetConfig config;
  const Json net = ParseJson(c.net).ValueOrDie();
  config.net.name = net["name"];
  config.net.options = net;
  config.net.options.erase("name");
  for (int64_t i = 0; i < c.numeric; ++i) config.numeric.push_back("n" + std::to_string(i));
  for (size_t i = 0; i < c.cardinalities.size(); ++i) {
    config.categorical.push_back({"c" + std::to_string(i), c.cardinalities[i]});
  }
  if (c.list > 0) config.lists.push_back({"cells", c.list});
  config.objective.labels.resize(kNetCaseOutputs);
  return config;
}

// The net of a case, made by LibTorch's library, with weights and rows.
class CasedNet {
 public:
  explicit CasedNet(const NetCase& c) : config_(ConfigOf(c)) {
    std::vector<ListColumn> lists;
    if (c.list > 0) lists.push_back({"cells", c.list});
    const NetInputs inputs = TabularInputs(c.numeric, c.cardinalities, kOutputs, lists);
    auto net = BuildNet(TorchRows().nets, config_.net.name, config_.net.options, inputs);
    EXPECT_TRUE(net.ok()) << net.status();
    net_ = std::move(*net);
    weights_ = Weights::Make(*net_).ValueOrDie();
    net_->Initialise(3);
    // A linear net starts at zero, and batch statistics start where they change nothing.
    DrawUniform(4, 0.1f, 1, weights_->parameters());
    DrawUniform(5, 0.5f, 2, weights_->buffers());
    weights_->Upload();
    rows_ = std::make_unique<SyntheticRows>(SyntheticRows::Spec{.rows = 9,
                                                                .numeric = c.numeric,
                                                                .cardinalities = c.cardinalities,
                                                                .seed = 8,
                                                                .lists = lists,
                                                                .tokens = c.tokens});
  }

  static constexpr int64_t kOutputs = kNetCaseOutputs;
  const NetConfig& config() const { return config_; }
  const Weights& weights() const { return *weights_; }
  BatchRows rows() const { return rows_->batch(); }
  // What the net computes from the rows: [rows, kOutputs].
  at::Tensor Outputs() const { return TensorOf((*net_).Forward(rows(), nullptr)).clone(); }

 private:
  NetConfig config_;
  std::unique_ptr<Net> net_;
  std::unique_ptr<Weights> weights_;
  std::unique_ptr<SyntheticRows> rows_;
};

}  // namespace protium
