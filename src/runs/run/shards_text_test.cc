// SPDX-License-Identifier: Apache-2.0
#include "run/shards_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {

TEST(Shards, AreExplained) {
  EXPECT_EQ(
      ShardsText({{"workers", 3}, {"shards", 4}, {"batch_size", 512}}),
      "512 rows per step = 4 shards x 128 rows; 3 workers with 1 or 2 shards, 33% of them idle");
  EXPECT_EQ(ShardsText({{"workers", 2}, {"shards", 64}, {"rounds", 300}, {"leaves", 31}}),
            "300 rounds of trees over all rows, in 64 shards; 2 workers with 32 shards each");
  EXPECT_THAT(
      ShardsText({{"workers", 2}, {"row_bytes", 92}, {"rows_in_memory", 1000000}}),
      testing::EndsWith("; 92 bytes per row: 1,000,000 rows fit in engine.rows_memory, more go to "
                        "disk"));
  EXPECT_EQ(ShardsText({{"workers", 1}, {"shards", 4}, {"batch_size", 512}, {"steps_alone", 50}}),
            "512 rows per step = 4 shards x 128 rows; 1 worker; each shard makes "
            "up to 50 steps alone");
  EXPECT_EQ(ShardsText({{"workers", 1}, {"shards", 4}, {"batch_size", 512}, {"servers", 2}}),
            "512 rows per step = 4 shards x 128 rows; 1 worker; 2 servers hold "
            "the rows of ids, on the disk if they do not fit engine.rows_memory");
  EXPECT_THAT(ShardsText({{"workers", 2}, {"servers", 1}, {"staleness", 1}}),
              testing::HasSubstr("; a worker is up to 1 step ahead of another, so every run ends "
                                 "with other weights; 1 server holds"));
  EXPECT_THAT(ShardsText({{"workers", 2}, {"staleness", "none"}}),
              testing::HasSubstr("; a worker waits for no other, so every run"));
  EXPECT_THAT(ShardsText({{"workers", 2}, {"gradients", "bfloat16"}, {"shared", true}}),
              testing::EndsWith("; sums of gradients are rounded to bfloat16: other weights than "
                                "with float32; each worker holds its part of the optimizer's "
                                "state"));
  EXPECT_EQ(ShardsText({{"workers", "x"}, {"shards", 0}}),
            "0 rows per step = 1 shard x 0 rows; 1 worker");
}

}  // namespace protium
