// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/event_tail.h"

#include <gtest/gtest.h>

#include <fstream>

#include "os/file.h"
#include "spark_worker/event_file.h"

namespace protium {
namespace {

class EventTailTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::Make();
    ASSERT_TRUE(made.ok()) << made.status();
    folder_.emplace(*std::move(made));
  }
  void Append(const std::string& name, const std::string& text) {
    std::ofstream(folder_->path() / name, std::ios::app) << text;
  }
  std::vector<std::string> Read(EventTail& tail) {
    auto events = tail.Read();
    EXPECT_TRUE(events.ok()) << events.status();
    std::vector<std::string> said;
    for (const TailedLine& each : *events) {
      said.push_back(std::to_string(each.partition) + ":" + std::to_string(each.task_attempt) +
                     Dump(each.line));
    }
    return said;
  }
  std::optional<TemporaryFolder> folder_;
};

TEST_F(EventTailTest, GivesWhatWasAddedAndNothingTwice) {
  EventTail tail(folder_->path());
  EXPECT_TRUE(Read(tail).empty());
  Append(EventFileName(1, 70), "{\"event\":\"b\"}\n{\"event\":\"c\"");
  Append(EventFileName(0, 9), "{\"event\":\"a\"}\n");
  EXPECT_EQ(Read(tail),
            (std::vector<std::string>{"0:9{\"event\":\"a\"}", "1:70{\"event\":\"b\"}"}));
  Append(EventFileName(1, 70), "}\n");
  EXPECT_EQ(Read(tail), std::vector<std::string>{"1:70{\"event\":\"c\"}"});
  EXPECT_TRUE(Read(tail).empty());
}

TEST_F(EventTailTest, PassesOverWhatIsNoEvent) {
  EventTail tail(folder_->path());
  Append("notes.txt", "{\"event\":\"x\"}\n");
  Append("1-.jsonl", "{\"event\":\"x\"}\n");
  Append(EventFileName(2, 5), "garbage\n[1]\n{\"event\":\"y\"}\n");
  EXPECT_EQ(Read(tail), std::vector<std::string>{"2:5{\"event\":\"y\"}"});
}

TEST_F(EventTailTest, ReadsLinesLongerThanAPiece) {
  EventTail tail(folder_->path());
  const std::string text(9 << 20, 'x');
  Append(EventFileName(0, 1), "{\"event\":\"" + text);
  EXPECT_TRUE(Read(tail).empty());
  Append(EventFileName(0, 1), "\"}\n{\"event\":\"next\"}\n");
  std::vector<std::string> said = Read(tail);
  for (std::vector<std::string> more = Read(tail); !more.empty(); more = Read(tail)) {
    said.insert(said.end(), more.begin(), more.end());
  }
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], "0:1{\"event\":\"" + text + "\"}");
  EXPECT_EQ(said[1], "0:1{\"event\":\"next\"}");
}

TEST_F(EventTailTest, SeesThatAWriterHasEndedOnceItsLastWordIsRead) {
  EventTail tail(folder_->path());
  auto locked = EventFile::Make(folder_->path() / EventFileName(3, 8), true);
  ASSERT_TRUE(locked.ok()) << locked.status();
  (*locked)->Write({{"event", "a"}});
  Append(EventFileName(4, 9), "{\"event\":\"not locked\"}\n");
  EXPECT_EQ(Read(tail).size(), 2u);
  EXPECT_TRUE(tail.TakeEnded().empty());
  (*locked)->Write({{"event", "last"}});
  locked->reset();
  EXPECT_EQ(Read(tail), std::vector<std::string>{"3:8{\"event\":\"last\"}"});
  EXPECT_TRUE(Read(tail).empty());
  const std::vector<EventWriter> ended = tail.TakeEnded();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].partition, 3);
  EXPECT_EQ(ended[0].task_attempt, 8);
  EXPECT_TRUE(Read(tail).empty());
  EXPECT_TRUE(tail.TakeEnded().empty());
}

TEST_F(EventTailTest, LeavesTheWordToStop) {
  const EventTail tail(folder_->path());
  ASSERT_TRUE(tail.AskToStop().ok());
  EXPECT_TRUE(std::filesystem::exists(folder_->path() / kStopFile));
}

}  // namespace
}  // namespace protium
