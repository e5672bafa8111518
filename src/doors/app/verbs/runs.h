// SPDX-License-Identifier: Apache-2.0
// The commands of `protium runs`, one file for those that list and one for those that change.
#pragma once

#include "terminal/arguments.h"

namespace protium {

// One line a run, chosen and ordered by --state, --name, --sort and --limit.
Status ListTheRuns(const Arguments& arguments);

// rm RUN..., tag RUN NAME, note RUN TEXT.
Status RemoveRuns(const Arguments& arguments);
Status TagRun(const Arguments& arguments);
Status NoteOnRun(const Arguments& arguments);

}  // namespace protium
