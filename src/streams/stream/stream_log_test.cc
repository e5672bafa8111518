// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "os/file.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Log : public testing::Test {
 protected:
  std::unique_ptr<StreamLog> Open() { return StreamLog::Open(path()).ValueOrDie(); }
  std::filesystem::path path() const { return folder_.path() / "live"; }
  std::string Text() const { return ReadFile(path() / "log.jsonl").ValueOrDie(); }
  void Write(const std::string& text) const {
    std::ofstream(path() / "log.jsonl", std::ios::binary | std::ios::trunc) << text;
  }

  static void Batch(StreamLog& log, int64_t number) {
    ASSERT_TRUE(log.Begin({.number = number, .stretch = {{"at", number}}, .model = "m"}).ok());
    ASSERT_TRUE(log.End({.rows = 10, .dead = 1}, Json::object()).ok());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

}  // namespace

TEST_F(Log, KnowsWhatHasEndedAndWhatHasBegun) {
  {
    const auto log = Open();
    Batch(*log, 0);
    Batch(*log, 1);
    ASSERT_TRUE(log->Begin({.number = 2,
                            .stretch = {{"at", 2}},
                            .model = "9f",
                            .facts = {{"model_folder", "/m"}}})
                    .ok());
  }
  const auto log = Open();
  EXPECT_EQ(log->totals().batches, 2);
  EXPECT_EQ(log->totals().rows, 20);
  EXPECT_EQ(log->totals().dead, 2);
  EXPECT_EQ(Json(log->past().stretches), Json::parse(R"([{"at": 0}, {"at": 1}])"));
  ASSERT_TRUE(log->open());
  EXPECT_EQ(log->open()->number, 2);
  EXPECT_EQ(log->open()->model, "9f");
  EXPECT_EQ(log->open()->facts["model_folder"], "/m");
  EXPECT_TRUE(log->End({}, Json::object()).ok());
  EXPECT_FALSE(log->open());
}

TEST_F(Log, ForgetsALineThatWasNeverFinished) {
  {
    const auto log = Open();
    Batch(*log, 0);
    ASSERT_TRUE(log->Begin({.number = 1, .stretch = {{"at", 1}}}).ok());
  }
  const std::string whole = Text();
  const size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  // A power cut may leave any part of it.
  for (size_t length = last; length < whole.size(); ++length) {
    Write(whole.substr(0, length));
    const auto log = Open();
    EXPECT_EQ(log->totals().batches, 1);
    EXPECT_FALSE(log->open());
    EXPECT_EQ(Text(), whole.substr(0, last));
  }
  const auto log = Open();
  Batch(*log, 1);
  EXPECT_EQ(log->totals().batches, 2);
}

TEST_F(Log, RefusesDamageWithItsLine) {
  { Batch(*Open(), 0); }
  const std::string whole = Text();
  for (const char* damage : {"{\"ended\":7}\n", "not json\n", "{\"began\":5}\n", "[]\n"}) {
    Write(whole + damage);
    const auto log = StreamLog::Open(path());
    ASSERT_FALSE(log.ok()) << damage;
    EXPECT_EQ(FaultOf(log.status()).exit, Exit::kInput);
    EXPECT_THAT(FaultOf(log.status()).where, HasSubstr("log.jsonl:3"));
  }
}

TEST_F(Log, HasOneOwner) {
  const auto log = Open();
  const auto second = StreamLog::Open(path());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(FaultOf(second.status()).what, HasSubstr("running already"));
}

TEST_F(Log, IsShortenedAndStillKnowsItsBatches) {
  {
    const auto log = Open();
    for (int64_t i = 0; i < 3; ++i) Batch(*log, i);
    EXPECT_FALSE(log->long_enough());
    ASSERT_TRUE(log->Shorten({{"all", "before 3"}}).ok());
    for (int64_t i = 3; i < 5; ++i) Batch(*log, i);
    ASSERT_TRUE(log->Shorten({{"all", "before 5"}}).ok());
    Batch(*log, 5);
  }
  const auto log = Open();
  EXPECT_EQ(log->past().state, Json({{"all", "before 5"}}));
  EXPECT_EQ(Json(log->past().stretches), Json::parse(R"([{"at": 5}])"));
  EXPECT_EQ(log->totals().batches, 6);
  EXPECT_EQ(log->totals().rows, 60);
  const auto ended = *EndedBatches(path(), 1, 6);
  ASSERT_EQ(ended.size(), 5u);
  for (size_t i = 0; i < ended.size(); ++i) EXPECT_EQ(ended[i].number, int64_t(i) + 1);
  EXPECT_EQ(ended.back().stretch["at"], 5);
  std::filesystem::remove(path() / "log.3.jsonl");
  const auto gone = EndedBatches(path(), 0, 6);
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(FaultOf(gone.status()).fix, HasSubstr("--from 3"));
}

// Of a folder with many files the state alone is long.
TEST_F(Log, IsNotShortenedAgainAndAgainForALongState) {
  {
    const auto log = Open();
    Batch(*log, 0);
    ASSERT_TRUE(log->Shorten({{"files", std::string(3 << 20, 'x')}}).ok());
    EXPECT_FALSE(log->long_enough());
  }
  const auto log = Open();
  EXPECT_FALSE(log->long_enough());
}

}  // namespace protium
