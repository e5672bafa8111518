// SPDX-License-Identifier: Apache-2.0
#include "os/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "os/file.h"

namespace protium {
namespace {

class FileLock : public testing::Test {
 protected:
  UniqueFd Open() const {
    return UniqueFd(::open((folder_.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(FileLock, IsSeenByOthersUntilItsFileIsClosed) {
  UniqueFd owner = Open();
  const UniqueFd other = Open();
  EXPECT_FALSE(IsLockedByOthers(other.get()));
  ASSERT_TRUE(LockFile(owner.get()).ok());
  EXPECT_TRUE(IsLockedByOthers(other.get()));
  EXPECT_FALSE(IsLockedByOthers(owner.get()));
  EXPECT_FALSE(LockFile(other.get()).ok());
  // The process may open and close the same file meanwhile.
  Open().reset();
  EXPECT_TRUE(IsLockedByOthers(other.get()));
  owner.reset();
  EXPECT_FALSE(IsLockedByOthers(other.get()));
}

}  // namespace
}  // namespace protium
