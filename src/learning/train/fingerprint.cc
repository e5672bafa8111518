// SPDX-License-Identifier: Apache-2.0
#include "train/fingerprint.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/fault.h"
#include "os/processor.h"

namespace protium {
namespace {

// The version of our own arithmetic; raise it whenever a net, loss, optimiser or sum produces other
// bits. Checkpoints of another version are then refused instead of being continued differently.
constexpr int64_t kArithmetic = 5;

// The C library computes exp() and log() with fused multiply-adds if the processor has them, which
// may change the last bit. Nothing else in our arithmetic depends on the processor.
const char* MathOfProcessor() { return FusesMultiplyAdd() ? "fused" : "plain"; }

}  // namespace

Json NumericsFingerprint(const Json& libraries, const ComputeDevice& device) {
  Json out = {{"arithmetic", kArithmetic}, {"math", MathOfProcessor()}};
  out.update(libraries);
  out.update(device.identity());
  return out;
}

Status AgreeOn(const Json& fingerprint, Communicator& communicator) {
  PT_LET(const std::vector<std::string> all, communicator.AllGather(Dump(fingerprint)));
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("ranks 0 and {} compute differently", rank),
                 .why = fmt::format("rank 0 has {}, rank {} has {}", all[0], rank, all[rank]),
                 .fix = "run the gang on machines of one kind"});
  }
  return Status::OK();
}

}  // namespace protium
