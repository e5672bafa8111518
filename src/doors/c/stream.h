// SPDX-License-Identifier: Apache-2.0
// Rows on their way out, as an Arrow C stream.
#pragma once

#include <memory>

#include "c/handles.h"
#include "protium/stream.h"

namespace protium {

// Fills `out`, which the caller releases. The stream holds the session and the plan, with whose
// destruction their files are removed.
void ExportStream(std::shared_ptr<OpenRoom> open, const pt_frame& frame, BatchStreamPtr rows,
                  struct ArrowArrayStream* out);

}  // namespace protium
