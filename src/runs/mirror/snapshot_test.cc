// SPDX-License-Identifier: Apache-2.0
#include "mirror/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "os/file.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

void Put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::vector<std::string> PathsOf(const std::vector<SnapshotFile>& files) {
  std::vector<std::string> paths;
  for (const SnapshotFile& file : files) paths.push_back(file.path);
  return paths;
}

class Snapshots : public testing::Test {
 protected:
  TemporaryFolder place_ = *TemporaryFolder::Make();
  fs::path folder_ = fs::path(place_.path()) / "run";
  fs::path links_ = fs::path(place_.path()) / "links";
};

}  // namespace

TEST_F(Snapshots, LeaveOutWhatDoesNotOutliveTheRun) {
  for (const char* name :
       {"run.json", "lock", "spill/rows", ".run.json.part", "model.partial-12/model.json",
        "logs/rank-000.log", "checkpoints/attempt", "checkpoints/step-000000001/state.json",
        "checkpoints/step-000000002.partial/state.json", ".out.draft/part-0.csv"}) {
    Put(folder_ / name, name);
  }
  fs::create_symlink("/etc/passwd", folder_ / "link");
  const auto files = *TakeSnapshot(folder_, links_);
  EXPECT_EQ(PathsOf(files),
            (std::vector<std::string>{"logs/rank-000.log", "run.json", "checkpoints/attempt",
                                      "checkpoints/step-000000001/state.json"}));
}

TEST_F(Snapshots, KeepCheckpointsThatAreRemovedMeanwhile) {
  Put(folder_ / "checkpoints/step-000000001/state.json", "one");
  const auto files = *TakeSnapshot(folder_, links_);
  fs::remove_all(folder_ / "checkpoints");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(*ReadFile(files[0].at), "one");
}

// A writer that names the newest in a file of the newest, as checkpoints name the best weights.
TEST_F(Snapshots, AreOfOneMoment) {
  const auto step = [&](int i) { return folder_ / ("checkpoints/step-" + std::to_string(i)); };
  Put(step(0) / "state.json", "0");
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 1; !stop.stop_requested(); ++i) {
      Put(folder_ / "checkpoints/draft.partial/state.json", std::to_string(i));
      fs::rename(folder_ / "checkpoints/draft.partial", step(i));
      fs::remove_all(step(i - 1));
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
  for (int i = 0; i < 50; ++i) {
    const auto files = TakeSnapshot(folder_, links_);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_FALSE(files->empty());
    EXPECT_LE(files->size(), 2u);
    for (const SnapshotFile& file : *files) {
      EXPECT_EQ("checkpoints/step-" + *ReadFile(file.at) + "/state.json", file.path);
    }
  }
}

TEST(Growing, AreEventsAndLogs) {
  EXPECT_TRUE(OnlyGrows("events.jsonl"));
  EXPECT_TRUE(OnlyGrows("logs/rank-000.log"));
  EXPECT_FALSE(OnlyGrows("run.json"));
}

}  // namespace protium
