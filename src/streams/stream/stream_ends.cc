// SPDX-License-Identifier: Apache-2.0
#include "stream/stream_ends.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "column/schema.h"
#include "engine/batch_store.h"
#include "format/file_form.h"
#include "job/model_tables.h"
#include "kafka/open.h"
#include "os/file.h"
#include "os/new_file.h"
#include "os/random_letters.h"
#include "records/record_rows.h"
#include "sources/source.h"
#include "stream/folder_sink.h"
#include "stream/folder_source.h"
#include "stream/table_sink.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr const char* kColumnsFile = "columns.json";
constexpr const char* kFileColumnsFile = "file-columns.json";

fs::path Below(const JobFile& job, const std::string& path) {
  return fs::absolute(fs::path(job.data) / path).lexically_normal();
}

const StreamSourceOptions& SourceOf(const EndsContext& context) {
  const StreamOptions& stream = *context.job.file.stream;
  return context.other ? stream.join->source : stream.source;
}

// The key of something of the source in the job.
std::string KeyOf(const EndsContext& context, const std::string& key = "") {
  return (context.other ? "stream.join.source" : "stream.source") + key;
}

// The folder of the stream, or of the one that it is a partition of.
fs::path WholeFolder(const EndsContext& context) {
  return context.partition ? context.folder.parent_path() : context.folder;
}

// Never given to another stream, and the stream's own wherever its folder is moved: if the folder
// is removed, the next stream in its place is another one. Of processes that share a stream the
// first decides.
Result<std::string> NameOfStream(const EndsContext& context) {
  const fs::path folder = WholeFolder(context), file = folder / "kafka-name";
  if (!IsRegularFile(file)) {
    const std::string name =
        fs::absolute(folder).lexically_normal().filename().string() + "-" + RandomLetters(10);
    PT_TRY(WriteNewFile(file, name + "\n").status());
  }
  PT_LET(const std::string text, ReadFile(file, 1 << 10));
  const std::string name(Trimmed(text));
  return context.partition ? fmt::format("{}-{}", name, *context.partition) : name;
}

Result<MessageFormat> MessagesCalled(const std::string& name, const std::string& where) {
  MessageFormat format = MessageFormat::kJson;
  if (!name.empty()) PT_TRY(fields::Read(Json(name), where, format));
  return format;
}

template <class Options>
Result<KafkaConnection> ConnectionFor(const EndsContext& context, const Options& options,
                                      std::string where) {
  PT_LET(std::string name, NameOfStream(context));
  return KafkaConnection{.servers = *options.kafka,
                         .topic = options.topic,
                         .name = std::move(name),
                         .settings = options.settings,
                         .where = std::move(where),
                         .note = context.note,
                         .stop = context.stop};
}

// The columns that an earlier process decided.
Result<SchemaPtr> KeptColumns(const fs::path& file) {
  if (!IsRegularFile(file)) return SchemaPtr();
  PT_LET(const std::string text, ReadFile(file, 16 << 20));
  const Json json = Json::parse(text, nullptr, false);
  Result<SchemaPtr> columns = SchemaFromJson(json);
  if (columns.ok()) return columns;
  return Fail({.exit = Exit::kInput,
               .what = "the columns of the stream cannot be read",
               .where = file.string(),
               .fix = "remove the file: the next events decide anew"});
}

Status KeepColumns(const EndsContext& context, const arrow::Schema& columns,
                   const std::string& source) {
  PT_LET(const Json json, SchemaToJson(columns));
  PT_TRY(WriteFile(context.folder / kColumnsFile, Dump(json) + "\n"));
  context.note(fmt::format("columns, from {}: {}", source, fmt::join(columns.field_names(), ", ")));
  return Status::OK();
}

// Messages do not say the types of their columns, but schemas of Avro do: null, if a registry has
// them.
Result<SchemaPtr> ColumnsOfMessages(const EndsContext& context, const EventShape& shape,
                                    MessageFormat format) {
  if (shape.columns != nullptr) return shape.columns;
  if (shape.known != nullptr) return EventColumns(*shape.known);
  if (format == MessageFormat::kText) return arrow::schema({arrow::field("text", arrow::utf8())});
  if (format == MessageFormat::kAvro) return KeptColumns(context.folder / kColumnsFile);
  return Fail({.exit = Exit::kUsage,
               .what = "the columns of the messages are not known",
               .where = context.other ? "stream.join.columns" : "stream.columns",
               .fix = "columns = { id = \"int64\", name = \"string\" }",
               .kept = "nothing was started"});
}

// Processes that share a stream share what they were told of schemas.
Result<AvroOptions> AvroFor(const EndsContext& context, const StreamSourceOptions& source) {
  AvroOptions avro{.registry = source.registry,
                   .password = source.password.value_or(PasswordPlace()),
                   .folder = WholeFolder(context) / "schemas",
                   .waits = !context.once};
  if (source.schema.empty()) return avro;
  PT_LET(avro.schema, ReadSchemaFile(context.job.file, source, KeyOf(context)));
  return avro;
}

Result<std::unique_ptr<StreamSource>> OpenTopic(const EndsContext& context, EventShape& shape) {
  const StreamSourceOptions& source = SourceOf(context);
  KafkaSourceOptions options{.optional = shape.optional,
                             .new_columns = context.job.file.stream->new_columns,
                             .csv = source.csv,
                             .start = source.start};
  const std::string where = KeyOf(context, ".format");
  PT_LET(options.format, MessagesCalled(source.format.value_or(""), where));
  PT_LET(shape.columns, ColumnsOfMessages(context, shape, options.format));
  options.columns = shape.columns;
  PT_LET(options.kafka, ConnectionFor(context, source, KeyOf(context)));
  options.partition = context.partition;
  if (options.format == MessageFormat::kAvro) {
    PT_LET(options.avro, AvroFor(context, source));
  }
  PT_LET(auto opened, OpenKafkaSource(options));
  if (shape.columns == nullptr) {
    shape.columns = opened->schema();
    PT_TRY(KeepColumns(context, *shape.columns, "the schema registry"));
  }
  return opened;
}

// Of JSON or text.
Result<std::optional<SourceForm>> FormOfMessages(const EndsContext& context, EventShape& shape) {
  PT_LET(const MessageFormat format,
         MessagesCalled(SourceOf(context).format.value_or(""), KeyOf(context, ".format")));
  PT_LET(shape.columns, ColumnsOfMessages(context, shape, format));
  const bool text = format == MessageFormat::kText;
  if (text) PT_TRY(CheckTextMessages(*shape.columns));
  return SourceForm{.text = text, .format = Format::kJsonLines, .columns = shape.columns};
}

Result<std::unique_ptr<StreamSink>> OpenTopic(const EndsContext& context) {
  const StreamSinkOptions& sink = context.job.file.stream->sink;
  KafkaSinkOptions options{.key = sink.key, .delivery = sink.delivery};
  PT_LET(options.format, MessagesCalled(sink.format, "stream.sink.format"));
  PT_LET(options.kafka, ConnectionFor(context, sink, "stream.sink"));
  return OpenKafkaSink(options);
}

Result<std::unique_ptr<StreamSink>> OpenTableSink(const EndsContext& context) {
  const JobFile& job = context.job.file;
  BatchTarget target;
  PT_LET(target.source, TargetOf(OutputOf(job.stream->sink), job.data, job.connections));
  if (IsHere(target.source)) {
    target.source.file = fs::absolute(target.source.file).lexically_normal();
  }
  PT_LET(target.stream, NameOfStream(context));
  target.note = context.note;
  const EngineRequest request{.address = "local", .spill = context.folder / "spill"};
  PT_LET(auto store, OpenBatchStore(request, target));
  return std::make_unique<TableSink>(std::move(store),
                                     TableSinkOptions{.note = context.note, .stop = context.stop});
}

Result<Format> FormatCalled(const std::string& name) {
  Format format = Format::kCsv;
  PT_TRY(fields::Read(Json(name), "stream.source.format", format));
  return format;
}

// The first whole file of the folder; none if `stop` came first, or with `once` if there is none.
Result<std::optional<fs::path>> AwaitFile(const fs::path& folder, const std::string& pattern,
                                          bool once, const std::stop_token& stop) {
  PT_LET(const auto watch, FolderWatch::Make(folder, pattern));
  const auto new_to_us = [](const FoundFile&) { return false; };
  do {
    const std::chrono::milliseconds patience(once ? 100 : 1000);
    PT_LET(const auto found, watch->Wait(new_to_us, patience, stop));
    if (!found.empty()) return std::optional(folder / found.front().name);
  } while ((!once || watch->settling()) && !stop.stop_requested());
  return std::optional<fs::path>();
}

class FolderOpening {
 public:
  FolderOpening(const EndsContext& context, EventShape& shape)
      : context_(context),
        source_(SourceOf(context)),
        shape_(shape),
        folder_(Below(context.job.file, *source_.folder)) {}

  Result<std::unique_ptr<StreamSource>> Open(const std::stop_token& stop) {
    PT_LET(const bool known, Learn(stop));
    if (!known) return nullptr;
    PT_LET(auto opened,
           FolderSource::Open({.folder = folder_,
                               .pattern = source_.pattern,
                               .after = source_.after,
                               .form = {.format = format_,
                                        .csv = source_.csv,
                                        .columns = shape_.columns,
                                        .optional = shape_.optional,
                                        .new_columns = context_.job.file.stream->new_columns},
                               .settle = context_.once,
                               .note = context_.note}));
    return std::unique_ptr<StreamSource>(std::move(opened));
  }

  Result<std::optional<SourceForm>> Form(const std::stop_token& stop) {
    PT_LET(const bool known, Learn(stop));
    if (!known) return std::optional<SourceForm>();
    if (format_ != Format::kCsv)
      return std::optional(SourceForm{.format = format_, .columns = shape_.columns});
    PT_LET(SchemaPtr columns, CsvColumns(stop));
    if (columns == nullptr) return std::optional<SourceForm>();
    return std::optional(SourceForm{.format = format_, .columns = std::move(columns)});
  }

 private:
  // Learns the format and the columns of events, from a first file unless both are known; false:
  // there is none.
  Result<bool> Learn(const std::stop_token& stop) {
    PT_TRY(CheckFolder());
    PT_LET(shape_.columns, Columns());
    if (shape_.columns != nullptr && FormatSaid()) {
      format_ = *FormatSaid();
      return true;
    }
    PT_LET(const auto first, FirstFile(stop));
    if (!first) return false;
    PT_TRY(LookAt(*first));
    return true;
  }

  // All columns of CSV files, in their order, which the first file decides; null: there is none.
  Result<SchemaPtr> CsvColumns(const std::stop_token& stop) {
    const fs::path file = context_.folder / kFileColumnsFile;
    PT_LET(const SchemaPtr kept, KeptColumns(file));
    if (kept != nullptr) return kept;
    PT_LET(const auto first, FirstFile(stop));
    if (!first) return SchemaPtr();
    PT_LET(const SchemaPtr found, ColumnsOfFile(*first, format_, source_.csv, shape_.columns));
    PT_TRY(CheckNoneIsMissing(*first, *found));
    arrow::FieldVector fields;
    for (const std::string& name : found->field_names()) {
      const auto known = shape_.columns->GetFieldByName(name);
      fields.push_back(known != nullptr ? known : arrow::field(name, arrow::utf8()));
    }
    const SchemaPtr columns = arrow::schema(std::move(fields));
    PT_LET(const Json json, SchemaToJson(*columns));
    PT_TRY(WriteFile(file, Dump(json) + "\n"));
    return columns;
  }

  Status CheckNoneIsMissing(const fs::path& file, const arrow::Schema& found) const {
    for (const std::string& name : shape_.columns->field_names()) {
      if (found.GetFieldIndex(name) >= 0 || std::ranges::count(shape_.optional, name) > 0) continue;
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("the file lacks the column \"{}\"", name),
                   .where = file.string(),
                   .fix = "take the file away, or leave the column out of the SQL and of the model",
                   .kept = "nothing was started"});
    }
    return Status::OK();
  }

  Status CheckFolder() const {
    if (fs::is_directory(folder_)) return Status::OK();
    return Fail({.exit = Exit::kInput,
                 .what = "there is no such folder: " + folder_.string(),
                 .where = KeyOf(context_, ".folder"),
                 .fix = "mkdir -p " + folder_.string(),
                 .kept = "nothing was started"});
  }

  Result<std::optional<fs::path>> FirstFile(const std::stop_token& stop) {
    if (first_) return first_;
    if (!context_.once) {
      context_.note(fmt::format("waits for a first file in {}", folder_.string()));
    }
    PT_LET(auto first, AwaitFile(folder_, source_.pattern, context_.once, stop));
    if (!first && context_.once) {
      context_.note(
          fmt::format("nothing is in {} that is called {}", folder_.string(), source_.pattern));
    }
    first_ = first;
    return first;
  }

  std::optional<Format> FormatSaid() const {
    if (source_.format) return FormatCalled(*source_.format).ValueOr(Format::kCsv);
    const auto form = FormOfName(source_.pattern);
    return form ? std::optional(form->format) : std::nullopt;
  }

  Result<SchemaPtr> Columns() const {
    if (shape_.columns != nullptr) return shape_.columns;
    return KeptColumns(context_.folder / kColumnsFile);
  }

  Status LookAt(const fs::path& file) {
    if (const auto said = FormatSaid()) {
      format_ = *said;
    } else {
      PT_LET(const FileForm form, FormNamed(file.string()));
      format_ = form.format;
    }
    if (shape_.columns != nullptr) return Status::OK();
    PT_LET(const SchemaPtr found, ColumnsOfFile(file, format_, source_.csv, shape_.known));
    shape_.columns = EventColumns(*found);
    return KeepColumns(context_, *shape_.columns, file.filename().string());
  }

  const EndsContext& context_;
  const StreamSourceOptions& source_;
  EventShape& shape_;
  fs::path folder_;
  Format format_ = Format::kCsv;
  std::optional<fs::path> first_;
};

}  // namespace

Result<std::unique_ptr<StreamSource>> OpenSource(const EndsContext& context, EventShape& shape,
                                                 const std::stop_token& stop) {
  if (SourceOf(context).kafka) return OpenTopic(context, shape);
  return FolderOpening(context, shape).Open(stop);
}

Result<std::optional<SourceForm>> FormOfSource(const EndsContext& context, EventShape& shape,
                                               const std::stop_token& stop) {
  if (SourceOf(context).kafka) return FormOfMessages(context, shape);
  return FolderOpening(context, shape).Form(stop);
}

Result<std::unique_ptr<JoinedSource>> OpenSources(const EndsContext& context, EventShape& shape,
                                                  EventShape& other, const std::stop_token& stop) {
  EndsContext second = context;
  second.other = true;
  second.folder = context.folder / "other";
  PT_TRY(MakeFolder(second.folder));
  PT_LET(auto events, OpenSource(context, shape, stop));
  if (events == nullptr) return nullptr;
  PT_LET(auto others, OpenSource(second, other, stop));
  if (others == nullptr) return nullptr;
  return std::make_unique<JoinedSource>(std::move(events), std::move(others));
}

Result<int32_t> CountPartitions(const EndsContext& context) {
  PT_LET(const KafkaConnection connection,
         ConnectionFor(context, context.job.file.stream->source, "stream.source"));
  return CountPartitions(connection);
}

std::filesystem::path SourceFolder(const JobFile& job) {
  return Below(job, *job.stream->source.folder);
}

std::filesystem::path SinkFolder(const JobFile& job) {
  return Below(job, *job.stream->sink.folder);
}

Result<Format> SinkFormat(const JobFile& job) {
  const std::string& format = job.stream->sink.format;
  if (format.empty()) return Format::kParquet;
  return FormatCalled(format);
}

Result<std::unique_ptr<StreamSink>> OpenSink(const EndsContext& context) {
  const JobFile& job = context.job.file;
  if (job.stream->sink.kafka) return OpenTopic(context);
  if (job.stream->sink.tables() > 0) return OpenTableSink(context);
  PT_LET(const Format format, SinkFormat(job));
  return std::make_unique<FolderSink>(
      FolderSinkOptions{.folder = SinkFolder(job),
                        .format = format,
                        .owner = fs::absolute(WholeFolder(context)).lexically_normal().string(),
                        .partition = context.partition});
}

}  // namespace protium
