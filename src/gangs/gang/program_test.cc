// SPDX-License-Identifier: Apache-2.0
#include "gang/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gang/failure.h"
#include "gang/program_output.h"
#include "gang/program_place.h"

namespace protium {
namespace {

std::string Cut(std::string_view bytes, size_t piece) {
  LineCutter cutter;
  std::string lines;
  for (size_t at = 0; at < bytes.size(); at += piece) cutter.Add(bytes.substr(at, piece), lines);
  cutter.Finish(lines);
  return lines;
}

TEST(LineCutter, GivesWholeLinesHoweverTheyCome) {
  for (const size_t piece : {1, 2, 3, 100}) {
    EXPECT_EQ(Cut("one\ntwo\r\n\nthree", piece), "one\ntwo\n\nthree\n") << piece;
    EXPECT_EQ(Cut(" 10 %\r 55 %\r100 %\nend", piece), "100 %\nend\n") << piece;
    EXPECT_EQ(Cut("\x1b[2Jhidden \xff\n", piece), "\\u001b[2Jhidden \\xff\n") << piece;
  }
  EXPECT_EQ(Cut("", 1), "");
}

TEST(LineCutter, BoundsALineAndCountsTheRest) {
  const std::string longest(LineCutter::kLongestLine, 'x');
  EXPECT_EQ(Cut(longest + "\n", 1000), longest + "\n");
  EXPECT_EQ(Cut(longest + "yyy", 1000), longest + "... (3 bytes more)\n");
  EXPECT_EQ(Cut(longest + longest + "\rshort\n", 1000), "short\n");
}

TEST(LastLines, KeepsTheEnd) {
  LastLines last;
  EXPECT_EQ(last.text(), "");
  for (int i = 0; i < 100; ++i) last.Add(std::to_string(i) + "\n" + (i == 99 ? "end\n" : ""));
  EXPECT_THAT(last.text(), testing::StartsWith("\n  89\n  90\n"));
  EXPECT_THAT(last.text(), testing::EndsWith("\n  99\n  end"));
  last.Add(std::string(5000, 'z') + "\n");
  EXPECT_LT(last.text().size(), 1100u);
}

TEST(PlaceVariables, TellARankWhatTorchAndHorovodAndTensorFlowAsk) {
  const ProgramPlace place{.rank = 3,
                           .world = 4,
                           .local_rank = 1,
                           .local_world = 2,
                           .host_rank = 1,
                           .hosts = 2,
                           .host = "b",
                           .master = "a",
                           .port = 4711,
                           .store = 4712,
                           .members = {"a:4711", "a:1", "b:2", "b:3"}};
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : PlaceVariables(place, {.threads = 2, .max_restarts = 5}, 1)) {
    EXPECT_TRUE(all.emplace(name, value).second) << name;
  }
  EXPECT_EQ(all["RANK"], "3");
  EXPECT_EQ(all["WORLD_SIZE"], "4");
  EXPECT_EQ(all["LOCAL_RANK"], "1");
  EXPECT_EQ(all["LOCAL_WORLD_SIZE"], "2");
  EXPECT_EQ(all["GROUP_RANK"], "1");
  EXPECT_EQ(all["MASTER_ADDR"], "a");
  EXPECT_EQ(all["MASTER_PORT"], "4711");
  EXPECT_EQ(all["TORCHELASTIC_RESTART_COUNT"], "1");
  EXPECT_EQ(all["TORCHELASTIC_MAX_RESTARTS"], "5");
  EXPECT_EQ(all["OMP_NUM_THREADS"], "2");
  EXPECT_EQ(all["HOROVOD_CROSS_SIZE"], "2");
  EXPECT_EQ(all["HOROVOD_GLOO_RENDEZVOUS_ADDR"] + ":" + all["HOROVOD_GLOO_RENDEZVOUS_PORT"],
            "a:4712");
  EXPECT_FALSE(all.contains("HOROVOD_GLOO_IFACE")) << "the hosts' own interface";
  EXPECT_EQ(all["TF_CONFIG"], R"({"cluster":{"worker":["a:4711","a:1","b:2","b:3"]},)"
                              R"("task":{"type":"worker","index":3}})");
}

TEST(RestartMayHelp, WhenAProgramFailed) {
  RankFailure failure{.status = Fail({.what = "rank 1: train exited with code 1"})};
  EXPECT_FALSE(RestartMayHelp(failure));
  failure.is_program = true;
  EXPECT_TRUE(RestartMayHelp(failure));
  failure.status = Fail({.exit = Exit::kUsage, .what = "there is no such program"});
  EXPECT_FALSE(RestartMayHelp(failure));
}

}  // namespace
}  // namespace protium
