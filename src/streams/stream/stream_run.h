// SPDX-License-Identifier: Apache-2.0
// A stream from its job: batch after batch, each exactly once.
//
// 1. Before anything is written for a batch, the log says what it reads and which model scores it;
//    then come its dead letters, its rows, and the line that it has ended.
// 2. A process that dies in between is followed by one that finds the batch begun: it reads and
//    scores the same again, and writes the same bytes. What the sink has whole already is not
//    written again.
// 3. A batch has one model and one state of the other tables: what changes meanwhile takes effect
//    with the next.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "job/job.h"
#include "stream/event_join.h"
#include "stream/event_shape.h"
#include "stream/event_windows.h"
#include "stream/join_bounds.h"
#include "stream/side_tables.h"
#include "stream/stream_log.h"
#include "stream/stream_model.h"
#include "stream/stream_status.h"
#include "stream/stream_steps.h"
#include "stream/stream_training.h"

namespace protium {

// While this file is in its folder, a stream begins no batch.
inline constexpr const char* kPauseFile = "pause";

struct StreamRequest {
  Job job;                       // With [stream].
  std::filesystem::path folder;  // The stream's own: log, status, dead letters.
  FindModelFolder find_model;
  std::filesystem::path runs;  // Where trainings put models that are promoted.
  // Receives lines for people: what began, another model, ignored columns.
  std::function<void(const std::string&)> note;
  // One partition's stream (stream/divided_stream.h): `folder` is in that of the whole.
  std::optional<int32_t> partition = {};
  // Ends once everything that is there has been scored.
  bool once = false;
};

// One thread.
class StreamRun {
 public:
  // Takes the folder's lock, loads the model and checks everything that can be checked. If only a
  // first event can tell the columns, waits for it, but not if the stream runs once.
  static Result<std::unique_ptr<StreamRun>> Open(StreamRequest request,
                                                 const std::stop_token& stop);
  ~StreamRun();

  // Works until `stop` is set, then ends the batch that it is at; or, if it runs once, until
  // nothing is left. A fault leaves the batch begun, to be made again.
  Status Run(const std::stop_token& stop);

  const StreamTotals& totals() const { return log_->totals(); }

 private:
  explicit StreamRun(StreamRequest request);
  Status OpenModels();
  Status OpenSteps();
  Status OpenEnds(const std::stop_token& stop);
  Status Recover();
  Status Work(const std::stop_token& stop);
  Status RefreshModels();
  Status RefreshTables();
  Status ReadTables();
  Status UseModelsSql();
  // Begins and makes the next batch; false if nothing came.
  Result<bool> MakeNext(const std::stop_token& stop);
  Result<BatchLimits> Limits() const;
  Status OpenWindows();
  Status OpenJoin();
  Status OpenTraining();
  // Whether the stream can go on with another model.
  Status Fits(const LoadedModel& model);
  Status Train();
  // Until nothing is trained any more.
  Status AwaitTrainings(const std::stop_token& stop);
  Status Make(const LoadedModel* model, bool written);
  // What becomes of the rows that were read: those of windows that are still open wait.
  Result<StepsResult> Apply(StreamRows& read, const LoadedModel* model);
  Result<StepsResult> NoRows(const LoadedModel* model) const;
  Status UseTables(std::shared_ptr<arrow::RecordBatch> joined);
  // Writes what waits, and says so in the line that ends the batch.
  Status SaveWaiting(int64_t number, Json& facts) const;
  Result<std::shared_ptr<const LoadedModel>> ModelOf(const Intent& intent, bool written);
  Json Facts() const;
  void WaitWhilePaused(const std::stop_token& stop);
  void KeepToRate(int64_t rows, const std::stop_token& stop) const;
  void Show(const std::string& state, bool now = false, const std::string& error = {});

  StreamRequest request_;
  const StreamOptions& options_;
  std::unique_ptr<StreamLog> log_;
  StreamStatus status_;
  std::optional<NamedModel> model_;
  std::optional<NamedModel> shadow_;
  EventShape shape_;
  EventShape other_shape_;  // Of the stream that is joined.
  std::optional<SideTables> tables_;
  std::optional<EventWindows> windows_;
  std::optional<EventJoin> join_;
  std::optional<JoinBounds> bounds_;  // Of the join.
  std::vector<MemoryTable> read_;     // The other tables, for a join, whose SQL is prepared again.
  std::optional<StreamSteps> steps_;
  std::unique_ptr<StreamSource> source_;
  std::unique_ptr<StreamSink> sink_;
  std::unique_ptr<StreamTraining> training_;  // Last: it uses the log.
};

}  // namespace protium
