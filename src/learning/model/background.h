// SPDX-License-Identifier: Apache-2.0
// Background rows: rows of the training set that a model keeps, so that it can explain a prediction
// by comparing its row with them (docs/nets.md, "Explanations").
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "pipeline/torch_task.h"
#include "rows/packed.h"

namespace protium {

inline constexpr int64_t kMostBackgroundRows = 64;
inline constexpr const char* kBackgroundFile = "background.safetensors";

// Background rows in the layout of rows to score. Immutable: any thread.
class Background {
 public:
  // `bytes` are rows of the layout `schema`.
  Background(RowSchema schema, std::vector<std::byte> bytes)
      : schema_(std::move(schema)), bytes_(std::move(bytes)) {}
  Background(const Background&) = delete;
  PackedRows rows() const {
    return {schema_, bytes_.data(), int64_t(bytes_.size()) / schema_.width()};
  }

 private:
  RowSchema schema_;
  std::vector<std::byte> bytes_;
};

// Writes the features of the rows, a tensor for each field: "numeric", "categories", and
// "list.NAME" for a column of lists; without labels and weights.
Status WriteBackground(const std::filesystem::path& file, const PackedRows& rows);

// Reads such a file for a net of this configuration; null if `file` is empty. Fails with
// Exit::kInput for features that are not those of the net, and for unknown categories.
Result<std::shared_ptr<const Background>> ReadBackground(const std::string& file,
                                                         const NetConfig& config);

}  // namespace protium
