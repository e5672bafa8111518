// SPDX-License-Identifier: Apache-2.0
#include "os/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DiscoveryTest : public testing::Test {
 protected:
  std::filesystem::path Script(const std::string& body) {
    const auto path = folder_.path() / "gpus";
    EXPECT_TRUE(WriteFile(path, "#!/bin/sh\n" + body + "\n").ok());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  Result<DeviceList> Run(const std::string& body, int milliseconds = 20'000) {
    return DiscoverByScript(Script(body), Clock::now() + std::chrono::milliseconds(milliseconds));
  }
  Fault FaultFrom(const std::string& body) {
    const Fault fault = FaultOf(Run(body).status());
    EXPECT_EQ(fault.exit, Exit::kEnvironment);
    EXPECT_EQ(fault.where, (folder_.path() / "gpus").string());
    return fault;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(DiscoveryTest, ReadsWhatSparksScriptsPrint) {
  const auto list = Run(R"(echo '{"name": "gpu", "addresses": ["0", "GPU-8f6d/1"]}')").ValueOrDie();
  EXPECT_EQ(list.name, "gpu");
  EXPECT_THAT(list.addresses, ElementsAre("0", "GPU-8f6d/1"));
  EXPECT_THAT(Run(R"(echo '{"name": "gpu", "addresses": []}')")->addresses, IsEmpty());
}

TEST_F(DiscoveryTest, SaysWhatIsWrongWithTheAnswer) {
  EXPECT_EQ(FaultFrom("echo none").what, "the discovery script prints an answer that is not JSON");
  EXPECT_EQ(FaultFrom("echo none").why, "it printed: none\n");
  EXPECT_THAT(FaultFrom("echo '[]'").what, HasSubstr("is not an object"));
  EXPECT_THAT(FaultFrom(R"(echo '{"name":"fpga","addresses":[]}')").what,
              HasSubstr("has no \"name\""));
  EXPECT_THAT(FaultFrom(R"(echo '{"name":"gpu"}')").what, HasSubstr("no list of \"addresses\""));
  EXPECT_THAT(FaultFrom(R"(echo '{"name":"gpu","addresses":[0]}')").what,
              HasSubstr("an invalid address: 0"));
  EXPECT_THAT(FaultFrom(R"(echo '{"name":"gpu","addresses":["0,1"]}')").what, HasSubstr("0,1"));
  EXPECT_THAT(FaultFrom(R"(echo '{"name":"gpu","addresses":["1","1"]}')").what, HasSubstr("twice"));
}

TEST_F(DiscoveryTest, SaysHowTheScriptFailed) {
  const Fault failed = FaultFrom("echo no driver >&2; exit 3");
  EXPECT_EQ(failed.what, "the discovery script exited with code 3");
  EXPECT_EQ(failed.why, "no driver\n");
  EXPECT_THAT(FaultFrom("yes").what, HasSubstr("more than 64 KiB"));
  const auto late = Run("sleep 60", 200).status();
  EXPECT_THAT(FaultOf(late).what, HasSubstr("did not finish in time"));
  const auto absent = DiscoverByScript(folder_.path() / "absent", Clock::now()).status();
  EXPECT_THAT(FaultOf(absent).what, HasSubstr("cannot be run"));
  EXPECT_THAT(FaultOf(absent).why, HasSubstr("No such file"));
}

TEST(VisibleDevices, AreThoseThatCudaWouldShow) {
  EXPECT_THAT(VisibleDevices(2, nullptr), ElementsAre("0", "1"));
  EXPECT_THAT(VisibleDevices(4, "3,1"), ElementsAre("3", "1"));
  EXPECT_THAT(VisibleDevices(4, "2,7,1"), ElementsAre("2"));
  EXPECT_THAT(VisibleDevices(4, "GPU-8f6d,MIG-1"), ElementsAre("GPU-8f6d", "MIG-1"));
  EXPECT_THAT(VisibleDevices(4, ""), IsEmpty());
  EXPECT_THAT(VisibleDevices(4, "-1,0"), IsEmpty());
  EXPECT_THAT(VisibleDevices(0, nullptr), IsEmpty());
}

// Restores the environment variable.
class VisibleSetting {
 public:
  explicit VisibleSetting(const char* value) {
    const char* before = std::getenv(kName);
    if (before != nullptr) before_ = before;
    value == nullptr ? ::unsetenv(kName) : ::setenv(kName, value, 1);
  }
  ~VisibleSetting() { before_.empty() ? ::unsetenv(kName) : ::setenv(kName, before_.c_str(), 1); }

 private:
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::string before_;
};

TEST(DiscoverByDriver, AsksALibraryThatIsOpenedAtRunTime) {
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const DriverLibraries fake = {.nvml = (beside / "libfake_nvml.so").string(), .cuda = "absent"};
  const VisibleSetting all(nullptr);
  EXPECT_THAT(DiscoverByDriver(fake).addresses, ElementsAre("0", "1", "2"));
  const VisibleSetting some("2,0");
  EXPECT_THAT(DiscoverByDriver(fake).addresses, ElementsAre("2", "0"));
}

TEST(DiscoverByDriver, FindsNothingWithoutADriver) {
  const DriverLibraries absent = {.nvml = "libabsent_nvml.so", .cuda = "libabsent_cuda.so"};
  EXPECT_THAT(DiscoverByDriver(absent).addresses, IsEmpty());
  EXPECT_EQ(DiscoverByDriver(absent).name, "gpu");
}

}  // namespace
}  // namespace protium
