// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/deployment.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "connect/testing/test_server.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

// The program is this test.
class DeploymentTest : public testing::Test {
 protected:
  void SetUp() override {
    session_ = server_.Open();
    deployment_.emplace(*session_, SparkSettings{}, "");
    ASSERT_TRUE(deployment_->Use(false, call_).ok());
    // The name of the launcher that Use() sends holds its own hash, then that of the program's
    // bundle.
    for (const auto& [name, bytes] : server_.seen().artifacts) {
      lacking_ = std::string(kNeedsBundle) + " " + name.substr(name.size() - kHashDigits);
    }
  }

  Status Lacks() const { return Fail({.what = "the task failed: " + lacking_}); }
  bool SendMissing(int64_t sends) {
    return deployment_->SendMissing(Lacks(), sends, call_).ValueOrDie();
  }

  Call call_;
  connect::TestServer server_;
  std::unique_ptr<SparkSession> session_;
  std::optional<Deployment> deployment_;
  std::string lacking_;
};

TEST_F(DeploymentTest, SendsABundleOnceAndTellsEveryOperationThatWasSubmittedBefore) {
  const int64_t before = deployment_->sends();
  EXPECT_TRUE(SendMissing(before));
  EXPECT_EQ(deployment_->sends(), before + 1);
  // Another operation, submitted when the bundle had not been sent, failed later.
  EXPECT_TRUE(SendMissing(before));
  EXPECT_EQ(deployment_->sends(), before + 1);
  // One that was submitted with the bundle, and lacks it nevertheless.
  EXPECT_FALSE(SendMissing(deployment_->sends()));
  EXPECT_FALSE(deployment_->SendMissing(Fail({.what = "no such table"}), 0, call_).ValueOrDie());
  EXPECT_FALSE(deployment_->SendMissing(Status::OK(), 0, call_).ValueOrDie());
}

TEST_F(DeploymentTest, RunsAnOperationAgainWhileItLacksWhatWasSentMeanwhile) {
  int runs = 0;
  const auto lacks_once = [&]() -> Result<int> { return ++runs == 1 ? Result<int>(Lacks()) : 7; };
  EXPECT_EQ(deployment_->Run(lacks_once, call_).ValueOrDie(), 7);
  EXPECT_EQ(runs, 2);
  const auto lacks_always = [&]() -> Result<int> {
    ++runs;
    return Lacks();
  };
  EXPECT_TRUE(LacksProgram(deployment_->Run(lacks_always, call_).status()));
  EXPECT_EQ(runs, 3);
}

}  // namespace
}  // namespace protium
