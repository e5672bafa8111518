// SPDX-License-Identifier: Apache-2.0
#include "os/thrown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <future>
#include <ios>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

template <class Act>
Fault FaultOfAct(Act act) {
  try {
    act();
  } catch (...) {
    return FaultOf(FaultOfThrown());
  }
  return {.what = "nothing was thrown"};
}

TEST(Thrown, ByAThreadThatCannotBeStartedIsOfTheEnvironment) {
  const Fault fault =
      FaultOfAct([] { throw std::system_error(EAGAIN, std::generic_category(), "thread"); });
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.what, HasSubstr("cannot start a thread: Resource temporarily unavailable"));
  EXPECT_THAT(fault.fix, HasSubstr("ulimit -u"));
}

TEST(Thrown, ByTheFileSystemNamesThePathAndTheCure) {
  const TemporaryFolder folder = *TemporaryFolder::Make();
  const fs::path loop = folder.path() / "loop";
  fs::create_symlink(loop, loop);
  const Fault fault = FaultOfAct([&] { (void)fs::is_directory(loop); });
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_THAT(fault.what, HasSubstr("cannot use " + loop.string() + ": Too many levels"));
  EXPECT_THAT(fault.fix, HasSubstr("link"));
  for (const int error : {EMFILE, ENFILE, EACCES, EPERM, EROFS}) {
    const Fault other = FaultOfAct([&] {
      throw fs::filesystem_error("open", "/a", std::error_code(error, std::system_category()));
    });
    EXPECT_EQ(other.exit, Exit::kEnvironment) << error;
    EXPECT_NE(other.fix, "") << error;
  }
}

TEST(Thrown, ForWantOfRoomIsTold) {
  EXPECT_EQ(FaultOfAct([] { throw std::bad_alloc(); }).exit, Exit::kNoRoom);
  for (const int error : {ENOMEM, ENOSPC, EDQUOT}) {
    EXPECT_EQ(FaultOfAct([&] { throw std::system_error(error, std::system_category()); }).exit,
              Exit::kNoRoom);
  }
}

TEST(Thrown, ByAMistakeOfOursIsABug) {
  for (const Fault& fault :
       {FaultOfAct([] { throw std::out_of_range("map::at"); }),
        FaultOfAct([] { throw std::future_error(std::future_errc::no_state); }),
        FaultOfAct([] { throw std::ios_base::failure("bad"); }), FaultOfAct([] { throw 7; })}) {
    EXPECT_EQ(fault.exit, Exit::kBug);
    EXPECT_THAT(fault.fix, HasSubstr("report"));
  }
}

}  // namespace
}  // namespace protium
