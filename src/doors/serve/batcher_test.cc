// SPDX-License-Identifier: Apache-2.0
#include "serve/batcher.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <future>

#include "base/fault.h"
#include "serve/testing/test_model.h"

namespace protium {
namespace {

using namespace std::chrono_literals;

class BatcherTest : public WithServedModel {
 protected:
  static Rows Missing(int64_t rows) {
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}), rows,
                                    {*arrow::MakeArrayOfNull(arrow::float64(), rows)});
  }

  ServeFigures figures_;
};

TEST_F(BatcherTest, HasNoRoomForMoreRowsThanMayWait) {
  Batcher batcher({.gather = 60s, .most_waiting_rows = 3}, figures_);
  std::future<Result<Rows>> first;
  {
    // It has begun and requests nothing yet: the first waits for it.
    const Batcher::Begun other(batcher);
    first = std::async(std::launch::async, [&] {
      const Batcher::Begun begun(batcher);
      return batcher.Score(model_.Now(), Missing(2));
    });
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    while (batcher.waiting_rows() < 2) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "for the first to wait";
      std::this_thread::yield();
    }
    const Fault fault = FaultOf(batcher.Score(model_.Now(), Missing(2)).status());
    EXPECT_EQ(fault.what, "2 rows wait already, no more than 3 may");
    EXPECT_EQ(fault.exit, Exit::kNoRoom);
    EXPECT_EQ(batcher.waiting_rows(), 2);
  }
  const Result<Rows> scored = first.get();
  ASSERT_TRUE(scored.ok()) << scored.status();
  EXPECT_EQ((*scored)->num_rows(), 2);
}

}  // namespace
}  // namespace protium
