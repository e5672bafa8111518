// SPDX-License-Identifier: Apache-2.0
// The library's functions beside glibc's own of the same names.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <set>
#include <string>

namespace protium {
namespace {

class OlderGlibc : public testing::Test {
 protected:
  void SetUp() override {
    library_ = ::dlopen(PROTIUM_OLDER_GLIBC, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
  }

  // The library's function of the name of `glibcs`, which is another one.
  template <class Function>
  Function* Ours(const char* name, Function* glibcs) {
    auto* const found = reinterpret_cast<Function*>(::dlsym(library_, name));
    EXPECT_NE(found, nullptr) << name;
    EXPECT_NE(found, glibcs) << name;
    return found;
  }

 private:
  void* library_ = nullptr;
};

bool Same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode &&
         a.st_size == b.st_size && a.st_nlink == b.st_nlink && a.st_blocks == b.st_blocks &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

TEST_F(OlderGlibc, DescribesFilesAsGlibcDoes) {
  struct stat ours = {}, glibcs = {};
  ASSERT_EQ(Ours("stat", &::stat)("/proc/self/exe", &ours), 0);
  ASSERT_EQ(::stat("/proc/self/exe", &glibcs), 0);
  EXPECT_TRUE(Same(ours, glibcs));
  ASSERT_EQ(Ours("lstat", &::lstat)("/proc/self/exe", &ours), 0);
  EXPECT_TRUE(S_ISLNK(ours.st_mode));
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(Ours("fstat", &::fstat)(fd, &ours), 0);
  ::close(fd);
  EXPECT_TRUE(Same(ours, glibcs));
  const int folder = ::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  auto* const at = Ours("fstatat", &::fstatat);
  ASSERT_EQ(at(folder, "exe", &ours, 0), 0);
  EXPECT_TRUE(Same(ours, glibcs));
  ASSERT_EQ(at(folder, "exe", &ours, AT_SYMLINK_NOFOLLOW), 0);
  EXPECT_TRUE(S_ISLNK(ours.st_mode));
  ::close(folder);
  EXPECT_EQ(Ours("stat", &::stat)("/no/such/file", &ours), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(OlderGlibc, NamesSignalsAsGlibcDoes) {
  auto* const name = Ours("sigabbrev_np", &::sigabbrev_np);
  for (int signal = -1; signal < 65; ++signal) {
    const char* const glibcs = ::sigabbrev_np(signal);
    if (glibcs == nullptr) {
      EXPECT_EQ(name(signal), nullptr) << signal;
    } else {
      EXPECT_STREQ(name(signal), glibcs);
    }
  }
}

TEST_F(OlderGlibc, KnowsTheThread) { EXPECT_EQ(Ours("gettid", &::gettid)(), ::gettid()); }

TEST_F(OlderGlibc, DrawsOtherNumbersEachTime) {
  auto* const draw = Ours("arc4random", &::arc4random);
  std::set<uint32_t> drawn;
  for (int i = 0; i < 8; ++i) drawn.insert(draw());
  EXPECT_GT(drawn.size(), 4u);
}

timespec InMillis(clockid_t clock, int64_t millis) {
  timespec moment;
  ::clock_gettime(clock, &moment);
  const int64_t nanos = moment.tv_nsec + millis % 1000 * 1000000;
  return {.tv_sec = moment.tv_sec + millis / 1000 + nanos / 1000000000,
          .tv_nsec = nanos % 1000000000};
}

TEST_F(OlderGlibc, WaitsUntilAMomentOfEitherClock) {
  auto* const wait = Ours("pthread_cond_clockwait", &::pthread_cond_clockwait);
  auto* const lock = Ours("pthread_mutex_clocklock", &::pthread_mutex_clocklock);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    const auto start = std::chrono::steady_clock::now();
    ::pthread_mutex_lock(&mutex);
    timespec until = InMillis(clock, 20);
    EXPECT_EQ(wait(&condition, &mutex, clock, &until), ETIMEDOUT);
    until = InMillis(clock, 20);
    EXPECT_EQ(lock(&mutex, clock, &until), ETIMEDOUT);
    ::pthread_mutex_unlock(&mutex);
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(38));
    until = InMillis(clock, 20);
    EXPECT_EQ(lock(&mutex, clock, &until), 0);
    ::pthread_mutex_unlock(&mutex);
  }
}

}  // namespace
}  // namespace protium
