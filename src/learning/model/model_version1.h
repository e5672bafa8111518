// SPDX-License-Identifier: Apache-2.0
// Model folders of version 1, a format without classes and with a single label.
// docs/model-folder.md describes the difference at its end.
#pragma once

#include "model/model_folder.h"

namespace protium {

// Rewrites the JSON of version 1 as that of kModelVersion. The label becomes a value; a model
// trained with binary_cross_entropy keeps predicting the logit, as it always has. Fails with
// Exit::kInput for files that are damaged.
Status UpgradeVersion1(ModelFiles& files);

// Whether a pipeline of version 1 predicts logits. Metrics of values would be meaningless for them.
bool PredictsLogits(const Json& pipeline);

}  // namespace protium
