// SPDX-License-Identifier: Apache-2.0
#include "pipeline/torch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

// A folder as "pip install torch" makes it, with empty libraries.
class TorchFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(lib_);
    ::setenv(kLibTorchVariable, torch_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv(kLibTorchVariable);
    ::unsetenv(kDeviceVariable);
  }
  void Put(const std::filesystem::path& file, const std::string& text = "x") {
    ASSERT_TRUE(WriteFile(file, text).ok());
  }
  void PutVersion(const std::string& version) {
    Put(torch_ / "version.py", "from typing import Optional\n\n__version__ = '" + version + "'\n");
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::filesystem::path torch_ = folder_.path() / "torch";
  std::filesystem::path lib_ = torch_ / "lib";
};

TEST_F(TorchFolder, IsThatOfTheLibrariesWhicheverIsNamed) {
  Put(lib_ / "libtorch_cpu.so");
  EXPECT_EQ(GivenLibTorch().ValueOrDie(), lib_);
  ::setenv(kLibTorchVariable, lib_.c_str(), 1);
  EXPECT_EQ(GivenLibTorch().ValueOrDie(), lib_);
  ::setenv(kLibTorchVariable, "", 1);
  EXPECT_EQ(GivenLibTorch().ValueOrDie(), "");
}

TEST_F(TorchFolder, WithoutLibTorchIsRefused) {
  const Fault fault = FaultOf(GivenLibTorch().status());
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.what, HasSubstr("there is no LibTorch in " + torch_.string()));
  EXPECT_THAT(fault.fix, HasSubstr("pip install torch"));
}

TEST_F(TorchFolder, OfAnotherVersionIsRefused) {
  if (std::string(PROTIUM_TORCH_VERSION).empty()) GTEST_SKIP() << "built without LibTorch";
  Put(lib_ / "libtorch_cpu.so");
  PutVersion(PROTIUM_TORCH_VERSION "+cu130");
  EXPECT_EQ(GivenLibTorch().ValueOrDie(), lib_);
  PutVersion("1.13.1+cu117");
  EXPECT_EQ(FaultOf(GivenLibTorch().status()).why,
            "it is 1.13.1, this program is built for " PROTIUM_TORCH_VERSION);
  // An archive of LibTorch contains no Python file.
  std::filesystem::remove(torch_ / "version.py");
  Put(torch_ / "build-version", "2.0.0+cu118\n");
  EXPECT_THAT(FaultOf(GivenLibTorch().status()).why, HasSubstr("it is 2.0.0"));
}

TEST_F(TorchFolder, MustHaveCudaForAGang) {
  Put(lib_ / "libtorch_cpu.so");
  EXPECT_THAT(FaultOf(CheckGpuLibraries()).why, HasSubstr("no libtorch_cuda.so"));
  Put(lib_ / "libtorch_cuda.so");
  EXPECT_TRUE(CheckGpuLibraries().ok());
  ::unsetenv(kLibTorchVariable);
  EXPECT_THAT(FaultOf(CheckGpuLibraries()).what, HasSubstr("none is named"));
}

TEST_F(TorchFolder, NeedsNoneWhereTheCpuStandsIn) {
  ::unsetenv(kLibTorchVariable);
  EXPECT_EQ(GivenDeviceUse(), DeviceUse::kLeased);
  ::setenv(kDeviceVariable, "cpu", 1);
  EXPECT_EQ(GivenDeviceUse(), DeviceUse::kStandIn);
  EXPECT_TRUE(CheckGpuLibraries().ok());
}

}  // namespace
}  // namespace protium
