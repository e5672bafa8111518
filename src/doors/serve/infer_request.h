// SPDX-License-Identifier: Apache-2.0
// A request for predictions in the Open Inference Protocol, version 2, with its extension for
// binary tensors: a JSON text, then the values of those tensors that are not in it.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium {

struct InferRequest {
  struct Output {
    std::string name;
    std::optional<bool> binary;
  };
  std::string id;  // Returned with the response; may be empty.
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<Output> outputs;  // Empty: all.
  bool binary = false;          // How outputs come that do not say it.
};

// Reads a body whose first `json_bytes` are JSON (all of it if none). Returns those inputs that are
// columns of `input`, with the types that they came in; others are ignored. Time and memory depend
// on the length of the body alone. Fails with Exit::kInput for what is not such a request, inputs
// of different lengths or twice the same, and more than `most_rows` rows.
Result<InferRequest> ReadInferRequest(std::string_view body, std::optional<size_t> json_bytes,
                                      const arrow::Schema& input, int64_t most_rows);

}  // namespace protium
