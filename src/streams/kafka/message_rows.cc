// SPDX-License-Identifier: Apache-2.0
#include "kafka/message_rows.h"

#include <arrow/type.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "format/csv_options.h"
#include "format/csv_scan.h"
#include "format/csv_types.h"
#include "records/dead_letter.h"

namespace protium {
namespace {

// Without its line end.
std::string_view LineOf(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<MessageRows> MessageRows::Make(const KafkaSourceOptions& options) {
  arrow::util::InitializeUTF8();
  if (options.format == MessageFormat::kText) PT_TRY(CheckTextMessages(*options.columns));
  if (options.format == MessageFormat::kAvro) {
    PT_LET(AvroMessages avro, AvroMessages::Make(options));
    PT_LET(RecordRows none, RecordRows::Make(arrow::schema({})));
    MessageRows rows(options, std::move(none));
    rows.avro_ = std::move(avro);
    return rows;
  }
  PT_LET(RecordRows rows, RecordRows::Make(options.columns));
  return MessageRows(options, std::move(rows));
}

Status MessageRows::Add(const std::function<std::string()>& place,
                        std::optional<std::string_view> bytes) {
  const Status added =
      !bytes ? RefuseEvent("the message is null (a tombstone)") : AddBytes(*bytes, place);
  if (added.ok()) return added;
  const Fault fault = FaultOf(added);
  if (fault.exit != Exit::kInput || !fault.kept.empty()) return added;
  dead_.push_back(Letter(place(), ReasonOf(added), bytes.value_or("")));
  return Status::OK();
}

Status MessageRows::AddBytes(std::string_view bytes, const std::function<std::string()>& place) {
  if (avro_) {
    PT_LET(const std::string unknown, avro_->Add(bytes));
    return TakeNewColumn(unknown, place);
  }
  if (!arrow::util::ValidateUTF8(bytes)) return RefuseEvent("the message is not UTF-8");
  return AddRow(bytes, place);
}

Result<bool> MessageRows::Learn(std::optional<std::string_view> bytes) {
  if (!avro_ || !bytes) return true;
  return avro_->Learn(*bytes);
}
std::vector<int32_t> MessageRows::TakeUnknownSchemas() {
  return avro_ ? avro_->TakeUnknown() : std::vector<int32_t>();
}
void MessageRows::SetUnknownSchemas(const std::vector<int32_t>& ids) {
  if (avro_) avro_->SetUnknown(ids);
}

Status MessageRows::AddRow(std::string_view text, const std::function<std::string()>& place) {
  switch (options_.format) {
    case MessageFormat::kCsv:
      return AddCsv(LineOf(text));
    case MessageFormat::kText:
      cells_.assign(1, text);
      return rows_.AddCells(cells_);
    case MessageFormat::kAvro:
    case MessageFormat::kJson:
      break;
  }
  PT_LET(const std::string unknown,
         rows_.AddObject(text, options_.new_columns == NewColumns::kDead));
  return TakeNewColumn(unknown, place);
}

Status MessageRows::TakeNewColumn(const std::string& column,
                                  const std::function<std::string()>& place) {
  if (column.empty()) return Status::OK();
  if (options_.new_columns == NewColumns::kStop) return StopAtNewColumn(place(), column);
  if (std::ranges::count(ignored_, column) > 0) return Status::OK();
  ignored_.push_back(column);
  if (options_.kafka.note) {
    options_.kafka.note(
        fmt::format("{}: column \"{}\" is not among those of the stream and is "
                    "ignored",
                    place(), column));
  }
  return Status::OK();
}

Status MessageRows::AddCsv(std::string_view text) {
  CsvScanner scanner(text, SyntaxOf(options_.csv), "the message");
  PT_LET(const bool any, scanner.Next(found_));
  if (!any) return RefuseEvent("the message is empty");
  if (!scanner.rest().empty()) return RefuseEvent("the message has more than one line");
  const size_t columns = size_t(rows_.columns()->num_fields());
  const size_t fewer = columns - std::min(columns, options_.optional.size());
  if (found_.size() != columns && found_.size() != fewer) {
    return RefuseEvent(
        fmt::format("the message has {} cells in place of {}", found_.size(), columns));
  }
  cells_.clear();
  held_.clear();
  held_.reserve(columns);  // Views of these texts must stay.
  size_t at = 0;
  for (const auto& field : rows_.columns()->fields()) {
    const bool absent =
        found_.size() != columns && std::ranges::count(options_.optional, field->name()) > 0;
    if (absent || IsNull(found_[at], options_.csv)) {
      cells_.emplace_back(std::nullopt);
    } else if (found_[at].doubled) {
      cells_.emplace_back(held_.emplace_back(CsvText(found_[at])));
    } else {
      cells_.emplace_back(found_[at].text);
    }
    at += absent ? 0 : 1;
  }
  return rows_.AddCells(cells_);
}

Result<StreamRows> MessageRows::Finish() {
  StreamRows result;
  PT_LET(result.rows, avro_ ? avro_->Finish() : rows_.Finish());
  result.dead = std::exchange(dead_, {});
  return result;
}

}  // namespace protium
