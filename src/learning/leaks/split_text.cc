// SPDX-License-Identifier: Apache-2.0
#include "leaks/split_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace protium {
namespace {

std::string Percent(int64_t part, int64_t all) {
  const double percent = 100 * double(part) / double(all);
  return fmt::format("{:.{}f}%", percent, percent < 10 ? 1 : 0);
}

}  // namespace

std::string TwinText(const TwinRows& twins, const std::string& part, const std::string& sample) {
  return fmt::format(
      "{} of the {} rows have the inputs and the label of a training row{}: the model may remember "
      "them",
      Percent(twins.twins, twins.rows), part, sample);
}

std::string GroupText(const SharedGroups& groups, const std::string& column,
                      const std::string& part) {
  return fmt::format(
      "{} of the {} rows have a {} that training rows have, too, and rows of one {} are alike "
      "(intraclass correlation {:.2g}): the model is not tested on new ones",
      Percent(groups.shared_rows, groups.test_rows), part, column, column, groups.alike);
}

}  // namespace protium
