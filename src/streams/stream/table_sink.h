// SPDX-License-Identifier: Apache-2.0
// A table of a database or of Delta as the sink of a stream: each batch is appended in one
// transaction, which also says its number.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/batch_store.h"
#include "flow/flow.h"

namespace protium {

struct TableSinkOptions {
  // How long a database that does not respond is waited for in one Write().
  std::chrono::milliseconds most{60'000};
  std::function<void(const std::string&)> note;
  std::stop_token stop;
};

// A batch without rows leaves nothing there. Several streams may write to one table.
class TableSink : public StreamSink {
 public:
  TableSink(std::unique_ptr<BatchStore> store, TableSinkOptions options)
      : store_(std::move(store)), options_(std::move(options)) {}

  Status Start(const arrow::Schema& rows) override;
  Result<std::optional<int64_t>> Newest() override;
  Status Write(const ScoredBatch& batch) override;

 private:
  // Whether the batch is there although the server could not say so.
  Result<bool> Arrived(int64_t number);

  std::unique_ptr<BatchStore> store_;
  TableSinkOptions options_;
};

}  // namespace protium
