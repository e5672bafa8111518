// SPDX-License-Identifier: Apache-2.0
// Settings of one engine, which sessions pass on without reading them.
#pragma once

#include <string>

#include "base/fields.h"
#include "connect/executors.h"

namespace protium {

// How the rows of a gang reach its ranks on Spark.
enum class RowsBy {
  kAuto,    // By files, but few rows by stream.
  kStream,  // Through Spark's own exchange with its workers.
  kFiles,   // Spark writes Parquet into the run folder, ranks read it themselves.
};
inline EnumNames<RowsBy> Names(RowsBy) {
  return {{{RowsBy::kAuto, "auto"}, {RowsBy::kStream, "stream"}, {RowsBy::kFiles, "files"}}};
}

// What only the engine on Spark asks for: [engine.spark] in a job file.
struct SparkSettings {
  RowsBy rows = RowsBy::kAuto;
  bool plaintext = false;  // Ranks on different hosts talk without TLS.
  std::string program;     // Where executors find the launcher; empty: it is sent to them.
  std::string page;        // Of Spark's own page; empty: where the server's settings say.
  GangExecutors executors;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows, {.help = "how the rows of a gang reach its ranks"});
    visit("plaintext", plaintext, {.help = "lets ranks on different hosts talk without TLS"});
    visit("program", program,
          {.help = "where executors find the launcher; unless set, it is sent to them"});
    visit("page", page,
          {.help = "the address of Spark's own page; unless set, it is looked for on the driver"});
    visit("executors", executors,
          {.help = "executors of a gang's own, where Spark starts and ends them by itself"});
  }
};

}  // namespace protium
