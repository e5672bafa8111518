// SPDX-License-Identifier: Apache-2.0
#include "store/input_hashes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

class InputHashesTest : public StoreTest {
 protected:
  InputHashesTest() : file_(folder_.path() / "flights.csv") { Write("a,b\n1,2\n"); }
  void Write(const std::string& text) { std::ofstream(file_, std::ios::binary) << text; }
  // Sets the file's times back, as a program that wants to be unseen would.
  void SetTimes(const struct timespec& time) {
    const struct timespec both[2] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), both, 0), 0);
  }

  static constexpr int64_t kLater = 10'000'000'000;
  int64_t later_ = InputHashes::SystemNow() + kLater;
  std::filesystem::path file_;
  bool fresh_ = false;
  std::unique_ptr<StoreIndex> index_ =
      StoreIndex::Open(folder_.path() / "index.sqlite", fresh_).ValueOrDie();
  InputHashes hashes_{*index_, [this] { return later_; }};
};

TEST_F(InputHashesTest, EqualBytesHaveEqualHashesWhateverTheirFile) {
  const auto first = hashes_.Hash(file_).ValueOrDie();
  const auto copy = folder_.path() / "copy.csv";
  std::filesystem::copy_file(file_, copy);
  EXPECT_EQ(hashes_.Hash(copy).ValueOrDie().hash, first.hash);
  EXPECT_EQ(first.hash.size(), 32u);
  Write("a,b\n1,3\n");
  EXPECT_NE(hashes_.Hash(file_).ValueOrDie().hash, first.hash);
}

TEST_F(InputHashesTest, AFileThatHasNotChangedIsNotReadAgain) {
  const auto first = hashes_.Hash(file_).ValueOrDie();
  ASSERT_TRUE(index_->PutFileHash(first.stamp, "remembered").ok());
  EXPECT_EQ(hashes_.Hash(file_).ValueOrDie().hash, "remembered");
}

TEST_F(InputHashesTest, AYoungFileIsNotTrusted) {
  later_ = InputHashes::SystemNow();
  const auto first = hashes_.Hash(file_).ValueOrDie();
  EXPECT_FALSE(index_->FileHash(first.stamp).ValueOrDie());
  // A rewrite of the same size within the clock's tick: the same stamp, as far as anyone can see.
  Write("a,b\n1,9\n");
  auto same = first;
  same.stamp = hashes_.Hash(file_).ValueOrDie().stamp;
  EXPECT_FALSE(hashes_.IsUnchanged(file_, same).ValueOrDie());
}

TEST_F(InputHashesTest, AFileFromTheFutureIsNotTrusted) {
  later_ = InputHashes::SystemNow() - kLater;  // The clock was set back.
  const auto first = hashes_.Hash(file_).ValueOrDie();
  EXPECT_FALSE(index_->FileHash(first.stamp).ValueOrDie());
}

TEST_F(InputHashesTest, TimesThatWereSetBackDoNotHideARewrite) {
  struct stat about {};
  ASSERT_EQ(::stat(file_.c_str(), &about), 0);
  const auto first = hashes_.Hash(file_).ValueOrDie();
  ASSERT_TRUE(index_->FileHash(first.stamp).ValueOrDie());
  Write("a,b\n1,9\n");
  SetTimes(about.st_mtim);
  EXPECT_FALSE(hashes_.IsUnchanged(file_, first).ValueOrDie());
  EXPECT_NE(hashes_.Hash(file_).ValueOrDie().hash, first.hash);
}

TEST_F(InputHashesTest, AFolderHasNoHash) {
  EXPECT_EQ(FaultOf(hashes_.Hash(folder_.path()).status()).exit, Exit::kInput);
  EXPECT_EQ(FaultOf(hashes_.Hash(folder_.path() / "none").status()).exit, Exit::kInput);
}

}  // namespace
}  // namespace protium
