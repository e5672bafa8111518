// SPDX-License-Identifier: Apache-2.0
// A net in training as forward.h sees it, which computes its predictions.
#pragma once

#include <algorithm>
#include <vector>

#include "nets/forward.h"
#include "tensor/net.h"

namespace protium {

inline ForwardShape ShapeOf(const NetInputs& inputs) {
  const RowField* const categories = inputs.rows.Find(kCategoriesField);
  return {.categorical = categories == nullptr ? std::vector<std::string>() : categories->columns,
          .cardinalities = inputs.cardinalities,
          .numeric = inputs.Width(kNumericField),
          .outputs = inputs.outputs};
}

// Finds parameters, and buffers, by name among the values that a net was bound to, which are of the
// host.
inline FindWeight FindAmong(const std::vector<Variable>& parameters,
                            const std::vector<FloatValues>& weights,
                            const std::vector<Variable>& buffers = {},
                            const std::vector<FloatValues>& running = {}) {
  const auto among = [](const std::vector<Variable>& variables,
                        const std::vector<FloatValues>& values,
                        const std::string& name) -> std::optional<NetWeight> {
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name == name) return NetWeight{variables[i].shape, values[i].data};
    }
    return std::nullopt;
  };
  return [=](const std::string& name) {
    const auto found = among(parameters, weights, name);
    return found ? found : among(buffers, running, name);
  };
}

}  // namespace protium
