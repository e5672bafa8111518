// SPDX-License-Identifier: Apache-2.0
// Rows that tasks read from files instead of from Spark.
#pragma once

#include "column/stream.h"
#include "spark_worker/command.h"

namespace protium {

// Which share of the rows is read.
struct RowShare {
  int32_t rank = 0;
  int32_t world = 1;
  // Decode with several threads.
  bool threads = false;
};

// Returns a rank's share of the rows in `files`: every `world`-th row group, counted over all
// files. Every rank compares the rows in all footers with what Spark reports to have written, and
// what it reads with its own row groups. So together they read those rows, each of them once,
// without exchanging a message. Other rows or columns than promised are an error.
Result<BatchStreamPtr> ReadRowFiles(const RowFiles& files, const RowShare& share);

}  // namespace protium
