// SPDX-License-Identifier: Apache-2.0
// What the flags of `protium predict` require of each other, before anything is opened.
#pragma once

#include <cstdint>

#include "terminal/arguments.h"

namespace protium {

// Whether an input is what comes on stdin, and the output goes to stdout.
bool FromStdin(const Arguments& arguments);
bool ToStdout(const Arguments& arguments);
// Whether the model's own SQL makes the input.
bool RunsEtl(const Arguments& arguments);

// --explain and --samples as PipelineModel::Explaining() takes them.
Result<int32_t> ExplainedColumns(const Arguments& arguments);
Result<int32_t> ExplainingSamples(const Arguments& arguments);

// Checks what the verb's shape cannot express: required flags, exactly one input, and values. Fails
// with Exit::kUsage.
Status CheckPredictFlags(const Arguments& arguments);

}  // namespace protium
