// SPDX-License-Identifier: Apache-2.0
#include "collective/subtrees.h"

#include <algorithm>

#include "base/fault.h"

namespace protium {
namespace {

// Walks the halving from the node [a, b) and collects the topmost nodes entirely within [begin,
// end). There are at most two for each level, so a rank exchanges about 2 log2(leaves) vectors at
// worst, whatever it owns.
void Collect(int32_t a, int32_t b, int32_t begin, int32_t end, std::vector<Subtree>& out) {
  if (b <= begin || end <= a) return;
  if (begin <= a && b <= end) {
    out.push_back({.begin = a, .end = b});
    return;
  }
  const int32_t middle = a + (b - a) / 2;
  Collect(a, middle, begin, end, out);
  Collect(middle, b, begin, end, out);
}

}  // namespace

std::vector<Subtree> Subtrees(int32_t leaves, int32_t begin, int32_t end) {
  std::vector<Subtree> out;
  if (begin < end && leaves > 0) Collect(0, leaves, begin, end, out);
  return out;
}

Status CheckTreeSpec(const TreeSpec& spec, int32_t world) {
  const auto& first = spec.first;
  if (spec.leaves < 1 || spec.count < 0 || first.size() != size_t(world) + 1 || spec.rounded < 0 ||
      spec.rounded > spec.count || spec.rounded % 16 != 0 || first.front() != 0 ||
      first.back() != spec.leaves || !std::is_sorted(first.begin(), first.end())) {
    return Fail({.exit = Exit::kBug,
                 .what = "no tree can be built of " + TreeSpecText(spec) + " in a world of " +
                         std::to_string(world)});
  }
  return Status::OK();
}

std::string TreeSpecText(const TreeSpec& spec) {
  std::string text =
      std::to_string(spec.leaves) + " leaves of " + std::to_string(spec.count) + " elements";
  if (spec.rounded > 0) text += ", " + std::to_string(spec.rounded) + " of them rounded";
  text += ", first";
  for (const int32_t first : spec.first) text += " " + std::to_string(first);
  return text;
}

}  // namespace protium
