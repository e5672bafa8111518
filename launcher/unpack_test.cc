// SPDX-License-Identifier: Apache-2.0
// Tests the launcher with bundles that nobody should send, and with many.
#include "launcher/unpack.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/lock.h"
#include "launcher/place.h"
#include "launcher/sweep.h"
#include "launcher/test_bundle.h"
#include "os/file.h"
#include "spark/ship/bundle_file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using launcher::Text;
using launcher::Unpacked;
using testing::HasSubstr;

class UnpackTest : public testing::Test {
 protected:
  // Unpacks into a new folder; returns why it failed, or empty.
  std::string TryToUnpack(const RawBundle& raw) {
    const fs::path file = folder_.path() / "bundle";
    std::ofstream(file, std::ios::binary) << raw.bytes;
    fs::remove_all(Target());
    fs::create_directory(Target());
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    const UniqueFd into(::open(Target().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    launcher::BundleFile bundle;
    Text why;
    if (!launcher::OpenBundleFile(fd.get(), raw.hash.c_str(), &bundle, &why)) return why.chars;
    const Unpacked unpacked = launcher::Unpack(bundle, into.get(), &why);
    launcher::Free(&bundle.manifest);
    return unpacked == Unpacked::kWhole ? "" : why.chars;
  }
  fs::path Target() const { return folder_.path() / "unpacked"; }
  std::string ReadContent(const std::string& name) const {
    return ReadFile(Target() / name).ValueOrDie();
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(UnpackTest, FilesAreWrittenForTheOwnerAlone) {
  const RawBundle raw =
      AssembleBundle(BundleHead(9) + BundleLine("bin/program", "hello", 'x') +
                         BundleLine("lib/empty", "") + BundleLine("lib/liba.so.1", "libs"),
                     "hellolibs");
  ASSERT_EQ(TryToUnpack(raw), "");
  EXPECT_EQ(ReadContent("bin/program"), "hello");
  EXPECT_EQ(ReadContent("lib/empty"), "");
  EXPECT_EQ(ReadContent("lib/liba.so.1"), "libs");
  struct stat about {};
  ASSERT_EQ(::stat((Target() / "bin/program").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0500U);
  ASSERT_EQ(::stat((Target() / "lib/liba.so.1").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0400U);
}

TEST_F(UnpackTest, EveryDamagedByteIsFoundOrHarmless) {
  const std::string content(300, 'c');
  const RawBundle whole = AssembleBundle(BundleHead(300) + BundleLine("lib/a", content), content);
  ASSERT_EQ(TryToUnpack(whole), "");
  int found = 0;
  for (size_t i = 0; i < whole.bytes.size(); ++i) {
    RawBundle damaged = whole;
    damaged.bytes[i] = static_cast<char>(damaged.bytes[i] ^ 0x11);
    if (TryToUnpack(damaged).empty()) {
      EXPECT_EQ(ReadContent("lib/a"), content) << i;
    } else {
      ++found;
    }
  }
  // A few bits in the frame's header do not change the content.
  EXPECT_GE(found, static_cast<int>(whole.bytes.size()) - 3);
}

TEST_F(UnpackTest, ACutBundleIsFoundWhereverItIsCut) {
  const std::string content = "some content that is not repeated";
  const RawBundle whole =
      AssembleBundle(BundleHead(content.size()) + BundleLine("lib/a", content), content);
  for (size_t size = 0; size < whole.bytes.size(); ++size) {
    EXPECT_NE(TryToUnpack({whole.bytes.substr(0, size), whole.hash}), "") << size;
  }
  EXPECT_NE(TryToUnpack({whole.bytes + "x", whole.hash}), "");
  EXPECT_NE(TryToUnpack({whole.bytes + CompressedFrame("more"), whole.hash}), "");
}

TEST_F(UnpackTest, AnotherContentThanTheListNamesIsRefused) {
  const std::string manifest = BundleHead(5) + BundleLine("lib/a", "first");
  EXPECT_THAT(TryToUnpack(AssembleBundle(manifest, "other")), HasSubstr("lib/a has another hash"));
  EXPECT_THAT(TryToUnpack(AssembleBundle(manifest, "fir")), HasSubstr("cut short"));
  EXPECT_THAT(TryToUnpack(AssembleBundle(manifest, "firstmore")), HasSubstr("it holds more"));
}

TEST_F(UnpackTest, NamesThatLeaveTheFolderAreRefused) {
  for (const char* name :
       {"../a", "/etc/a", "a", "lib/../a", "lib/a/b", "lib/", "bin/..", "lib/.hidden", "etc/a",
        "lib//a", "lib/a b", "lib/a\\b", "./lib/a", "lib/\x01", "lib/\xc3\xa9"}) {
    EXPECT_NE(TryToUnpack(AssembleBundle(BundleHead(1) + BundleLine(name, "a"), "a")), "") << name;
  }
  const std::string long_name = "lib/" + std::string(kMaxBundleName, 'a');
  EXPECT_NE(TryToUnpack(AssembleBundle(BundleHead(1) + BundleLine(long_name, "a"), "a")), "");
  EXPECT_EQ(TryToUnpack(AssembleBundle(BundleHead(1) + BundleLine("lib/a..b+_-", "a"), "a")), "");
}

TEST_F(UnpackTest, AFileThatStandsTwiceInTheListIsRefused) {
  const RawBundle raw =
      AssembleBundle(BundleHead(2) + BundleLine("lib/a", "a") + BundleLine("lib/a", "b"), "ab");
  EXPECT_THAT(TryToUnpack(raw), HasSubstr("lib/a occurs in it twice"));
}

TEST_F(UnpackTest, ListsThatLieAboutSizesAreRefused) {
  const std::string hash = ContentHash("a");
  for (const std::string& manifest :
       {BundleHead(2) + BundleLine("lib/a", "a"), BundleHead(0) + BundleLine("lib/a", "a"),
        "protium bundle 1\ncpu \ntotal 99999999999999\n" + BundleLine("lib/a", "a"),
        BundleHead(1) + "f -1 " + hash + " lib/a\n", BundleHead(1) + "f 1 " + hash + " lib/a",
        BundleHead(1) + "f 1 short lib/a\n", BundleHead(1) + "d 1 " + hash + " lib/a\n",
        BundleHead(1) + BundleLine("lib/a", "a") + "\n",
        "protium bundle 2\n" + BundleLine("lib/a", "a"),
        BundleHead(999999999999) + "f 999999999999 " + hash + " lib/a\n", std::string()}) {
    EXPECT_NE(TryToUnpack(AssembleBundle(manifest, "a")), "") << manifest;
  }
  RawBundle huge = AssembleBundle(BundleHead(1) + BundleLine("lib/a", "a"), "a");
  huge.bytes.replace(8, 4, std::string(4, '\xff'));
  EXPECT_NE(TryToUnpack(huge), "");
}

TEST_F(UnpackTest, FeaturesThatTheProcessorLacksAreNamed) {
  launcher::Manifest manifest;
  std::snprintf(manifest.cpu, sizeof manifest.cpu, "sse3 quantum9");
  EXPECT_STREQ(launcher::MissingFeatures(manifest).chars, " quantum9");
}

// The folder of bundles, filled by hand.
class SweepTest : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = UniqueFd(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string Hash(int i) const {
    std::string hash = std::to_string(i);
    return std::string(kHashDigits - hash.size(), 'a') + hash;
  }
  // Bundle `i`, last used `i` hours ago.
  void Keep(int i, int64_t bytes = 1) {
    fs::create_directories(folder_.path() / Hash(i) / "lib");
    std::ofstream(folder_.path() / Hash(i) / "lib" / "a").close();
    fs::resize_file(folder_.path() / Hash(i) / "lib" / "a", bytes);
    const fs::path lock = folder_.path() / (Hash(i) + ".lock");
    std::ofstream(lock).close();
    fs::last_write_time(lock, fs::file_time_type::clock::now() - std::chrono::hours(i));
  }
  bool Has(const std::string& name) const { return fs::exists(folder_.path() / name); }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  UniqueFd fd_;
};

TEST_F(SweepTest, TheLongestUnusedGoFirstAndThoseInUseStay) {
  for (int i = 1; i <= 12; ++i) Keep(i);
  const UniqueFd used(launcher::TryLock(fd_.get(), Hash(11).c_str(), launcher::Hold::kShared));
  ASSERT_TRUE(used);
  launcher::Sweep(fd_.get(), Hash(99).c_str(), 1);
  for (int i = 1; i <= 12; ++i) {
    const bool stays = i < launcher::kMaxKept || i == 11;
    EXPECT_EQ(Has(Hash(i)), stays) << i;
    EXPECT_EQ(Has(Hash(i) + ".lock"), stays) << i;
  }
}

TEST_F(SweepTest, TooManyBytesGoEvenWhenTheyAreFewBundles) {
  Keep(1);
  Keep(2, launcher::kMaxKeptBytes - 10);  // A sparse file: it takes no room on the disk.
  launcher::Sweep(fd_.get(), Hash(99).c_str(), 100);
  EXPECT_TRUE(Has(Hash(1)));
  EXPECT_FALSE(Has(Hash(2)));
}

TEST_F(SweepTest, WhatADeadProcessLeftGoesAndWhatIsBeingUnpackedStays) {
  Keep(1);
  Keep(2);
  for (int i : {1, 2}) fs::create_directories(folder_.path() / (Hash(i) + ".new") / "lib");
  const UniqueFd held(launcher::TryLock(fd_.get(), Hash(2).c_str(), launcher::Hold::kAlone));
  ASSERT_TRUE(held);
  launcher::Sweep(fd_.get(), Hash(99).c_str(), 1);
  EXPECT_FALSE(Has(Hash(1) + ".new"));
  EXPECT_TRUE(Has(Hash(1)));
  EXPECT_TRUE(Has(Hash(2) + ".new"));
}

TEST_F(SweepTest, ALockOfARemovedBundleIsNotTaken) {
  const std::string hash = Hash(1);
  const UniqueFd held(launcher::TryLock(fd_.get(), hash.c_str(), launcher::Hold::kAlone));
  ASSERT_TRUE(held);
  EXPECT_LT(launcher::TryLock(fd_.get(), hash.c_str(), launcher::Hold::kShared), 0);
  fs::remove(folder_.path() / (hash + ".lock"));
  EXPECT_FALSE(launcher::TryConvert(held.get(), launcher::Hold::kShared));
  const UniqueFd anew(launcher::TryLock(fd_.get(), hash.c_str(), launcher::Hold::kShared));
  EXPECT_TRUE(anew);
}

}  // namespace
}  // namespace protium
