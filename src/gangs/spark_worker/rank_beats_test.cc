// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/rank_beats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include "os/file.h"
#include "os/file_size_limit.h"
#include "os/stack.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

class Beats : public testing::Test {
 protected:
  std::unique_ptr<RankBeats> Make() {
    return std::make_unique<RankBeats>(RankBeats::Options{.where = folder_.path() / "where-7",
                                                          .beat = milliseconds(20),
                                                          .on_mute = [this] { mute_.release(); }},
                                       *events_, doing_);
  }
  // Waits until the events contain `text`; returns whether they do.
  bool Say(const std::string& text) const {
    const auto until = Clock::now() + std::chrono::seconds(20);
    while (Clock::now() < until) {
      if (ReadFile(folder_.path() / "events").ValueOr("").find(text) != std::string::npos) {
        return true;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::unique_ptr<EventFile> events_ =
      EventFile::Make(folder_.path() / "events").ValueOrDie();
  Doing doing_;
  std::counting_semaphore<> mute_{0};
};

TEST_F(Beats, SayWhatTheTaskIsAt) {
  doing_.SetPhase("forward");
  const auto beats = Make();
  EXPECT_TRUE(Say(R"("doing":{"phase":"forward","call":"")"));
  const Doing::Waiting waiting(doing_, "reduce");
  EXPECT_TRUE(Say(R"("phase":"forward","call":"reduce","calls":1)"));
}

TEST_F(Beats, ShowTheStackWhenTheDriverAsks) {
  PrepareStacks();
  testing::internal::CaptureStderr();
  auto beats = Make();
  ASSERT_TRUE(WriteFile(folder_.path() / "where-7", "1").ok());
  std::binary_semaphore never(0);
  (void)never.try_acquire_for(milliseconds(300));
  beats.reset();
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, StartsWith("the task is at this moment in\n"));
  EXPECT_EQ(shown.find("at this moment", 20), shown.npos) << "once for a question";
}

TEST_F(Beats, TellOnceThatNobodyHearsThem) {
  const FileSizeLimit full(100);
  const auto beats = Make();
  EXPECT_TRUE(mute_.try_acquire_for(std::chrono::seconds(20)));
  EXPECT_FALSE(events_->status().ok());
  EXPECT_FALSE(mute_.try_acquire_for(milliseconds(100)));
}

}  // namespace
}  // namespace protium
