// SPDX-License-Identifier: Apache-2.0
#include "workers/feeder.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "workers/testing/test_tasks.h"

namespace protium {
namespace {

// Large enough not to be joined with others.
constexpr int64_t kRows = 150'000;

// Members without workers, of a task without a gang: they hold what they are sent.
class FeederTest : public testing::Test {
 protected:
  Member& Add(bool newcomer = false) {
    const MemberPlace place{.rank = members_.count(), .newcomer = newcomer};
    return **members_.Add([&]() -> Result<std::unique_ptr<Member>> {
      return std::make_unique<Member>(spec_, place);
    });
  }
  static size_t Sent(const Member& member) { return member.first.size(); }
  void Feed(int64_t batches) { feeder_.Feed(Numbers(batches, kRows)().ValueOrDie()); }
  // Feeds, on another thread, one batch more than the only member has room for; returns as soon as
  // that batch was read.
  std::jthread FeedTooMany();

  const RunSpec spec_{.task = TextTask("count"), .most = 3};
  Members members_;
  int32_t most_ = 1;
  Feeder feeder_{members_,
                 [this] {
                   if (members_.count() < most_) Add();
                   return Status::OK();
                 },
                 [](const Member&) {}};
};

// Reports when its last batch is requested.
class NotingStream : public BatchStream {
 public:
  NotingStream(int64_t batches, std::promise<void> last) : left_(batches), last_(std::move(last)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (left_ == 0) return nullptr;
    if (--left_ == 0) last_.set_value();
    return NumberBatch(0, kRows);
  }

 private:
  SchemaPtr schema_ = NumberSchema();
  int64_t left_;
  std::promise<void> last_;
};

std::jthread FeederTest::FeedTooMany() {
  std::promise<void> last;
  auto asked = last.get_future();
  std::jthread feeding(
      [this, input = std::make_unique<NotingStream>(kWindow + 1, std::move(last))]() mutable {
        feeder_.Feed(std::move(input));
      });
  asked.wait();
  return feeding;
}

TEST_F(FeederTest, AsksForAMemberMoreOnceEachHasABatch) {
  most_ = 3;
  Add();
  Feed(4);
  ASSERT_EQ(members_.count(), 3);
  EXPECT_EQ(Sent(*members_.Find(0)), 2u);
  EXPECT_EQ(Sent(*members_.Find(1)), 1u);
  EXPECT_EQ(Sent(*members_.Find(2)), 1u);
}

TEST_F(FeederTest, SendsToWhoWasSentTheFewest) {
  Add();
  Add();
  Feed(6);
  EXPECT_EQ(Sent(*members_.Find(0)), 3u);
  EXPECT_EQ(Sent(*members_.Find(1)), 3u);
}

TEST_F(FeederTest, PassesOverNewcomersAndThoseThatAreDone) {
  Member& first = Add();
  Member& newcomer = Add(true);
  Member& done = Add();
  done.done = true;
  Feed(3);
  EXPECT_EQ(Sent(first), 3u);
  EXPECT_EQ(Sent(newcomer) + Sent(done), 0u);
}

TEST_F(FeederTest, PassesOverServers) {
  Member& worker = Add();
  const MemberPlace place{.rank = 1, .at = Seat{.rank = 1, .server = true}};
  Member& server = **members_.Add(
      [&]() -> Result<std::unique_ptr<Member>> { return std::make_unique<Member>(spec_, place); });
  Feed(3);
  EXPECT_EQ(Sent(worker), 3u);
  EXPECT_EQ(Sent(server), 0u);
  EXPECT_TRUE(server.input_ended);
}

TEST_F(FeederTest, SaysThatTheInputHasEnded) {
  Member& member = Add();
  EXPECT_FALSE(feeder_.end().has_value());
  Feed(1);
  EXPECT_TRUE(member.input_ended);
  EXPECT_TRUE(feeder_.end()->ok());
}

TEST_F(FeederTest, WaitsUntilAMemberHasRoom) {
  Member& member = Add();
  std::jthread feeding = FeedTooMany();
  EXPECT_EQ(Sent(member), size_t(kWindow));
  member.input.Taken();
  feeder_.Look();
  feeding.join();
  EXPECT_EQ(Sent(member), size_t(kWindow + 1));
  EXPECT_TRUE(feeder_.end()->ok());
}

TEST_F(FeederTest, EndsWhenNobodyWantsMore) {
  Member& member = Add();
  std::jthread feeding = FeedTooMany();
  member.done = true;
  feeder_.Look();
  feeding.join();
  EXPECT_TRUE(feeder_.end()->ok());
}

TEST_F(FeederTest, EndsWhenItIsClosed) {
  Member& member = Add();
  std::jthread feeding = FeedTooMany();
  feeder_.Close();
  feeding.join();
  EXPECT_EQ(Sent(member), size_t(kWindow));
}

TEST_F(FeederTest, FailsWithItsInput) {
  class Failing : public BatchStream {
    const SchemaPtr& schema() const override { return schema_; }
    Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
      return Status::Invalid("line 3 is bad");
    }
    SchemaPtr schema_ = NumberSchema();
  };
  Member& member = Add();
  feeder_.Feed(std::make_unique<Failing>());
  EXPECT_EQ(feeder_.end()->message(), "line 3 is bad");
  EXPECT_FALSE(member.input_ended) << "what it has is not all there is";
}

TEST_F(FeederTest, FailsWhereNoMemberMoreCanBeStarted) {
  Add();
  Feeder feeder(
      members_, [] { return Status::IOError("no process"); }, [](const Member&) {});
  feeder.Feed(Numbers(2, kRows)().ValueOrDie());
  EXPECT_EQ(feeder.end()->message(), "no process");
}

TEST(Members, TakeNobodyOnceTheyAreClosed) {
  const RunSpec spec{.task = TextTask("count")};
  Members members;
  const auto start = [&]() -> Result<std::unique_ptr<Member>> {
    return std::make_unique<Member>(spec, MemberPlace{});
  };
  Member* const member = members.Add(start).ValueOrDie();
  ASSERT_NE(member, nullptr);
  EXPECT_FALSE(members.CloseIfDone());
  member->done = true;
  EXPECT_TRUE(members.CloseIfDone());
  EXPECT_EQ(members.Add(start).ValueOrDie(), nullptr);
}

}  // namespace
}  // namespace protium
