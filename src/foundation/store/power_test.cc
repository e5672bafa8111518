// SPDX-License-Identifier: Apache-2.0
// A loss of power at every moment, on a disk that holds what was flushed to it and nothing else.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "store/testing/store_fixture.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// What was flushed, by inode: bytes of files, names in folders.
class StrictDisk {
 public:
  void Flushed(int fd) {
    struct stat about {};
    if (::fstat(fd, &about) != 0) return;
    const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(fd));
    const Inode inode{about.st_ino, S_ISDIR(about.st_mode)};
    Held& held = held_[inode] = {};
    if (!inode.folder) held.bytes = ReadFile("/proc/self/fd/" + std::to_string(fd)).ValueOrDie();
    if (!inode.folder) return;
    for (const auto& each : fs::directory_iterator(path)) {
      held.names[each.path().filename()] = InodeOf(each.path());
    }
  }
  // Makes `to` what a machine finds of the folder `from` when the power is back.
  void Restore(const fs::path& from, const fs::path& to) const { Restore(InodeOf(from), to); }

 private:
  struct Inode {
    ino_t number = 0;
    bool folder = false;
    auto operator<=>(const Inode&) const = default;
  };
  struct Held {
    std::string bytes;
    std::map<std::string, Inode> names;
  };
  static Inode InodeOf(const fs::path& path) {
    struct stat about {};
    EXPECT_EQ(::lstat(path.c_str(), &about), 0) << path;
    return {about.st_ino, S_ISDIR(about.st_mode)};
  }
  // What was not flushed has a name and is empty.
  void Restore(const Inode& inode, const fs::path& to) const {
    const auto found = held_.find(inode);
    const Held held = found == held_.end() ? Held() : found->second;
    if (!inode.folder) return (void)(std::ofstream(to, std::ios::binary) << held.bytes);
    ASSERT_EQ(::mkdir(to.c_str(), 0700), 0) << to;
    for (const auto& [name, each] : held.names) Restore(each, to / name);
  }

  std::map<Inode, Held> held_;
};

// What has been promised by the time of a flush.
struct Promised {
  std::vector<std::string> objects;
  int64_t version = 0;  // Of the ref.
};
struct Moment {
  StrictDisk disk;
  Promised promised;
};

// One for each flush; null: nobody watches. What the disk holds changes with flushes alone.
std::vector<Moment>* moments = nullptr;

int WatchedFlush(int fd, long call) {
  if (moments != nullptr) {
    Moment next = moments->back();
    next.disk.Flushed(fd);
    moments->push_back(std::move(next));
  }
  return int(::syscall(call, fd));
}

}  // namespace
}  // namespace protium

// In place of the C library's, for the whole program.
extern "C" int fsync(int fd) { return protium::WatchedFlush(fd, SYS_fsync); }
extern "C" int fdatasync(int fd) { return protium::WatchedFlush(fd, SYS_fdatasync); }

namespace protium {
namespace {

class PowerTest : public StoreTest {
 protected:
  static constexpr const char* kRef = "training/daily";
  PowerTest() { moments = &moments_; }
  ~PowerTest() override { moments = nullptr; }

  static std::string TextFor(const std::string& name) { return "rows of " + name; }
  Promised& promised() { return moments_.back().promised; }
  void KeepAs(LocalStore& store, const std::string& name) {
    ASSERT_TRUE(Make(store, name, TextFor(name), {.seconds = 1, .synced = true}).ok());
    promised().objects.push_back(name);
    const int64_t before = promised().version;
    ASSERT_TRUE(store.refs().CompareAndSet(kRef, before, CauseOf(name)).ValueOrDie());
    promised().version = before + 1;
  }
  // What the next boot finds, and that it can go on from there.
  void Check(const Moment& moment, const fs::path& place) {
    moment.disk.Restore(folder_.path(), place);
    const auto store = OpenStore(
        {.folder = place / "a" / "store", .most_bytes = 1 << 30, .free_share = 0, .boot = "next"});
    for (const std::string& each : moment.promised.objects) {
      EXPECT_EQ(TextOf(*store, each), TextFor(each));
    }
    const auto ref = store->refs().Get(kRef).ValueOrDie();
    const int64_t version = ref ? ref->version : 0;
    EXPECT_THAT(version, testing::AllOf(testing::Ge(moment.promised.version),
                                        testing::Le(moment.promised.version + 1)));
    for (const char* name : {"first", "second", "third"}) {
      const std::string text = TextOf(*store, name);
      EXPECT_TRUE(text == "none" || text == TextFor(name)) << name << ": " << text;
      const bool named = ref && ref->object == CauseOf(name);
      EXPECT_TRUE(!named || text == TextFor(name)) << name;
    }
    EXPECT_TRUE(Make(*store, "third", TextFor("third"), {.synced = true}).ok());
    EXPECT_EQ(TextOf(*store, "third"), TextFor("third"));
  }

  std::vector<Moment> moments_{1};
};

TEST_F(PowerTest, ThatGoesAtAnyMomentTakesNothingThatWasDeclaredKept) {
  {
    StoreOptions options = Options();
    options.folder = folder_.path() / "a" / "store";
    const auto store = OpenStore(options);
    KeepAs(*store, "first");
    ASSERT_TRUE(Make(*store, "may vanish", "rows").ok());
    KeepAs(*store, "second");
    promised().objects = {"second"};
    ASSERT_TRUE(store->Remove(CauseOf("first")).ValueOrDie());
    ASSERT_TRUE(Make(*store, "third", TextFor("third")).ok());
  }
  moments = nullptr;
  EXPECT_GE(moments_.size(), 20u);
  const auto places = TemporaryFolder::Make().ValueOrDie();
  for (size_t i = 0; i < moments_.size() && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    Check(moments_[i], places.path() / std::to_string(i));
  }
}

}  // namespace
}  // namespace protium
