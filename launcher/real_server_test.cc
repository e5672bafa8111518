// SPDX-License-Identifier: Apache-2.0
// Runs the launcher on a real server's executors; PROTIUM_TEST_SPARK is the server's sc:// address.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "connect/session.h"
#include "os/file.h"
#include "os/library.h"
#include "spark/ship/bundle.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr char kExecutable[] = "spark.sql.execution.pyspark.python";

class LauncherOnSpark : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr || *address == '\0') {
      GTEST_SKIP() << "PROTIUM_TEST_SPARK names no server: scripts/spark-server start";
    }
    session_ = SparkSession::Open(ParseSparkAddress(address).ValueOrDie(), call_).ValueOrDie();
  }

  // The error of a task with one partition.
  std::string Refusal() {
    const auto input = connect::Sql("select id from range(0, 10, 1, 1)");
    const connect::MapTaskSpec task{.function_name = "launcher_test",
                                    .command = "nothing",
                                    .version = "test;spark=" + session_->version(),
                                    .output = arrow::schema({arrow::field("id", arrow::int64())}),
                                    .columns = {"id"}};
    auto stream = session_->Execute(connect::MapPartitions(input, task).ValueOrDie(), {}, call_);
    const Status status = stream.ok() ? Collect(**stream).status() : stream.status();
    return Render(FaultOf(status));
  }

  Call call_{.deadline = Clock::now() + std::chrono::seconds(120)};
  std::unique_ptr<SparkSession> session_;
};

TEST_F(LauncherOnSpark, AsksForABundleUnpacksItAndStartsTheProgram) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto worker = OwnLibraryFolder().parent_path() / "bin" / "launcher-test-worker";
  const auto bundle = MakeProgramBundle(worker, folder.path()).ValueOrDie();
  const auto launcher = FindLauncher().ValueOrDie();
  const std::string name = LauncherName(launcher, bundle, nullptr);
  ASSERT_TRUE(session_->AddArtifacts({{"files/" + name, launcher.file}}, call_).ok());
  ASSERT_TRUE(session_->SetConf({{kExecutable, "./" + name}}, call_).ok());
  EXPECT_THAT(Refusal(), HasSubstr(kNeedsBundle + (" " + bundle.hash)));
  const Artifact artifact{"files/" + (kBundlePrefix + bundle.hash), bundle.file};
  ASSERT_TRUE(session_->AddArtifacts({artifact}, call_).ok());
  const std::string said = Refusal();
  EXPECT_THAT(said, HasSubstr("the test worker runs, started as"));
  EXPECT_THAT(said, HasSubstr(bundle.hash + "/bin/program"));
}

TEST_F(LauncherOnSpark, StartsAProgramThatLiesBesideIt) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto program = folder.path() / "worker";
  const auto launcher = FindLauncher().ValueOrDie().file;
  std::filesystem::copy_file(launcher, program.string() + "-launcher");
  ASSERT_TRUE(session_->SetConf({{kExecutable, program.string() + "-launcher"}}, call_).ok());
  EXPECT_THAT(Refusal(), HasSubstr("cannot start " + program.string() + " on this executor"));
  std::filesystem::create_symlink(launcher.parent_path() / "launcher-test-worker", program);
  EXPECT_THAT(Refusal(), HasSubstr("the test worker runs, started as " + program.string()));
}

}  // namespace
}  // namespace protium
