// SPDX-License-Identifier: Apache-2.0
// For tests: what `protium predict --columns prediction` has written.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "whole/own_job.h"

namespace protium::whole {

// The numbers of a CSV file of one column, in the folder of the job.
inline std::vector<double> PredictionsIn(const OwnJob& own, const std::string& file) {
  std::istringstream lines(own.Text(file));
  std::vector<double> values;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) values.push_back(std::stod(line));
  return values;
}

}  // namespace protium::whole
