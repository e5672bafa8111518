// SPDX-License-Identifier: Apache-2.0
// The embedded database of one engine, opened while its owner does other things.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "local/duckdb/handles.h"

namespace protium {

struct DatabaseOptions {
  int64_t memory_bytes = 0;  // 0: chosen by the database, 80 % of the machine's.
  int32_t threads = 0;       // 0: as many as the machine has cores.
  std::string spill;         // A folder; empty: nothing is spilled.
};

class Database {
 public:
  explicit Database(DatabaseOptions options);

  // A connection with all settings made. Waits for the opening the first time. Any thread.
  Result<duck::Connection> Connect() const;

  // Whether queries here may read these files: all that are named before Lock(), and no others.
  bool Admit(const std::vector<std::string>& files);
  // From now on the database itself opens no file but those that were admitted, and its spill.
  Status Lock();

  // 1, 2, 3, ...: for names.
  int64_t NextNumber() { return ++last_number_; }

 private:
  std::mutex mutex_;  // Guards what follows.
  std::set<std::string> admitted_;
  bool locked_ = false;

  std::atomic<int64_t> last_number_ = 0;
  std::shared_future<Result<std::shared_ptr<duck::Database>>> opened_;
};

}  // namespace protium
