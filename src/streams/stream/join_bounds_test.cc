// SPDX-License-Identifier: Apache-2.0
#include "stream/join_bounds.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SchemaPtr kTimed =
    arrow::schema({arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO))});

std::shared_ptr<arrow::RecordBatch> Every(int64_t from, int64_t count) {
  arrow::TimestampBuilder times(kTimed->field(0)->type(), arrow::default_memory_pool());
  for (int64_t each = from; each < from + count; ++each) {
    EXPECT_TRUE(times.Append(each * 1'000'000).ok());
  }
  return arrow::RecordBatch::Make(kTimed, count, {*times.Finish()});
}

class Bounds : public testing::Test {
 protected:
  Status Limit() {
    limits_ = {.rows = 4, .other_rows = 4};
    return bounds_.Limit(join_, limits_);
  }
  void Add(const std::shared_ptr<arrow::RecordBatch>& events,
           const std::shared_ptr<arrow::RecordBatch>& other, int second) {
    EXPECT_TRUE(join_.Add(*events, *other).ok());
    bounds_.Came({.rows = events, .other = other}, begun_ + seconds(second));
  }

  const JoinBounds::Time begun_;
  std::vector<std::string> notes_;
  JoinBounds bounds_{{.events = "visits",
                      .other = "orders",
                      .most = 10,
                      .note = [this](const std::string& line) { notes_.push_back(line); }},
                     begun_};
  EventJoin join_ =
      EventJoin::Make({.time = "at", .other_time = "at", .after = "20 s"}, kTimed, kTimed)
          .ValueOrDie();
  BatchLimits limits_;
};

}  // namespace

TEST_F(Bounds, LeaveAStreamUnreadThatTheOtherKeepsWaiting) {
  ASSERT_TRUE(Limit().ok());
  EXPECT_EQ(limits_.rows, 4);
  EXPECT_EQ(limits_.other_rows, 4);
  Add(Every(0, 8), Every(0, 0), 1);
  ASSERT_TRUE(Limit().ok());
  EXPECT_EQ(limits_.rows, 2);
  Add(Every(8, 2), Every(0, 0), 2);
  ASSERT_TRUE(Limit().ok());
  EXPECT_EQ(limits_.rows, 0);
  EXPECT_EQ(limits_.other_rows, 4);
  // The orders go on, and with them the visits.
  Add(Every(0, 0), Every(30, 1), 3);
  EXPECT_EQ(join_.waiting(), 0);
  ASSERT_TRUE(Limit().ok());
  EXPECT_EQ(limits_.rows, 4);
}

TEST_F(Bounds, LeaveTheOtherStreamUnreadThatIsAhead) {
  Add(Every(0, 1), Every(1, 10), 1);
  ASSERT_TRUE(Limit().ok());
  EXPECT_EQ(limits_.rows, 4);
  EXPECT_EQ(limits_.other_rows, 0);
  const Json facts = bounds_.Facts(join_, begun_ + seconds(5));
  EXPECT_EQ(facts["held"], "orders");
  EXPECT_EQ(facts["silent"], "visits");
}

TEST_F(Bounds, NameTheStreamThatIsSilentOnce) {
  Add(Every(0, 10), Every(0, 0), 1);
  bounds_.NothingCame(join_, begun_ + seconds(9));
  EXPECT_THAT(notes_, IsEmpty());
  for (const int second : {11, 20, 30}) bounds_.NothingCame(join_, begun_ + seconds(second));
  EXPECT_THAT(notes_, ElementsAre("nothing comes of orders, so visits is not read further: 10 rows "
                                  "of it wait, as many as may"));
  EXPECT_THAT(JoinText(bounds_.Facts(join_, begun_ + seconds(300))),
              HasSubstr("visits is not read further: nothing came of orders for 5 min"));
}

TEST_F(Bounds, RefuseAJoinOfWhichMoreMustWaitThanMay) {
  Add(Every(0, 10), Every(0, 10), 1);
  const Fault fault = FaultOf(Limit());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "stream.join.waiting");
  EXPECT_THAT(fault.fix, HasSubstr("waiting = 20"));
}

}  // namespace protium
