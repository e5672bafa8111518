// SPDX-License-Identifier: Apache-2.0
// One operation on the server, read response by response.
//
// 1. The server ends a stream when it likes; only `result_complete` ends a result. Without it the
//    client attaches again behind the last response that it has.
// 2. A response is given out once. Whatever the server cannot go on with exactly is an error.
// 3. gRPC's final status of each stream is read.
// 4. However it ends, the server is told: it is released, or interrupted and released.
#pragma once

#include <grpcpp/support/sync_stream.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "spark/connect/operations.h"

namespace protium::connect {

struct ExecutionRequest {
  proto::Plan plan;
  std::string name;               // Of what is done, for messages: "the flights query".
  std::vector<std::string> tags;  // Beside the session's own.
  std::function<Status(const SparkError&)>
      explain;                         // Of the operation's own failure; may be empty.
  Milliseconds stream_limit{240'000};  // Streams that the server does not end are ended then.
};

// One thread.
class Execution {
 public:
  Execution(std::shared_ptr<Operations> operations, ExecutionRequest request, Call call);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Gives the next response; false once, at the end of a result that came whole.
  Result<bool> Next(proto::ExecutePlanResponse* response);
  const std::string& id() const { return id_; }

 private:
  using Reader = grpc::ClientReader<proto::ExecutePlanResponse>;

  void Open();
  Result<bool> Take(proto::ExecutePlanResponse* response);
  Status AfterCut(const grpc::Status& status);
  Status AfterError(const SparkError& error);
  Status Explain(const SparkError& error) const;
  Status ServerGone(const SparkError& error) const;
  Status WaitAndRetry(const SparkError& error);
  Status CloseStream();
  Status Abandon(Status status);

  const std::shared_ptr<Operations> operations_;
  const ExecutionRequest request_;
  const Call call_;
  const std::string id_;
  proto::ExecutePlanRequest first_;
  Retries retries_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<std::stop_callback<std::function<void()>>> stopper_;
  std::unique_ptr<Reader> reader_;
  std::string last_response_;
  bool submitted_ = false;  // The server may know the operation: attach to it.
  bool ended_ = false;
};

}  // namespace protium::connect
