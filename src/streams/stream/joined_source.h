// SPDX-License-Identifier: Apache-2.0
// Two sources as one, for a stream that joins them. A stretch is {"events": {...}, "other": {...}},
// of which either may be missing: nothing came from that source.
#pragma once

#include <memory>
#include <utility>

#include "flow/flow.h"

namespace protium {

// StreamRows::other has the rows of the second source.
class JoinedSource : public StreamSource {
 public:
  JoinedSource(std::unique_ptr<StreamSource> events, std::unique_ptr<StreamSource> other)
      : events_(std::move(events)), other_(std::move(other)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return events_->schema(); }
  const std::shared_ptr<arrow::Schema>& other_schema() const { return other_->schema(); }
  Status Start(const StreamPast& past) override;
  Result<Json> Next(const BatchLimits& limits, std::chrono::milliseconds patience,
                    const std::stop_token& stop) override;
  Result<StreamRows> Read(const Json& stretch) override;
  Status Done(const Json& stretch) override;
  Json State() const override;
  Result<StreamLag> Lag() override;

 private:
  std::unique_ptr<StreamSource> events_, other_;
};

}  // namespace protium
