// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/lease_talk.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "spark_worker/lease_words.h"

namespace protium {
namespace {

// A task's side of the lease, with the driver's lines written by the test.
class LeaseTalkTest : public testing::Test {
 protected:
  LeaseTalkTest() { Drive({{"type", "begin"}}); }

  void Drive(const Json& line) { driver_->Write(line); }
  std::unique_ptr<LeaseTalk> Begin() {
    return std::make_unique<LeaseTalk>(
        LeaseTalk::Options{.folder = folder_.path(), .task = 7, .stop = stop_.get_token()},
        *events_);
  }
  std::string Said() const { return ReadFile(folder_.path() / "000-7.jsonl").ValueOr(""); }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::unique_ptr<EventFile> driver_ =
      EventFile::Make(folder_.path() / kLeaseFile).ValueOrDie();
  const std::unique_ptr<EventFile> events_ =
      EventFile::Make(folder_.path() / "000-7.jsonl", true).ValueOrDie();
  std::stop_source stop_;
};

TEST_F(LeaseTalkTest, TakesThePlaceThatIsMeantForIt) {
  Drive({{"type", "place"}, {"task", 6}, {"member", 0}, {"world", 3}, {"newcomer", false}});
  Drive({{"type", "place"}, {"task", 7}, {"member", 2}, {"world", 3}, {"newcomer", true}});
  const auto place = Begin()->AwaitPlace({{"host", "here"}});
  ASSERT_TRUE(place.ok() && *place) << place.status();
  EXPECT_EQ((*place)->member, 2);
  EXPECT_EQ((*place)->world, 3);
  EXPECT_TRUE((*place)->newcomer);
  EXPECT_NE(Said().find(R"("type":"here")"), std::string::npos) << Said();
}

TEST_F(LeaseTalkTest, EndsWhenItIsNotNeeded) {
  Drive({{"type", "leave"}, {"task", 7}});
  const auto left = Begin()->AwaitPlace({});
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_FALSE(left->has_value());
}

TEST_F(LeaseTalkTest, EndsWithTheLease) {
  Drive({{"type", "over"}});
  const auto over = Begin()->AwaitPlace({});
  ASSERT_TRUE(over.ok()) << over.status();
  EXPECT_FALSE(over->has_value());
}

TEST_F(LeaseTalkTest, StopsWaitingWhenItIsAskedTo) {
  stop_.request_stop();
  EXPECT_FALSE(Begin()->AwaitPlace({}).ok());
}

TEST_F(LeaseTalkTest, HandsOnWhatCameBeforeSomebodyFollowed) {
  Drive({{"type", "place"}, {"task", 7}, {"member", 0}});
  Drive({{"type", "call"}, {"generation", 1}});
  const auto talk = Begin();
  ASSERT_TRUE(talk->AwaitPlace({}).ok());
  std::mutex mutex;
  std::condition_variable heard;
  std::vector<std::string> types;
  talk->Follow([&](const Json& line) {
    std::lock_guard lock(mutex);
    types.push_back(line["type"]);
    heard.notify_all();
  });
  Drive({{"type", "over"}});
  std::unique_lock lock(mutex);
  EXPECT_TRUE(heard.wait_for(lock, std::chrono::seconds(10),
                             [&] { return !types.empty() && types.back() == "over"; }));
  EXPECT_EQ(types, (std::vector<std::string>{"begin", "place", "call", "over"}));
}

}  // namespace
}  // namespace protium
