// SPDX-License-Identifier: Apache-2.0
#include "pool/profile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

WorkerProfile Own(const EnvironmentList& more = {}, bool torch = false) {
  return ProfileOf("/proc/self/exe", more, torch).ValueOrDie();
}

TEST(WorkerProfile, IsTheSameAfterItsJourney) {
  const WorkerProfile profile = Own({{"OMP_NUM_THREADS", "1"}});
  EXPECT_EQ(WorkerProfile::FromJson(profile.ToJson()).ValueOrDie().Key(), profile.Key());
  EXPECT_FALSE(WorkerProfile::FromJson({{"program", "x"}, {"torch", true}}).ok());
  EXPECT_FALSE(WorkerProfile::FromJson({{"program", "/x"}, {"torch", 1}}).ok());
}

TEST(WorkerProfile, DiffersWithWhatIsReadWhenLibrariesLoad) {
  const std::string key = Own().Key();
  EXPECT_NE(Own({{"OMP_NUM_THREADS", "3"}}).Key(), key);
  EXPECT_NE(Own({}, true).Key(), key);
  EXPECT_EQ(Own({{"SECRET_TOKEN", "x"}}).Key(), key);
  ::setenv("PROTIUM_PROFILE_TEST", "secret", 1);
  EXPECT_EQ(Own().Key(), key);
  EXPECT_EQ(Dump(Own().ToJson()).find("secret"), std::string::npos);
  ::unsetenv("PROTIUM_PROFILE_TEST");
}

TEST(WorkerProfile, KnowsAFileThatWasReplaced) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const auto program = folder.path() / "program";
  std::ofstream(program) << "one";
  const auto before = ProfileOf(program, {}, false).ValueOrDie();
  std::filesystem::remove(program);
  const Fault gone = FaultOf(ProfileOf(program, {}, false).status());
  EXPECT_EQ(gone.exit, Exit::kEnvironment);
  std::ofstream(program) << "other";
  EXPECT_NE(ProfileOf(program, {}, false).ValueOrDie().Key(), before.Key());
}

TEST(WorkerProfile, NamesALibraryOfAnotherBuild) {
  EXPECT_EQ(DifferenceOfBuilds({{"", "a"}, {"libprotium", "b"}}, {{"libprotium", "b"}}), "");
  EXPECT_EQ(DifferenceOfBuilds({{"", "a"}, {"libprotium", "b"}}, {{"libprotium", "c"}}),
            "libprotium");
  EXPECT_EQ(DifferenceOfBuilds({{"", "a"}}, {{"", "b"}}), "program");
}

}  // namespace
}  // namespace protium
