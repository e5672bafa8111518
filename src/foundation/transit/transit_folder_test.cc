// SPDX-License-Identifier: Apache-2.0
#include "transit/transit_folder.h"

#include <arrow/filesystem/localfs.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

bool IsJsonl(const std::string& path) { return path.ends_with(".jsonl"); }

// A store in a local folder, and two hosts that meet there.
class TransitFolders : public testing::Test {
 protected:
  std::unique_ptr<TransitFolder> Host(const std::string& name, TransitTerms terms) {
    terms.folder = scratch_.path() / name;
    terms.meeting = "first";
    terms.writer = name;
    terms.grows = IsJsonl;
    EXPECT_TRUE(MakeFolder(terms.folder).ok());
    // Stores have no folders; a local file system does.
    EXPECT_TRUE(MakeFolder(At("store/first/index")).ok());
    EXPECT_TRUE(MakeFolder(At("store/first/data/" + name)).ok());
    auto files = std::make_shared<arrow::fs::LocalFileSystem>();
    const auto store = ObjectStore::Over(ObjectPlace::Parse("s3://lake/runs").ValueOrDie(), files,
                                         (scratch_.path() / "store").string());
    return TransitFolder::Make(store, std::move(terms));
  }
  fs::path At(const std::string& path) const { return scratch_.path() / path; }
  void Write(const std::string& path, const std::string& text) const {
    fs::create_directories(At(path).parent_path());
    std::ofstream(At(path), std::ios::binary) << text;
  }
  void Add(const std::string& path, const std::string& text) const {
    fs::create_directories(At(path).parent_path());
    std::ofstream(At(path), std::ios::binary | std::ios::app) << text;
  }
  std::string Text(const std::string& path) const { return ReadFile(At(path)).ValueOr("nothing"); }
  size_t Objects() const {
    size_t count = 0;
    for (const auto& each : fs::recursive_directory_iterator(At("store"))) {
      count += each.path().string().find("/data/") != std::string::npos && each.is_regular_file();
    }
    return count;
  }
  static bool All(const std::string&) { return true; }

  const TemporaryFolder scratch_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(TransitFolders, WhatOneWritesAppearsAtTheOther) {
  const auto rank = Host("rank", {.sends = {"."}});
  const auto driver = Host("driver", {.takes = All});
  Write("rank/checkpoints/step-1/weights", std::string(300'000, 'w'));
  Write("rank/checkpoints/step-2.partial/weights", "half");
  ASSERT_TRUE(rank->Exchange().ok());
  ASSERT_TRUE(driver->Exchange().ok());
  EXPECT_EQ(Text("driver/checkpoints/step-1/weights"), std::string(300'000, 'w'));
  EXPECT_FALSE(fs::exists(At("driver/checkpoints/step-2.partial")));
  // Changed, removed, empty, and another one.
  Write("rank/name", "one");
  Write("rank/empty", "");
  ASSERT_TRUE(rank->Exchange().ok() && driver->Exchange().ok());
  EXPECT_EQ(Text("driver/name"), "one");
  EXPECT_EQ(Text("driver/empty"), "");
  Write("rank/name", "second");
  fs::remove_all(At("rank/checkpoints/step-1"));
  ASSERT_TRUE(rank->Exchange().ok() && driver->Exchange().ok());
  EXPECT_EQ(Text("driver/name"), "second");
  EXPECT_FALSE(fs::exists(At("driver/checkpoints")));
}

TEST_F(TransitFolders, LinesAreAppendedInFewObjects) {
  const auto rank = Host("rank", {.sends = {"."}});
  const auto driver = Host("driver", {.takes = All});
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string line = "{\"line\":" + std::string(size_t(i), '7') + "}\n";
    Add("rank/events/000-1.jsonl", line);
    all += line;
    ASSERT_TRUE(rank->Exchange().ok());
    if (i % 7 == 0) {
      ASSERT_TRUE(driver->Exchange().ok());
      EXPECT_EQ(Text("driver/events/000-1.jsonl"), all);
    }
  }
  ASSERT_TRUE(driver->Exchange().ok());
  EXPECT_EQ(Text("driver/events/000-1.jsonl"), all);
}

TEST_F(TransitFolders, AFileIsNotSentBack) {
  const auto rank = Host("rank", {.sends = {"."}, .takes = All});
  const auto driver = Host("driver", {.sends = {"events", "net.pt"}, .takes = All});
  Write("driver/net.pt", "net");
  Write("driver/other", "not for ranks");
  Write("driver/events/stop", "stop\n");
  Add("rank/events/000-1.jsonl", "{}\n");
  ASSERT_TRUE(driver->Exchange().ok() && rank->Exchange().ok() && driver->Exchange().ok());
  EXPECT_EQ(Text("rank/net.pt"), "net");
  EXPECT_EQ(Text("rank/events/stop"), "stop\n");
  EXPECT_FALSE(fs::exists(At("rank/other")));
  EXPECT_EQ(Text("driver/events/000-1.jsonl"), "{}\n");
  const size_t objects = Objects();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(rank->Exchange().ok() && driver->Exchange().ok());
  EXPECT_EQ(Objects(), objects);
}

TEST_F(TransitFolders, APieceThatIsMissingComesLater) {
  const auto rank = Host("rank", {.sends = {"."}});
  const auto driver = Host("driver", {.takes = All});
  Add("rank/a.jsonl", std::string(100'000, 'a'));
  ASSERT_TRUE(rank->Exchange().ok());
  Add("rank/a.jsonl", "b");
  ASSERT_TRUE(rank->Exchange().ok());
  const fs::path second = At("store/first/data/rank/000002");
  ASSERT_TRUE(fs::exists(second));
  fs::rename(second, At("hidden"));
  const Status cut = driver->Exchange();
  EXPECT_FALSE(cut.ok());
  EXPECT_EQ(Text("driver/a.jsonl"), "") << "half of it would be read as lines";
  fs::rename(At("hidden"), second);
  ASSERT_TRUE(driver->Exchange().ok());
  EXPECT_EQ(Text("driver/a.jsonl"), std::string(100'000, 'a') + "b");
}

TEST_F(TransitFolders, AnIndexThatLeavesTheFolderIsRefused) {
  const auto driver = Host("driver", {.takes = All});
  for (const char* path : {"../out", "/out", "a/../../out", "", "a/"}) {
    TransitIndex index;
    index.files.push_back({path, false, {{"first/data/rank/000001", 1}}});
    Write("store/first/index/rank", IndexText(index));
    const Status status = driver->Exchange();
    EXPECT_EQ(FaultOf(status).exit, Exit::kRemote) << path;
  }
  EXPECT_FALSE(fs::exists(At("out")));
}

// A rank takes what its config names once, and then writes there itself.
TEST_F(TransitFolders, WhatIsNoLongerTakenStays) {
  const auto driver = Host("driver", {.sends = {"."}});
  bool takes = true;
  const auto rank = Host("rank", {.takes = [&](const std::string&) { return takes; }});
  Write("driver/best", "weights");
  ASSERT_TRUE(driver->Exchange().ok() && rank->Exchange().ok());
  takes = false;
  Write("driver/sign", "1");
  ASSERT_TRUE(driver->Exchange().ok() && rank->Exchange().ok());
  EXPECT_EQ(Text("rank/best"), "weights");
  fs::remove(At("driver/best"));
  ASSERT_TRUE(driver->Exchange().ok() && rank->Exchange().ok());
  EXPECT_FALSE(fs::exists(At("rank/best")));
}

// A rank's file, of which the driver tells the others.
TEST_F(TransitFolders, WhatTheLeaderKnewOfIsThereWhenItsWordIs) {
  const auto first = Host("0", {.sends = {"."}});
  const auto driver = Host("driver", {.sends = {"events"}, .takes = All});
  const auto second = Host("1", {.takes = All, .leader = "driver"});
  Write("0/rows", std::string(100, 'r'));
  ASSERT_TRUE(first->Exchange().ok() && driver->Exchange().ok());
  Write("driver/events/parts", "rows");
  ASSERT_TRUE(driver->Exchange().ok());
  fs::rename(At("store/first/data/0/000001"), At("hidden"));
  EXPECT_FALSE(second->Exchange().ok());
  EXPECT_FALSE(fs::exists(At("1/events/parts"))) << "it speaks of rows that are not here yet";
  fs::rename(At("hidden"), At("store/first/data/0/000001"));
  ASSERT_TRUE(second->Exchange().ok());
  EXPECT_EQ(Text("1/events/parts"), "rows");
  EXPECT_EQ(Text("1/rows"), std::string(100, 'r'));
}

TEST_F(TransitFolders, ExchangesByItself) {
  const auto rank = Host("rank", {.sends = {"."}, .tick = std::chrono::milliseconds(5)});
  const auto driver = Host("driver", {.takes = All, .tick = std::chrono::milliseconds(5)});
  rank->Start();
  driver->Start();
  Write("rank/name", "one");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Text("driver/name") != "one" && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(Text("driver/name"), "one");
}

}  // namespace
}  // namespace protium
