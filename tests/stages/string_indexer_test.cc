// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Indexer(Json more = Json::object()) {
  Json options = {{"id", "index"}, {"inputs", {"k"}}};
  options.update(more);
  return {"string_indexer", options};
}

// In three rows b, in two a, in one c.
constexpr const char* kIndexed = "k\nb\na\nb\n-\nc\na\nb\n";

class StringIndexerTest : public StageTest {
 protected:
  std::string Transformed(const Json& options, const std::string& others) {
    const PipelineModel model = Fitted({Indexer(options)}, Table(kIndexed));
    return Text(model.Transform(Table(others)), {"k"});
  }
};

TEST_F(StringIndexerTest, CountsRareValuesAsNeverSeen) {
  const std::string rows = "k\nb\na\nc\nx\n-\n";
  EXPECT_EQ(Transformed(Json::object(), rows), "k__index: 0 1 2 3 4");
  EXPECT_EQ(Transformed({{"min_count", 2}}, rows), "k__index: 0 1 2 2 3");
  EXPECT_EQ(Transformed({{"min_count", 3}}, rows), "k__index: 0 1 1 1 2");
  EXPECT_EQ(Transformed({{"min_count", 4}}, rows), "k__index: 0 0 0 0 1");
  EXPECT_EQ(Transformed({{"min_count", 2}, {"unseen", "null"}}, rows), "k__index: 0 1 null null 2");
}

TEST_F(StringIndexerTest, RefusesToRefuseTheTrainingRows) {
  const Fault fault = FaultOfFitting({Indexer({{"min_count", 2}, {"unseen", "error"}})}, kIndexed);
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("refuses those in the training rows themselves"));
}

}  // namespace
}  // namespace protium
