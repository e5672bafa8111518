// SPDX-License-Identifier: Apache-2.0
#include "stream/folder_source.h"

#include <arrow/api.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/fault.h"
#include "os/fd.h"
#include "os/temporary_folder.h"
#include "records/record_rows.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Folder : public testing::Test {
 protected:
  void SetUp() override { Reopen(); }

  FolderSourceOptions Options() {
    return {.folder = folder_.path(),
            .pattern = pattern_,
            .after = after_,
            .form = {.format = Format::kCsv,
                     .columns = EventColumns(*arrow::schema(
                         {arrow::field("id", arrow::int64()), arrow::field("s", arrow::utf8())})),
                     .optional = {"s"}},
            .settle = settle_,
            .note = [this](const std::string& line) { notes_.push_back(line); }};
  }
  // As a new process would.
  void Reopen() {
    source_ = FolderSource::Open(Options()).ValueOrDie();
    ASSERT_TRUE(source_->Start(past_).ok());
  }

  // Events `from` up to and without `to`, by rename(2); each file a second younger than the last.
  void Put(const std::string& name, int64_t from, int64_t to) {
    const fs::path draft = folder_.path() / ("." + name);
    std::ofstream file(draft);
    file << "id,s\n";
    for (int64_t id = from; id < to; ++id) file << id << ",x" << id << "\n";
    file.close();
    fs::last_write_time(draft, begun_ + std::chrono::seconds(++files_));
    fs::rename(draft, folder_.path() / name);
  }

  struct Batch {
    Json stretch;
    std::vector<int64_t> ids;
    std::vector<DeadLetter> dead;
  };
  static Batch BatchOf(const Json& stretch, const StreamRows& rows) {
    Batch batch{.stretch = stretch, .dead = rows.dead};
    const auto& ids = static_cast<const arrow::Int64Array&>(*rows.rows->column(0));
    for (int64_t i = 0; i < ids.length(); ++i) batch.ids.push_back(ids.Value(i));
    return batch;
  }
  // The next batch, which is done; without a stretch if nothing came.
  Batch Next(int64_t most = 100, milliseconds patience = milliseconds(0)) {
    const Json stretch =
        source_->Next({.rows = most, .gather = milliseconds(0)}, patience, {}).ValueOrDie();
    if (stretch.is_null()) return {};
    Batch batch = BatchOf(stretch, source_->Read(stretch).ValueOrDie());
    EXPECT_TRUE(source_->Done(stretch).ok());
    past_.stretches.push_back(stretch);
    return batch;
  }

  const fs::file_time_type begun_ = fs::file_time_type::clock::now() - std::chrono::hours(1);
  int files_ = 0;
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::string pattern_ = "*.csv";
  ReadFiles after_ = ReadFiles::kKeep;
  bool settle_ = false;
  std::vector<std::string> notes_;
  StreamPast past_;
  std::unique_ptr<FolderSource> source_;
};

}  // namespace

TEST_F(Folder, ReadsFilesOnceInTheOrderOfTheirTimes) {
  Put("b.csv", 0, 2);
  Put("a.csv", 2, 4);
  std::ofstream(folder_.path() / "other.txt") << "id,s\n9,9\n";
  std::ofstream(folder_.path() / "c.csv.part") << "id,s\n9,9\n";
  EXPECT_THAT(Next().ids, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(Next().stretch.is_null());
  Put("c.csv", 4, 5);
  EXPECT_THAT(Next(100, milliseconds(5000)).ids, ElementsAre(4));
  Reopen();
  EXPECT_TRUE(Next().stretch.is_null());
}

TEST_F(Folder, GoesOnInTheMiddleOfAFileInAnotherProcess) {
  Put("a.csv", 0, 5);
  Put("b.csv", 5, 7);
  EXPECT_THAT(Next(2).ids, ElementsAre(0, 1));
  Reopen();
  EXPECT_THAT(Next(2).ids, ElementsAre(2, 3));
  past_ = {.state = source_->State()};
  Reopen();
  EXPECT_THAT(Next(2).ids, ElementsAre(4, 5));
  EXPECT_THAT(Next(2).ids, ElementsAre(6));
}

TEST_F(Folder, GivesTheSameRowsForAStretchAgain) {
  Put("a.csv", 0, 5);
  std::ofstream(folder_.path() / "b.csv") << "id,s\n5,x\nsix,y\n7,z,z\n8,x\n";
  std::vector<Batch> first;
  while (true) {
    Batch batch = Next(3);
    if (batch.stretch.is_null()) break;
    first.push_back(std::move(batch));
  }
  ASSERT_GE(first.size(), 3u);
  past_ = {};
  Reopen();
  for (const Batch& each : first) {
    const Batch again = BatchOf(each.stretch, source_->Read(each.stretch).ValueOrDie());
    EXPECT_EQ(again.ids, each.ids);
    ASSERT_EQ(again.dead.size(), each.dead.size());
    for (size_t i = 0; i < again.dead.size(); ++i) {
      EXPECT_EQ(again.dead[i].place, each.dead[i].place);
      EXPECT_EQ(again.dead[i].reason, each.dead[i].reason);
    }
  }
  Put("c.csv", 0, 6);
  fs::rename(folder_.path() / "c.csv", folder_.path() / "a.csv");
  const auto changed = source_->Read(first[0].stretch);
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(FaultOf(changed.status()).what, HasSubstr("has changed since"));
  fs::remove(folder_.path() / "a.csv");
  EXPECT_THAT(FaultOf(source_->Read(first[0].stretch).status()).what, HasSubstr("is gone"));
}

TEST_F(Folder, MakesDeadLettersOfWhatIsNoEvent) {
  std::ofstream(folder_.path() / "a.csv") << "id,s\n1,x\nx,\"a,b\"\n3\n4,y\n";
  std::ofstream(folder_.path() / "b.csv") << "s\nx\n";
  std::ofstream(folder_.path() / "c.csv") << "";
  std::ofstream(folder_.path() / "d.csv") << "id\n5\n";
  std::ofstream(folder_.path() / "e.csv") << "id,s\n6,x\n7,\"open\n8,y\n";
  const Batch batch = Next();
  EXPECT_THAT(batch.ids, ElementsAre(1, 4, 5, 6));
  std::vector<std::string> places;
  for (const DeadLetter& each : batch.dead) places.push_back(each.place);
  EXPECT_THAT(places, ElementsAre("a.csv, line 3", "a.csv, line 4", "b.csv", "c.csv",
                                  "e.csv, line 3 to the end"));
  EXPECT_EQ(batch.dead[0].bytes, "x,\"a,b\"");
  EXPECT_THAT(batch.dead[2].reason, HasSubstr("no column \"id\""));
}

TEST_F(Folder, WaitsForFilesThatSomebodyWrites) {
  const fs::path path = folder_.path() / "slow.csv";
  UniqueFd writer(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::write(writer.get(), "id,s\n1,", 7), 7);
  EXPECT_TRUE(Next(100, milliseconds(100)).stretch.is_null());
  ASSERT_EQ(::write(writer.get(), "x\n", 2), 2);
  EXPECT_TRUE(Next(100, milliseconds(50)).stretch.is_null());
  writer = UniqueFd();
  EXPECT_THAT(Next(100, milliseconds(5000)).ids, ElementsAre(1));
}

// Of files of other people the kernel does not tell whether somebody writes them.
TEST_F(Folder, LetsFilesOfOthersSettleBeforeNothingHasCome) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can read files as somebody else";
  fs::permissions(folder_.path(), fs::perms(0755));
  Put("a.csv", 0, 2);
  settle_ = true;
  Reopen();
  ASSERT_EQ(::seteuid(65534), 0);
  const Batch batch = Next();
  EXPECT_TRUE(Next().stretch.is_null());
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_THAT(batch.ids, ElementsAre(0, 1));
}

TEST_F(Folder, ReadsNoFileTwiceUnderAnotherName) {
  Put("a.csv", 0, 2);
  EXPECT_THAT(Next().ids, ElementsAre(0, 1));
  fs::rename(folder_.path() / "a.csv", folder_.path() / "renamed.csv");
  fs::create_hard_link(folder_.path() / "renamed.csv", folder_.path() / "linked.csv");
  EXPECT_TRUE(Next().stretch.is_null());
  Reopen();
  EXPECT_TRUE(Next().stretch.is_null());
  // Another file that takes the name is new, and so is a copy.
  Put("a.csv", 2, 4);
  EXPECT_THAT(Next().ids, ElementsAre(2, 3));
  fs::copy_file(folder_.path() / "a.csv", folder_.path() / "copy.csv");
  EXPECT_THAT(Next().ids, ElementsAre(2, 3));
}

TEST_F(Folder, TouchesAreNothingAndGrowthIsADeadLetter) {
  Put("a.csv", 0, 2);
  EXPECT_THAT(Next().ids, ElementsAre(0, 1));
  fs::last_write_time(folder_.path() / "a.csv", fs::file_time_type::clock::now());
  EXPECT_TRUE(Next().stretch.is_null());
  std::ofstream(folder_.path() / "a.csv", std::ios::app) << "2,x\n";
  const Batch grown = Next();
  EXPECT_THAT(grown.ids, IsEmpty());
  ASSERT_EQ(grown.dead.size(), 1u);
  EXPECT_THAT(grown.dead[0].reason, HasSubstr("changed after its events had been read"));
  EXPECT_TRUE(Next().stretch.is_null()) << "it is told once";
  Reopen();
  EXPECT_TRUE(Next().stretch.is_null());
  EXPECT_EQ(source_->Read(grown.stretch).ValueOrDie().dead.size(), 1u);
}

TEST_F(Folder, ReadsFilesThatAreOlderThanThoseItHasRead) {
  Put("a.csv", 0, 1);
  EXPECT_THAT(Next().ids, ElementsAre(0));
  Put("b.csv", 1, 2);
  // The clock was set back by a day.
  fs::last_write_time(folder_.path() / "b.csv", begun_ - std::chrono::hours(24));
  EXPECT_THAT(Next(100, milliseconds(5000)).ids, ElementsAre(1));
  Reopen();
  EXPECT_TRUE(Next().stretch.is_null());
}

TEST_F(Folder, DeletesFilesWhoseRowsAreWrittenIfItMay) {
  after_ = ReadFiles::kDelete;
  Reopen();
  Put("a.csv", 0, 5);
  Next(3);
  EXPECT_TRUE(fs::exists(folder_.path() / "a.csv"));
  Next(3);
  EXPECT_FALSE(fs::exists(folder_.path() / "a.csv"));
}

TEST_F(Folder, ForgetsFilesThatAreGone) {
  for (int i = 0; i < 1500; ++i) {
    const std::string name = fmt::format("{}.csv", i);
    Put(name, i, i + 1);
    ASSERT_EQ(Next().ids.size(), 1u) << i;
    fs::remove(folder_.path() / name);
  }
  EXPECT_LT(source_->State()["files"].size(), 1001u);
}

TEST_F(Folder, StopsAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(source_->Next({}, std::chrono::minutes(1), stop.get_token())->is_null());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

}  // namespace protium
