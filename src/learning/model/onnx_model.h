// SPDX-License-Identifier: Apache-2.0
// An ONNX file as a model: one stage, net_features, whose columns are the net's outputs.
#pragma once

#include <filesystem>

#include "protium/pipeline.h"

namespace protium {

// `inputs`: the columns that feed the net, in its order; empty: those of the names of its inputs,
// where several values are a list. PipelineModel::Load() is this without `inputs` for a file whose
// name ends with .onnx. The model keeps no copy of the file: workers open it again and refuse
// another one. Fails as OnnxNet::Open() does.
Result<PipelineModel> LoadOnnxModel(Session& session, const std::filesystem::path& file,
                                    const Columns& inputs = {});

}  // namespace protium
