// SPDX-License-Identifier: Apache-2.0
#include "spark/ship/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "os/file.h"
#include "spark/ship/bundle_file.h"
#include "spark/ship/closure.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Names(const std::vector<BundleMember>& members) {
  std::vector<std::string> names;
  for (const BundleMember& member : members) names.push_back(member.name);
  return names;
}

ino_t ReadInode(const fs::path& file) {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 ? about.st_ino : 0;
}

class BundleTest : public testing::Test {
 protected:
  fs::path Path(const std::string& name) const { return folder_.path() / name; }
  fs::path Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  // Makes a bundle of one small file whose content is `text`.
  Result<Bundle> Small(const std::string& text) const {
    PT_LET(BundleMember member, MemberAt("lib/small", Write("small", text)));
    return WriteBundle(std::vector{member}, folder_.path());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(BundleTest, TheClosureOfThisProgramHoldsItsLibrariesLoaderAndLibc) {
  const auto members = ProgramClosure("/proc/self/exe");
  ASSERT_TRUE(members.ok()) << members.status();
  const auto names = Names(*members);
  EXPECT_THAT(names, Contains("bin/program"));
  EXPECT_THAT(names, Contains("lib/ld-linux-x86-64.so.2"));
  EXPECT_THAT(names, Contains("lib/libc.so.6"));
  EXPECT_THAT(names, Contains("lib/libprotium.so"));
  EXPECT_THAT(names, Contains("lib/libarrow.so.2600"));
  EXPECT_THAT(names, Not(Contains(HasSubstr("vdso"))));
  EXPECT_TRUE(std::ranges::is_sorted(names));
}

TEST_F(BundleTest, AProgramThatIsNotDynamicIsRefused) {
  const auto members = ProgramClosure(Write("script", "#!/bin/sh\n"));
  ASSERT_FALSE(members.ok());
  const Fault fault = FaultOf(members.status());
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.why, HasSubstr("not a dynamically linked program"));
}

TEST_F(BundleTest, TheSameContentHasTheSameHashAndOtherContentAnother) {
  const auto one = Small("first"), same = Small("first"), other = Small("other");
  ASSERT_TRUE(one.ok() && same.ok() && other.ok());
  EXPECT_EQ(one->hash, same->hash);
  EXPECT_NE(one->hash, other->hash);
  EXPECT_EQ(one->hash.size(), size_t{kHashDigits});
  EXPECT_EQ(one->unpacked_bytes, 5);
  EXPECT_EQ(one->bytes, static_cast<int64_t>(fs::file_size(one->file)));
  EXPECT_EQ(one->file.filename(), kBundlePrefix + one->hash);
}

TEST_F(BundleTest, TheManifestTellsSizesHashesAndNeeds) {
  const auto bundle = Small("first");
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  const std::string text = ReadFile(bundle->file).ValueOrDie();
  EXPECT_EQ(text.substr(0, 8), kBundleMagic);
  EXPECT_THAT(text, HasSubstr("protium bundle 1\ncpu sse3 "));
  EXPECT_THAT(text, HasSubstr("\ntotal 5\nf 5 " + ContentHash("first") + " lib/small\n"));
}

TEST_F(BundleTest, ABundleIsMadeOnceAndFoundAgainUntilAFileChanges) {
  const fs::path program = Path("program"), cache = Path("cache");
  fs::copy_file("/bin/true", program);
  const auto made = MakeProgramBundle(program, cache);
  ASSERT_TRUE(made.ok()) << made.status();
  const auto inode = ReadInode(made->file);
  const auto known = MakeProgramBundle(program, cache);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->hash, made->hash);
  EXPECT_EQ(known->bytes, made->bytes);
  EXPECT_EQ(ReadInode(known->file), inode);  // It was not written again.
  std::ofstream(program, std::ios::app) << "more";
  const auto other = MakeProgramBundle(program, cache);
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(other->hash, made->hash);
}

TEST_F(BundleTest, ADamagedCacheIsMadeAnew) {
  const fs::path cache = Path("cache");
  const auto made = MakeProgramBundle("/bin/true", cache);
  ASSERT_TRUE(made.ok()) << made.status();
  fs::resize_file(made->file, 10);
  for (const auto& entry : fs::directory_iterator(cache)) {
    if (entry.path().extension() == ".json") std::ofstream(entry.path()) << "{\"members\": [1]}";
  }
  const auto again = MakeProgramBundle("/bin/true", cache);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(static_cast<int64_t>(fs::file_size(again->file)), made->bytes);
}

TEST_F(BundleTest, TheCacheIsTheOwnersAloneAndKeepsEightBundles) {
  const fs::path cache = Path("cache");
  for (int i = 0; i < 10; ++i) {
    const fs::path program = Path("program" + std::to_string(i));
    fs::copy_file("/bin/true", program);
    std::ofstream(program, std::ios::app) << i;
    ASSERT_TRUE(MakeProgramBundle(program, cache).ok());
  }
  int bundles = 0;
  for (const auto& entry : fs::directory_iterator(cache)) {
    bundles += entry.path().filename().string().starts_with(kBundlePrefix);
  }
  EXPECT_EQ(bundles, 8);
  struct stat about {};
  ASSERT_EQ(::stat(cache.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700U);
}

// libsqlite3 needs libm, which /bin/true does not.
TEST_F(BundleTest, LibrariesThatAreOpenedByNameComeWithWhatTheyNeed) {
  const auto own = *ProgramClosure("/proc/self/exe"), small = *ProgramClosure("/bin/true");
  const auto sqlite = std::ranges::find(own, "lib/libsqlite3.so.0", &BundleMember::name);
  ASSERT_NE(sqlite, own.end());
  int64_t more = 0;
  for (const BundleMember& each : *LibraryClosure(sqlite->file)) {
    if (std::ranges::find(small, each.name, &BundleMember::name) == small.end()) more += each.bytes;
  }
  const auto without = MakeProgramBundle("/bin/true", Path("cache"));
  const auto with = MakeProgramBundle("/bin/true", Path("cache"), {sqlite->file});
  ASSERT_TRUE(without.ok() && with.ok()) << without.status() << with.status();
  EXPECT_GT(more, sqlite->bytes);
  EXPECT_EQ(with->unpacked_bytes, without->unpacked_bytes + more);
}

TEST(LauncherNameTest, TellsTheLauncherTheProgramAndTheLibrary) {
  const Launcher launcher{"/bin/protium-launcher", "11"};
  const Bundle program{.hash = "22"}, torch{.hash = "33"};
  EXPECT_EQ(LauncherName(launcher, program, nullptr), "protium-worker.11.22");
  EXPECT_EQ(LauncherName(launcher, program, &torch), "protium-worker.11.22.33");
}

}  // namespace
}  // namespace protium
