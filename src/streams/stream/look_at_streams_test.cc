// SPDX-License-Identifier: Apache-2.0
#include "stream/look_at_streams.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "os/file.h"
#include "stream/dead_letters.h"
#include "stream/divided_status.h"
#include "stream/stream_log.h"
#include "stream/stream_status.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

struct LookAtStreams : testing::Test {
  TemporaryFolder folder = *TemporaryFolder::Make();
  const fs::path& path() const { return folder.path(); }

  // A stream of so many batches, the last of which has begun only. Each has a dead letter.
  static void Make(const fs::path& stream, int64_t batches) {
    const auto log = StreamLog::Open(stream);
    ASSERT_TRUE(log.ok()) << log.status();
    for (int64_t i = 0; i < batches; ++i) {
      ASSERT_TRUE((*log)->Begin({.number = i, .stretch = {{"at", i}}, .model = "3b85"}).ok());
      ASSERT_TRUE(WriteDeadLetters(stream / "dead", i,
                                   {{"a.csv, line " + std::to_string(i), "no number", "x"}})
                      .ok());
      if (i + 1 < batches) {
        ASSERT_TRUE((*log)->End({.rows = 10 * i, .dead = 1}, Json::object()).ok());
      }
    }
    StreamStatus status(stream, "made");
    status.Show("running", (*log)->totals(), {.waiting = 3, .unit = "files"});
  }
};

TEST_F(LookAtStreams, ShowsTheNewestBatchesAndLettersOfOne) {
  Make(path() / "live", 4);
  const auto stream = LookAtStream(path(), "live", {.batches = 2, .letters = 3});
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ((*stream)["status"]["waiting"], 3);
  // Its process has ended without saying so.
  EXPECT_EQ((*stream)["status"]["state"], "cut off");
  EXPECT_EQ(
      (*stream)["batches"],
      Json::array({{{"batch", 3}, {"model", "3b85"}, {"ended", false}},
                   {{"batch", 2}, {"model", "3b85"}, {"ended", true}, {"rows", 20}, {"dead", 1}}}));
  const Json& letters = (*stream)["letters"];
  ASSERT_EQ(letters.size(), 3u);
  EXPECT_EQ(
      letters[0],
      Json({{"place", "a.csv, line 3"}, {"reason", "no number"}, {"text", "x"}, {"batch", 3}}));
  EXPECT_EQ(letters[2]["batch"], 1);
}

TEST_F(LookAtStreams, ShowsThoseOfEachPartition) {
  Make(PartitionFolder(path() / "live", 0), 2);
  Make(PartitionFolder(path() / "live", 1), 3);
  const auto stream = LookAtStream(path(), "live");
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ((*stream)["status"]["partitions"].size(), 2u);
  ASSERT_EQ((*stream)["batches"].size(), 5u);
  EXPECT_EQ((*stream)["batches"][0]["partition"], 1);
  EXPECT_EQ((*stream)["letters"].size(), 5u);
}

TEST_F(LookAtStreams, ListsWhatIsAStream) {
  Make(path() / "b", 1);
  Make(path() / "a", 1);
  fs::create_directories(path() / "no-stream");
  const Json list = ListStreams(path(), 10);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["stream"], "a");
  EXPECT_EQ(ListStreams(path(), 1).size(), 1u);
  EXPECT_TRUE(ListStreams(path() / "nowhere", 10).empty());
}

TEST_F(LookAtStreams, LeadsNowhereElse) {
  Make(path() / "live", 1);
  for (const char* name : {"", ".", "..", "../live", "live/dead", "other", "/"}) {
    EXPECT_EQ(FaultOf(LookAtStream(path(), name).status()).exit, Exit::kInput) << name;
  }
}

TEST_F(LookAtStreams, PassesOverLinesThatAreNone) {
  Make(path() / "live", 2);
  ASSERT_TRUE(
      WriteFile(path() / "live/dead/batch-000000000001.jsonl",
                "{\"place\": \"p\", \"text\": \"" + std::string(1000, 'x') + "\"}\n[1]\nno JSON\n")
          .ok());
  const auto stream = LookAtStream(path(), "live");
  ASSERT_TRUE(stream.ok()) << stream.status();
  ASSERT_EQ((*stream)["letters"].size(), 2u);
  EXPECT_EQ(TextAt((*stream)["letters"][0], "text").size(), 303u);
}

}  // namespace
}  // namespace protium
