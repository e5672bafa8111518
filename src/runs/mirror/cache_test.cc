// SPDX-License-Identifier: Apache-2.0
#include "mirror/cache.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "os/file.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

class Caches : public testing::Test {
 protected:
  Caches() { setenv("XDG_CACHE_HOME", fs::path(place_.path()).c_str(), 1); }
  ~Caches() override { unsetenv("XDG_CACHE_HOME"); }
  TemporaryFolder place_ = *TemporaryFolder::Make();
};

}  // namespace

TEST_F(Caches, HaveAFolderForEachPlace) {
  const fs::path a = *CacheOf(*ObjectPlace::Parse("s3://bucket/runs"));
  const fs::path b = *CacheOf(*ObjectPlace::Parse("s3://bucket-runs"));
  EXPECT_NE(a, b);
  EXPECT_TRUE(fs::is_directory(a));
  EXPECT_TRUE(a.filename().string().starts_with("s3-bucket-runs-")) << a;
}

TEST_F(Caches, RememberWhatIsKnown) {
  const fs::path run = *CacheOf(*ObjectPlace::Parse("s3://bucket/runs")) / "a-1";
  EXPECT_TRUE(ReadCacheState(run).files.empty());
  CacheState state{.place = "s3://bucket/runs/a-1", .token = "k3x9", .ahead = true};
  state.files["run.json"] = {.content = "ab", .bytes = 3, .inode = 4, .changed = 5};
  ASSERT_TRUE(WriteCacheState(run, state).ok());
  const CacheState read = ReadCacheState(run);
  EXPECT_EQ(read.token, "k3x9");
  EXPECT_TRUE(read.ahead);
  EXPECT_EQ(read.files, state.files);
  ASSERT_TRUE(WriteFile(run.parent_path() / ".state/a-1.json", "{").ok());
  EXPECT_TRUE(ReadCacheState(run).token.empty());
}

TEST_F(Caches, AreChangedByOneAtATime) {
  const fs::path run = *CacheOf(*ObjectPlace::Parse("s3://bucket/runs")) / "a-1";
  ASSERT_TRUE(fs::create_directories(run));
  { EXPECT_TRUE(CacheLock::Take(run).ok()); }
  EXPECT_TRUE(CacheLock::Take(run).ok());
}

}  // namespace protium
