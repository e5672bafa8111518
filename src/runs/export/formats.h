// SPDX-License-Identifier: Apache-2.0
// The formats that a run can be exported to, one row each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "export/facts.h"

namespace protium {

// A further file of an export, in a folder beside the first and with the same name.
struct ExportedFile {
  std::string folder;  // "trial-007"
  std::string bytes;
};

// The output of an exporter: the bytes of a file, of others if there are any, and what was left
// out.
struct Exported {
  std::string bytes;
  std::vector<ExportedFile> beside = {};
  std::vector<std::string> left_out;  // "single steps: the run reports at most two a second"
};

struct RunFormat {
  std::string name;    // "tensorboard"
  std::string ending;  // The file name's suffix: ".csv".
  std::string says;    // One line for help.
  bool text = true;    // May be printed on a terminal.
  Exported (*write)(const RunFacts& facts);
};

std::span<const RunFormat> RunFormats();

// The functions of the rows, in the order of RunFormats().
Exported WriteTensorBoard(const RunFacts& facts);
Exported WritePrometheus(const RunFacts& facts);
Exported WriteOpenMetrics(const RunFacts& facts);
Exported WriteCsv(const RunFacts& facts);
Exported WriteJsonLines(const RunFacts& facts);
Exported WriteTrace(const RunFacts& facts);
Exported WriteOtlp(const RunFacts& facts);
Exported WriteOptuna(const RunFacts& facts);

// Prometheus text of several runs: the state that each has reached. `open_metrics` selects that
// dialect.
std::string PrometheusText(std::span<const RunFacts* const> runs, bool open_metrics);

}  // namespace protium
