// SPDX-License-Identifier: Apache-2.0
// The source and the sink that a job's [stream] names.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "flow/flow.h"
#include "job/job.h"
#include "stream/event_shape.h"
#include "stream/joined_source.h"

namespace protium {

// What sources and sinks must know of their stream.
struct EndsContext {
  const Job& job;
  std::filesystem::path folder;  // The stream's own.
  std::function<void(const std::string&)> note;
  std::stop_token stop = {};  // Ends waiting for servers.
  // The stream is one partition's, and its folder is in that of the whole.
  std::optional<int32_t> partition = {};
  bool other = false;  // The source is that of stream.join.
  bool once = false;   // No first file is waited for.
};

// Sets the columns of `shape` if they are unknown: those of the first file, for which it waits.
// They are kept in columns.json of the stream's folder and stay. Returns null if there is no file
// before `stop` is set, or now if the stream runs once.
Result<std::unique_ptr<StreamSource>> OpenSource(const EndsContext& context, EventShape& shape,
                                                 const std::stop_token& stop);
// The same for both sources of a stream that joins another.
Result<std::unique_ptr<JoinedSource>> OpenSources(const EndsContext& context, EventShape& shape,
                                                  EventShape& other, const std::stop_token& stop);

// The files of a folder or the messages of a topic, for an engine that reads them by itself.
struct SourceForm {
  bool text = false;  // Each is the text of the only column.
  Format format = Format::kCsv;
  // Of CSV all columns that the files have, in their order: those that are no events' are texts.
  SchemaPtr columns;
};
// Sets the columns of `shape`, as OpenSource() does. None if there is no first file to tell.
// Connects to nothing.
Result<std::optional<SourceForm>> FormOfSource(const EndsContext& context, EventShape& shape,
                                               const std::stop_token& stop);

// Of a source that is a topic.
Result<int32_t> CountPartitions(const EndsContext& context);

// Where a source that is a folder is.
std::filesystem::path SourceFolder(const JobFile& job);
// Of a sink that is a folder: where it is, and what is in it.
std::filesystem::path SinkFolder(const JobFile& job);
Result<Format> SinkFormat(const JobFile& job);

Result<std::unique_ptr<StreamSink>> OpenSink(const EndsContext& context);

}  // namespace protium
