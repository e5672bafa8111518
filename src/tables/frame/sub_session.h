// SPDX-License-Identifier: Apache-2.0
// A session within another one: the same engine, and so the same kept tables, but a folder, a
// record and events of its own. Several of them may be used at the same time, each on one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "frame/session_state.h"

namespace protium {

struct SubSessionOptions {
  std::filesystem::path folder;   // Made if it is not there.
  bool resume = false;            // The folder holds an interrupted part of the run to continue.
  int64_t rows_memory_bytes = 0;  // As in SessionOptions,
  SharedRowsFolder shared_rows;   // and this.
  std::function<void(const Json& event)> events;  // Instead of the parent's; any thread.
};

// Settings of --set stay with the parent. `parent` must outlive it.
Result<std::unique_ptr<Session>> OpenSubSession(Session& parent, SubSessionOptions options);

}  // namespace protium
