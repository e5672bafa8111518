// SPDX-License-Identifier: Apache-2.0
#include "format/text_writer.h"

#include <arrow/io/compressed.h>
#include <arrow/record_batch.h>
#include <arrow/util/compression.h>

#include <string>
#include <utility>

#include "format/atomic_output.h"
#include "format/cell_text.h"
#include "format/row_text.h"

namespace protium {
namespace {

class TextWriter : public FileWriter {
 public:
  TextWriter(AtomicFile file, bool csv)
      : output_(std::make_shared<AtomicOutput>(std::move(file))), csv_(csv), text_(output_) {}

  Status Open(const SchemaPtr& schema, Packing packing) {
    if (packing != Packing::kNone) {
      const bool gzip = packing == Packing::kGzip;
      PT_LET(codec_, arrow::util::Codec::Create(gzip ? arrow::Compression::GZIP
                                                     : arrow::Compression::ZSTD));
      PT_LET(text_, arrow::io::CompressedOutputStream::Make(codec_.get(), output_));
    }
    row_ = RowText(*schema);
    std::string header;
    for (const auto& field : schema->fields()) {
      if (!header.empty()) header += ',';
      AppendCsvText(field->name(), header);
    }
    return csv_ ? Put(header + "\n") : Status::OK();
  }
  Status Write(const arrow::RecordBatch& batch) override {
    constexpr size_t kPieceBytes = 1 << 20;
    std::string lines;
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      csv_ ? RowText::AppendCsv(batch, row, lines) : row_.AppendJson(batch, row, lines);
      lines += '\n';
      if (lines.size() < kPieceBytes) continue;
      PT_TRY(Put(lines));
      lines.clear();
    }
    return Put(lines);
  }
  Status Commit() override {
    PT_TRY(output_->Explain(text_->Close()));
    return output_->Commit();
  }

 private:
  Status Put(const std::string& lines) { return output_->Explain(text_->Write(lines)); }

  std::shared_ptr<AtomicOutput> output_;
  bool csv_;  // Otherwise JSON lines.
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::io::OutputStream> text_;
  RowText row_;
};

Result<std::unique_ptr<FileWriter>> Make(AtomicFile file, const SchemaPtr& schema, Packing packing,
                                         bool csv) {
  auto writer = std::make_unique<TextWriter>(std::move(file), csv);
  PT_TRY(writer->Open(schema, packing));
  return writer;
}

}  // namespace

Result<std::unique_ptr<FileWriter>> WriteCsv(AtomicFile file, const SchemaPtr& schema,
                                             Packing packing) {
  return Make(std::move(file), schema, packing, true);
}

Result<std::unique_ptr<FileWriter>> WriteJsonLines(AtomicFile file, const SchemaPtr& schema,
                                                   Packing packing) {
  return Make(std::move(file), schema, packing, false);
}

}  // namespace protium
