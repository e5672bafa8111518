// SPDX-License-Identifier: Apache-2.0
// The tables of a stream's job beside its events: read whole into memory, and again once their
// files have changed.
#pragma once

#include <string>
#include <vector>

#include "engine/row_queries.h"
#include "job/job.h"

namespace protium {

// One thread.
class SideTables {
 public:
  // The tables `names` of the job, all of them if that is empty. Of a database or an object store
  // rows are as they were at the start.
  SideTables(const Job& job, Columns names);

  // Names that `names` has and the job lacks are a fault (kUsage).
  Status Check() const;
  Result<std::vector<MemoryTable>> Read();
  // Whether files are others than at the last Read(). Looks at most once a second.
  bool Changed();
  // What the tables are now, for the log: {"shops": "<hash of names, sizes and times>"}.
  const Json& stamps() const { return stamps_; }

 private:
  Json StampsNow() const;

  const Job& job_;
  Columns names_;
  Json stamps_ = Json::object();
  int64_t looked_ms_ = 0;
};

}  // namespace protium
