// SPDX-License-Identifier: Apache-2.0
// The values of an option as cells: a set of them is the bits of one number, so that a tree's leaf
// is a box of a few words.
#pragma once

#include <cstdint>
#include <vector>

#include "trials/tried.h"

namespace protium {

class OptionCells {
 public:
  // 32 equally probable cells of a range, or one for each whole number if there are fewer; one for
  // each choice, of which those after the 63rd share the last; and one for trials without the
  // option, `share_without` of all.
  OptionCells(const TriedOption& option, double share_without);

  // `value` is null for a trial without the option. What lies outside of the range is at its end.
  size_t CellOf(const Json& value) const;
  size_t count() const { return weights_.size(); }
  // Each cell's share of the space; they add up to 1.
  const std::vector<double>& weights() const { return weights_; }
  double WeightOf(uint64_t cells) const;
  uint64_t all() const { return count() == 64 ? ~uint64_t{0} : (uint64_t{1} << count()) - 1; }
  // Whether neighbours are alike: cells of a range.
  bool ordered() const { return option_.range(); }

  // Those that hold values: without the cell of trials that lack the option.
  size_t num_values() const { return num_values_; }
  // The middle of a range's cell.
  double MiddleOf(size_t cell) const;

 private:
  double UnitOf(double value) const;
  double ValueAt(double unit) const;

  TriedOption option_;
  double low_ = 0,
         high_ = 0;          // Ends of the cells; those of whole numbers reach half a step beyond.
  bool each_whole_ = false;  // A cell is one whole number.
  size_t num_values_ = 0;
  std::vector<double> weights_;
};

}  // namespace protium
