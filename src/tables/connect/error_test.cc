// SPDX-License-Identifier: Apache-2.0
#include "connect/error.h"

#include <gtest/gtest.h>

#include "connect/job_failure.h"

namespace protium::connect {
namespace {

constexpr int32_t kInternal = 13;

Fault MakeFault(std::string message, std::string type = "SparkException") {
  return SparkFault({.code = kInternal, .message = std::move(message), .type = std::move(type)},
                    "job", "sc://h");
}

TEST(Error, OfATaskIsToldWithItsTextAndPlace) {
  const Fault fault = MakeFault(
      "Job aborted due to stage failure: Task 1 in stage 15.0 failed 4 times, most recent failure: "
      "Lost task 1.3 in stage 15.0 (TID 34) (10.0.0.7 executor 3): "
      "org.apache.spark.SparkNumberFormatException: [CAST_INVALID_INPUT] The value 'x' cannot be "
      "cast. SQLSTATE: 22018\n\tat org.apache.spark.A.b(A.scala:1)\n\nDriver stacktrace:");
  EXPECT_EQ(fault.what, "job: The value 'x' cannot be cast.");
  EXPECT_EQ(fault.where, "task 1 of stage 15 on 10.0.0.7 (executor 3)");
  EXPECT_EQ(fault.exit, Exit::kFailed);
}

TEST(Error, ThatAStageRaisesIsOneOfTheRows) {
  const Fault fault = MakeFault(
      "Job aborted due to stage failure: Task 0 in stage 7.0 failed 4 times, most recent failure: "
      "Lost task 0.3 in stage 7.0 (TID 9) (10.0.0.7 executor 0): "
      "org.apache.spark.SparkRuntimeException: [USER_RAISED_EXCEPTION] column \"a\" has a NULL "
      "SQLSTATE: P0001\n\tat org.apache.spark.A.b(A.scala:1)\n\nDriver stacktrace:");
  EXPECT_EQ(fault.what, "job: column \"a\" has a NULL");
  EXPECT_EQ(fault.exit, Exit::kInput);
}

TEST(Error, OfARankIsToldWithItsTextAndPlace) {
  const std::string barrier =
      "Job aborted due to stage failure: Could not recover from a failed barrier ResultStage. Most "
      "recent failure reason: Stage failed because barrier task ResultTask(17, 2) finished "
      "unsuccessfully.\norg.apache.spark.api.python.PythonException: ";
  const std::string stack = "\n\tat org.apache.spark.api.python.X.y(X.scala:1)";
  for (const std::string& message :
       {barrier + "no memory left" + stack,
        barrier +
            "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: no memory left "
            "SQLSTATE: 38000" +
            stack}) {
    const Fault fault = MakeFault(message);
    EXPECT_EQ(fault.what, "job: no memory left");
    EXPECT_EQ(fault.where, "partition 2 of stage 17");
  }
}

TEST(Error, OfACrashIsToldWithWhatTheWorkerLeftBehind) {
  const std::string lost =
      "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent failure: "
      "Lost task 0.0 in stage 3.0 (TID 6) (127.0.0.1 executor driver): "
      "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)";
  const Fault silent = MakeFault(lost + ". Consider setting 'x' to 'true'.\n\tat a.B.c(B.scala:1)");
  EXPECT_NE(silent.what.find("ended without an error"), std::string::npos);
  EXPECT_EQ(Render(silent).find("Consider"), std::string::npos);
  const Fault traced = MakeFault(lost + ": SIGSEGV in Train()\nframe 2\n\tat a.B.c(B.scala:1)");
  EXPECT_TRUE(traced.why.starts_with("SIGSEGV in Train()\nframe 2")) << Render(traced);
}

TEST(Error, OfAProgramThatMayNotRunSaysWhatTheClusterLacks) {
  const Fault fault = MakeFault(
      "Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times, most recent failure: "
      "Lost task 0.0 in stage 3.0 (TID 6) (h executor 1): java.io.IOException: Cannot run program "
      "\"./native-1\" (in directory \"/x\"): error=13, Permission denied");
  EXPECT_NE(fault.fix.find("chmod"), std::string::npos) << Render(fault);
  EXPECT_TRUE(fault.what.starts_with("job: Cannot run program")) << Render(fault);
}

TEST(Error, OfAServerThatIsStoppedSaysSo) {
  const Fault fault = MakeFault(
      "Cannot call methods on a stopped SparkContext.\nThis stopped SparkContext was created at:\n"
      "\norg.apache.spark.sql.connect.service.SparkConnectServer.main(SparkConnectServer.scala)",
      "IllegalStateException");
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_EQ(fault.what, "job: the Spark server at sc://h was stopped in the meantime");
  EXPECT_TRUE(fault.why.empty());
}

TEST(Error, WithoutAnythingKnownIsToldAsItIs) {
  EXPECT_EQ(MakeFault("Lost task ").what, "job: Lost task");
  EXPECT_EQ(MakeFault("barrier task ResultTask(").what, "job: barrier task ResultTask(");
  EXPECT_EQ(MakeFault("Lost task 1 (h): x").what, "job: x");
  EXPECT_EQ(MakeFault("").what, "job: Spark gave error 13");
}

TEST(Error, DetailsThatMeanNothingAreLeftOut) {
  const SparkError error = ReadError(kInternal, "m", "no message of protobuf \xff");
  EXPECT_EQ(error.message, "m");
  EXPECT_TRUE(error.error_id.empty());
}

TEST(Error, MayPassForTheTableOfTheProtocol) {
  EXPECT_TRUE(MayPass({.code = 14}));
  EXPECT_TRUE(MayPass({.code = kInternal, .message = "[INVALID_CURSOR.DISCONNECTED] x"}));
  EXPECT_TRUE(MayPass({.code = 8, .retry_after = Milliseconds(1)}));
  EXPECT_FALSE(MayPass({.code = kInternal, .message = "broken"}));
  EXPECT_FALSE(MayPass({.code = 8, .message = "INVALID_CURSOR.DISCONNECTED"}));
}

TEST(Retries, GrowToALimitAndEnd) {
  Retries retries({.tries = 4, .first = Milliseconds(50), .longest = Milliseconds(1000)});
  EXPECT_EQ(*retries.Next(), Milliseconds(50));
  EXPECT_EQ(*retries.Next(), Milliseconds(200));
  EXPECT_EQ(*retries.Next(Milliseconds(900)), Milliseconds(900));
  EXPECT_EQ(*retries.Next(), Milliseconds(1000));
  EXPECT_FALSE(retries.Next().has_value());
  retries.Reset();
  EXPECT_EQ(*retries.Next(std::chrono::hours(10)), kLongestServerWait);
}

TEST(Retries, HaveJitterWhereTheyAreLong) {
  Retries retries({.first = Milliseconds(2000), .longest = Milliseconds(2000)});
  for (int i = 0; i < 10; ++i) {
    const Milliseconds wait = *retries.Next();
    EXPECT_GE(wait, Milliseconds(2000));
    EXPECT_LE(wait, Milliseconds(2500));
  }
}

}  // namespace
}  // namespace protium::connect
