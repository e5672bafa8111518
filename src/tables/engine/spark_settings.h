// SPDX-License-Identifier: Apache-2.0
// Settings that only the engine on Spark uses; sessions pass them on without reading them.
#pragma once

#include <cstdint>
#include <string>

#include "protium/fields.h"

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

// The executors that a gang requests, beside those of the session. 0: as the server's settings say;
// for devices: none.
struct GangExecutors {
  int32_t cores = 0;
  int64_t memory_mib = 0;
  int32_t gpus = 0;
  std::string discovery;  // The script with which an executor finds its devices.
  bool wanted() const { return cores > 0 || memory_mib > 0 || gpus > 0; }
  template <class Visit>
  void Fields(Visit& visit) {
    visit("cores", cores, {.help = "of each; 0: as the server has it", .at_least = 0});
    visit("memory_mib", memory_mib, {.help = "of each; 0: as the server has it", .at_least = 0});
    visit("gpus", gpus, {.help = "of each", .at_least = 0});
    visit("discovery", discovery,
          {.help = "the script by which they find GPUs; unless set, the server's"});
  }
};

// [engine.spark] in a job file.
struct SparkSettings {
  RowsBy rows = RowsBy::kAuto;
  bool plaintext = false;  // Ranks on different hosts communicate without TLS.
  std::string program;     // Where executors find the launcher; empty: it is sent to them.
  std::string page;        // The address of Spark's own page; empty: from the server's settings.
  std::string pool;        // Of Spark's fair scheduler; empty: the one called "default".
  GangExecutors executors;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("rows", rows, {.help = "how the rows of a gang reach its ranks"});
    visit("plaintext", plaintext, {.help = "lets ranks on different hosts talk without TLS"});
    visit("program", program,
          {.help = "where executors find the launcher; unless set, it is sent to them"});
    visit("page", page,
          {.help = "the address of Spark's own page; unless set, it is looked for on the driver"});
    visit("pool", pool,
          {.help = "the pool of Spark's fair scheduler that the job's tasks belong to"});
    visit("executors", executors,
          {.help = "executors of a gang's own, where Spark starts and ends them by itself"});
  }
};

}  // namespace protium
