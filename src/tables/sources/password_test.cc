// SPDX-License-Identifier: Apache-2.0
#include "sources/password.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace protium {
namespace {

TEST(Password, IsWhatTheVariableHolds) {
  ::setenv("PT_TEST_PASSWORD", "it's", 1);
  EXPECT_EQ(*ReadPassword({.env = "PT_TEST_PASSWORD"}), "it's");
  ::unsetenv("PT_TEST_PASSWORD");
  const Fault unset = FaultOf(ReadPassword({.env = "PT_TEST_PASSWORD"}).status());
  EXPECT_EQ(unset.exit, Exit::kUsage);
  EXPECT_NE(unset.what.find("PT_TEST_PASSWORD"), std::string::npos);
  EXPECT_EQ(*ReadPassword({}), "");
  EXPECT_FALSE(ReadPassword({.env = "A", .file = "b"}).ok());
}

TEST(Password, IsTheFirstLineOfAFileThatOthersCannotRead) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("pt_password_" + std::to_string(::getpid()));
  std::ofstream(path) << "secret\r\nmore\n";
  ::chmod(path.c_str(), 0600);
  EXPECT_EQ(*ReadPassword({.file = path}), "secret");
  ::chmod(path.c_str(), 0644);
  EXPECT_EQ(FaultOf(ReadPassword({.file = path}).status()).fix, "chmod 600 " + path);
  std::filesystem::remove(path);
  EXPECT_FALSE(ReadPassword({.file = path}).ok());
}

TEST(Password, LeavesEveryPartOfAFault) {
  const Status status = Fail({.exit = Exit::kRemote,
                              .what = "refused: it's and it''s",
                              .where = "it's",
                              .why = "it's",
                              .fix = "it's",
                              .kept = "it's"});
  EXPECT_EQ(Render(FaultOf(WithoutPassword(status, "it's"))).find("it'"), std::string::npos);
  EXPECT_EQ(FaultOf(WithoutPassword(status, "")).where, "it's");
  EXPECT_TRUE(WithoutPassword(Status::OK(), "x").ok());
}

}  // namespace
}  // namespace protium
