// SPDX-License-Identifier: Apache-2.0
// Forests of other programs: XGBoost's JSON and LightGBM's text. What is read can be predicted with
// and written again.
#include <vector>

#include "base/fault.h"
#include "trees/lightgbm_text.h"
#include "trees/xgboost_json.h"

namespace {

void Use(const protium::ReadForest& read) {
  using namespace protium;
  const Forest& forest = read.carried.forest;
  PT_CHECK(CheckForest(forest).ok());
  std::vector<float> out(forest.base.size());
  for (const float x : {-1.F, 0.F, 1e30F}) {
    forest.Predict(std::vector<float>(forest.columns.size(), x), out);
  }
  const auto json = ToXgboostJson(read.carried);
  PT_CHECK(!json.ok() || FromXgboostJson(json->bytes).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& read : {FromXgboostJson(text), FromLightgbmText(text)}) {
    if (read.ok()) Use(*read);
    if (!read.ok()) PT_CHECK(FaultOf(read.status()).exit != Exit::kBug);
  }
  return 0;
}
