// SPDX-License-Identifier: Apache-2.0
#include "train/buffer_sums.h"

#include <cmath>
#include <cstring>

#include "base/fault.h"

namespace protium {

BufferSums::BufferSums(Weights& weights) : weights_(weights) {
  for (const BufferPart& buffer : weights.buffer_parts()) {
    parts_.push_back({&buffer, count_});
    count_ += 1 + (buffer.whole ? 2 : 1) * buffer.count;
  }
  before_.resize(weights.buffers().size());
}

void BufferSums::Keep() {
  const std::span<const float> now = weights_.buffers();
  std::copy(now.begin(), now.end(), before_.begin());
}

void BufferSums::Add(int64_t rows, float* sums) {
  const float weight = float(rows);
  for (const Part& part : parts_) {
    const std::span<float> now = BufferValues(*part.buffer);
    const float* before = before_.data() + part.buffer->offset;
    float* out = sums + part.at;
    // Compares bits, not values: otherwise NaN would count as changed in every step, and -0.0 as
    // unchanged.
    if (std::memcmp(now.data(), before, now.size_bytes()) != 0) *out += weight;
    ++out;
    for (size_t i = 0; i < now.size(); ++i) {
      // A float buffer that only some shards changed still includes all of them: its mean is over
      // all rows.
      const float added = now[i] - before[i];
      out[i] += (part.buffer->whole ? added : now[i]) * weight;
      if (part.buffer->whole) out[now.size() + i] += added * added * weight;
    }
    std::copy_n(before, now.size(), now.begin());
  }
}

Status BufferSums::Apply(std::span<const float> sums, float rows) {
  for (const Part& part : parts_) {
    const float* sum = sums.data() + part.at;
    if (*sum == 0) continue;
    if (part.buffer->whole) {
      PT_TRY(ApplyWhole(part, sum + 1, rows));
      continue;
    }
    const std::span<float> values = BufferValues(*part.buffer);
    for (size_t i = 0; i < values.size(); ++i) values[i] = sum[1 + i] / rows;
  }
  return Status::OK();
}

// Shards of r1, r2, ... rows that add a1, a2, ... have a mean a = sum(ri * ai) / sum(ri), and
// sum(ri * ai^2) = sum(ri) * a^2 exactly when all ai are a, since the variance is 0 exactly then.
Status BufferSums::ApplyWhole(const Part& part, const float* sums, float rows) {
  const std::span<float> values = BufferValues(*part.buffer);
  for (size_t i = 0; i < values.size(); ++i) {
    const double added = std::round(double(sums[i]) / double(rows));
    const bool alike = double(sums[i]) == added * double(rows) &&
                       double(sums[values.size() + i]) == added * added * double(rows);
    if (!alike) {
      return Fail({.exit = Exit::kUsage,
                   .what = "shards change the buffer " + part.buffer->name +
                           " of the net in different ways",
                   .where = "net",
                   .why = "it holds whole numbers, which training does not average",
                   .fix = "keep it in float32, or change it by the same amount in every forward"});
    }
    // Exact: both stay below 2^24 (kMostWhole).
    values[i] += float(added);
  }
  return Status::OK();
}

}  // namespace protium
