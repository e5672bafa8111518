// SPDX-License-Identifier: Apache-2.0
// The formats that a run can be exported to, one row each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "export/facts.h"

namespace protium {

// What an exporter made: the bytes of a file, and what they lack.
struct Exported {
  std::string bytes;
  std::vector<std::string> left_out;  // "single steps: the run tells at most two a second"
};

struct RunFormat {
  std::string name;    // "tensorboard"
  std::string ending;  // Of the file's name: ".csv".
  std::string says;    // One line for help.
  bool text = true;    // May go to a terminal.
  Exported (*write)(const RunFacts& facts);
};

std::span<const RunFormat> RunFormats();

// The rows' functions, in the order of RunFormats().
Exported WriteTensorBoard(const RunFacts& facts);
Exported WritePrometheus(const RunFacts& facts);
Exported WriteOpenMetrics(const RunFacts& facts);
Exported WriteCsv(const RunFacts& facts);
Exported WriteJsonLines(const RunFacts& facts);
Exported WriteTrace(const RunFacts& facts);
Exported WriteOtlp(const RunFacts& facts);

// Prometheus text of several runs: what each has reached by now. `open_metrics` in that dialect.
std::string PrometheusText(std::span<const RunFacts* const> runs, bool open_metrics);

}  // namespace protium
