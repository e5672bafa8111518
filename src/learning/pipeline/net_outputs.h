// SPDX-License-Identifier: Apache-2.0
// What LibTorch computes from rows with a saved net, to compare other ways to compute it with.
// Declared here for callers; the code is in libprotium_torch.so. No LibTorch here.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/status.h"
#include "pipeline/torch_task.h"

namespace protium {

struct NetOutputsOptions {
  NetConfig config;
  std::filesystem::path weights;             // A safetensors file.
  std::shared_ptr<arrow::RecordBatch> rows;  // With the columns that `config` names.
};

// The library's entry point kNetOutputsEntry. Returns the outputs of each row, as workers compute
// them in prediction. Returns false if the library was built for another version
// (kTorchLibraryVersion).
using NetOutputsEntry = bool (*)(int32_t version, const NetOutputsOptions& options,
                                 Result<std::vector<float>>& outputs);
inline constexpr const char* kNetOutputsEntry = "protium_net_outputs";

}  // namespace protium
