// SPDX-License-Identifier: Apache-2.0
#include "stages/net_pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/fault.h"

namespace protium {
namespace {

Status CheckPlaces(const NetTensor& tensor) {
  if (tensor.element == NetElement::kFloat && tensor.shape.size() == 3) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the net makes {} of shape [{}]", NameOf(tensor.element),
                                   fmt::join(tensor.shape, ", ")),
               .where = "pool",
               .why = "only float32 of shape [rows, places, numbers] can be pooled",
               .fix = "leave pool out"});
}

void AddMean(std::span<const float> places, size_t width, std::span<const double> mask,
             std::span<float> mean) {
  std::vector<double> sums(width);
  int64_t count = 0;
  for (size_t place = 0; place * width < places.size(); ++place) {
    if (!mask.empty() && mask[place] == 0) continue;
    ++count;
    for (size_t i = 0; i < width; ++i) sums[i] += double(places[place * width + i]);
  }
  for (size_t i = 0; i < width; ++i) mean[i] = float(sums[i] / double(std::max<int64_t>(count, 1)));
}

}  // namespace

Result<NetTensor> PoolPlaces(const NetTensor& tensor, Pool pool, const NumberLists* mask,
                             int64_t begin) {
  PT_TRY(CheckPlaces(tensor));
  const size_t rows = size_t(tensor.shape[0]), row_size = size_t(tensor.shape[1] * tensor.shape[2]);
  const size_t width = size_t(tensor.shape[2]);
  NetTensor pooled{.element = NetElement::kFloat, .shape = {tensor.shape[0], tensor.shape[2]}};
  pooled.numbers.resize(rows * width * sizeof(float));
  const std::span<float> to(reinterpret_cast<float*>(pooled.numbers.data()), rows * width);
  for (size_t row = 0; row < rows; ++row) {
    const auto places = tensor.As<float>().subspan(row * row_size, row_size);
    const auto into = to.subspan(row * width, width);
    if (pool == Pool::kFirst) {
      std::copy_n(places.begin(), std::min(width, places.size()), into.begin());
      continue;
    }
    std::span<const double> weights;
    if (mask && !mask->IsNull(begin + int64_t(row))) weights = mask->At(begin + int64_t(row));
    if (!weights.empty() && weights.size() * width < places.size()) {
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("a mask of {} places, and the net makes {}", weights.size(),
                                       tensor.shape[1]),
                   .where = "mask"});
    }
    AddMean(places, width, weights, into);
  }
  return pooled;
}

void CutPadding(std::span<const double> mask, std::vector<NetTensor>& row) {
  size_t kept = mask.size();
  while (kept > 1 && mask[kept - 1] == 0) --kept;
  for (NetTensor& each : row) {
    each.shape[1] = int64_t(kept);
    each.numbers.resize(kept * BytesOf(each.element));
  }
}

}  // namespace protium
