// SPDX-License-Identifier: Apache-2.0
#include "rows/schema.h"

#include <algorithm>
#include <utility>

namespace protium {

int64_t RowField::elements() const {
  if (list_length > 0) return list_length;
  return columns.empty() ? 1 : int64_t(columns.size());
}

void RowSchema::Add(RowField field) {
  field.offset = width_;
  width_ += field.element_bytes() * field.elements();
  fields_.push_back(std::move(field));
}

const RowField* RowSchema::Find(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const RowField& field) { return field.name == name; });
  return found == fields_.end() ? nullptr : &*found;
}

// `missing` is written where it is set only, so that rows without missing cells have the same
// identity as before there were any.
Json RowSchema::ToJson() const {
  Json json = fields::Write(fields_);
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].missing) json[i]["missing"] = true;
  }
  return json;
}

namespace {

RowField NumericField(const RowColumns& columns) {
  RowField field{
      .name = std::string(kNumericField), .columns = columns.numeric, .missing = columns.missing};
  if (columns.scaled.empty()) return field;
  field.from = columns.numeric;
  field.scales.resize(columns.numeric.size());
  for (size_t i = 0; i < columns.numeric.size(); ++i) {
    const auto scaled =
        std::ranges::find(columns.scaled, columns.numeric[i], &ScaledColumn::column);
    if (scaled == columns.scaled.end()) continue;
    field.from[i] = scaled->from;
    field.scales[i] = scaled->scale;
  }
  return field;
}

}  // namespace

bool IsFieldOfMostRows(std::string_view name) {
  constexpr std::string_view kNames[] = {kNumericField,    kLabelField, kWeightField,
                                         kCategoriesField, kIdsField,   kGroupField,
                                         kOwnLabelField,   kScaleField};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

RowSchema MakeRowSchema(const RowColumns& columns) {
  RowSchema schema;
  if (!columns.numeric.empty()) schema.Add(NumericField(columns));
  RowField label{.name = std::string(kLabelField), .role = RowRole::kLabel};
  for (const LabelColumn& each : columns.labels) {
    label.columns.push_back(each.column);
    label.scales.push_back(each.scale);
  }
  if (!columns.class_label.empty()) {
    label.element = RowElement::kInt32;
    label.columns = {columns.class_label};
  }
  schema.Add(std::move(label));
  RowField weight{.name = std::string(kWeightField), .role = RowRole::kWeight, .fill = 1};
  if (!columns.weight.empty()) weight.columns = {columns.weight};
  schema.Add(std::move(weight));
  if (!columns.categories.empty()) {
    schema.Add({.name = std::string(kCategoriesField),
                .element = RowElement::kInt32,
                .columns = columns.categories,
                .missing = columns.missing});
  }
  if (!columns.ids.empty()) {
    schema.Add({.name = std::string(kIdsField),
                .element = RowElement::kIdentity64,
                .columns = columns.ids});
  }
  for (const ListColumn& each : columns.lists) {
    schema.Add({.name = each.column,
                .element = each.element,
                .columns = {each.column},
                .list_length = each.length});
  }
  if (!columns.group.empty()) {
    schema.Add({.name = std::string(kGroupField),
                .role = RowRole::kGroup,
                .element = RowElement::kIdentity64,
                .columns = {columns.group}});
  }
  return schema;
}

RowSchema WithOwnLabels(RowSchema rows, const std::vector<std::string>& scales) {
  const RowField* const label = rows.Find(kLabelField);
  if (label == nullptr || label->columns.empty() || label->element != RowElement::kFloat32) {
    return rows;
  }
  RowField own{.name = std::string(kOwnLabelField),
               .role = RowRole::kLabel,
               .element = RowElement::kFloat64,
               .columns = label->columns};
  rows.Add(std::move(own));
  if (scales.empty()) return rows;
  rows.Add({.name = std::string(kScaleField),
            .role = RowRole::kLabel,
            .element = RowElement::kFloat64,
            .columns = scales});
  return rows;
}

}  // namespace protium
