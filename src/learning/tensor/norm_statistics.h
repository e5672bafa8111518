// SPDX-License-Identifier: Apache-2.0
// Nets with batch norm whose running statistics training can freeze.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace protium {

// Whether a buffer of this name is a running mean or variance, as PyTorch names them.
inline bool IsStatistic(std::string_view buffer) {
  return buffer.ends_with("running_mean") || buffer.ends_with("running_var");
}

// Whether the buffer is a statistic of the module of this name, which is "" for the whole net.
inline bool IsStatisticOf(const std::string& module, std::string_view buffer) {
  const std::string prefix = module.empty() ? "" : module + ".";
  return IsStatistic(buffer) && buffer.starts_with(prefix) &&
         buffer.find('.', prefix.size()) == buffer.npos;
}

// What a Net (net.h) also is if it can.
class NormalisingNet {
 public:
  virtual ~NormalisingNet() = default;
  // From now on, a training forward normalises with the running statistics of the batch norms whose
  // buffers are `frozen`, and does not move them; of the others with the batch's. One flag per
  // buffer of the net, the same for both statistics of a batch norm.
  virtual void FreezeStatistics(const std::vector<bool>& frozen) = 0;
};

}  // namespace protium
