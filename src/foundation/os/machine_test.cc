// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <gtest/gtest.h>

#include "os/file.h"

namespace protium {
namespace {

class FakeRoot {
 public:
  FakeRoot() : folder_(TemporaryFolder::Make().ValueOrDie()) {
    Put("proc/meminfo", "MemTotal:  1000000 kB\nMemAvailable:  600000 kB\n");
  }
  void Put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(MakeFolder((path() / name).parent_path()).ok());
    ASSERT_TRUE(WriteFile(path() / name, text).ok());
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

TEST(Machine, HasItsMemoryWithoutACgroup) {
  const FakeRoot root;
  const Machine machine = ReadMachine(root.path());
  EXPECT_EQ(machine.memory_bytes, 1000000 * 1024LL);
  EXPECT_EQ(machine.available_bytes, 600000 * 1024LL);
  EXPECT_FALSE(machine.limited_by_cgroup);
  EXPECT_GE(machine.cores, 1);
}

TEST(Machine, TakesTheTightestGroupOfVersionTwo) {
  FakeRoot root;
  root.Put("proc/self/cgroup", "0::/a/b\n");
  root.Put("sys/fs/cgroup/a/b/memory.max", "max\n");
  root.Put("sys/fs/cgroup/a/memory.max", "500000\n");
  root.Put("sys/fs/cgroup/a/memory.current", "200000\n");
  root.Put("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  const Machine machine = ReadMachine(root.path());
  EXPECT_EQ(machine.memory_bytes, 500000);
  EXPECT_EQ(machine.available_bytes, 300000);
  EXPECT_TRUE(machine.limited_by_cgroup);
  EXPECT_EQ(machine.cores, 1);
}

TEST(Machine, KnowsVersionOneAndIgnoresItsAbsurdLimit) {
  FakeRoot root;
  root.Put("proc/self/cgroup", "5:memory:/x\n3:cpu,cpuacct:/x\n");
  root.Put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(ReadMachine(root.path()).limited_by_cgroup);
  root.Put("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096\n");
  EXPECT_EQ(ReadMachine(root.path()).memory_bytes, 4096);
}

TEST(Machine, SaysHowMuchOfTheTimeProcessesWaitForMemory) {
  FakeRoot root;
  EXPECT_EQ(ReadMachine(root.path()).memory_stall, 0);
  root.Put("proc/pressure/memory",
           "some avg10=12.50 avg60=0.87 avg300=0.73 total=12\nfull avg10=90.00 avg60=0.1\n");
  EXPECT_DOUBLE_EQ(ReadMachine(root.path()).memory_stall, 0.125);
  root.Put("proc/self/cgroup", "0::/a/b\n");
  root.Put("sys/fs/cgroup/a/memory.pressure", "some avg10=30.00 avg60=0.00 avg300=0 total=1\n");
  EXPECT_DOUBLE_EQ(ReadMachine(root.path()).memory_stall, 0.3);
  root.Put("proc/pressure/memory", "some\n");
  root.Put("sys/fs/cgroup/a/memory.pressure", "");
  EXPECT_EQ(ReadMachine(root.path()).memory_stall, 0);
}

TEST(Machine, OfThisProcessIsSensible) {
  const Machine machine = ReadMachine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_bytes, 1 << 20);
  EXPECT_LE(machine.available_bytes, machine.memory_bytes);
  EXPECT_FALSE(HostName().empty());
}

}  // namespace
}  // namespace protium
