// SPDX-License-Identifier: Apache-2.0
// A function of ours as a gang: four ranks throw darts at a square, tell each other how many hit
// the circle, and rank 0's answer comes back to the program.
//
//   pi run --set darts=1000000
#include <protium/protium.h>

#include <cstdio>
#include <random>

namespace pt = protium;

pt::Result<pt::Json> ThrowDarts(pt::RunnerRank& rank) {
  const int64_t darts = rank.args.at("darts").get<int64_t>();
  std::mt19937_64 random(uint64_t(rank.context.rank()));
  std::uniform_real_distribution<double> side(-1, 1);
  int64_t hits = 0;
  for (int64_t i = 0; i < darts; ++i) {
    const double x = side(random), y = side(random);
    hits += x * x + y * y < 1;
  }
  std::printf("%lld hits\n", (long long)(hits));
  PT_LET(const auto told, rank.context.AllGather(std::to_string(hits)));
  int64_t all = 0;
  for (const std::string& each : told) all += std::stoll(each);
  const double thrown = double(darts) * rank.context.world();
  return pt::Json{{"pi", 4 * double(all) / thrown}, {"ranks", rank.context.world()}};
}

pt::Status Run(pt::Session& session) {
  const int64_t darts = std::stoll(session.Setting("darts", "1000000"));
  PT_LET(const pt::Json answer,
         pt::Runner(session, {.workers = 4}).Run("throw darts", {{"darts", darts}}));
  std::printf("%s\n", answer.dump().c_str());
  return pt::Status::OK();
}

int main(int argc, char** argv) {
  return pt::Main(argc, argv, {.run = Run, .tasks = {{"throw darts", pt::RunnerTask(ThrowDarts)}}});
}
