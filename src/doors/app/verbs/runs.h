// SPDX-License-Identifier: Apache-2.0
// The commands of `protium runs`, one file for those that list and one for those that change runs.
#pragma once

#include "terminal/arguments.h"

namespace protium {

// Prints one line per run, filtered and sorted by --state, --name, --sort and --limit.
Status ListTheRuns(const Arguments& arguments);

// rm RUN..., tag RUN NAME, note RUN TEXT.
Status RemoveRuns(const Arguments& arguments);
Status TagRun(const Arguments& arguments);
Status NoteOnRun(const Arguments& arguments);

}  // namespace protium
