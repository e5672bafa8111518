// SPDX-License-Identifier: Apache-2.0
#include "run/event_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>

#include "base/fault.h"
#include "os/file_size_limit.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

class EventLogFile : public testing::Test {
 protected:
  fs::path folder_ = fs::temp_directory_path() / ("protium-events-" + std::to_string(getpid()));
  fs::path file_ = folder_ / "events.jsonl";
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
};

TEST_F(EventLogFile, KeepsLinesOfManyThreadsWhole) {
  auto log = EventLog::Open(file_).ValueOrDie();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 50; ++i) {
        (void)log->Append({{"event", "step"}, {"thread", t}, {"text", std::string(500, 'x')}});
      }
    });
  }
  threads.clear();
  const std::vector<Json> events = ReadEvents(file_).ValueOrDie();
  ASSERT_EQ(events.size(), 200u);
  for (const Json& event : events) {
    EXPECT_EQ(event.begin().key(), "time");
    EXPECT_EQ(event["event"], "step");
  }
}

TEST_F(EventLogFile, GoesOnAfterALineThatACrashCutOff) {
  std::ofstream(file_) << "{\"event\":\"a\"}\n{\"event\":\"b";
  auto log = EventLog::Open(file_).ValueOrDie();
  ASSERT_TRUE(log->Append({{"event", "c"}}).ok());
  const std::vector<Json> events = ReadEvents(file_).ValueOrDie();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1]["event"], "c");
}

TEST_F(EventLogFile, SaysWhenThereIsNoRoomAndLeavesNoHalfLine) {
  auto log = EventLog::Open(file_).ValueOrDie();
  ASSERT_TRUE(log->Append({{"event", "fits"}}).ok());
  const auto size = fs::file_size(file_);
  std::optional<FileSizeLimit> tight(size + 10);
  const Status status = log->Append({{"event", "too long for what is left"}});
  tight.reset();
  EXPECT_EQ(FaultOf(status).exit, Exit::kNoRoom);
  EXPECT_NE(FaultOf(status).what.find(file_.string()), std::string::npos);
  EXPECT_EQ(fs::file_size(file_), size);
  EXPECT_FALSE(log->status().ok());
}

TEST_F(EventLogFile, IsReadPieceByPieceWithoutLosingALine) {
  auto log = EventLog::Open(file_).ValueOrDie();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(log->Append({{"event", "note"}, {"i", i}}).ok());
  std::ofstream(file_, std::ios::app) << "no event\n"
                                      << R"({"event":"torn)";
  int64_t next = 0, skipped = 0;
  std::vector<int> seen;
  for (bool more = true; more;) {
    const EventPiece piece = ReadEventsFrom(file_, next, 300).ValueOrDie();
    for (const EventAt& each : piece.events) seen.push_back(each.event["i"].get<int>());
    EXPECT_LE(piece.next - next, 300);
    next = piece.next;
    skipped += piece.skipped;
    more = piece.more;
  }
  ASSERT_EQ(seen.size(), 100u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(skipped, 1);
  // The torn line waits until it is completed.
  std::ofstream(file_, std::ios::app) << "\",\"i\":100}\n";
  const EventPiece last = ReadEventsFrom(file_, next, 300).ValueOrDie();
  ASSERT_EQ(last.events.size(), 1u);
  EXPECT_EQ(last.events[0].event["i"], 100);
  EXPECT_EQ(last.next, int64_t(fs::file_size(file_)));
}

TEST_F(EventLogFile, ALineWithoutEndIsSkippedInLittleMemory) {
  std::ofstream(file_) << std::string(20 << 20, 'x') << "\n"
                       << R"({"event":"note"})"
                       << "\n";
  const EventPiece piece = ReadEventsFrom(file_, 0, 1 << 30).ValueOrDie();
  EXPECT_EQ(piece.skipped, 1);
  EXPECT_EQ(piece.events.size(), 1u);
}

TEST_F(EventLogFile, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_TRUE(ReadEvents(file_).ValueOrDie().empty());
  EXPECT_FALSE(ReadTextFile(file_).ok());
}

}  // namespace protium
