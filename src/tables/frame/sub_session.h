// SPDX-License-Identifier: Apache-2.0
// A session within another one: it uses the same engine, and so the same kept tables, but has its
// own folder, record and events. Several may be used at the same time, each on one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "frame/session_state.h"

namespace protium {

struct SubSessionOptions {
  std::filesystem::path folder;   // Created if it does not exist.
  bool resume = false;            // The folder holds an interrupted part of the run to continue.
  int64_t rows_memory_bytes = 0;  // As in SessionOptions,
  SharedRowsFolder shared_rows;   // and so is this.
  std::optional<std::stop_token> stop;            // Instead of the parent's.
  std::function<void(const Json& event)> events;  // Instead of the parent's; any thread.
};

// --set settings apply to the parent only. `parent` must outlive it.
Result<std::unique_ptr<Session>> OpenSubSession(Session& parent, SubSessionOptions options);

}  // namespace protium
