// SPDX-License-Identifier: Apache-2.0
#include "model/background.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/fault.h"
#include "format/safetensors.h"
#include "model/net_rows.h"

namespace protium {
namespace {

std::string TensorName(const RowField& field) {
  return field.list_length > 0 ? "list." + field.name : field.name;
}

std::string TensorType(const RowField& field) {
  if (field.element == RowElement::kIdentity64) return "I64";
  return field.element == RowElement::kInt32 ? "I32" : "F32";
}

int64_t BytesOf(const RowField& field) { return field.elements() * field.element_bytes(); }

// The fields that a net reads.
std::vector<const RowField*> Features(const RowSchema& schema) {
  std::vector<const RowField*> features;
  for (const RowField& field : schema.fields()) {
    if (field.role == RowRole::kFeature && field.elements() > 0) features.push_back(&field);
  }
  return features;
}

Status NotOfTheNet(const std::string& file, const std::string& why) {
  return Fail({.exit = Exit::kInput,
               .what = "the background rows in " + file + " are not of this net",
               .why = why,
               .fix = "save the model again"});
}

// The number of rows of a file that has exactly the tensors of `features`.
Result<int64_t> CountRows(const Safetensors& file, const std::vector<const RowField*>& features,
                          const std::string& path) {
  int64_t rows = -1;
  for (const RowField* field : features) {
    const NamedTensor* tensor = file.Find(TensorName(*field));
    if (tensor == nullptr) return NotOfTheNet(path, "it has no tensor " + TensorName(*field));
    const bool fits = tensor->dtype == TensorType(*field) && tensor->shape.size() == 2 &&
                      tensor->shape[1] == field->elements();
    if (!fits || (rows >= 0 && tensor->shape[0] != rows)) {
      return NotOfTheNet(path, "the tensor " + tensor->name + " has another shape");
    }
    rows = tensor->shape[0];
  }
  if (file.tensors().size() != features.size()) return NotOfTheNet(path, "it has more tensors");
  if (rows < 1) return NotOfTheNet(path, "it has no rows");
  return rows;
}

// Rows of the layout whose other fields, labels and weights, are 0: no net reads them.
std::vector<std::byte> PackedFrom(const Safetensors& file, const RowSchema& schema, int64_t rows) {
  std::vector<std::byte> packed(size_t(rows * schema.width()));
  for (const RowField* field : Features(schema)) {
    const std::byte* from = file.Find(TensorName(*field))->data.data();
    for (int64_t i = 0; i < rows; ++i) {
      std::memcpy(packed.data() + i * schema.width() + field->offset, from + i * BytesOf(*field),
                  size_t(BytesOf(*field)));
    }
  }
  return packed;
}

}  // namespace

Status WriteBackground(const std::filesystem::path& file, const PackedRows& rows) {
  const std::vector<const RowField*> features = Features(rows.schema());
  std::vector<std::vector<std::byte>> data;
  for (const RowField* field : features) {
    auto& values = data.emplace_back();
    for (int64_t i = 0; i < rows.size(); ++i) {
      const std::byte* const from = rows.row(i) + field->offset;
      values.insert(values.end(), from, from + BytesOf(*field));
    }
  }
  std::vector<NamedTensor> tensors;
  for (size_t f = 0; f < features.size(); ++f) {
    tensors.push_back({TensorName(*features[f]),
                       TensorType(*features[f]),
                       {rows.size(), features[f]->elements()},
                       data[f]});
  }
  return WriteSafetensors(file, tensors);
}

Result<std::shared_ptr<const Background>> ReadBackground(const std::string& file,
                                                         const NetConfig& config) {
  if (file.empty()) return std::shared_ptr<const Background>();
  PT_LET(const Safetensors read, Safetensors::Read(file));
  RowSchema schema = NetRows(config, {}, {}, false);
  PT_LET(const int64_t rows, CountRows(read, Features(schema), file));
  std::vector<std::byte> packed = PackedFrom(read, schema, rows);
  auto background = std::make_shared<const Background>(std::move(schema), std::move(packed));
  PT_TRY(Annotate(CheckCategories(background->rows(), Cardinalities(config)), file));
  return background;
}

}  // namespace protium
