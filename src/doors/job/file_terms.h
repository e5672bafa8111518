// SPDX-License-Identifier: Apache-2.0
// Translates faults into the terms of a job file. Lower rooms know nothing of files: their faults
// name a dotted path ("pipeline.2.train.epochs") or a line of the SQL text. A user needs a position
// in a file.
#pragma once

#include <string>
#include <utility>

#include "job/job.h"

namespace protium {

// Returns the pipeline's path for a job's shorthand `name`: "pipeline.3.train" for "train". The job
// must have an estimator.
std::string PathOfShorthand(const Job& job, const char* name);

// Replaces the fault's path with file:line:column, or with the --set that gave the value, and
// writes shorthand as the file does. Apply it once, when a fault leaves the work on a job. `kept`
// is filled in if the fault does not say what was kept.
Status InFileTerms(const Job& job, const Status& status, const char* kept);

template <class T>
Result<T> InFileTerms(const Job& job, Result<T> result, const char* kept) {
  if (result.ok()) return result;
  return InFileTerms(job, result.status(), kept);
}

}  // namespace protium
