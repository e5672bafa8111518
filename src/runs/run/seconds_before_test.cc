// SPDX-License-Identifier: Apache-2.0
#include "run/seconds_before.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace protium {

namespace fs = std::filesystem;

TEST(SecondsBefore, AreThoseOfEveryAttemptAndNotOfThePausesBetween) {
  const fs::path run = fs::temp_directory_path() / fmt::format("protium-seconds-{}", getpid());
  fs::create_directories(run);
  std::ofstream(run / "events.jsonl") << R"({"time": "2026-01-31T23:59:58.500Z", "event": "start"})"
                                      << "\n"
                                      << R"({"time": "2026-02-01T00:00:00.500Z", "event": "step"})"
                                      << "\n"
                                      << R"({"time": "2026-02-03T10:00:00.000Z", "event": "start"})"
                                      << "\n"
                                      << R"({"time": "2026-02-03T10:00:05.000Z", "event": "step"})"
                                      << "\n";
  std::ofstream(run / "result.json") << R"({"seconds": {"etl": 1.5, "first_step": 2, "total": 2}})";
  const Json before = SecondsBefore(run);
  EXPECT_EQ(before["total"], 7.0);
  Json seconds = {{"etl", 0.25}, {"first_step", 9}, {"train", 3}, {"total", 4}};
  AddSecondsBefore(before, seconds);
  EXPECT_EQ(Dump(seconds), R"({"etl":1.75,"first_step":2.0,"train":3,"total":11.0})");
  fs::remove_all(run);
  EXPECT_TRUE(SecondsBefore(run).empty());
}

TEST(SecondsBefore, ReadNoTimeFromOtherText) {
  for (const char* text : {"", "2026-01-31", "2026-01-31T08:15:00", "soon"}) {
    EXPECT_LT(ParseSeconds(text), 0) << text;
  }
  EXPECT_EQ(ParseSeconds("1970-01-01T00:01:00.250Z"), 60.25);
}

}  // namespace protium
