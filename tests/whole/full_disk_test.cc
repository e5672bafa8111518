// SPDX-License-Identifier: Apache-2.0
// Disks that fill up in the middle of a job: it ends soon and reports it, everything that it claims
// to have saved exists, and with more room the run continues to the weights of an undisturbed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/fault.h"
#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/small_disk.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

constexpr int kRows = 6000;
constexpr int64_t kMebibyte = 1 << 20;
const std::vector<std::string> kSettings = {"train.epochs=12", "train.batch_size=128",
                                            "train.checkpoint.every_steps=20"};

const std::string& Undisturbed() {
  static const std::string weights = WeightsOfRun(kRows, kSettings);
  return weights;
}

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (!SmallDisk::WhyNot().empty()) GTEST_SKIP() << SmallDisk::WhyNot();
    ASSERT_FALSE(Undisturbed().empty());
  }
  std::vector<std::string> Flights(std::vector<std::string> more) const {
    return FlightsCommand(scratch_, ExampleTables(kRows), Joined(std::move(more), kSettings));
  }
  // Resumes to the weights of an undisturbed run; returns what it printed.
  std::string ResumesAlike() {
    Running resume({ProtiumCommand(), "resume", OnlyRun(scratch_).string(), "--json"},
                   scratch_.path());
    const Outcome resumed = resume.Wait();
    EXPECT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(ModelWeights(resumed, scratch_), Undisturbed());
    return resumed.err;
  }

  const Scratch scratch_;
};

// The rest of the line after `words`; empty if they do not occur.
std::string LineBehind(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  if (at == text.npos) return {};
  const size_t begin = at + words.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

// Checkpoints, the log of events and the logs of ranks are all on it.
TEST_F(FullDisk, OfARunEndsItAndItGoesOnWithMoreRoom) {
  for (const char* workers : {"2", "{min=1,max=2}"}) {
    const SmallDisk disk(scratch_.path() / "runs", 32 * kMebibyte);
    Running command(Flights({std::string("gang.workers=") + workers}), scratch_.path());
    ASSERT_TRUE(AwaitStep(command, scratch_, 50));
    disk.Fill();
    const Outcome full = command.Wait(seconds(30));
    EXPECT_EQ(full.exit, int(Exit::kNoRoom)) << full.err;
    EXPECT_THAT(full.err, HasSubstr("No space left on device"));
    EXPECT_THAT(full.err, HasSubstr("protium resume"));
    EXPECT_THAT(full.err, Not(HasSubstr("restart "))) << "it would fail again";
    EXPECT_THAT(command.Descendants(), IsEmpty());
    const fs::path kept = LineBehind(full.err, "kept: the checkpoint ");
    EXPECT_TRUE(fs::exists(kept / "state.json")) << full.err;
    disk.MakeRoom();
    ResumesAlike();
  }
}

TEST_F(FullDisk, OfRowsEndsARunThatGoesOnWithMoreRoom) {
  const Scratch spill;
  const SmallDisk disk(spill.path() / "disk", kMebibyte / 8);
  Running command(
      Flights({"engine.rows_memory=\"64KiB\"", "engine.spill=\"" + disk.path().string() + "\""}),
      scratch_.path());
  const Outcome full = command.Wait(seconds(60));
  EXPECT_EQ(full.exit, int(Exit::kNoRoom)) << full.err;
  EXPECT_THAT(full.err, HasSubstr("engine.spill"));
  EXPECT_THAT(full.err, Not(HasSubstr("kept"))) << "there was nothing yet";
  EXPECT_THAT(command.Descendants(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(disk.path()));
  disk.Resize(64 * kMebibyte);
  ResumesAlike();
}

// Only the log of events is on it: a run continues without it.
TEST_F(FullDisk, OfTheLogAloneDoesNotStopATraining) {
  Running command(Flights({}), scratch_.path());
  ASSERT_TRUE(AwaitStep(command, scratch_, 50));
  command.Signal(SIGINT);
  ASSERT_EQ(command.Wait().exit, int(Exit::kStopped));
  const SmallDisk disk(scratch_.path() / "disk", kMebibyte);
  const fs::path log = OnlyRun(scratch_) / "events.jsonl";
  fs::copy(log, disk.path() / "events.jsonl");
  fs::remove(log);
  fs::create_symlink(disk.path() / "events.jsonl", log);
  disk.Fill();
  const std::string said = ResumesAlike();
  EXPECT_THAT(said, HasSubstr("warning: cannot append to"));
  EXPECT_THAT(said, HasSubstr("events.jsonl: No space left on device"));
}

}  // namespace protium::whole
