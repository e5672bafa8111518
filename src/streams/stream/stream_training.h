// SPDX-License-Identifier: Apache-2.0
// Trainings beside a stream: when one is due, what becomes of it, and whose tag the live model's
// is.
//
// 1. Every step is a line of the stream's log before anything depends on it. A training sees the
//    events before a batch and begins from a model, both of which its line names: one in which a
//    process died is made again, to the same bits.
// 2. A new model gets the tag only if it is not worse than the model that it began from on the
//    newest events, which it has not seen, and if that one has the tag still.
// 3. Nothing that goes wrong with a training is the stream's trouble.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "job/job.h"
#include "stream/kept_events.h"
#include "stream/stream_log.h"
#include "stream/stream_model.h"
#include "stream/training_state.h"
#include "stream/training_work.h"

namespace protium {

struct TrainingSetting {
  const Job& job;                // With stream.train.
  std::filesystem::path folder;  // The stream's.
  std::filesystem::path runs;    // Where promoted models go, with the tag.
  std::function<void(const std::string&)> note;
  // Whether the stream can go on with a model.
  std::function<Status(const LoadedModel&)> fits;
};

// One thread, but for the training itself.
class StreamTraining {
 public:
  // Reads and checks the job that trains, and gives the tag to a model that was promoted when a
  // process died: comes before the live model is looked up. Refuses (kUsage) a job that reads
  // other tables than the events, searches, or trains over folds.
  static Result<std::unique_ptr<StreamTraining>> Open(TrainingSetting setting, StreamLog& log);
  // Ends the training that is running; it is made again by the next process.
  ~StreamTraining();

  // Refuses (kUsage) events whose columns the job's SQL does not read, or that have no label.
  // `live_table`: what they are called in the SQL of the live model; empty: it has none.
  Status Check(const SchemaPtr& events, const LoadedModel& live, const std::string& live_table);
  // Keeps the events of the batch that has begun, before it ends.
  Status Keep(const arrow::RecordBatch& events);
  // Does what is to be done between two batches: takes what has ended, begins what is due. Fails
  // only if the log cannot be written.
  Status Tick(const LoadedModel& live);
  // Whether a training is running or waits.
  bool busy() const { return state_.open.has_value() || !state_.waiting.empty(); }
  // For the status: TrainingState without what is only for the log.
  Json facts() const;

 private:
  StreamTraining(TrainingSetting setting, StreamLog& log);
  Status ReadJob();
  Status Note();
  Status AddDue();
  Status Begin(const LoadedModel& live);
  void Start();
  Status Take(const LoadedModel& live);
  Status MayReplace(const LoadedModel& live, const TrainingEnded& ended) const;
  Status Promote();
  std::string Told() const;
  std::filesystem::path FolderOf(int64_t number) const;

  TrainingSetting setting_;
  const StreamTrainOptions& options_;
  StreamLog& log_;
  KeptEvents events_;
  TrainingState state_;
  std::filesystem::path job_file_;
  std::string table_, sql_, live_table_;
  std::chrono::steady_clock::time_point counted_since_;
  std::stop_source stop_;
  std::future<TrainingEnded> running_;
};

}  // namespace protium
