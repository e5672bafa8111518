// SPDX-License-Identifier: Apache-2.0
// Translates faults into the terms of a job file. The rooms below know nothing of files: their
// faults name a dotted path ("pipeline.2.train.epochs") or a line of the SQL text. What a user
// needs is a place in a file.
#pragma once

#include <string>
#include <utility>

#include "job/job.h"

namespace protium {

// Where the pipeline has what a job's shorthand `name` says: "pipeline.3.train" for "train". The
// job must have an estimator.
std::string PathOfShorthand(const Job& job, const char* name);

// Replaces the fault's path by file:line:column, or by the --set that gave the value, and writes
// shorthand the way the file does. Apply it once, where a fault leaves the work on a job. `kept` is
// filled in if the fault does not say what was kept.
Status InFileTerms(const Job& job, const Status& status, const char* kept);

template <class T>
Result<T> InFileTerms(const Job& job, Result<T> result, const char* kept) {
  if (result.ok()) return result;
  return InFileTerms(job, result.status(), kept);
}

}  // namespace protium
