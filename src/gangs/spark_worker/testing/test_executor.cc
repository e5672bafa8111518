// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/testing/test_executor.h"

#include <arpa/inet.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/json.h"
#include "os/socket.h"
#include "spark_worker/marks.h"
#include "spark_worker/wire_input.h"

namespace protium {

namespace {

// Only a test that fails waits this long.
constexpr std::chrono::seconds kPatience{60};

// Numbers are big-endian, as Java's DataOutputStream writes them; texts follow their length.
void AddInt(std::string& bytes, int32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(static_cast<uint32_t>(number) >> shift));
  }
}

void AddLong(std::string& bytes, int64_t number) {
  AddInt(bytes, static_cast<int32_t>(number >> 32));
  AddInt(bytes, static_cast<int32_t>(number));
}

void AddText(std::string& bytes, const std::string& text) {
  AddInt(bytes, static_cast<int32_t>(text.size()));
  bytes += text;
}

void AddPairs(std::string& bytes, const std::map<std::string, std::string>& pairs) {
  AddInt(bytes, static_cast<int32_t>(pairs.size()));
  for (const auto& [key, value] : pairs) {
    AddText(bytes, key);
    AddText(bytes, value);
  }
}

// A always has port and secret. B has an address in barrier tasks only, and -1 as the port means
// that the path of a Unix socket follows.
void AddBarrier(std::string& bytes, const TaskInit& init) {
  const BarrierAddress& address = init.barrier_address;
  bytes.push_back(init.barrier ? 1 : 0);
  if (init.family == Family::kB && !init.barrier) return;
  AddInt(bytes, address.path.empty() ? address.port : -1);
  AddText(bytes, address.path.empty() ? address.secret : address.path);
}

void AddFactFields(std::string& bytes, const TaskInit& init) {
  AddBarrier(bytes, init);
  AddInt(bytes, init.stage);
  AddInt(bytes, init.partition);
  AddInt(bytes, init.attempt);
  AddLong(bytes, init.task_attempt_id);
  AddInt(bytes, init.cpus);
  AddInt(bytes, static_cast<int32_t>(init.resources.size()));
  for (const auto& [key, resource] : init.resources) {
    AddText(bytes, key);
    AddText(bytes, resource.name);
    AddInt(bytes, static_cast<int32_t>(resource.addresses.size()));
    for (const std::string& address : resource.addresses) AddText(bytes, address);
  }
  AddPairs(bytes, init.properties);
}

// The facts of families C and D; A and B have the same as AddFactFields().
std::string FactObject(const TaskInit& init) {
  Json facts = {{"secret", init.barrier_address.secret},
                {"isBarrier", init.barrier},
                {"stageId", init.stage},
                {"partitionId", init.partition},
                {"attemptNumber", init.attempt},
                {"taskAttemptId", init.task_attempt_id},
                {"cpus", init.cpus},
                {"cpuAmount", std::to_string(init.cpus)},
                {"connInfo", init.barrier ? init.barrier_address.port : -1}};
  if (!init.barrier_address.path.empty()) {
    facts["secret"] = nullptr;
    facts["connInfo"] = init.barrier_address.path;
  }
  for (const auto& [key, resource] : init.resources) {
    facts["resources"][key] = {{"name", resource.name}, {"addresses", resource.addresses}};
  }
  facts["localProperties"] = init.properties;
  return Dump(facts);
}

void AddFunction(std::string& bytes, const TaskInit& init) {
  const bool early = init.family == Family::kA || init.family == Family::kB;
  // PythonEvalType.SQL_MAP_ARROW_ITER_UDF.
  AddInt(bytes, 207);
  AddPairs(bytes, init.settings);
  // A, B: no profiler. C, D: a second map of settings.
  if (early) {
    bytes.push_back(0);
  } else {
    AddPairs(bytes, {});
  }
  // One function of one argument, which is column 0.
  for (const int32_t number : {1, 1, 0}) AddInt(bytes, number);
  // The argument has no name.
  if (!early) bytes.push_back(0);
  // One command; in C and D the id of its result follows it.
  AddInt(bytes, 1);
  AddText(bytes, init.command);
  if (!early) AddLong(bytes, 0);
}

// {ours, the worker's}
std::pair<UniqueFd, UniqueFd> TcpPair() {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), any, length), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), any, &length), 0);
  UniqueFd theirs(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(theirs.get(), any, length), 0);
  return {UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)), std::move(theirs)};
}

// What SparkWorker::End() writes: three moments, from C on also the time spent on the data, and the
// bytes spilled to memory and to disk.
Status ReadEnd(ExecutorWire& wire, Family family, Answer& answer) {
  const int times = family == Family::kA || family == Family::kB ? 5 : 6;
  for (int i = 0; i < times; ++i) {
    PT_LET(const uint32_t high, wire.ReadInt());
    PT_LET(const uint32_t low, wire.ReadInt());
    answer.times.push_back(static_cast<int64_t>(uint64_t{high} << 32 | low));
  }
  PT_LET(const int32_t end, wire.ReadInt());
  PT_LET(const int32_t accumulators, wire.ReadInt());
  if (end != kEndOfData || accumulators != 0) return Status::Invalid("a wrong end of data");
  PT_LET(answer.last, wire.ReadInt());
  return Status::OK();
}

}  // namespace

Status MemorySource::Read(void* into, int64_t bytes) {
  if (bytes > static_cast<int64_t>(left_.size())) return Status::IOError("the bytes end");
  std::copy_n(left_.data(), bytes, static_cast<char*>(into));
  left_.remove_prefix(static_cast<size_t>(bytes));
  return Status::OK();
}

Result<TaskInit> ReadHeader(MemorySource& source) {
  std::array<uint8_t, 4> bytes{};
  PT_TRY(source.Read(bytes.data(), 4));
  uint32_t first = 0;
  for (const uint8_t byte : bytes) first = first << 8 | byte;
  return ReadTaskInit(static_cast<int32_t>(first), source);
}

Result<Answer> ReadAnswer(ExecutorWire& wire, Family family) {
  Answer answer;
  for (;;) {
    PT_LET(const bool more, wire.Begin());
    if (!more) return answer;
    PT_LET(const int32_t mark, wire.ReadInt());
    if (mark == kArrowStream) {
      PT_LET(const auto rows, WireInput::Open(wire));
      PT_LET(answer.batches, Collect(*rows));
    } else if (mark == kFailed) {
      PT_LET(const int32_t bytes, wire.ReadInt());
      answer.error.resize(static_cast<size_t>(bytes));
      PT_TRY(wire.Read(answer.error.data(), bytes));
      answer.last = kFailed;
      return answer;
    } else if (mark == kTiming) {
      PT_TRY(ReadEnd(wire, family, answer));
      return answer;
    } else {
      return Status::Invalid("a worker said ", mark);
    }
  }
}

std::string FormatVersion(Family family) {
  // Families are the minor releases in their order.
  return "protium 0.1.0;spark=4." + std::to_string(static_cast<int>(family)) + ".1";
}

std::string RawHeaderBytes(const TaskInit& init) {
  std::string bytes;
  AddInt(bytes, init.partition);
  AddText(bytes, init.version);
  if (init.family == Family::kA || init.family == Family::kB) {
    AddFactFields(bytes, init);
  } else {
    AddText(bytes, FactObject(init));
  }
  AddText(bytes, init.files_folder);
  AddInt(bytes, static_cast<int32_t>(init.includes.size()));
  for (const std::string& include : init.includes) AddText(bytes, include);
  // No server of broadcasts, and no broadcasts.
  bytes.push_back(0);
  AddInt(bytes, 0);
  AddFunction(bytes, init);
  if (init.family != Family::kD) return bytes;
  // No partition is -8, so the worker recognises the frame, which says how long the header is.
  std::string framed;
  AddInt(framed, -8);
  AddInt(framed, static_cast<int32_t>(bytes.size()));
  return framed + bytes;
}

std::string HeaderBytes(TaskInit init, const SparkCommand& command) {
  init.version = FormatVersion(init.family);
  auto encoded = EncodeCommand(command);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  init.command = encoded.ok() ? *encoded : "";
  return RawHeaderBytes(init);
}

std::string RowBytes(const SchemaPtr& schema, const arrow::RecordBatchVector& batches,
                     const RowsOptions& options) {
  // All columns within one column of structs, as Spark passes rows to mapInArrow.
  const auto wrapped =
      arrow::schema({arrow::field(options.column, arrow::struct_(schema->fields()))});
  auto write = arrow::ipc::IpcWriteOptions::Defaults();
  if (options.codec != arrow::Compression::UNCOMPRESSED) {
    write.codec = arrow::util::Codec::Create(options.codec).ValueOrDie();
  }
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto writer = arrow::ipc::MakeStreamWriter(sink, wrapped, write).ValueOrDie();
  for (const auto& batch : batches) {
    const auto structs = std::make_shared<arrow::StructArray>(wrapped->field(0)->type(),
                                                              batch->num_rows(), batch->columns());
    EXPECT_TRUE(
        writer->WriteRecordBatch(*arrow::RecordBatch::Make(wrapped, batch->num_rows(), {structs}))
            .ok());
  }
  EXPECT_TRUE(writer->Close().ok());
  std::string bytes = sink->Finish().ValueOrDie()->ToString();
  AddInt(bytes, kEndOfTask);
  return bytes;
}

std::unique_ptr<TestWorker> TestWorker::Start() { return Start(Options{}); }

std::unique_ptr<TestWorker> TestWorker::Start(const Options& options) {
  auto worker = std::make_unique<TestWorker>();
  auto [ours, theirs] = options.tcp ? TcpPair() : SocketPair().ValueOrDie();
  worker->wire_ = ExecutorWire::Make(std::move(ours)).ValueOrDie();
  // One deadline for all reads, so that a worker that hangs fails its test.
  worker->wire_->WaitUntil(Clock::now() + kPatience);
  // `theirs` is closed with this function: after that only the worker holds that end, and its death
  // closes the connection. 7 is a number that is free in it.
  SubprocessOptions start{.program = "/proc/self/exe",
                          .env = options.env,
                          .fds = {{theirs.get(), 7}},
                          .log = options.log};
  start.env.emplace_back("PROTIUM_SPARK_WORKER", "7");
  if (options.reuse) start.env.emplace_back("SPARK_REUSE_WORKER", "1");
  auto process = worker->spawner_.Start(start);
  EXPECT_TRUE(process.ok()) << process.status();
  if (process.ok()) worker->process_ = std::move(*process);
  return worker;
}

void TestWorker::Send(const std::string& bytes) {
  // A worker may give up before it has read all: Read() finds what it sent by then.
  (void)wire_->Write(bytes.data(), static_cast<int64_t>(bytes.size()));
  (void)wire_->Flush();
}

Answer TestWorker::Exchange(const std::string& bytes, Family family) {
  const std::jthread sending([&] { Send(bytes); });
  return Read(family);
}

Answer TestWorker::Read(Family family) {
  auto answer = ReadAnswer(*wire_, family);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *answer : Answer{};
}

void TestWorker::CloseSending() { ::shutdown(wire_->fd(), SHUT_WR); }

void TestWorker::Close() { wire_.reset(); }

Ended TestWorker::WaitForEnd() {
  const auto ended = process_.Wait(Clock::now() + kPatience);
  EXPECT_TRUE(ended.ok() && *ended) << "the worker does not end";
  return ended.ok() && *ended ? **ended : process_.Kill();
}

Ended TestWorker::End() {
  Close();
  return WaitForEnd();
}

}  // namespace protium
