// SPDX-License-Identifier: Apache-2.0
#include "spark_worker/testing/test_tasks.h"

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "base/fault.h"
#include "gang/bend_task.h"

namespace protium {

SchemaPtr RowSchema() {
  return arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8())});
}

std::shared_ptr<arrow::RecordBatch> RowBatch(int64_t first, int64_t count) {
  arrow::Int64Builder numbers;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = first + i;
    PT_CHECK((i == 1 ? numbers.AppendNull() : numbers.Append(n)).ok());
    // Not only ASCII, where bytes and letters have the same count.
    PT_CHECK((i == 0 ? texts.AppendNull() : texts.Append("ü" + std::to_string(n))).ok());
  }
  return arrow::RecordBatch::Make(RowSchema(), count,
                                  {numbers.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
}

SchemaPtr TextSchema() { return arrow::schema({arrow::field("text", arrow::utf8())}); }

std::shared_ptr<arrow::RecordBatch> TextBatch(const std::string& text) {
  arrow::StringBuilder builder;
  PT_CHECK(builder.Append(text).ok());
  return arrow::RecordBatch::Make(TextSchema(), 1, {builder.Finish().ValueOrDie()});
}

std::vector<std::string> Texts(const arrow::RecordBatchVector& batches) {
  std::vector<std::string> all;
  for (const auto& batch : batches) {
    const auto& column = static_cast<const arrow::StringArray&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) all.push_back(column.GetString(i));
  }
  return all;
}

namespace {

Status Same(TaskContext& context) {
  for (;;) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) return Status::OK();
    PT_TRY(context.Emit(*batch));
  }
}

Status First(TaskContext& context) {
  PT_LET(const auto batch, context.input().Next());
  return batch ? context.Emit(*batch) : Status::OK();
}

Status Nothing(TaskContext&) { return Status::OK(); }

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// All in one text: the test runs in another process, and only rows come back from the worker.
Status Facts(TaskContext& context) {
  Json devices = Json::array();
  for (const Device& each : context.devices()) devices.push_back(each.name + ":" + each.address);
  const Json facts = {{"rank", context.rank()},
                      {"world", context.world()},
                      {"attempt", context.attempt()},
                      {"host", context.host()},
                      {"config", context.config()},
                      {"devices", devices},
                      {"pid", ::getpid()},
                      {"cuda", Variable("CUDA_VISIBLE_DEVICES")},
                      {"order", Variable("CUDA_DEVICE_ORDER")},
                      {"threads", Variable("OMP_NUM_THREADS")},
                      {"scratch", Variable("TMPDIR")}};
  return context.Emit(*TextBatch(Dump(facts)));
}

Status FailAsTold(TaskContext& context) {
  PT_TRY(First(context));
  PT_LET(const Json json, ParseJson(context.config()));
  return StatusFromJson(json);
}

Status Throw(TaskContext&) { throw std::runtime_error("thrown on purpose"); }

Status Crash(TaskContext& context) {
  ::raise(std::atoi(context.config().c_str()));
  return Status::OK();
}

Status Other(TaskContext& context) { return context.Emit(*RowBatch(0, 3)); }

Status ReportTwice(TaskContext& context) {
  PT_LET(const Json event, ParseJson(context.config()));
  context.Send(event);
  context.Send(event);
  return Status::OK();
}

Status Wait(TaskContext& context) {
  context.Send({{"event", "waiting"}});
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  // The condition never holds: only a stop ends the wait, and does so at once.
  changed.wait(lock, context.stop(), [] { return false; });
  return Fail({.exit = Exit::kStopped, .what = "stopped cleanly"});
}

Status Gather(TaskContext& context) {
  // The rank is in the text, so that the test sees which position each has.
  PT_LET(const auto all, context.AllGather(context.config() + std::to_string(context.rank())));
  PT_TRY(context.Barrier());
  for (const std::string& each : all) PT_TRY(context.Emit(*TextBatch(each)));
  return Status::OK();
}

Status Count(TaskContext& context) {
  int64_t rows = 0;
  for (;;) {
    PT_LET(const auto batch, context.input().Next());
    if (!batch) break;
    rows += batch->num_rows();
  }
  return context.Emit(*TextBatch(std::to_string(rows)));
}

}  // namespace

const TaskTable& TestTasks() {
  static const TaskTable tasks = {{"same", Same},    {"first", First},     {"nothing", Nothing},
                                  {"facts", Facts},  {"fail", FailAsTold}, {"throw", Throw},
                                  {"crash", Crash},  {"other", Other},     {"report", ReportTwice},
                                  {"wait", Wait},    {"gather", Gather},   {"count", Count},
                                  {"bend", BendTask}};
  return tasks;
}

}  // namespace protium
