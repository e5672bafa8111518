// SPDX-License-Identifier: Apache-2.0
#include "connect/testing/test_server.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <thread>

#include "connect/artifacts.h"
#include "connect/rpc_status.pb.h"

namespace protium::connect {

namespace {

// Only a failing test waits this long.
constexpr auto kPatience = std::chrono::seconds(20);

// Returns one batch as Spark sends it: an Arrow IPC stream of its own, including the schema.
std::string IdsAsIpc(int64_t from, int64_t count) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(from + i).ok());
  const auto schema = arrow::schema({arrow::field("id", arrow::int64(), false)});
  const auto batch = arrow::RecordBatch::Make(schema, count, {*builder.Finish()});
  const auto out = *arrow::io::BufferOutputStream::Create();
  const auto writer = *arrow::ipc::MakeStreamWriter(out, schema);
  EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok());
  EXPECT_TRUE(writer->Close().ok());
  return (*out->Finish())->ToString();
}

// gRPC carries details of an error as a serialized google.rpc.Status; in it, Spark describes the
// cause to the client.
grpc::Status WithDetail(grpc::StatusCode code, const std::string& message, const char* kind,
                        const std::string& bytes) {
  rpc::Status status;
  status.set_code(code);
  status.set_message(message);
  status.add_details()->set_type_url(std::string("type.googleapis.com/google.rpc.") + kind);
  status.mutable_details(0)->set_value(bytes);
  return {code, message, status.SerializeAsString()};
}

}  // namespace

TestServer::TestServer(const std::shared_ptr<grpc::ServerCredentials>& credentials) {
  grpc::ServerBuilder builder;
  // Port 0: the system picks a free one, which BuildAndStart() writes to port_.
  builder.AddListeningPort("127.0.0.1:0", credentials, &port_);
  builder.RegisterService(this);
  server_ = builder.BuildAndStart();
  EXPECT_GT(port_, 0);
}

TestServer::~TestServer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  // Hanging streams have been notified above; this cancels what is still running then.
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  server_->Wait();
}

std::string TestServer::address() const { return "sc://127.0.0.1:" + std::to_string(port_); }

SparkSessionOptions TestServer::Quick() {
  const RetryPolicy quick{.tries = 4, .first = Milliseconds(1), .factor = 2};
  return {.retry = quick, .connect_retry = quick, .chunk_bytes = 1000};
}

std::unique_ptr<SparkSession> TestServer::Open(const std::string& parameters) {
  const auto parsed = ParseSparkAddress(address() + parameters, "");
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  auto session = SparkSession::Open(*parsed, Call{}, Quick());
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  return session.ok() ? std::move(*session) : nullptr;
}

TestServer::Seen TestServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

bool TestServer::Await(const std::function<bool(const Seen&)>& holds) const {
  const Deadline until = Clock::now() + kPatience;
  while (!holds(seen())) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(Milliseconds(2));
  }
  return true;
}

void TestServer::SetServerSession(const std::string& id) {
  const std::lock_guard lock(mutex_);
  server_session = id;
}

bool TestServer::Admits(const Context& context) const {
  if (token.empty()) return true;
  const auto found = context.client_metadata().find("authorization");
  return found != context.client_metadata().end() &&
         std::string_view(found->second.data(), found->second.size()) == "Bearer " + token;
}

grpc::Status TestServer::AnalyzePlan(Context* context, const proto::AnalyzePlanRequest* request,
                                     proto::AnalyzePlanResponse* response) {
  if (!Admits(*context)) return {grpc::StatusCode::UNAUTHENTICATED, "who are you?"};
  const std::lock_guard lock(mutex_);
  response->set_server_side_session_id(server_session);
  if (request->has_spark_version()) response->mutable_spark_version()->set_version("4.2.1");
  return grpc::Status::OK;
}

grpc::Status TestServer::Config(Context*, const proto::ConfigRequest* request,
                                proto::ConfigResponse* response) {
  const std::lock_guard lock(mutex_);
  ++seen_.configs;
  if (!failures.empty()) {
    const grpc::Status failure = failures.front();
    failures.pop_front();
    return failure;
  }
  response->set_server_side_session_id(server_session);
  for (const std::string& key : request->operation().get_option().keys()) {
    response->add_pairs()->set_key(key);
    const auto set = settings.find(key);
    response->mutable_pairs(response->pairs_size() - 1)
        ->set_value(set == settings.end() ? "UTC" : set->second);
  }
  return grpc::Status::OK;
}

StreamScript TestServer::NextScript() {
  const std::lock_guard lock(mutex_);
  if (scripts.empty()) return {};
  StreamScript script = scripts.front();
  scripts.pop_front();
  return script;
}

// Returns the position after the last response that the client saw; the start if it saw none and
// sends no id.
size_t TestServer::After(const std::string& response_id) const {
  for (size_t i = 0; i < responses.size(); ++i) {
    if (responses[i].response_id() == response_id) return i + 1;
  }
  return 0;
}

void TestServer::Hang(Context* context) const {
  while (!context->IsCancelled()) {
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

grpc::Status TestServer::Send(Context* context, const StreamScript& script,
                              const std::string& operation, size_t from, Writer* writer) {
  // `from` is the position that the client should get; the script may make the server deviate.
  from -= std::min(from, script.repeated);
  from += script.skipped;
  size_t sent = 0;
  for (size_t i = from; i < responses.size() && sent < script.responses; ++i, ++sent) {
    proto::ExecutePlanResponse response = responses[i];
    // The stored responses belong to no operation or session: each stream fills in its own.
    response.set_operation_id(operation);
    {
      const std::lock_guard lock(mutex_);
      response.set_server_side_session_id(server_session);
    }
    // The client has disconnected.
    if (!writer->Write(response)) break;
  }
  if (script.hangs) Hang(context);
  return script.end;
}

grpc::Status TestServer::ExecutePlan(Context* context, const proto::ExecutePlanRequest* request,
                                     Writer* writer) {
  const StreamScript script = NextScript();
  {
    const std::lock_guard lock(mutex_);
    seen_.executes.push_back(*request);
    operations_[request->operation_id()] = script.known;
  }
  return Send(context, script, request->operation_id(), 0, writer);
}

grpc::Status TestServer::ReattachExecute(Context* context,
                                         const proto::ReattachExecuteRequest* request,
                                         Writer* writer) {
  {
    const std::lock_guard lock(mutex_);
    seen_.reattaches.push_back(*request);
    if (!knows_operations || !operations_[request->operation_id()]) {
      // Spark's error for an unknown operation; the client goes by this class.
      return SparkStatus(grpc::StatusCode::INTERNAL,
                         "[INVALID_HANDLE.OPERATION_NOT_FOUND] no such operation",
                         "SparkSQLException");
    }
  }
  return Send(context, NextScript(), request->operation_id(), After(request->last_response_id()),
              writer);
}

grpc::Status TestServer::ReleaseExecute(Context*, const proto::ReleaseExecuteRequest* request,
                                        proto::ReleaseExecuteResponse*) {
  const std::lock_guard lock(mutex_);
  seen_.releases.push_back(*request);
  return grpc::Status::OK;
}

grpc::Status TestServer::Interrupt(Context*, const proto::InterruptRequest* request,
                                   proto::InterruptResponse*) {
  const std::lock_guard lock(mutex_);
  seen_.interrupts.push_back(*request);
  return grpc::Status::OK;
}

grpc::Status TestServer::ReleaseSession(Context*, const proto::ReleaseSessionRequest*,
                                        proto::ReleaseSessionResponse*) {
  const std::lock_guard lock(mutex_);
  ++seen_.released_sessions;
  return grpc::Status::OK;
}

grpc::Status TestServer::FetchErrorDetails(Context*, const proto::FetchErrorDetailsRequest*,
                                           proto::FetchErrorDetailsResponse* response) {
  *response = details;
  return grpc::Status::OK;
}

void TestServer::TakeChunk(const proto::AddArtifactsRequest::ArtifactChunk& chunk,
                           const std::string& name, proto::AddArtifactsResponse* response) {
  const std::lock_guard lock(mutex_);
  ++seen_.chunks;
  seen_.artifacts[name] += chunk.data();
  const bool fits = Crc32(chunk.data()) == static_cast<uint32_t>(chunk.crc());
  // A file has one summary, which is good only if all of its chunks were. Its chunks follow each
  // other, so its summary is the last.
  const int last = response->artifacts_size() - 1;
  auto* summary = last >= 0 && response->artifacts(last).name() == name
                      ? response->mutable_artifacts(last)
                      : response->add_artifacts();
  const bool before = summary->name().empty() || summary->is_crc_successful();
  summary->set_name(name);
  summary->set_is_crc_successful(before && fits && !damages_artifacts);
}

grpc::Status TestServer::AddArtifacts(Context*,
                                      grpc::ServerReader<proto::AddArtifactsRequest>* reader,
                                      proto::AddArtifactsResponse* response) {
  proto::AddArtifactsRequest request;
  // The name of the current file: further chunks do not repeat it.
  std::string name;
  while (reader->Read(&request)) {
    for (const auto& single : request.batch().artifacts()) {
      TakeChunk(single.data(), single.name(), response);
    }
    if (request.has_begin_chunk()) {
      name = request.begin_chunk().name();
      TakeChunk(request.begin_chunk().initial_chunk(), name, response);
    }
    if (request.has_chunk()) TakeChunk(request.chunk(), name, response);
  }
  const std::lock_guard lock(mutex_);
  response->set_server_side_session_id(server_session);
  return grpc::Status::OK;
}

grpc::Status TestServer::ArtifactStatus(Context*, const proto::ArtifactStatusesRequest* request,
                                        proto::ArtifactStatusesResponse* response) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : request->names()) {
    (*response->mutable_statuses())[name].set_exists(seen_.artifacts.count(name) > 0);
  }
  return grpc::Status::OK;
}

std::vector<proto::ExecutePlanResponse> MakeResult(const std::vector<int64_t>& sizes) {
  std::vector<proto::ExecutePlanResponse> all(1);
  auto* field = all[0].mutable_schema()->mutable_struct_()->add_fields();
  field->set_name("id");
  field->mutable_data_type()->mutable_long_();
  int64_t rows = 0;
  for (const int64_t size : sizes) {
    auto* batch = all.emplace_back().mutable_arrow_batch();
    batch->set_row_count(size);
    batch->set_start_offset(rows);
    batch->set_data(IdsAsIpc(rows, size));
    rows += size;
  }
  all.emplace_back().mutable_result_complete();
  // With these ids a client reports how far it has read (last_response_id).
  for (size_t i = 0; i < all.size(); ++i) all[i].set_response_id("r" + std::to_string(i));
  return all;
}

grpc::Status SparkStatus(grpc::StatusCode code, const std::string& message, const std::string& type,
                         const std::string& error_class) {
  rpc::ErrorInfo info;
  info.set_reason("org.apache.spark." + type);
  (*info.mutable_metadata())["errorClass"] = error_class;
  (*info.mutable_metadata())["errorId"] = "e1";
  return WithDetail(code, message, "ErrorInfo", info.SerializeAsString());
}

grpc::Status BusyStatus(int32_t milliseconds) {
  rpc::RetryInfo info;
  // Without seconds: `nanos` must stay below 10^9.
  info.mutable_retry_delay()->set_nanos(milliseconds * 1'000'000);
  return WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED, "busy", "RetryInfo",
                    info.SerializeAsString());
}

}  // namespace protium::connect
