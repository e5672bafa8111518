// SPDX-License-Identifier: Apache-2.0
// The examples that read nets which others trained, as they stand.
#include <gtest/gtest.h>

#include "onnx_runtime/net.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;

// The accuracy on the test rows.
void ExpectAccuracy(const std::string& example, double least) {
  const fs::path root = PROTIUM_REPOSITORY;
  if (!NumericsOfOnnx().ok() || !fs::exists(root / ".deps/pretrained/made")) {
    GTEST_SKIP() << "no pretrained nets: ./dev setup --onnx --pretrained brings them";
  }
  const OwnJob here("");
  const Outcome run =
      here.Protium({"run", (root / "examples" / example / (example + ".toml")).string(),
                    "--runs-dir", (here / "runs").string(), "--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_GE(run.json["metrics"]["test"]["accuracy"].get<double>(), least);
}

TEST(Pretrained, NetSeesWhatIsOnStamps) { ExpectAccuracy("stamps", 0.85); }
TEST(Pretrained, NetReadsWhatSayingsAreAbout) { ExpectAccuracy("sayings", 0.78); }

}  // namespace
}  // namespace protium::whole
