// SPDX-License-Identifier: Apache-2.0
// A stream that its engine runs by itself: on Spark, a query of Spark's own
// (engine/stream_query.h).
//
// 1. What outlives a process is the engine's checkpoint, in the stream's folder. We start the
//    query, look at it, and end it; started again, it goes on behind the batches that have ended.
// 2. What only streams that run here can do is refused by name before anything starts
//    (engine_limits.h).
// 3. The model and the other tables are those at the start.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/stream_query.h"
#include "os/fd.h"
#include "protium/session.h"
#include "stream/engine_rows.h"
#include "stream/stream_run.h"

namespace protium {

// In the stream's folder; belongs to the engine.
inline constexpr const char* kCheckpointFolder = "checkpoint";

// Refuses (kUsage) to go on, on the engine of the job, with a stream that another kind of engine
// has begun in `folder`: it would begin anew, and write its events twice.
Status CheckSameEngine(const JobFile& job, const std::filesystem::path& folder);

// One thread.
class EngineStream {
 public:
  // Takes the folder's lock, checks everything, and starts the query. If only a first file can tell
  // the columns, waits for it, but not if the stream runs once.
  static Result<std::unique_ptr<EngineStream>> Open(StreamRequest request,
                                                    const std::stop_token& stop);
  ~EngineStream();

  // Works until `stop` is set, then ends the query; or, if it runs once, until nothing is left.
  Status Run(const std::stop_token& stop);

  // Of the batches that this process has seen to end,
  const StreamTotals& written() const { return written_; }
  // and the rows of all that any has.
  int64_t all_rows() const { return totals_.rows; }

 private:
  explicit EngineStream(StreamRequest request);
  // Returns false if there is no first file.
  Result<bool> OpenRows(const std::stop_token& stop);
  Status OpenEngineSession(const std::stop_token& stop);
  Status CheckSink() const;
  Status Start(const EngineRows& rows, const std::stop_token& stop);
  void ReadTotals();
  void Take(const StreamQueryNow& now);
  Status Work(const std::stop_token& stop);
  void Show(const std::string& state, const std::string& error = {});

  StreamRequest request_;
  const StreamOptions& options_;
  UniqueFd lock_;
  StreamStatus status_;
  StreamTotals totals_;
  StreamTotals written_;
  int64_t counted_ = 0;  // Batches that are in totals_.rows.
  std::string doing_;
  std::optional<NamedModel> model_;
  EventShape shape_;
  std::optional<SourceForm> form_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<StreamQuery> query_;  // Last: it uses the session's engine.
};

}  // namespace protium
