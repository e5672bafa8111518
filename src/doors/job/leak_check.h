// SPDX-License-Identifier: Apache-2.0
// Warns of what makes the model of a job look better than it is: columns that give the label away,
// rows and groups in both parts of the split, and results that ask for a second look. [leaks] of
// the job says what is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/frames.h"
#include "job/leak_sample.h"

namespace protium {

struct LeakLook {
  std::vector<std::string> findings;  // A sentence each, with what to write.
  int64_t rows = 0;                   // That were looked at, of both parts.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("findings", findings);
    visit("rows", rows);
  }
};

// Refuses (Exit::kUsage) a name in [leaks] that `table`, the columns of the SQL's result, lacks.
Status CheckKnown(const Job& job, const Columns& table);

// Looks at the rows of `frames`, of which there are `rows`; nothing without an estimator that
// predicts one label of the table, or with leaks.look = false.
Result<LeakLook> LookForLeaks(const Job& job, const JobFrames& frames, int64_t rows);

// The same of the first rows that the SQL gives, for a session that has no run: its tables are read
// no further than these rows need.
Result<LeakLook> LookAtFirstRows(const Job& job, const JobFrames& frames);

// Sends a Warning for each finding and records them as "leaks". What was found in equal rows before
// is found again without a look. A failure becomes a note, since a look must not fail a run; a stop
// is passed on.
Status WarnOfLeaks(Session& session, const Job& job, const JobFrames& frames, int64_t rows);

// The same for the results of the run (leaks/result_doubts.h).
void WarnOfResults(Session& session, const Job& job);

}  // namespace protium
