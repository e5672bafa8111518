// SPDX-License-Identifier: Apache-2.0
#include "stream/table_sink.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <thread>
#include <utility>

#include "base/fault.h"

namespace protium {

using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kBetweenTries{500};

bool MayPass(const Status& status) { return FaultOf(status).exit == Exit::kRemote; }

}  // namespace

Status TableSink::Start(const arrow::Schema& rows) {
  return store_->Start(arrow::schema(rows.fields()));
}

Result<std::optional<int64_t>> TableSink::Newest() {
  PT_LET(const int64_t newest, store_->Newest());
  return std::optional(newest);
}

Result<bool> TableSink::Arrived(int64_t number) {
  PT_LET(const int64_t newest, store_->Newest());
  return newest >= number;
}

Status TableSink::Write(const ScoredBatch& batch) {
  if (batch.rows->num_rows() == 0) return Status::OK();
  Status written = store_->Append(batch.number, batch.rows);
  const auto until = SteadyClock::now() + options_.most;
  bool said = false;
  while (!written.ok() && MayPass(written) && SteadyClock::now() < until &&
         !options_.stop.stop_requested()) {
    if (options_.note && !std::exchange(said, true)) {
      options_.note(fmt::format("batch {} could not be written and is tried again: {}",
                                batch.number, FaultOf(written).why));
    }
    std::this_thread::sleep_for(kBetweenTries);
    const Result<bool> arrived = Arrived(batch.number);
    if (arrived.ok() && *arrived) return Status::OK();
    written = arrived.ok() ? store_->Append(batch.number, batch.rows) : arrived.status();
  }
  return written;
}

}  // namespace protium
