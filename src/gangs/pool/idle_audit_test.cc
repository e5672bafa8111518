// SPDX-License-Identifier: Apache-2.0
#include "pool/idle_audit.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "os/file.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class IdleAuditTest : public testing::Test {
 protected:
  IdleAuditTest()
      : audit_({.command = {"/bin/sh", "-c", "echo started; exec sleep 100"},
                .after = seconds(60),
                .every = seconds(600)},
               log_) {}
  // Whether it comes to be within 20 s.
  static bool Holds(const std::function<bool()>& what) {
    for (const auto until = Clock::now() + seconds(20); Clock::now() < until;) {
      if (what()) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }
  bool Started() const {
    return Holds([this] { return ReadTail(log_, 100) == "started\n"; });
  }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path log_ = folder_.path() / "log";
  const Clock::time_point busy_ = Clock::now();
  IdleAudit audit_;
};

TEST_F(IdleAuditTest, BeginsWhenNobodyWasServedForAWhileAndEndsWhenOneComes) {
  audit_.Look(false, busy_, busy_ + seconds(59));
  EXPECT_FALSE(audit_.runs());
  audit_.Look(false, busy_, busy_ + seconds(60));
  ASSERT_TRUE(audit_.runs());
  EXPECT_TRUE(Started());
  audit_.Look(true, busy_ + seconds(61), busy_ + seconds(61));
  EXPECT_FALSE(audit_.runs());
  // Not at once again.
  audit_.Look(false, busy_ + seconds(61), busy_ + seconds(200));
  EXPECT_FALSE(audit_.runs());
  audit_.Look(false, busy_ + seconds(61), busy_ + seconds(660));
  EXPECT_TRUE(audit_.runs());
  audit_.End();
  EXPECT_FALSE(audit_.runs());
}

TEST_F(IdleAuditTest, WithoutACommandNothingRuns) {
  IdleAudit none({}, log_);
  none.Look(false, busy_, busy_ + seconds(10'000));
  EXPECT_FALSE(none.runs());
  IdleAudit missing({.command = {"/no/such/program"}}, log_);
  missing.Look(false, busy_, busy_ + seconds(10'000));
  EXPECT_TRUE(Holds([&] {
    missing.Look(false, busy_, busy_ + seconds(10'001));
    return !missing.runs();
  }));
}

}  // namespace
}  // namespace protium
