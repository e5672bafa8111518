// SPDX-License-Identifier: Apache-2.0
// A plan over events that an engine runs by itself, batch after batch, until it is told to end: on
// Spark a structured stream, which is a query of Spark's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/call.h"
#include "column/source.h"
#include "engine/engine.h"
#include "plan/node.h"

namespace protium {

// A topic of Kafka.
struct QueryTopic {
  std::string servers;  // "host:9092,host:9093"
  std::string name;
};

// The events that a query follows: new files of the folder of `scan`, if they are named as
// `pattern` says, or messages.
struct QueryEvents {
  const Node* scan = nullptr;  // A Scan in the plan, with the columns; over no files for a topic.
  std::string pattern;
  std::optional<QueryTopic> topic;
  bool text = false;  // Messages are the text of the only column, and not objects in JSON.
  // Of a topic, the first time: the milliseconds since 1970 of its first messages; the smallest
  // number: all, the largest: none that is there.
  int64_t since_ms = std::numeric_limits<int64_t>::min();
  int64_t most_rows = 0;  // Messages of a batch.
};

struct QueryFiles {
  Format format = Format::kParquet;
  std::filesystem::path folder;
};
struct QueryMessages {
  QueryTopic topic;
  std::string key;   // A column; empty: messages have no keys.
  std::string text;  // The column whose texts are messages; empty: all, as objects in JSON.
};
// Where rows go: to files, to a table of Delta, or as messages.
using QuerySink = std::variant<QueryFiles, Source, QueryMessages>;

struct StreamQuerySpec {
  std::string name;  // For people who look at the engine.
  Plan plan;         // The rows to write.
  QueryEvents events;
  QuerySink sink;
  std::filesystem::path checkpoint;  // The folder in which the engine says what it has done.
  // After the beginning of a batch the next one begins so much later at the earliest.
  std::chrono::milliseconds every{0};
  bool once = false;  // Ends once everything that is there has been written.
};

// A batch that has ended and had events.
struct StreamQueryBatch {
  int64_t number = 0;
  int64_t read = 0;
  int64_t written = 0;
  std::chrono::milliseconds took{0};
};

struct StreamQueryNow {
  bool active = false;
  std::string doing;                      // In the engine's words: "Waiting for data to arrive".
  std::vector<StreamQueryBatch> batches;  // Those that ended since the last look.
};

// One thread.
class StreamQuery {
 public:
  // Ends it, like Stop().
  virtual ~StreamQuery() = default;
  // Fails with what ended it. A query that was read to its end (`once`) is no longer active.
  virtual Result<StreamQueryNow> Look(const Call& call) = 0;
  // Ends it now; a batch that it is at is made when it starts again.
  virtual Status Stop() = 0;
};

// The libraries of engines that can do this have this entry, protium_start_query: see EngineEntry.
// `engine` is one that the library has opened.
using StreamQueryEntry = bool (*)(int32_t version, Engine& engine, const StreamQuerySpec& spec,
                                  const Call& call, Result<std::unique_ptr<StreamQuery>>& query);

// Starts the query, or goes on with that of the checkpoint. Checks first what can be checked: SQL,
// columns, and that no row depends on those of other batches. `engine` must outlive the query.
Result<std::unique_ptr<StreamQuery>> StartStreamQuery(Engine& engine, const StreamQuerySpec& spec,
                                                      const Call& call);

}  // namespace protium
