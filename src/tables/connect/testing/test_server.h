// SPDX-License-Identifier: Apache-2.0
// A Spark Connect server in the test's own process, whose responses the test decides.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "column/source.h"
#include "connect/service.grpc.pb.h"
#include "connect/session.h"

namespace protium::connect {

// How one stream of responses behaves; streams without a script send everything.
struct StreamScript {
  size_t responses = std::numeric_limits<size_t>::max();  // The number to send; then it ends
  grpc::Status end;                                       // with this.
  bool known = true;    // Whether ExecutePlan registers the operation.
  bool hangs = false;   // Before the end, until the client disconnects.
  size_t repeated = 0;  // The number sent again, from before the requested position.
  size_t skipped = 0;   // The number left out.
};

// gRPC calls the overrides from its own threads: mutex_ guards what changes while calls run.
class TestServer : private proto::SparkConnectService::Service {
 public:
  explicit TestServer(const std::shared_ptr<grpc::ServerCredentials>& credentials =
                          grpc::InsecureServerCredentials());
  ~TestServer() override;

  std::string address() const;
  // Opens a session whose retries wait for milliseconds only.
  std::unique_ptr<SparkSession> Open(const std::string& parameters = "");
  static SparkSessionOptions Quick();

  // Set by the test before the calls.
  std::vector<proto::ExecutePlanResponse> responses;
  std::deque<StreamScript> scripts;             // For the next streams, including reattached ones.
  std::deque<grpc::Status> failures;            // For the next Config calls.
  std::map<std::string, std::string> settings;  // All others are "UTC".
  std::string server_session = "first";
  std::string token;                         // Required if not empty.
  proto::FetchErrorDetailsResponse details;  // For any error.
  bool damages_artifacts = false;
  bool knows_operations = true;

  // What the clients did; read it under the lock.
  struct Seen {
    std::vector<proto::ExecutePlanRequest> executes;
    std::vector<proto::ReattachExecuteRequest> reattaches;
    std::vector<proto::ReleaseExecuteRequest> releases;
    std::vector<proto::InterruptRequest> interrupts;
    std::map<std::string, std::string> artifacts;
    int32_t configs = 0;
    int32_t chunks = 0;
    int32_t released_sessions = 0;
  };
  Seen seen() const;
  // Waits until `holds` is true of what was seen, at most some seconds.
  bool Await(const std::function<bool(const Seen&)>& holds) const;
  void SetServerSession(const std::string& id);

 private:
  using Context = grpc::ServerContext;
  using Writer = grpc::ServerWriter<proto::ExecutePlanResponse>;

  grpc::Status AnalyzePlan(Context* context, const proto::AnalyzePlanRequest* request,
                           proto::AnalyzePlanResponse* response) override;
  grpc::Status Config(Context* context, const proto::ConfigRequest* request,
                      proto::ConfigResponse* response) override;
  grpc::Status ExecutePlan(Context* context, const proto::ExecutePlanRequest* request,
                           Writer* writer) override;
  grpc::Status ReattachExecute(Context* context, const proto::ReattachExecuteRequest* request,
                               Writer* writer) override;
  grpc::Status ReleaseExecute(Context* context, const proto::ReleaseExecuteRequest* request,
                              proto::ReleaseExecuteResponse* response) override;
  grpc::Status Interrupt(Context* context, const proto::InterruptRequest* request,
                         proto::InterruptResponse* response) override;
  grpc::Status ReleaseSession(Context* context, const proto::ReleaseSessionRequest* request,
                              proto::ReleaseSessionResponse* response) override;
  grpc::Status FetchErrorDetails(Context* context, const proto::FetchErrorDetailsRequest* request,
                                 proto::FetchErrorDetailsResponse* response) override;
  grpc::Status AddArtifacts(Context* context,
                            grpc::ServerReader<proto::AddArtifactsRequest>* reader,
                            proto::AddArtifactsResponse* response) override;
  grpc::Status ArtifactStatus(Context* context, const proto::ArtifactStatusesRequest* request,
                              proto::ArtifactStatusesResponse* response) override;

  bool Admits(const Context& context) const;
  StreamScript NextScript();
  grpc::Status Send(Context* context, const StreamScript& script, const std::string& operation,
                    size_t from, Writer* writer);
  void Hang(Context* context) const;
  size_t After(const std::string& response_id) const;
  void TakeChunk(const proto::AddArtifactsRequest::ArtifactChunk& chunk, const std::string& name,
                 proto::AddArtifactsResponse* response);

  mutable std::mutex mutex_;
  Seen seen_;
  std::map<std::string, bool> operations_;
  bool closing_ = false;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// Returns a result of batches with `sizes` rows each, of one column `id` that counts on; ends with
// result_complete.
std::vector<proto::ExecutePlanResponse> MakeResult(const std::vector<int64_t>& sizes);

// Returns an error as Spark sends it, with ErrorInfo and an id with which to request more.
grpc::Status SparkStatus(grpc::StatusCode code, const std::string& message, const std::string& type,
                         const std::string& error_class = "");
// Returns an error that asks the client to wait for a while, less than a second.
grpc::Status BusyStatus(int32_t milliseconds);

}  // namespace protium::connect
