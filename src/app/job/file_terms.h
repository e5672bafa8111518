// SPDX-License-Identifier: Apache-2.0
// The border between a job file and the house. Below it faults name what they are about by a dotted
// path ("pipeline.2.train.epochs"), or by a line of the SQL text; a user reads of a place in a
// file.
#pragma once

#include <utility>

#include "app/job/job.h"

namespace protium {

// Puts a fault into the terms of the job's file: its place becomes file:line:column or the --set
// that said it, and a shorthand is called as the file called it. Applied once, where a fault leaves
// the work on a job. `kept` is said of a fault that does not say itself what was kept.
Status InFileTerms(const Job& job, const Status& status, const char* kept);

template <class T>
Result<T> InFileTerms(const Job& job, Result<T> result, const char* kept) {
  if (result.ok()) return result;
  return InFileTerms(job, result.status(), kept);
}

}  // namespace protium
