// SPDX-License-Identifier: Apache-2.0
#include "stream/event_windows.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SchemaPtr kEvents =
    arrow::schema({arrow::field("id", arrow::int64()),
                   arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO))});

// Events at these seconds, with their number as their id; -1000: without a time.
std::shared_ptr<arrow::RecordBatch> Events(const std::vector<int64_t>& seconds, int64_t first = 0) {
  arrow::Int64Builder ids;
  arrow::TimestampBuilder times(kEvents->field(1)->type(), arrow::default_memory_pool());
  for (const int64_t each : seconds) {
    EXPECT_TRUE(ids.Append(first++).ok());
    EXPECT_TRUE((each == -1000 ? times.AppendNull() : times.Append(each * 1'000'000)).ok());
  }
  return arrow::RecordBatch::Make(kEvents, int64_t(seconds.size()),
                                  {*ids.Finish(), *times.Finish()});
}

std::vector<int64_t> Ids(const arrow::RecordBatch& events) {
  std::vector<int64_t> ids;
  const auto& column = static_cast<const arrow::Int64Array&>(*events.column(0));
  for (int64_t i = 0; i < column.length(); ++i) ids.push_back(column.Value(i));
  return ids;
}

EventWindows Windows(const std::string& late = "0 s", const std::string& length = "") {
  return EventWindows::Make({.time = "at", .every = "10 s", .length = length, .late = late},
                            kEvents)
      .ValueOrDie();
}

// "id@start" in seconds, for each row.
std::vector<std::string> InWindows(const arrow::RecordBatch& events) {
  std::vector<std::string> rows;
  const auto starts =
      std::static_pointer_cast<arrow::TimestampArray>(events.GetColumnByName(kWindowStart));
  const std::vector<int64_t> ids = Ids(events);
  for (size_t i = 0; i < ids.size(); ++i) {
    rows.push_back(fmt::format("{}@{}", ids[i], starts->Value(int64_t(i)) / 1'000'000));
  }
  return rows;
}

}  // namespace

TEST(EventWindows, GoOnOnceTheyAreClosed) {
  EventWindows windows = Windows();
  EXPECT_THAT(Ids(*windows.Add(*Events({3, 7}))->events), IsEmpty());
  EXPECT_THAT(Ids(*windows.Add(*Events({9, 10, 4}, 2))->events), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(windows.waiting(), 1);
  const auto closed = *windows.Add(*Events({35, 8, -1000}, 5));
  EXPECT_THAT(Ids(*closed.events), ElementsAre(3));
  ASSERT_EQ(closed.dead.size(), 2u);
  EXPECT_THAT(closed.dead[0].reason, HasSubstr("late: windows up to 1970-01-01 00:00:10"));
  EXPECT_THAT(closed.dead[0].bytes, HasSubstr("\"id\":6"));
  EXPECT_THAT(closed.dead[1].reason, HasSubstr("no time"));
  EXPECT_EQ(closed.events->GetColumnByName(kWindowStart)->GetScalar(0).ValueOrDie()->ToString(),
            "1970-01-01 00:00:10.000000");
}

TEST(EventWindows, WaitForLateEvents) {
  EventWindows windows = Windows("5 s");
  EXPECT_THAT(Ids(*windows.Add(*Events({3, 14}))->events), IsEmpty());
  EXPECT_THAT(Ids(*windows.Add(*Events({9, 15}, 2))->events), ElementsAre(0, 2));
}

TEST(EventWindows, AreNotMovedByAnEventThatIsADayLate) {
  constexpr int64_t kDay = 86'400, kNow = 20 * kDay;
  EventWindows windows = Windows("5 s"), undisturbed = Windows("5 s");
  const auto add = [&](const std::vector<int64_t>& seconds, bool late) {
    const auto closed = *windows.Add(*Events(seconds));
    EXPECT_EQ(closed.dead.size(), late ? 1u : 0u);
    EXPECT_EQ(InWindows(*closed.events), InWindows(*undisturbed.Add(*Events(seconds))->events));
    EXPECT_EQ(windows.facts(), undisturbed.facts());
  };
  add({kNow, kNow + 3}, false);
  const auto late = *windows.Add(*Events({kNow - kDay}));
  ASSERT_EQ(late.dead.size(), 1u);
  EXPECT_THAT(late.dead[0].reason, HasSubstr("the event is late"));
  add({kNow + 18}, false);
  add({kNow + 4 - kDay, kNow + 40}, true);
}

TEST(EventWindows, ThatOverlapHoldAnEventOnceEach) {
  EventWindows windows = Windows("0 s", "25 s");
  // Times 3 and 12: windows begin at -20, -10, 0 and 10, and end 25 seconds later.
  EXPECT_THAT(InWindows(*windows.Add(*Events({3, 12}))->events), ElementsAre("0@-20"));
  EXPECT_THAT(InWindows(*windows.Add(*Events({16}, 2))->events), ElementsAre("0@-10", "1@-10"));
  // Those that begin at -10 and before are closed: 14 is late for them alone.
  EXPECT_THAT(InWindows(*windows.Add(*Events({14, 25}, 3))->events),
              ElementsAre("0@0", "1@0", "2@0", "3@0"));
  EXPECT_EQ(windows.waiting(), 4);
  const auto last = *windows.Add(*Events({9, 60}, 5));
  ASSERT_EQ(last.dead.size(), 1u);
  EXPECT_THAT(last.dead[0].reason, HasSubstr("windows up to 1970-01-01 00:00:25"));
  EXPECT_THAT(InWindows(*last.events), ElementsAre("1@10", "2@10", "3@10", "4@10", "4@20"));
}

// What a window holds depends neither on batches nor on the order of its events.
TEST(EventWindows, ThatOverlapAreThoseOfADefinition) {
  constexpr int64_t kLength = 35, kEvery = 10, kLate = 30;
  std::mt19937 random(3);
  std::vector<int64_t> seconds;
  for (int64_t i = 0; i < 400; ++i) seconds.push_back(i + int64_t(random() % 30) - 20);
  std::vector<std::string> expected;
  const int64_t newest = *std::ranges::max_element(seconds);
  for (size_t i = 0; i < seconds.size(); ++i) {
    for (int64_t start = -100; start + kLength <= newest - kLate; start += kEvery) {
      const bool in = seconds[i] >= start && seconds[i] < start + kLength;
      if (in) expected.push_back(fmt::format("{}@{}", i, start));
    }
  }
  EventWindows windows = Windows(fmt::format("{} s", kLate), fmt::format("{} s", kLength));
  std::vector<std::string> rows;
  for (size_t at = 0; at < seconds.size();) {
    const size_t end = std::min(seconds.size(), at + 1 + random() % 20);
    const std::vector<int64_t> part(seconds.begin() + int64_t(at), seconds.begin() + int64_t(end));
    const auto closed = *windows.Add(*Events(part, int64_t(at)));
    EXPECT_THAT(closed.dead, IsEmpty());
    for (std::string& row : InWindows(*closed.events)) rows.push_back(std::move(row));
    at = end;
  }
  std::ranges::sort(rows);
  std::ranges::sort(expected);
  EXPECT_EQ(rows, expected);
}

TEST(EventWindows, HoldTimesBefore1970) {
  EventWindows windows = Windows();
  EXPECT_THAT(Ids(*windows.Add(*Events({-5, -15, 0}))->events), ElementsAre(0, 1));
}

// Each event goes on once or is dead, in whatever batches they come and whenever a process ends.
TEST(EventWindows, LoseNothingAcrossProcesses) {
  std::mt19937 random(7);
  const TemporaryFolder folder = *TemporaryFolder::Make();
  const auto run = [&](bool restarts) {
    std::mt19937 events(11);
    std::optional<EventWindows> windows = Windows("7 s");
    std::vector<std::vector<int64_t>> batches;
    int64_t id = 0, dead = 0, gone = 0;
    Json facts = Json::object();
    for (int64_t number = 0; number < 60; ++number) {
      std::vector<int64_t> seconds;
      for (size_t i = 0; i < 5; ++i) seconds.push_back(number * 4 + int64_t(events() % 25));
      const auto closed = *windows->Add(*Events(seconds, id));
      id += 5;
      EXPECT_TRUE(windows->Save(folder.path(), number).ok());
      facts = windows->facts();
      EventWindows::RemoveBefore(folder.path(), number);
      batches.push_back(Ids(*closed.events));
      gone += closed.events->num_rows();
      dead += int64_t(closed.dead.size());
      if (restarts && random() % 3 == 0) {
        windows = Windows("7 s");
        EXPECT_TRUE(windows->Load(folder.path(), number + 1, facts).ok());
      }
    }
    EXPECT_EQ(gone + dead + windows->waiting(), id);
    EXPECT_GT(dead, 0);
    return batches;
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(EventWindows, SayThatWhatWaitedIsGone) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  EventWindows windows = Windows();
  ASSERT_TRUE(windows.Add(*Events({1, 2})).ok());
  const Status lost = Windows().Load(folder.path(), 1, windows.facts());
  EXPECT_EQ(FaultOf(lost).exit, Exit::kInput);
  EXPECT_THAT(FaultOf(lost).what, HasSubstr("2 events wait"));
}

TEST(EventWindows, RefuseColumnsThatAreNoTimes) {
  EXPECT_THAT(FaultOf(EventWindows::Make({.time = "id", .every = "1 s"}, kEvents).status()).what,
              HasSubstr("not timestamp"));
  EXPECT_THAT(FaultOf(EventWindows::Make({.time = "ta", .every = "1 s"}, kEvents).status()).fix,
              HasSubstr("at"));
}

}  // namespace protium
