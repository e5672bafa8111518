// SPDX-License-Identifier: Apache-2.0
#include "stream/event_join.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const SchemaPtr kRows =
    arrow::schema({arrow::field("id", arrow::int64()),
                   arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO))});

// Rows at these seconds, which are their ids, too; -1000: without a time.
std::shared_ptr<arrow::RecordBatch> At(const std::vector<int64_t>& seconds) {
  arrow::Int64Builder ids;
  arrow::TimestampBuilder times(kRows->field(1)->type(), arrow::default_memory_pool());
  for (const int64_t each : seconds) {
    EXPECT_TRUE(ids.Append(each).ok());
    EXPECT_TRUE((each == -1000 ? times.AppendNull() : times.Append(each * 1'000'000)).ok());
  }
  return arrow::RecordBatch::Make(kRows, int64_t(seconds.size()), {*ids.Finish(), *times.Finish()});
}

std::vector<int64_t> SecondsOf(const arrow::RecordBatch& rows) {
  const auto& ids = static_cast<const arrow::Int64Array&>(*rows.column(0));
  return {ids.raw_values(), ids.raw_values() + ids.length()};
}

EventJoin Joining(const std::string& late = "0 s") {
  return EventJoin::Make(
             {.time = "at", .other_time = "at", .before = "2 s", .after = "5 s", .late = late},
             kRows, kRows)
      .ValueOrDie();
}

}  // namespace

TEST(EventJoin, HandsEventsOnOnceAllThatMayBelongToThemHasCome) {
  EventJoin join = Joining();
  auto joined = *join.Add(*At({10, 12}), *At({8, 14, 15}));
  // One of the other stream at 15 may be followed by one of the same time.
  EXPECT_THAT(SecondsOf(*joined.events), IsEmpty());
  joined = *join.Add(*At({}), *At({16}));
  EXPECT_THAT(SecondsOf(*joined.events), ElementsAre(10));
  EXPECT_THAT(SecondsOf(*joined.other), ElementsAre(8, 14, 15));
  joined = *join.Add(*At({30}), *At({17, 18}));
  EXPECT_THAT(SecondsOf(*joined.events), ElementsAre(12));
  EXPECT_THAT(SecondsOf(*joined.other), ElementsAre(14, 15, 16, 17));
  EXPECT_EQ(join.waiting(), 1);
}

TEST(EventJoin, MakesDeadLettersOfWhatIsLateOrHasNoTime) {
  EventJoin join = Joining("3 s");
  auto joined = *join.Add(*At({10, 7, 6, -1000}), *At({20, 16}));
  ASSERT_EQ(joined.dead.size(), 3u);
  EXPECT_THAT(joined.dead[0].reason, HasSubstr("late: the newest of its stream is of 1970"));
  EXPECT_THAT(joined.dead[1].reason, HasSubstr("no time"));
  EXPECT_THAT(joined.dead[2].bytes, HasSubstr("16"));
  EXPECT_THAT(SecondsOf(*joined.events), ElementsAre(10, 7));
}

TEST(EventJoin, IsNotMovedByAnEventThatIsADayLate) {
  constexpr int64_t kDay = 86'400;
  EventJoin join = Joining("3 s");
  (void)*join.Add(*At({10 * kDay}), *At({10 * kDay + 1}));
  const Json before = join.facts();
  const auto late = *join.Add(*At({9 * kDay}), *At({9 * kDay}));
  EXPECT_EQ(late.dead.size(), 2u);
  EXPECT_EQ(join.facts(), before);
  EXPECT_THAT(SecondsOf(*join.Add(*At({}), *At({10 * kDay + 9}))->events), ElementsAre(10 * kDay));
}

// By definition: to each event belong the rows of the other stream within the bound, whatever the
// batches are, in which they come, and however often the process dies.
TEST(EventJoin, IsThatOfADefinition) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> events, others;
    for (int64_t at = 0; at < 300; ++at) {
      if (random() % 3 == 0) events.push_back(at);
      if (random() % 2 == 0) others.push_back(at);
    }
    std::map<int64_t, std::vector<int64_t>> expected, found;
    for (const int64_t at : events) {
      for (const int64_t other : others) {
        if (at - 2 <= other && other <= at + 5) expected[at].push_back(other);
      }
    }
    others.push_back(1000);  // So that all go on.
    auto join = std::make_unique<EventJoin>(Joining());
    Json facts = Json::object();
    size_t event = 0, other = 0;
    for (int64_t batch = 0; event < events.size() || other < others.size(); ++batch) {
      const auto some = [&](const std::vector<int64_t>& all, size_t& at) {
        const size_t end = std::min(all.size(), at + random() % 9);
        const std::vector<int64_t> part(all.begin() + int64_t(at), all.begin() + int64_t(end));
        at = end;
        return At(part);
      };
      const auto joined = *join->Add(*some(events, event), *some(others, other));
      EXPECT_THAT(joined.dead, IsEmpty());
      for (const int64_t at : SecondsOf(*joined.events)) {
        for (const int64_t each : SecondsOf(*joined.other)) {
          if (at - 2 <= each && each <= at + 5) found[at].push_back(each);
        }
      }
      facts = join->facts();
      if (seed > 1) continue;  // Flushing takes a while.
      ASSERT_TRUE(join->Save(folder.path(), batch).ok());
      EventJoin::RemoveBefore(folder.path(), batch);
      join = std::make_unique<EventJoin>(Joining());
      ASSERT_TRUE(join->Load(folder.path(), batch + 1, facts).ok());
    }
    EXPECT_EQ(found, expected) << seed;
    // Nothing is kept that no event needs: the last one may still be followed.
    EXPECT_LE(WholeAt(facts, "other"), 20);
  }
}

TEST(EventJoin, RefusesColumnsThatAreNoTimes) {
  const auto join =
      EventJoin::Make({.time = "at", .other_time = "id", .after = "1 s"}, kRows, kRows);
  EXPECT_EQ(FaultOf(join.status()).where, "stream.join.other_time");
}

}  // namespace protium
