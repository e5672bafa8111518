// SPDX-License-Identifier: Apache-2.0
#include "frame/table_writer.h"

#include <arrow/builder.h>
#include <arrow/compute/api_vector.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "base/fault.h"
#include "column/cells.h"
#include "format/cell_text.h"
#include "format/file_writer.h"
#include "format/formats.h"
#include "format/partitions.h"
#include "frame/verbs.h"
#include "os/file.h"
#include "os/publish.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFolders = 1'000;  // Each has an open file.

std::string EndingOf(const FileForm& form) {
  std::string ending = "." + FieldsToJson(form.format).get<std::string>();
  if (form.packing == Packing::kGzip) ending += ".gz";
  return form.packing == Packing::kZstd ? ending + ".zst" : ending;
}

bool NamesAFolder(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || type.id() == arrow::Type::BOOL ||
         type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::STRING;
}

// Returns the positions of the columns that become folders, in their order.
Result<std::vector<int>> FindColumns(const arrow::Schema& schema,
                                     const std::vector<std::string>& partitions) {
  std::vector<int> found;
  for (const std::string& name : partitions) {
    PT_LET(const int at, FindColumn(schema, name, "make folders of"));
    if (std::ranges::find(found, at) != found.end()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("folders are to be made of column \"{}\" twice", name)});
    }
    if (!NamesAFolder(*schema.field(at)->type())) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("column \"{}\" of type {} cannot name folders", name,
                                       TypeText(*schema.field(at)->type())),
                   .fix = "take columns of whole numbers, booleans, dates or texts"});
    }
    found.push_back(at);
  }
  if (static_cast<int>(found.size()) < schema.num_fields()) return found;
  return Fail({.exit = Exit::kUsage, .what = "partitions leave no column for the files"});
}

// A folder of files that gets its name when all are written.
class PartitionFolder {
 public:
  PartitionFolder(FileForm form, fs::path target, std::vector<int> columns, SchemaPtr files)
      : form_(form),
        // "out/" is the folder "out": a path without a last component has no name for its draft.
        target_(target.has_filename() ? std::move(target) : target.parent_path()),
        // Beside the target, as PublishFolder() requires.
        draft_(target_.parent_path() / ("." + target_.filename().string() + ".draft")),
        columns_(std::move(columns)),
        files_(std::move(files)) {}
  ~PartitionFolder() {
    std::error_code ignored;
    // Files are closed before their folder is removed.
    writers_.clear();
    if (!published_) fs::remove_all(draft_, ignored);
  }

  Status Begin() {
    std::error_code ignored;
    fs::remove_all(draft_, ignored);  // Left by a killed process.
    return MakeFolder(draft_);
  }

  // Writes the rows of a batch to their folders, in order.
  Status Write(const arrow::RecordBatch& batch) {
    // The rows of each folder, by their numbers in the batch.
    std::map<std::string, arrow::Int64Builder> rows;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      PT_LET(const std::string folder, FolderOf(batch, row));
      PT_TRY(rows[folder].Append(row));
    }
    // Values from folder names are not in the files.
    PT_LET(const auto own, batch.SelectColumns(Others(batch.num_columns())));
    for (auto& [folder, numbers] : rows) {
      PT_LET(const auto indices, numbers.Finish());
      PT_LET(const arrow::Datum part, arrow::compute::Take(own, indices));
      PT_LET(FileWriter* const writer, WriterOf(folder));
      PT_TRY(writer->Write(*part.record_batch()));
    }
    return Status::OK();
  }

  Status Commit() {
    // All files are complete before the folder gets its name.
    for (auto& [folder, writer] : writers_) PT_TRY(writer->Commit());
    PT_TRY(PublishFolder(draft_, target_));
    published_ = true;
    return Status::OK();
  }

 private:
  std::vector<int> Others(int count) const {
    std::vector<int> others;
    for (int i = 0; i < count; ++i) {
      if (std::find(columns_.begin(), columns_.end(), i) == columns_.end()) others.push_back(i);
    }
    return others;
  }

  Result<std::string> FolderOf(const arrow::RecordBatch& batch, int64_t row) const {
    std::string folder;
    for (const int column : columns_) {
      const arrow::Array& values = *batch.column(column);
      const std::string& name = batch.schema()->field(column)->name();
      std::string text;
      if (values.type_id() == arrow::Type::STRING && !values.IsNull(row)) {
        // Unquoted: AppendCsvCell() would quote it.
        text = static_cast<const arrow::StringArray&>(values).GetString(row);
        if (text.empty()) {
          return Fail({.exit = Exit::kInput,
                       .what = "column \"" + name + "\" holds an empty text, which names no folder",
                       .fix = "make it NULL, or another text"});
        }
      } else if (!values.IsNull(row)) {
        AppendCsvCell(values, row, text);
      }
      folder += PartitionName(name, values.IsNull(row) ? nullptr : &text) + "/";
    }
    return folder;
  }

  Result<FileWriter*> WriterOf(const std::string& folder) {
    const auto found = writers_.find(folder);
    if (found != writers_.end()) return found->second.get();
    if (writers_.size() == kMostFolders) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("the rows are of more than {} folders", kMostFolders),
                   .fix = "partition by a column with fewer values",
                   .kept = "nothing was written"});
    }
    const std::string path = (draft_ / folder / ("part-0" + EndingOf(form_))).string();
    PT_LET(auto writer, FileWriter::Make(form_, path, files_));
    return writers_.emplace(folder, std::move(writer)).first->second.get();
  }

  FileForm form_;
  fs::path target_;
  fs::path draft_;
  std::vector<int> columns_;
  SchemaPtr files_;
  std::map<std::string, std::unique_ptr<FileWriter>> writers_;
  bool published_ = false;
};

SchemaPtr Without(const arrow::Schema& schema, const std::vector<int>& columns) {
  arrow::FieldVector fields;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (std::find(columns.begin(), columns.end(), i) == columns.end()) {
      fields.push_back(schema.field(i));
    }
  }
  return arrow::schema(std::move(fields));
}

Result<int64_t> WriteRows(BatchStream& rows, const FileForm& form, const std::string& target) {
  PT_LET(const auto writer, FileWriter::Make(form, target, rows.schema()));
  int64_t count = 0;
  while (true) {
    PT_LET(const auto batch, rows.Next());
    if (batch == nullptr) break;
    PT_TRY(writer->Write(*batch));
    count += batch->num_rows();
  }
  PT_TRY(writer->Commit());
  return count;
}

Result<int64_t> WritePartitions(BatchStream& rows, const FileForm& form, const std::string& target,
                                const std::vector<std::string>& partitions) {
  PT_LET(std::vector<int> columns, FindColumns(*rows.schema(), partitions));
  const SchemaPtr files = Without(*rows.schema(), columns);
  PartitionFolder folder(form, target, std::move(columns), files);
  PT_TRY(folder.Begin());
  int64_t count = 0;
  while (true) {
    PT_LET(const auto batch, rows.Next());
    if (batch == nullptr) break;
    PT_TRY(folder.Write(*batch));
    count += batch->num_rows();
  }
  PT_TRY(folder.Commit());
  return count;
}

// --force applies to files; a folder may hold anything.
Status RefuseFilledFolder(const fs::path& target) {
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return Status::OK();
  if (fs::is_directory(target, ignored) && fs::is_empty(target, ignored)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = target.string() + " already exists, and this run did not write it",
               .fix = "choose another path, or remove it",
               .kept = "nothing was written"});
}

}  // namespace

Result<FileForm> FormToWrite(Format format, const std::string& path) {
  const auto named = FormOfName(path);
  if (!named) return FileForm{format};
  if (named->format == format) return *named;
  const auto text = [](Format each) { return FieldsToJson(each).get<std::string>(); };
  return Fail({.exit = Exit::kUsage,
               .what = "the output \"" + path + "\" is named as " + text(named->format) +
                       " and was to be " + text(format),
               .fix = "name it ." + text(format) + ", or write it as " + text(named->format),
               .kept = "nothing was written"});
}

Result<int64_t> WriteFrame(SessionState& session, const Plan& plan, const FileForm& form,
                           const std::string& target, const std::vector<std::string>& partitions) {
  if (KindOf(form.format).engines && form.packing == Packing::kNone && partitions.empty()) {
    return session.engine().Run(MakePlan(Write{form.format, target}, {plan}), session.call());
  }
  // Before the rows are computed, which may take long.
  if (!partitions.empty() && !session.record().Wrote(target)) PT_TRY(RefuseFilledFolder(target));
  PT_LET(const BatchStreamPtr rows, session.engine().Execute(plan, session.call()));
  return partitions.empty() ? WriteRows(*rows, form, target)
                            : WritePartitions(*rows, form, target, partitions);
}

}  // namespace protium
