// SPDX-License-Identifier: Apache-2.0
// Model folders that were written before classes and several labels: read as what they would be.
#pragma once

#include "learn/model/model_folder.h"

namespace protium {

// Puts files of version 1 into the form of today. Their one label is a value; that of the loss
// binary_cross_entropy stays the logit that such models predict.
Status UpgradeVersion1(ModelFiles& files);

// Whether a pipeline of version 1 predicts logits, which metrics of values must not judge.
bool PredictsLogits(const Json& pipeline);

}  // namespace protium
