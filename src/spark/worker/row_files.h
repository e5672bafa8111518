// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "column/stream.h"
#include "spark/ship/command.h"

namespace protium {

struct RowShare {
  int32_t rank = 0;
  int32_t world = 1;
  bool threads = false;  // Decode in several.
};

// A rank's share of the rows that lie in files. Every rank compares what all footers hold with what
// Spark said it wrote, and what it reads with its own share: so together they read those rows and
// each of them once, without a word between the ranks.
Result<BatchStreamPtr> ReadRowFiles(const RowFiles& files, const RowShare& share);

}  // namespace protium
