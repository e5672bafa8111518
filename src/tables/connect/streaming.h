// SPDX-License-Identifier: Apache-2.0
// Requests about structured streams: rows that come as files do, and queries over them, which the
// server runs by itself until they are stopped.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "connect/messages.h"
#include "connect/relations.h"

namespace protium::connect {

// Returns the read of connect::Read() so that its files come batch by batch, with `more` options.
Relation AsStream(Relation read, const Options& more);

// What becomes of the rows of a stream: they are appended to what is in `path`, or go to where the
// options of the format say.
struct StreamWrite {
  std::string format = "parquet";
  std::string path;  // Empty: none.
  Options options;
  std::string name;  // Of the query, for people.
  // How long after the beginning of a batch the next one begins at the earliest; unset: the query
  // reads what is there, in batches, and ends.
  std::optional<std::chrono::milliseconds> every;
};
// Starts a query; CommandResult::query is its id.
Command WriteStream(Relation input, const StreamWrite& write);

// The answer is CommandResult::about_query; of kStop there is none.
enum class AboutQuery { kStatus, kProgress, kException, kStop };
Command AskQuery(const proto::StreamingQueryInstanceId& query, AboutQuery what);

}  // namespace protium::connect
