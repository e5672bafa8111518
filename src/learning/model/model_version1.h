// SPDX-License-Identifier: Apache-2.0
// Model folders of version 1, a format without classes and with a single label. The end of
// docs/model-folder.md describes the difference.
#pragma once

#include "model/model_folder.h"

namespace protium {

// Rewrites the JSON of version 1 as that of kModelVersion. The label becomes a value; a model
// trained with binary_cross_entropy still predicts the logit. Fails with Exit::kInput for damaged
// files.
Status UpgradeVersion1(ModelFiles& files);

// Whether a pipeline of version 1 predicts logits, for which metrics of values are meaningless.
bool PredictsLogits(const Json& pipeline);

}  // namespace protium
