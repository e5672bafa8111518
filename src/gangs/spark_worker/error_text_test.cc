// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/error_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::StartsWith;

RankFailure SomeFailure() {
  return {.rank = 3,
          .world = 4,
          .host = "far",
          .devices = {{"gpu", "1"}},
          .status = Fail({.exit = Exit::kInput,
                          .what = "column \"x\" is >> 2 << 3",
                          .where = "flights.csv:3",
                          .why = "two\nlines ü",
                          .fix = "write it again",
                          .kept = "nothing"}),
          .at = 1234567890123456789,
          .log = "/shared/rank-003.log"};
}

void ExpectSame(const std::optional<RankFailure>& back) {
  ASSERT_TRUE(back.has_value());
  const RankFailure sent = SomeFailure();
  EXPECT_EQ(back->role, "rank");
  EXPECT_EQ(back->rank, 3);
  EXPECT_EQ(back->world, 4);
  EXPECT_EQ(back->host, "far");
  ASSERT_EQ(back->devices.size(), 1u);
  EXPECT_EQ(back->devices[0].address, "1");
  EXPECT_EQ(back->at, sent.at);
  EXPECT_EQ(back->log, sent.log);
  EXPECT_EQ(StatusToJson(back->status), StatusToJson(sent.status));
  EXPECT_EQ(back->status.code(), sent.status.code());
}

TEST(ErrorText, ComesBackWithEveryField) {
  const std::string text = WorkerErrorText(SomeFailure());
  EXPECT_THAT(text, StartsWith("rank 3 on far: column \"x\" is >> 2 << 3\n"));
  ExpectSame(FailureFromWorkerText(text));
}

TEST(ErrorText, ComesBackOutOfSparksOwnText) {
  ExpectSame(FailureFromWorkerText(
      "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: " +
      WorkerErrorText(SomeFailure()) + " SQLSTATE: 38000\n\tat org.apache.spark.api.<<x>>"));
}

TEST(ErrorText, CutAnywhereIsNoFailure) {
  const std::string text = WorkerErrorText(SomeFailure());
  for (size_t end = 0; end + 3 < text.size(); ++end) {
    EXPECT_FALSE(FailureFromWorkerText(text.substr(0, end)).has_value()) << end;
  }
  EXPECT_FALSE(FailureFromWorkerText("some other error").has_value());
}

TEST(ErrorText, OfACrashBringsItsBacktrace) {
  RankFailure crash = SomeFailure();
  crash.kind = RankFailure::Kind::kEnded;
  const std::string text = WorkerErrorText(crash) + "frame 1\nframe 2\n" +
                           std::string(kBacktraceEnd) + "\nmore of Spark's";
  const auto back = FailureFromWorkerText(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->kind, RankFailure::Kind::kEnded);
  EXPECT_EQ(back->last_lines, "frame 1\nframe 2\n");
}

}  // namespace
}  // namespace protium
